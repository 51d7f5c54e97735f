"""The checker of LogisticRegressionCV: scikit-learn's, both forms of its attributes, and lies about what was chosen."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.preprocessing import StandardScaler

import surefit
from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, failing

IRIS, SPECIES = load_iris(return_X_y=True)
IRIS = StandardScaler().fit_transform(IRIS)
TIGHT: dict[str, Any] = {"Cs": [0.01, 1.0, 100.0], "cv": 3, "tol": 1e-10, "max_iter": 2000, "scoring": "neg_log_loss"}


def fit(y: np.ndarray, **options: Any) -> LogisticRegressionCV:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LogisticRegressionCV(**(TIGHT | options)).fit(IRIS[-len(y) :], y)


MODELS = {
    "three classes": ({"use_legacy_attributes": False, "l1_ratios": (0.0,)}, SPECIES),
    "legacy": ({"use_legacy_attributes": True, "l1_ratios": None}, SPECIES),
    "two classes": ({"use_legacy_attributes": False, "l1_ratios": (0.0,)}, SPECIES[50:]),
    "liblinear": ({"use_legacy_attributes": False, "l1_ratios": (0.0,), "solver": "liblinear"}, SPECIES[50:]),
    "elastic net": (
        {
            "use_legacy_attributes": False,
            "l1_ratios": (0.0, 0.5, 1.0),
            "solver": "saga",
            "Cs": [0.02, 0.2],
            "tol": 1e-7,
        },
        SPECIES[50:],
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_last_fit_is_proved_and_scores_are_listed_as_not_checked(name: str) -> None:
    options, y = MODELS[name]
    X = IRIS[-len(y) :]
    model = fit(y, **options)
    c = surefit.certify(model, X, y)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    assert {"scores_", "coefs_paths_", "n_iter_"} <= set(c.not_checked)
    C, ratio = float(np.ravel(model.C_)[0]), float(np.ravel(model.l1_ratio_)[0] or 0.0)
    solver = options.get("solver", "lbfgs")
    single = LogisticRegression(C=C, l1_ratio=ratio, solver=solver, tol=1e-10, max_iter=5000).fit(X, y)
    own = surefit.certify(single, X, y)["optimal"].detail["objective"]
    assert c["optimal"].detail["objective"] == pytest.approx(own, rel=1e-6)


def test_lies_about_the_choice() -> None:
    model = fit(SPECIES, use_legacy_attributes=False, l1_ratios=(0.0,))
    others = [C for C in model.Cs_ if model.C_ != C]
    assert certify(model, IRIS, SPECIES).holds
    assert {"optimal", "selected"} <= failing(certify(altered(model, C_=others[0]), IRIS, SPECIES))
    assert "selected" in failing(certify(altered(model, scores_=-model.scores_), IRIS, SPECIES))
    assert "selected" in failing(certify(altered(model, Cs_=model.Cs_[::-1].copy()), IRIS, SPECIES))
    assert "optimal" in failing(certify(altered(model, coef_=model.coef_ * 1.01), IRIS, SPECIES))
    assert "predict_proba" in failing(certify(altered(model, predict_proba=lambda X: 0), IRIS, SPECIES))
    for lie in (None, "text", np.nan, [], [1.0, 2.0]):
        assert not certify(altered(model, C_=lie), IRIS, SPECIES).holds
        assert not certify(altered(model, Cs_=lie), IRIS, SPECIES).holds
        assert not certify(altered(model, scores_=lie), IRIS, SPECIES).holds
    for lie in ("text", np.nan, [], [1.0, 2.0], 0.5):
        assert not certify(altered(model, l1_ratio_=lie), IRIS, SPECIES).holds


def test_means_over_folds_are_no_optimum() -> None:
    model = fit(SPECIES, use_legacy_attributes=False, l1_ratios=(0.0,), refit=False)
    claim = certify(model, IRIS, SPECIES)["optimal"]
    assert not claim.holds and claim.grade is Grade.UNPROVED and "refit" in claim.sentence
