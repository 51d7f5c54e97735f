"""A worker process dies in the middle of a fit; Dask runs its tasks again, and the bits are the same."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np
import pytest

from surefit.cluster import KMeans
from surefit.engine.sources.dask import DaskSource

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")


def blobs() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.standard_normal((40_000, 8)) + 0.5 * rng.standard_normal((12, 8))[rng.integers(0, 12, 40_000)]


def test_the_result_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    X = blobs()
    model = KMeans(n_clusters=12, random_state=0, max_iter=12, tol=0.0)
    with pytest.warns(match="stopped after 12 iterations"):
        want = model.fit(X).cluster_centers_.copy()
    passes: list[int] = []
    whole_pass = DaskSource.fold

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="1GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):

        def fold(self: DaskSource, step: Any, state: Any = None) -> Any:
            if len(passes) == 6:
                victim = next(iter(client.run(os.getpid).values()))
                os.kill(victim, signal.SIGKILL)
                passes.append(-victim)
            passes.append(1)
            return whole_pass(self, step, state)

        monkeypatch.setattr(DaskSource, "fold", fold)
        lazy = da.from_array(X, chunks=(2500, 8))
        with pytest.warns(match="stopped after 12 iterations"):
            model.fit(lazy)
        assert min(passes) < 0 and len(passes) > 12, "a worker was killed, and passes followed"
        assert not alive(-min(passes))
    assert model.cluster_centers_.tobytes() == want.tobytes()


def alive(pid: int) -> bool:
    """Whether the process still runs; the cluster's nanny may take a moment to bury it."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True
