"""False alarms and power of the comparison, by simulation (see `study.py`)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import RepeatedKFold, cross_val_score

from tests.model_selection.study import HALF, any_difference, fold_scores, simulated, two_models


def test_the_scores_of_the_study_are_those_of_scikit_learn():
    X, y = simulated(np.random.default_rng(0), 60, 0.5)
    cv = RepeatedKFold(n_splits=5, n_repeats=5, random_state=7)
    expected = [cross_val_score(LinearRegression(), part, y, cv=cv) for part in (X[:, :HALF], X[:, HALF:])]
    np.testing.assert_allclose(fold_scores(X, y, seed=7), expected, rtol=1e-9)


def test_equal_models_are_told_apart_in_at_most_6_percent_of_200_pairs():
    found = two_models(200, n_rows=60, gap=0.0, seed=3)
    assert found.corrected <= 0.06
    assert found.uncorrected > 0.2  # what the correction is for


def test_planted_differences_are_found():
    assert two_models(25, n_rows=200, gap=2.0, seed=4).corrected > 0.9


@pytest.mark.parametrize("n_models", [4])
def test_among_many_equal_models_the_best_is_not_declared_better(n_models):
    assert any_difference(60, 60, n_models, seed=5) <= 0.06
