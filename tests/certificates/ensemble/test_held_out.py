"""Rows that our boosted models keep for validation: found again from their contents, and the scores with them."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

import surefit
from surefit.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

X, Y = load_diabetes(return_X_y=True)
B, C = load_breast_cancer(return_X_y=True)
W = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
FITS = {
    "hist": lambda: (HistGradientBoostingRegressor(max_iter=4, early_stopping=True, random_state=0), (X, Y)),
    "hist weights": lambda: (HistGradientBoostingRegressor(max_iter=4, early_stopping=True), (X, Y, W)),
    "hist classes": lambda: (
        HistGradientBoostingClassifier(max_iter=4, early_stopping=True, class_weight="balanced"),
        (B.astype(np.float32), C),
    ),
    "stages": lambda: (GradientBoostingRegressor(n_estimators=4, n_iter_no_change=3), (X, Y)),
    "stages weights": lambda: (GradientBoostingRegressor(n_estimators=4, n_iter_no_change=3), (X, Y, W)),
    "stages classes": lambda: (GradientBoostingClassifier(n_estimators=4, n_iter_no_change=3), (B, C)),
}


@pytest.mark.parametrize("name", list(FITS))
def test_rows_kept_for_validation_are_found_again(name):
    model, data = FITS[name]()
    model.fit(*data)
    certificate = surefit.certify(model, *data)
    assert certificate.holds, str(certificate)
    assert "validation_score_" in certificate
    lie = copy.deepcopy(model)
    lie.validation_score_ = lie.validation_score_ * (1 + 1e-5)
    assert not surefit.certify(lie, *data)["validation_score_"].holds
    lie = copy.deepcopy(model)
    lie.random_state, lie.seed_ = None, model.seed_ + 1
    assert not surefit.certify(lie, *data).holds


def test_with_rows_given_for_validation_all_rows_are_replayed():
    """No row is hidden then: rounds are proved, and a model that says otherwise is refused."""
    model = HistGradientBoostingRegressor(max_iter=4, early_stopping=True)
    model.fit(X[:300], Y[:300], X_val=X[300:], y_val=Y[300:])
    certificate = surefit.certify(model, X[:300], Y[:300])
    assert certificate.holds and certificate.grade == "GREEDY", str(certificate)
    assert {"leaf_values", "splits", "train_score_"} <= {claim.name for claim in certificate.claims}
    for other in ("held out", None, 3):
        lie = copy.deepcopy(model)
        lie.validation_rows_ = other
        assert not surefit.certify(lie, X[:300], Y[:300]).holds
    kept = HistGradientBoostingRegressor(max_iter=4, early_stopping=True).fit(X, Y)
    assert kept.validation_rows_ == "held out"
    kept.validation_rows_ = "given"
    assert not surefit.certify(kept, X, Y).holds


def test_a_number_of_rows_kept_for_validation():
    model = HistGradientBoostingRegressor(max_iter=4, early_stopping=True, validation_fraction=40).fit(X, Y)
    certificate = surefit.certify(model, X, Y)
    assert certificate.holds and "validation_score_" in certificate, str(certificate)
