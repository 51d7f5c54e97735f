from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Two worker processes of one thread each."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="2GiB"
    ) as running:
        yield running


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster) as connected:
        yield connected


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Writes X (and columns by name) into Parquet files with odd row groups; returns the path of the folder."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")

    def to_files(X: np.ndarray, *, files: int = 1, row_group: int = 1000, **columns: np.ndarray) -> str:
        folder = tmp_path / f"table{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        table = pa.table({f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])} | columns)
        cuts = np.linspace(0, len(X), files + 1).astype(int)
        for number, (lo, hi) in enumerate(pairwise(cuts)):
            pq.write_table(table.slice(lo, hi - lo), folder / f"part{number:03d}.parquet", row_group_size=row_group)
        return str(folder)

    return to_files
