"""Forests on examples that stay on Dask's workers: the bits of the fit in memory; what reaches the driver."""

from __future__ import annotations

import os
import pickle
import signal

import numpy as np
import pytest

from surefit._core.errors import InvalidData
from surefit.engine.sources.dask import DaskSource
from surefit.engine.sources.dask_state import Parts
from surefit.ensemble import RandomForestClassifier as Classifier
from surefit.ensemble import RandomForestRegressor as Regressor
from surefit.solvers.growing import spread_forest
from surefit.summaries.bins import Sketch

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

N = 30_000
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 5)).astype(np.float32).round(2)
X[RNG.random((N, 5)) < 0.05] = np.nan
X[:, 3] = RNG.integers(0, 12, N)
X[N // 2 :: 9] = X[: N // 2 : 9][: len(X[N // 2 :: 9])]
SIGNAL = np.nan_to_num(X[:, 0]) + np.sin(3 * np.nan_to_num(X[:, 1])) + X[:, 3] % 3 / 2
Y = (SIGNAL + 0.3 * RNG.standard_normal(N)).round(3)
Y[N // 2 :: 9] = Y[: N // 2 : 9][: len(Y[N // 2 :: 9])]
W = RNG.uniform(0, 2, N) * (np.arange(N) % 7 > 0)
WHOLE = RNG.integers(0, 4, N).astype(float)
CHUNKS = ((0, 9000, 0, 8500, 12500), (5,))
"""Rows of the partitions: two are empty, none is a run of whole leaves. Some examples are there twice."""


def lazy(values, chunks=7000):
    return None if values is None else da.from_array(values, chunks=chunks)


def same_bits(one, other):
    assert len(one.estimators_) == len(other.estimators_)
    for a, b in zip(one.estimators_, other.estimators_, strict=True):
        assert a.random_state == b.random_state
        for name, value in a.tree_.__getstate__().items():
            np.testing.assert_array_equal(value, b.tree_.__getstate__()[name], err_msg=name)
    assert all(map(np.array_equal, one.bin_thresholds_, other.bin_thresholds_))
    for name in ("oob_score_", "oob_prediction_", "oob_decision_function_"):
        assert hasattr(one, name) == hasattr(other, name), name
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


TWO, THREE = (Y > 0.5).astype(int), np.digitize(Y, [-0.5, 0.5])
CASES = {
    "regression": (Regressor(), Y, None),
    "far from zero": (Regressor(max_features=2), Y + 1e9, None),
    "an outlier": (Regressor(max_depth=3), np.where(np.arange(N) == 77, 1e12, Y), None),
    "weights": (Regressor(max_features=0.5), Y, W),
    "whole weights, no bootstrap": (Regressor(bootstrap=False, max_features=2), Y, WHOLE),
    "weights, no bootstrap": (Regressor(bootstrap=False, max_features=2), Y, W),
    "poisson": (Regressor(criterion="poisson", max_depth=9), np.exp(Y), W),
    "two classes": (Classifier(), TWO, None),
    "out of the bag": (Classifier(oob_score=True), THREE, W),
    "out of the bag, numbers": (Regressor(oob_score=True, max_samples=0.7), Y, None),
    "entropy": (Classifier(criterion="entropy", max_features=None), THREE, None),
    "class weights": (Classifier(class_weight="balanced"), TWO, W),
    "given class weights": (Classifier(class_weight={0: 1.0, 1: 2.5}), TWO, None),
    "balanced bags": (Classifier(class_weight="balanced_subsample", min_weight_fraction_leaf=0.001), THREE, W),
    "limits": (Classifier(min_samples_leaf=7, min_samples_split=0.001, max_depth=12), THREE, WHOLE),
    "decrease and pruning": (Regressor(min_impurity_decrease=1e-4, ccp_alpha=1e-4), Y, None),
}


@pytest.mark.parametrize("case", CASES)
def test_the_bits_are_those_of_rows_in_memory(case):
    model, y, w = CASES[case]
    model.set_params(n_estimators=3, random_state=0, categorical_features=[3])
    want = pickle.loads(pickle.dumps(model.fit(X, y, w)))
    same_bits(want, model.fit(lazy(X, CHUNKS), lazy(y), lazy(w, 10_000)))


def test_rounds_that_are_cut_small_change_no_bit(monkeypatch):
    """A round holds one histogram, a bundle one node, a batch one tree; most columns are constant."""
    rows = np.zeros((N, 12))
    rows[:, [2, 7]] = np.nan_to_num(X[:, :2])
    want = Regressor(3, max_features=3, random_state=1).fit(rows, Y)
    monkeypatch.setattr(spread_forest, "ROUND_BYTES", 1)
    monkeypatch.setattr(spread_forest, "BUNDLE_BYTES", 1)
    monkeypatch.setattr("surefit.ensemble.forests.random_forest_spread.BATCH_BYTES", 1)
    same_bits(want, Regressor(3, max_features=3, random_state=1).fit(lazy(rows), lazy(Y)))


def test_a_warm_start_goes_on_on_the_workers():
    one, other = (Regressor(warm_start=True, random_state=0) for _ in range(2))
    for n_trees in (1, 3):
        one.set_params(n_estimators=n_trees).fit(X, Y, W)
        other.set_params(n_estimators=n_trees).fit(lazy(X, CHUNKS), lazy(Y), lazy(W))
    same_bits(one, other)


def test_nothing_with_a_number_for_each_row_reaches_the_driver(monkeypatch):
    """All that comes back, the sketch of the bins aside (200,000 rows of any number), is smaller than a byte a row."""
    n, d = 400_000, 2
    rng = np.random.default_rng(1)
    rows = da.from_array(rng.integers(0, 500, (n, d)) / 4, chunks=(50_000, d))
    returned, whole = [], DaskSource.finished

    def finished(self, result):
        out = whole(self, result)
        if not (isinstance(out, tuple) and isinstance(out[0], Sketch)):
            returned.append(len(pickle.dumps(out)))
        return out

    monkeypatch.setattr(DaskSource, "finished", finished)
    monkeypatch.setattr(DaskSource, "blocks", None)
    y = da.floor(rows.sum(axis=1)) % 3
    forest = Classifier(4, max_depth=4, random_state=0).fit(rows, y)
    assert max(member.tree_.n_node_samples[-1] for member in forest.estimators_) > spread_forest.WIDE
    assert max(returned) < n
    assert len(returned) < 10 + 2 * 4  # two passes for each level of all trees together


def test_what_a_part_forgot_is_made_again(monkeypatch):
    """Parts lose their state again and again (as when a worker spills them); what was done restores it."""
    settings = {"oob_score": True, "class_weight": "balanced_subsample", "random_state": 0}
    want = Classifier(3, **settings).fit(X, THREE, W)
    whole, asked = Parts.ask_each, []

    def ask_each(self, *question):
        asked.append(question[0])
        if len(asked) % 3 == 0:
            self.blocks.each(_forget, None)
        return whole(self, *question)

    monkeypatch.setattr(Parts, "ask_each", ask_each)
    monkeypatch.setattr("surefit.ensemble.forests.random_forest_spread.MOST_TREES", 2)
    same_bits(want, Classifier(3, **settings).fit(lazy(X, CHUNKS), THREE, W))
    assert len(asked) > 12


def _forget(message, part):
    part._forget()


def test_a_killed_worker_changes_no_bit(monkeypatch):
    distributed = pytest.importorskip("distributed")
    want = Regressor(3, random_state=0).fit(X, Y)
    whole, asked, killed = Parts.ask_each, [], []
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "3s"}),  # until the dead one is given up
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="1GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):

        def ask_each(self, *question):
            asked.append(question[0])
            if len(asked) == 3:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)
            return whole(self, *question)

        monkeypatch.setattr(Parts, "ask_each", ask_each)
        got = Regressor(3, random_state=0).fit(lazy(X, CHUNKS), lazy(Y))
    assert killed and len(asked) > 4
    same_bits(want, got)


def test_ctrl_c_ends_the_fit(monkeypatch):
    whole, asked = Parts.ask_each, []

    def ask_each(self, *question):
        asked.append(question)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return whole(self, *question)

    monkeypatch.setattr(Parts, "ask_each", ask_each)
    with pytest.raises(KeyboardInterrupt):
        Regressor(50).fit(lazy(X, CHUNKS), lazy(Y))
    assert len(asked) == 3


def test_targets_whose_squares_overflow_are_refused_as_in_memory():
    for rows, targets in ((X, Y * 1e300), (lazy(X, CHUNKS), lazy(Y * 1e300))):
        with pytest.raises(InvalidData, match="squares overflow"):
            Regressor(2).fit(rows, targets)
