"""The picture of a margin, read back from its artists."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn.svm

from surefit._core.errors import InvalidData
from surefit.plot import MarginDisplay, svg_of
from surefit.svm import SVC

X = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]])
Y = np.array(["left", "left", "right", "right"])


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("cls", [SVC, sklearn.svm.SVC])
def test_the_lines_are_where_the_score_says(cls):
    """Two columns of points at 0 and 2: the boundary is the line x = 1, the margins go through the points."""
    display = MarginDisplay.from_estimator(cls(kernel="linear", C=1e3).fit(X, Y), X, Y, name="wide")
    assert [round(level, 9) for level in display.lines_.levels] == [-1.0, 0.0, 1.0]
    for paths, x in zip(display.lines_.get_paths(), (0.0, 1.0, 2.0), strict=True):
        np.testing.assert_allclose(paths.vertices[:, 0], x, atol=2e-3)
    assert len(display.support_.get_offsets()) == len(display.support)
    assert [one.get_offsets().tolist() for one in display.scatter_] == [X[:2].tolist(), X[2:].tolist()]
    assert display.ax_.get_title() == "wide" and "support vectors" in display.ax_.get_legend().texts[-1].get_text()
    assert "<svg" in svg_of(display.plot)


def test_what_is_no_plane_is_refused():
    wide = np.column_stack([X, X[:, 0]])
    with pytest.raises(InvalidData, match="two columns and two classes"):
        MarginDisplay.from_estimator(SVC().fit(wide, Y), wide, Y)
    with pytest.raises(InvalidData, match="two columns and two classes"):
        MarginDisplay.from_estimator(SVC().fit(X, [0, 1, 2, 2]), X, [0, 1, 2, 2])
    with pytest.raises(InvalidData, match="grids of one shape"):
        MarginDisplay(
            points=X, codes=[0, 0, 1, 1], xx0=[[0.0]], xx1=[[0.0]], response=[0.0], support=[0], labels=["a", "b"]
        )
