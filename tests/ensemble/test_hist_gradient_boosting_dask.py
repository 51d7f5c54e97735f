"""Histogram boosting on rows that stay on Dask's workers: the bits of the fit in memory; what reaches the driver."""

from __future__ import annotations

import os
import pickle
import signal

import numpy as np
import pytest

from surefit._core.errors import InvalidData
from surefit.engine.sources.dask import DaskSource
from surefit.ensemble import HistGradientBoostingClassifier as Classifier
from surefit.ensemble import HistGradientBoostingRegressor as Regressor
from surefit.solvers.boosting.spread_rounds import Parts

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

N = 9000
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 5))
X[RNG.random((N, 5)) < 0.05] = np.nan
X[:, 3] = RNG.integers(0, 12, N)
SIGNAL = np.nan_to_num(X[:, 0]) + np.sin(3 * np.nan_to_num(X[:, 1])) + X[:, 3] % 3 / 2
Y = SIGNAL + 0.3 * RNG.standard_normal(N)
W = RNG.uniform(0, 2, N) * (np.arange(N) % 7 > 0)
CHUNKS = ((0, 3000, 0, 2500, 3500), (5,))
"""Rows of the partitions: two are empty, none is a run of whole leaves."""


def lazy(values, chunks=2000):
    return None if values is None else da.from_array(values, chunks=chunks)


def same_bits(one, other):
    assert one.n_iter_ == other.n_iter_
    for left, right in zip(one.trees_, other.trees_, strict=True):
        for a, b in zip(left, right, strict=True):
            for name, value in a.__getstate__().items():
                np.testing.assert_array_equal(value, b.__getstate__()[name], err_msg=name)
    for name in ("history_", "train_score_", "validation_score_", "baseline_prediction_"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    assert all(map(np.array_equal, one.bin_thresholds_, other.bin_thresholds_))


CASES = {
    "regression": (Regressor(), Y, None),
    "weights": (Regressor(), Y, W),
    "median": (Regressor(loss="absolute_error"), Y, None),
    "quantile of weights": (Regressor(loss="quantile", quantile=0.3), Y, W),
    "poisson": (Regressor(loss="poisson"), np.exp(Y), W),
    "gamma": (Regressor(loss="gamma"), np.exp(Y), None),
    "two classes": (Classifier(), (Y > 0).astype(int), None),
    "class weights": (Classifier(class_weight="balanced"), (Y > 0.5).astype(int), W),
    "three classes": (Classifier(), np.digitize(Y, [-0.5, 0.5]), None),
    "three classes, weights": (Classifier(), np.digitize(Y, [-0.5, 0.5]), W),
    "no limit of leaves": (Regressor(max_leaf_nodes=None, max_depth=5), Y, None),
    "constraints": (
        Classifier(max_features=0.5, monotonic_cst=[1, 0, 0, 0, 0], interaction_cst=[[0, 1], [2, 3, 4]]),
        (Y > 0).astype(int),
        W,
    ),
    "a score by name": (Classifier(scoring="accuracy"), (Y > 0).astype(int), None),
}


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_bits_are_those_of_rows_in_memory(case, early_stopping):
    model, y, w = CASES[case]
    model.set_params(max_iter=3, early_stopping=early_stopping, random_state=0, categorical_features=[3])
    want = pickle.loads(pickle.dumps(model.fit(X, y, w)))
    same_bits(want, model.fit(lazy(X, CHUNKS), lazy(y), lazy(w, 1000)))


def test_a_warm_start_goes_on_on_the_workers():
    model = Regressor(max_iter=2, warm_start=True, early_stopping=True, random_state=0)
    other = Regressor(max_iter=2, warm_start=True, early_stopping=True, random_state=0)
    for rounds in (2, 4):
        model.set_params(max_iter=rounds).fit(X, Y, W)
        other.set_params(max_iter=rounds).fit(lazy(X, CHUNKS), lazy(Y), lazy(W))
    same_bits(model, other)


def test_nothing_with_a_number_for_each_row_reaches_the_driver(monkeypatch):
    """All that comes back from passes over the rows of the fit is smaller than a byte for each row."""
    n, d = 200_000, 2
    rng = np.random.default_rng(1)
    rows = da.from_array(rng.integers(0, 20, (n, d)).astype(float), chunks=(50_000, d))
    returned, whole = [], DaskSource.finished

    def finished(self, result):
        out = whole(self, result)
        returned.append(len(pickle.dumps(out)))
        return out

    monkeypatch.setattr(DaskSource, "finished", finished)
    y = rows.sum(axis=1) % 3
    Classifier(max_iter=2, early_stopping=True, max_leaf_nodes=6, random_state=0).fit(rows, y)
    assert len(returned) > 20 and max(returned) < n / 4


def test_what_a_part_forgot_is_made_again(monkeypatch):
    """Parts lose their state again and again (as when a worker spills them); the trees that were sent restore it."""
    want = Classifier(max_iter=3, random_state=0).fit(X, np.digitize(Y, [-0.5, 0.5]), W)
    whole, asked = Parts.ask, []

    def ask(self, *question):
        asked.append(question[0])
        if len(asked) % 4 == 0:
            self.blocks.each(_forget, None)
        return whole(self, *question)

    monkeypatch.setattr(Parts, "ask", ask)
    same_bits(want, Classifier(max_iter=3, random_state=0).fit(lazy(X, CHUNKS), np.digitize(Y, [-0.5, 0.5]), W))
    assert len(asked) > 12


def _forget(message, part):
    part._forget()


def test_a_killed_worker_changes_no_bit(monkeypatch):
    distributed = pytest.importorskip("distributed")
    want = Regressor(max_iter=4, early_stopping=True, random_state=0).fit(X, Y)
    whole, asked, killed = Parts.ask, [], []
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "3s"}),  # until the dead one is given up
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="1GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):

        def ask(self, *question):
            asked.append(question[0])
            if len(asked) == 9:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)
            return whole(self, *question)

        monkeypatch.setattr(Parts, "ask", ask)
        got = Regressor(max_iter=4, early_stopping=True, random_state=0).fit(lazy(X, CHUNKS), lazy(Y))
    assert killed and len(asked) > 12
    same_bits(want, got)


def test_ctrl_c_ends_the_fit(monkeypatch):
    whole, asked = Parts.ask, []

    def ask(self, *question):
        asked.append(question)
        if len(asked) == 5:
            raise KeyboardInterrupt
        return whole(self, *question)

    monkeypatch.setattr(Parts, "ask", ask)
    with pytest.raises(KeyboardInterrupt):
        Regressor(max_iter=50).fit(lazy(X, CHUNKS), lazy(Y))
    assert len(asked) == 5


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (Regressor(loss="gamma"), Y, "strictly positive"),
        (Regressor(loss="poisson"), -np.abs(Y), "non-negative"),
        (Regressor(), Y * 1e300, "squares overflow"),
        (Regressor(early_stopping=True, validation_fraction=1e-5), Y, "holds out 0 of 9000 rows"),
    ],
)
def test_targets_that_do_not_go_are_refused_as_in_memory(model, y, message):
    for rows, targets in ((X, y), (lazy(X, CHUNKS), lazy(y))):
        with pytest.raises(InvalidData, match=message):
            model.fit(rows, targets)
