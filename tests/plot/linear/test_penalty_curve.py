"""The curve of left-out errors: what is drawn is what was learnt."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import RidgeCV as SklearnRidgeCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from surefit.kernel_ridge import KernelRidgeCV
from surefit.linear_model import RidgeCV
from surefit.plot import PenaltyCurveDisplay

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1]])
ALPHAS = [10.0, 0.01, 1.0]


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_one_curve_with_its_minimum_marked():
    model = KernelRidgeCV(ALPHAS, kernel="rbf").fit(X, Y)
    display = PenaltyCurveDisplay.from_estimator(model)
    (line,) = display.lines_
    np.testing.assert_array_equal(line.get_xdata(), sorted(ALPHAS))
    np.testing.assert_allclose(line.get_ydata(), -model.path_scores_[[1, 2, 0]])
    assert display.chosen_mark_.get_xdata()[0] == model.alpha_
    assert display.chosen_mark_.get_ydata()[0] == pytest.approx(-model.best_score_)
    assert "error" in display.ax_.get_ylabel()


def test_a_curve_for_each_gamma_and_the_mean_over_targets():
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gammas=[0.1, 1.0], alpha_per_target=True).fit(X, Y)
    display = PenaltyCurveDisplay.from_estimator(model, name="mine")
    assert [line.get_label() for line in display.lines_] == ["γ = 0.1", "γ = 1"]
    np.testing.assert_allclose(display.scores, model.path_scores_.mean(axis=2))
    assert display.ax_.get_title() == "mine"


def test_scores_that_are_no_errors_are_called_scores():
    display = PenaltyCurveDisplay(alphas=[1, 2], scores=[0.5, 0.9]).plot()
    assert "score" in display.ax_.get_ylabel() and display.chosen_mark_.get_xdata()[0] == 2.0


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one column for each of 2 alphas"):
        PenaltyCurveDisplay(alphas=[1, 2], scores=[0.5, 0.9, 1.0])


@pytest.mark.parametrize("kind", [RidgeCV, SklearnRidgeCV], ids=["surefit", "scikit-learn"])
def test_the_curve_of_ridge_is_the_mean_error_of_left_out_rows(kind):
    X, y = (part[:80] for part in load_diabetes(return_X_y=True))
    alphas = [0.01, 0.1, 1.0]
    display = PenaltyCurveDisplay.from_estimator(kind(alphas=alphas, store_cv_results=True).fit(X, y))
    for alpha, error in zip(alphas, display.lines_[0].get_ydata(), strict=True):
        left_out = cross_val_predict(SklearnRidge(alpha=alpha), X, y, cv=LeaveOneOut())
        assert error == pytest.approx(np.mean((left_out - y) ** 2), rel=1e-8)
    with pytest.raises(ValueError, match="store_cv_results=True"):
        PenaltyCurveDisplay.from_estimator(kind(alphas=alphas).fit(X, y))
