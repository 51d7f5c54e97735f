"""Pictures of trees: where lines stand, what is colored."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

from surefit.cluster import AgglomerativeClustering, StepwiseAgglomeration
from surefit.plot import DendrogramDisplay, MergeHeightsDisplay

X = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]])  # single linkage merges at 1, 2, 4, 8


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_a_tree_of_five_rows():
    model = AgglomerativeClustering(2, linkage="single").fit(X)
    display = DendrogramDisplay.from_estimator(model)
    tops = [line.get_ydata()[1] for line in display.lines_]
    assert tops == [1.0, 2.0, 4.0, 8.0]
    colors = [line.get_color() for line in display.lines_]
    assert colors[3] == "#888888" and len(set(colors[:3])) == 1 and colors[0] != colors[3]
    assert sorted(label.get_text() for label in display.ax_.get_xticklabels()) == list("01234")


def test_a_large_tree_is_shown_from_the_top():
    rows = np.random.default_rng(0).normal(size=(300, 2))
    display = DendrogramDisplay.from_estimator(AgglomerativeClustering(3).fit(rows), most_leaves=20)
    assert len(display.lines_) == 19
    shown = sorted({line.get_color() for line in display.lines_} - {"#888888"})
    assert shown == ["C0", "C1", "C2"]


def test_a_forest_and_costs():
    model = StepwiseAgglomeration(n_clusters=2).fit(X)
    assert len(DendrogramDisplay.from_estimator(model).lines_) == 3
    costs = MergeHeightsDisplay.from_estimator(model)
    np.testing.assert_array_equal(costs.n_clusters, [2, 3, 4, 5])
    np.testing.assert_allclose(costs.heights, model.costs_[::-1])


def test_heights_of_the_last_merges():
    display = MergeHeightsDisplay.from_estimator(AgglomerativeClustering(2, linkage="single").fit(X), most=3)
    np.testing.assert_array_equal(display.n_clusters, [2, 3, 4])
    np.testing.assert_array_equal(display.heights, [8.0, 4.0, 2.0])
    with pytest.raises(ValueError, match="four columns"):
        DendrogramDisplay(linkage_matrix=np.ones((3, 3)))
