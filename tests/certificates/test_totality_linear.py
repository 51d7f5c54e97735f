"""Checkers of linear classifiers and quantile fits answer whatever the attributes hold: no, with a reason."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression, Perceptron, QuantileRegressor

from surefit.certificates import Grade
from tests.certificates.bench import altered, certify
from tests.certificates.test_lms_regressor import LMSRegressor
from tests.certificates.test_logistic_regression import TIGHT
from tests.certificates.test_quantile_regressor import dual_of_highs
from tests.certificates.test_separation import BatchPerceptron, LinearProgramClassifier
from tests.certificates.test_totality import SKIPPED, wicked

rng = np.random.default_rng(37)
X = rng.normal(size=(60, 4))
Y = X @ np.arange(4.0) + rng.normal(size=60)
MIXED = (Y + rng.normal(size=60) > 0).astype(int)
APART = (X[:, 0] + X[:, 1] > 0).astype(int)
THREE = np.digitize(Y, [-1.0, 1.0])
NOISY = rng.permutation(THREE)

QUANTILE = QuantileRegressor(alpha=0.02).fit(X, Y)
QUANTILE.dual_ = dual_of_highs(QUANTILE, X, Y, np.ones(60))
RAY = LogisticRegression(C=np.inf, tol=1e-3).fit(X, APART)
RAY.separation_ = np.array([[1.0, 1.0, 0.0, 0.0, 0.0]])

MODELS: dict[str, tuple[Any, np.ndarray]] = {
    "QuantileRegressor": (QuantileRegressor(alpha=0.0).fit(X, Y), Y),
    "QuantileRegressor, dual": (QUANTILE, Y),
    "LogisticRegression": (LogisticRegression(**TIGHT).fit(X, MIXED), MIXED),
    "LogisticRegression, three": (LogisticRegression(**TIGHT).fit(X, THREE), THREE),
    "LogisticRegression, free": (LogisticRegression(C=np.inf, **TIGHT).fit(X, NOISY), NOISY),
    "LogisticRegression, lasso": (
        LogisticRegression(solver="liblinear", l1_ratio=1.0, tol=1e-10).fit(X, MIXED),
        MIXED,
    ),
    "LogisticRegression, ray": (RAY, APART),
    "LinearProgramClassifier": (LinearProgramClassifier().fit(X, APART), APART),
    "LinearProgramClassifier, no": (LinearProgramClassifier().fit(X, MIXED), MIXED),
    "BatchPerceptron": (BatchPerceptron().fit(X, APART), APART),
    "Perceptron": (Perceptron(random_state=0, tol=None).fit(X, APART), APART),
    "LMSRegressor": (LMSRegressor().fit(X, Y), Y),
}
# what a true statement can be made about with other values: any count of updates below the bound, any separating
# plane of a perceptron; None means absent for what is optional
LOOSE = {
    ("BatchPerceptron", "n_updates_"),
    ("BatchPerceptron", "bound_"),
    ("BatchPerceptron", "intercept_"),
    ("Perceptron", "coef_"),
    ("Perceptron", "intercept_"),
    ("LogisticRegression, ray", "coef_"),
    ("LogisticRegression, ray", "intercept_"),
    ("LogisticRegression, ray", "separation_"),
}
OPTIONAL = {"dual_", "margin_", "bound_"}
UNREAD = SKIPPED | {"t_", "loss_function_"}
# labels are matched with classes_ before the rows reach a checker: it sees codes, and that there are classes


def same(model: Any, attribute: str, lie: Any) -> bool:
    """Whether the lie is the truth in other clothes."""
    truth = np.asarray(getattr(model, attribute))
    lie = np.asarray(lie) if not isinstance(lie, list) else truth[:0]
    if attribute == "classes_":
        return lie.shape == truth.shape and bool((lie[:-1] < lie[1:]).all())
    if lie.dtype.kind not in "biuf":
        return False
    # a softmax reads differences between classes only
    softmax = lie.shape == truth.shape and len(getattr(model, "classes_", ())) > 2
    return np.array_equal(lie, truth) or (softmax and np.allclose(lie - lie[0], truth - truth[0], rtol=1e-12))


@pytest.mark.parametrize("name", MODELS)
def test_every_attribute_may_lie(name: str) -> None:
    model, y = MODELS[name]
    assert certify(model, X, y, rows=25).holds
    attributes = [a for a in vars(model) if a.endswith("_") and not a.startswith("_") and a not in UNREAD]
    assert "coef_" in attributes
    for attribute in attributes:
        for i, lie in enumerate(wicked(getattr(model, attribute))):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                c = certify(altered(model, **{attribute: lie}), X, y, rows=25)
            assert len(c) > 0 and all(claim.sentence for claim in c)
            assert c.holds == (c.grade not in (Grade.UNPROVED, Grade.NOT_OPTIMAL))
            assert c == type(c).from_json(c.to_json())
            believed = c.holds and not same(model, attribute, lie)
            excused = (name, attribute) in LOOSE or (i == 0 and attribute in OPTIONAL)
            assert not believed or excused, f"{attribute} = {lie!r}\n{c}"


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "data", ["nan", "inf", "huge", "zero", "one row", "other columns", "text", "labels", "weights", "no weight"]
)
def test_any_data(name: str, data: str) -> None:
    """No data makes a checker crash, and none of these is the data the model was fitted on."""
    model, y = MODELS[name]
    other = {
        "nan": np.full_like(X, np.nan),
        "inf": np.full_like(X, np.inf),
        "huge": X * 1e300,
        "zero": np.zeros_like(X),
        "one row": X[:1],
        "other columns": np.hstack([X, X]),
        "text": np.full(X.shape, "a"),
    }.get(data, X)
    y = np.full(60, np.nan) if data == "labels" else y
    w = {"weights": -np.ones(60), "no weight": np.zeros(60)}.get(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        c = certify(model, other, y[: len(other)], w)
    loose = name in ("BatchPerceptron", "Perceptron", "LogisticRegression, ray", "LinearProgramClassifier")
    assert len(c) > 0 and (not c.holds or (loose and data in ("huge", "one row"))), f"\n{c}"


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "parameter",
    ["alpha", "quantile", "C", "l1_ratio", "penalty", "class_weight", "fit_intercept", "solver", "intercept_scaling"],
)
def test_parameters_may_be_anything(name: str, parameter: str) -> None:
    model, y = MODELS[name]
    lies = [None, np.nan, "text", [], {}, {"a": "b"}, {0: None}, object(), -1, 0, 1e-320, 1e308, 1j, [1.0, "a"]]
    lies += [10**400, {0: 10**400}, np.timedelta64(3, "s"), np.array(["l1", "l2"]), np.longdouble("1e4000"), np.inf]
    for lie in lies:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            c = certify(altered(model, **{parameter: lie}), X, y)
        assert len(c) > 0


@pytest.mark.parametrize("name", MODELS)
def test_blocks_and_sparse_rows_change_nothing(name: str) -> None:
    model, y = MODELS[name]
    base = certify(model, X, y, rows=60)
    assert base.holds
    for other in (certify(model, X, y, rows=7), certify(model, sp.csr_array(X), y, rows=13)):
        assert [c.name for c in other] == [c.name for c in base]
        assert other.holds and other.grade is base.grade
