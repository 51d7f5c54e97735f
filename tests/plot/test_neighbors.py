"""The curve over the number of neighbors, and the graph of neighbors."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

from surefit.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors
from surefit.plot import NeighborCurveDisplay, NeighborGraphDisplay


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_curve_of_a_classifier():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier([20, 1, 5]).fit(X, y)
    shown = NeighborCurveDisplay.from_estimator(model, name="iris")
    np.testing.assert_array_equal(shown.line_.get_xdata(), [1, 5, 20])
    np.testing.assert_array_equal(shown.line_.get_ydata(), model.cv_scores_[[1, 2, 0]])
    assert shown.chosen_mark_.get_xdata()[0] == model.n_neighbors_
    assert shown.ax_.get_ylabel() == "score of left-out rows" and shown.ax_.get_title() == "iris"


def test_errors_of_a_regressor_are_drawn_upwards():
    X, y = load_diabetes(return_X_y=True)
    shown = NeighborCurveDisplay.from_estimator(KNeighborsRegressor("cv").fit(X, y))
    assert shown.ax_.get_ylabel() == "error of left-out rows"
    assert shown.chosen_mark_.get_ydata()[0] == min(shown.line_.get_ydata())


def test_graph_draws_each_pair_once():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]])
    graph = NearestNeighbors(n_neighbors=1).fit(X).kneighbors_graph()
    shown = NeighborGraphDisplay.from_graph(graph, X, name="one neighbor")
    np.testing.assert_array_equal(shown.edges, [[0, 1], [1, 2]])
    assert len(shown.lines_.get_segments()) == 2 and len(shown.points_.get_offsets()) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: NeighborCurveDisplay(candidates=[1, 2], scores=[0.5], chosen=1),
        lambda: NeighborCurveDisplay(candidates=[1, 2], scores=[0.5, 0.6], chosen=3),
        lambda: NeighborGraphDisplay(points=np.zeros((4, 3)), edges=[]),
        lambda: NeighborGraphDisplay(points=np.zeros((4, 2)), edges=[[0, 4]]),
        lambda: NeighborGraphDisplay.from_graph(np.zeros((2, 3)), np.zeros((2, 2))),
    ],
)
def test_what_does_not_fit_together(call):
    with pytest.raises(ValueError, match=r"must|none of"):
        call()
