"""Stages of gradient boosting, with scikit-learn's trees as learners, against scikit-learn's own stages."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import GradientBoostingClassifier as PeerClassifier
from sklearn.ensemble import GradientBoostingRegressor as PeerRegressor
from sklearn.tree import DecisionTreeRegressor

from surefit.objectives.losses import Huber, Logistic, SquaredError, classification_loss, regression_loss
from surefit.solvers.boosting.gradient import Fitted, fit_stage
from surefit.solvers.boosting.rounds import Bags, HeldOut, Scores, Stopping, boost, extended
from surefit.solvers.growing.tree import Tree
from surefit.summaries.resample import distinct_examples

X, Y = make_friedman1(n_samples=120, n_features=6, noise=1.0, random_state=3)
X = X.astype(np.float32).astype(np.float64)
ROUNDS = 8


def tree_of(peer):
    """scikit-learn's tree in the arrays of ours."""
    t = peer.tree_
    return Tree(
        n_features=t.n_features,
        n_classes=np.ones(1),
        children_left=t.children_left,
        children_right=t.children_right,
        feature=t.feature,
        threshold=t.threshold,
        missing_go_to_left=np.zeros(t.node_count),
        value=t.value.copy(),
        impurity=t.impurity,
        n_node_samples=t.n_node_samples,
        weighted_n_node_samples=t.weighted_n_node_samples,
        category_row=np.full(t.node_count, -1),
        categories=np.zeros((0, 4)),
    )


def learner(X, depth=3):
    """scikit-learn's tree, fitted to what it is given."""

    def fitted(residual, w, seed):
        found = DecisionTreeRegressor(max_depth=depth, random_state=seed).fit(X, residual, sample_weight=w)
        return Fitted(tree_of(found), None, found.apply(X))

    return fitted


def replayed(peer):
    """The trees of scikit-learn's model one after the other; their roots hold the means of its residuals."""
    trees = iter(peer.estimators_.ravel())

    def fitted(residual, w, seed):
        found = next(trees)
        np.testing.assert_allclose(found.tree_.value[0, 0, 0], np.average(residual, weights=w), rtol=1e-9, atol=1e-12)
        tree = tree_of(found)
        tree.value[tree.children_left < 0] = np.nan  # ours to find
        return Fitted(tree, None, found.apply(X))

    return fitted


def stages(loss, y, raw, w=None, learning_rate=0.1, line_search=False, rounds=ROUNDS, trees=None):
    for _ in range(rounds):
        now = loss.adapted(y, raw, w)
        stage = fit_stage(
            now,
            y,
            raw,
            w,
            trees or learner(X),
            np.zeros(loss.n_outputs),
            learning_rate=learning_rate,
            line_search=line_search,
        )
        raw = stage.raw
        yield now, stage


@pytest.mark.parametrize("name", ["squared_error", "absolute_error", "huber", "quantile"])
def test_regression_is_scikit_learns_stage_by_stage(name):
    loss = regression_loss(name, 0.7)
    w = np.ones(len(Y))  # with weights scikit-learn's quantiles are those of the weighted rows
    peer = PeerRegressor(loss=name, alpha=0.7, n_estimators=ROUNDS, random_state=0).fit(X, Y, sample_weight=w)
    start = np.full(len(Y), peer.init_.constant_[0, 0])
    for (_, stage), want in zip(stages(loss, Y, start, trees=replayed(peer)), peer.staged_predict(X), strict=True):
        np.testing.assert_allclose(stage.raw, want, rtol=1e-12)


@pytest.mark.parametrize(("name", "n_classes"), [("log_loss", 2), ("exponential", 2), ("log_loss", 4)])
def test_classification_is_scikit_learns_stage_by_stage(name, n_classes):
    y = np.digitize(Y, np.quantile(Y, np.linspace(0, 1, n_classes + 1)[1:-1])).astype(float)
    loss = classification_loss(name, n_classes)
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    peer = PeerClassifier(loss=name, n_estimators=ROUNDS, random_state=0).fit(X, y, sample_weight=w)
    raw = np.tile(loss.initial(y, w), (len(y), 1))
    raw = raw if n_classes > 2 else raw[:, 0]
    scores = []
    for (_, stage), want in zip(
        stages(loss, y, raw, w, trees=replayed(peer)), peer.staged_decision_function(X), strict=True
    ):
        np.testing.assert_allclose(stage.raw.reshape(len(y), -1), want, rtol=1e-7, atol=1e-9)
        scores.append(loss.score_factor * loss.value(y, stage.raw, w))
    np.testing.assert_allclose(scores, peer.train_score_, rtol=1e-9)


@pytest.mark.parametrize("name", ["squared_error", "absolute_error", "huber", "quantile", "poisson"])
@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_under_the_line_search_the_loss_never_rises(name, rate):
    loss = regression_loss(name, 0.8)
    raw = np.full(len(Y), loss.initial(Y - Y.min(), None)[0])
    for now, stage in stages(loss, Y - Y.min(), raw, learning_rate=rate, line_search=True, rounds=15):
        assert now.value(Y - Y.min(), stage.raw) <= now.value(Y - Y.min(), raw)
        raw = stage.raw


def test_one_step_of_squared_error_is_one():
    """A tree of means is the projection of the residuals: the best step along it is 1."""
    raw = np.full(len(Y), Y.mean())
    for _, stage in stages(SquaredError(), Y, raw, line_search=True):
        assert stage.step == pytest.approx(1.0, rel=1e-12)


def test_bags_of_a_half_and_scores_outside():
    w = np.ones(len(Y))
    bags = Bags(distinct_examples(X, Y, None), None, 0.5)
    bag = bags.drawn(7)
    assert bag.w.sum() == len(Y) / 2
    np.testing.assert_array_equal(bag.outside, bag.w == 0)
    twice = Bags(distinct_examples(X, Y, 2 * w), 2 * w, 0.5).drawn(7)
    assert twice.w.sum() == len(Y)  # half of twice as many copies, some examples with one of their two
    assert set(np.unique(twice.w)) == {0.0, 1.0, 2.0}
    odd = Bags(distinct_examples(X, Y, 0.3 * w), 0.3 * w, 0.5).drawn(7)
    np.testing.assert_allclose(odd.w, 0.3 * bag.w)


def test_the_loop_keeps_scores_and_stops():
    y = (np.median(Y) < Y).astype(float)
    loss, scores, seen = Logistic(), Scores(), []
    held = HeldOut(y[:20], None, np.zeros(20), lambda raw, stage: raw + 0.1 * stage.models[0].predict(X[:20])[:, 0])
    boost(
        loss,
        y,
        np.zeros(len(y)),
        None,
        learner(X),
        stages=range(6),
        seeds=np.arange(6)[:, None],
        learning_rate=0.1,
        line_search=False,
        bags=Bags(distinct_examples(X, y, None), None, 0.5),
        held_out=held,
        stopping=Stopping(2, 10.0),
        scores=scores,
        after=lambda i, stage: seen.append(i),
    )
    assert seen == [0, 1, 2]  # two stages fill the memory of two, the third is no better by ten
    assert len(scores.train) == len(scores.outside) == len(scores.held_out) == 3
    assert scores.start == pytest.approx(2 * np.log(2), rel=1e-14)
    assert scores.improvement[1] == scores.outside[0] - scores.outside[1]
    np.testing.assert_array_equal(extended(None, 2, scores.train)[:2], 0)


def test_huber_scale_follows_the_residuals():
    raw = np.full(len(Y), np.median(Y))
    deltas = [now.delta for now, _ in stages(Huber(0.9), Y, raw)]
    assert deltas[-1] < deltas[0]


def test_leaves_whose_rows_are_certain_take_no_step():
    """Raw predictions of ±800 on the right side: slope and curvature are zero."""
    A, b = make_classification(60, random_state=0)
    far = np.where(b == 1, 800.0, -800.0)
    stage = fit_stage(
        Logistic(), b.astype(float), far, None, learner(A), np.zeros(1), learning_rate=1.0, line_search=False
    )
    np.testing.assert_array_equal(stage.raw, far)
