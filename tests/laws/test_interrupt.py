"""Ctrl-C stops a long fit with KeyboardInterrupt, and the estimator is as it was."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable

import numpy as np
import pytest
import sklearn.base

from tests.laws.registry import estimator_classes, suited

LONG = {
    "GaussianRandomProjection": {"n_components": 10},  # 'auto' asks for more columns than there are
    "KMeans": {"n_clusters": 50},
    "SpectralClustering": {"affinity": "nearest_neighbors"},
}
ALL_PAIRS = {"ClassicalMDS", "Isomap", "MDS", "StepwiseAgglomeration"}  # they keep something of every pair of rows
WAIT = 300.0


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(1_500_000, 40))


def in_a_child(work: Callable[[], str]) -> str:
    """What `work` says in a forked process, where it is the only thread: a signal cannot hit the tests."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, work().encode())
        except BaseException as error:
            os.write(writer, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    try:
        ready, _, _ = select.select([reader], [], [], WAIT)
        return os.read(reader, 4096).decode() if ready else f"nothing within {WAIT:.0f} s"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reader)


def interrupted_fit(cls: type, rows: np.ndarray) -> str:
    model = cls(**LONG.get(cls.__name__, {}))
    X = suited(model, rows[: 3_000 if cls.__name__ in ALL_PAIRS else None])
    y = X[:, 0] > 0.5 if sklearn.base.is_classifier(model) else X[:, 0]
    model.fit(X[:500], y[:500])
    before = dict(vars(model))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        while True:
            model.fit(X, y)
            before = dict(vars(model))
    except KeyboardInterrupt:
        return f"interrupted, as it was: {vars(model) == before}"


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda cls: cls.__name__)
def test_interrupt(cls, rows):
    assert in_a_child(lambda: interrupted_fit(cls, rows)) == "interrupted, as it was: True"
