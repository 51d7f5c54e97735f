"""Points of an embedding are drawn where they are, in colors of classes or on a scale of numbers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from surefit.decomposition import PCA
from surefit.manifold import ClassicalMDS
from surefit.plot import EmbeddingDisplay

IRIS = load_iris()
NAMES = IRIS.target_names[IRIS.target]


def test_classes_have_their_rows_and_a_legend_with_colors():
    model = PCA(3).fit(IRIS.data)
    display = EmbeddingDisplay.from_estimator(model, IRIS.data, NAMES)
    Z = model.transform(IRIS.data)
    for marks, name in zip(display.scatter_, IRIS.target_names, strict=True):
        np.testing.assert_array_equal(np.asarray(marks.get_offsets()), Z[name == NAMES, :2])
    legend = display.ax_.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["setosa", "versicolor", "virginica"]
    colors = [tuple(mark.get_facecolors()[0]) for mark in legend.legend_handles]
    assert len(set(colors)) == 3 and all(color[3] == 1.0 for color in colors)


def test_numbers_have_a_scale():
    model = ClassicalMDS(2).fit(IRIS.data)
    values = IRIS.data[:, 0]
    display = EmbeddingDisplay.from_estimator(model, y=values)
    np.testing.assert_array_equal(np.asarray(display.scatter_[0].get_array()), values)
    np.testing.assert_array_equal(display.points, model.embedding_)
    assert display.colorbar_ is not None and display.classes is None


def test_without_values_there_is_one_color():
    display = EmbeddingDisplay(points=[[0, 1], [2, 3]]).plot(name="two")
    assert len(display.scatter_) == 1 and display.ax_.get_title() == "two"


def test_one_component_lies_on_a_line():
    display = EmbeddingDisplay.from_estimator(PCA(1).fit(IRIS.data), IRIS.data)
    assert not display.points[:, 1].any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: EmbeddingDisplay(points=[[1, 2, 3]]), "two columns"),
        (lambda: EmbeddingDisplay(points=[[1, 2]], values=[1, 2]), "one for each of 1 rows"),
        (lambda: EmbeddingDisplay.from_estimator(PCA(2).fit(IRIS.data)), "pass the rows"),
    ],
)
def test_what_does_not_fit_together_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
