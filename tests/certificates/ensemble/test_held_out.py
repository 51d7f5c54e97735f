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


def test_rows_given_for_validation_are_not_refuted():
    model = HistGradientBoostingRegressor(max_iter=4, early_stopping=True)
    model.fit(X[:300], Y[:300], X_val=X[300:], y_val=Y[300:])
    certificate = surefit.certify(model, X[:300], Y[:300])
    assert certificate["rounds"].grade == "UNPROVED"
