"""A history is drawn as it was kept, under the name of what it is."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neural_network import MLPClassifier as SklearnMLP

from surefit.cluster import KMeans
from surefit.linear_model import LinearRegression
from surefit.manifold import MDS
from surefit.mixture import BayesianGaussianMixture, GaussianMixture
from surefit.neural_network import MLPClassifier
from surefit.plot import HistoryDisplay
from surefit.variational import CAVI
from surefit.variational.models import NormalModel

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (GaussianMixture(2, random_state=0), "log-likelihood per row"),
        (BayesianGaussianMixture(n_components=2, random_state=0, max_iter=1000), "evidence lower bound"),
        (KMeans(3, random_state=0), "inertia"),
        (MDS(random_state=0, n_init=1, init="random"), "stress"),
    ],
    ids=["mixture", "bayesian", "kmeans", "mds"],
)
def test_what_a_fit_kept(model, words):
    model.fit(X)
    display = HistoryDisplay.from_estimator(model)
    assert display.ax_.get_ylabel() == words
    np.testing.assert_array_equal(display.line_.get_ydata(), model.history_)
    assert display.line_.get_xdata()[0] == 1 and display.right_ is None


def test_the_bound_of_a_model_of_ones_own():
    found = CAVI(NormalModel()).fit(np.array([1.2, 0.8, 1.9, 1.4, 0.7]))
    display = HistoryDisplay.from_estimator(found)
    assert display.measure == "evidence lower bound"
    assert display.line_.get_ydata()[-1] == found.elbo_


@pytest.mark.parametrize("kind", [MLPClassifier, SklearnMLP], ids=["surefit", "scikit-learn"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_network_shows_its_loss_and_the_rows_held_back(kind):
    model = kind((4,), early_stopping=True, max_iter=8, random_state=0).fit(X, Y)
    display = HistoryDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.line_.get_ydata(), model.loss_curve_)
    np.testing.assert_array_equal(display.held_line_.get_ydata(), model.validation_scores_)
    assert display.ax_.get_ylabel() == "training loss"
    assert HistoryDisplay.from_estimator(kind((4,), max_iter=4).fit(X, Y)).held_line_ is None


def test_a_model_without_a_history_is_told_so():
    with pytest.raises(ValueError, match="LinearRegression kept no history"):
        HistoryDisplay.from_estimator(LinearRegression().fit(X, Y))
    with pytest.raises(ValueError, match="a number for each step"):
        HistoryDisplay(values=[])
