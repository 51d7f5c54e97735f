"""Trees drawn: a box for every node shown, parents above the middle of their children, and the pruning curve."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from surefit._core.errors import InvalidData
from surefit.plot import PruningCurveDisplay, TreeDisplay
from surefit.tree import DecisionTreeClassifier, DecisionTreeRegressor

pytest.importorskip("matplotlib").use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

IRIS = load_iris()


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_every_node_has_a_box():
    model = DecisionTreeClassifier(max_depth=3).fit(IRIS.data, IRIS.target)
    drawn = TreeDisplay.from_estimator(
        model, feature_names=IRIS.feature_names, class_names=IRIS.target_names, name="iris"
    )
    texts = [box.get_text() for box in drawn.boxes_]
    assert len(texts) == model.tree_.node_count
    assert sum(text.startswith("petal") for text in texts) == model.tree_.node_count - model.get_n_leaves()
    assert any(text.startswith("setosa\n50 rows") for text in texts)
    assert drawn.ax_.get_title() == "iris"


def test_boxes_of_a_level_do_not_overlap():
    model = DecisionTreeClassifier().fit(IRIS.data, IRIS.target)
    drawn = TreeDisplay.from_estimator(model, max_depth=10)
    renderer = drawn.figure_.canvas.get_renderer()
    drawn.figure_.draw_without_rendering()
    frames = [box.get_bbox_patch().get_window_extent(renderer) for box in drawn.boxes_]
    crossing = [(a, b) for i, a in enumerate(frames) for b in frames[i + 1 :] if a.overlaps(b)]
    assert not crossing


def test_deep_trees_are_cut():
    model = DecisionTreeRegressor().fit(IRIS.data[:, :2], IRIS.data[:, 2])
    drawn = TreeDisplay.from_estimator(model, max_depth=2)
    assert sum("…" in box.get_text() for box in drawn.boxes_) == 4
    assert len(drawn.boxes_) == 7


def test_a_single_node():
    drawn = TreeDisplay.from_estimator(DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 2.0]))
    assert [box.get_text() for box in drawn.boxes_] == ["2\n2 rows"]


def test_pruning_curve():
    model = DecisionTreeClassifier(ccp_alpha="cv").fit(IRIS.data, IRIS.target)
    drawn = PruningCurveDisplay.from_estimator(model, name="iris")
    assert np.array_equal(drawn.line_.get_ydata(), model.cv_scores_)
    assert drawn.chosen_mark_.get_xdata()[0] == pytest.approx(model.ccp_alpha_)
    errors = PruningCurveDisplay(penalties=[0, 0.1, 1], scores=[-2.0, -1.0, -3.0], chosen=0.1).plot()
    assert errors.line_.get_ydata().tolist() == [2, 1, 3]


def test_what_cannot_be_drawn():
    with pytest.raises(InvalidData, match='ccp_alpha="cv"'):
        PruningCurveDisplay.from_estimator(DecisionTreeClassifier().fit(IRIS.data, IRIS.target))
    with pytest.raises(InvalidData, match="one number for each of 2"):
        PruningCurveDisplay(penalties=[0, 1], scores=[1], chosen=0)


def test_scikit_learns_trees_are_drawn_too():
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier as Theirs

    models = (DecisionTreeClassifier(max_depth=1), Theirs(max_depth=1))
    drawn = [TreeDisplay.from_estimator(model.fit(IRIS.data, IRIS.target)) for model in models]
    assert len(drawn[0].boxes_) == len(drawn[1].boxes_) == 3
    with pytest.raises(InvalidData, match="no single tree: pass one of its estimators_"):
        TreeDisplay.from_estimator(RandomForestClassifier(2).fit(IRIS.data, IRIS.target))
    plt.close("all")
