"""The learning curve is that of scikit-learn; the band is one standard deviation."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.model_selection import learning_curve

from surefit.linear_model import Ridge
from surefit.plot import LearningCurveDisplay

X, Y = load_diabetes(return_X_y=True)


def test_the_lines_are_the_means_of_scikit_learns_scores():
    display = LearningCurveDisplay.from_estimator(Ridge(0.1), X, Y, cv=3, scoring="r2")
    sizes, seen, unseen = learning_curve(
        Ridge(0.1), X, Y, cv=3, scoring="r2", train_sizes=[0.1, 0.2, 0.4, 0.7, 1.0], shuffle=True, random_state=0
    )
    np.testing.assert_array_equal(display.lines_[0].get_xdata(), sizes)
    np.testing.assert_allclose(display.lines_[0].get_ydata(), unseen.mean(axis=1))
    np.testing.assert_allclose(display.lines_[1].get_ydata(), seen.mean(axis=1))
    assert display.ax_.get_ylabel() == "r2" and display.ax_.get_xlabel() == "training rows"
    assert display.figure_ is display.ax_.figure


def test_a_hopeless_first_size_does_not_flatten_the_rest():
    unseen = [[-900.0, -1100.0], [0.40, 0.42], [0.44, 0.46], [0.47, 0.49]]
    seen = [[1.0, 1.0], [0.6, 0.6], [0.55, 0.55], [0.52, 0.52]]
    display = LearningCurveDisplay(train_sizes=[10, 20, 40, 80], train_scores=seen, test_scores=unseen).plot()
    low, high = display.ax_.get_ylim()
    assert 0.0 < low < 0.41 and 1.0 < high < 2.0


@pytest.mark.parametrize("scores", [np.ones((3, 2)), np.ones(2)])
def test_scores_that_do_not_belong_to_the_sizes_are_refused(scores):
    with pytest.raises(ValueError, match=r"\(sizes, folds\)"):
        LearningCurveDisplay(train_sizes=[10, 20], train_scores=scores, test_scores=scores)
