"""Folds of a cross-validation are proved, what was measured on them is told as not computed again."""

from __future__ import annotations

import copy

import numpy as np
from sklearn.model_selection import GridSearchCV

from surefit import certify
from surefit.linear_model import Ridge
from surefit.model_selection import cross_validate, nested_cross_validate

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] + np.random.default_rng(1).normal(size=60)


def test_scores_are_told_as_not_computed_again():
    for scores in (
        cross_validate(Ridge(), X, Y),
        nested_cross_validate(GridSearchCV(Ridge(), {"alpha": [1, 9]}), X, Y),
    ):
        certificate = certify(scores, X, Y)
        assert certificate.holds and certificate.grade == "EXACT"
        claim = certificate["scores"]
        assert claim.grade == "UNPROVED" and claim.informs and "test_score" in claim.sentence


def test_folds_in_another_order_are_refused():
    scores = copy.deepcopy(cross_validate(Ridge(), X, Y))
    scores._kept = scores._kept[::-1]
    assert not certify(scores, X, Y)["fingerprint"].holds
