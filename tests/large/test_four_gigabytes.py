"""Four gigabytes of Parquet, fitted in well under one: each model in a fresh process, whose peak memory is measured.

Run with `pytest -m large tests/large -s` to see the figures.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.large

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

D = 64
GROUP = 2**17
GROUPS = 64
ROWS = GROUP * GROUPS  # × 64 columns × 8 bytes = 4.3e9 bytes
MOST_MEGABYTES = 600

MODELS = {
    "Ridge": "from surefit.linear_model import Ridge; model = Ridge(alpha=1.0)",
    "PCA": "from surefit.decomposition import PCA; model = PCA(n_components=5)",
    "KMeans": "from surefit.cluster import KMeans; model = KMeans(5, random_state=0, max_iter=4, tol=0.05)",
}
FIT = """
import json, resource, sys, time, warnings
import surefit
{model}
scan = surefit.scan(sys.argv[1], target="y")
warnings.simplefilter("ignore")
start = time.perf_counter()
model.fit(scan)
seconds = time.perf_counter() - start
names = [name for name in ("coef_", "mean_", "cluster_centers_") if hasattr(model, name)]
found = {{name: getattr(model, name).tolist() for name in names}}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"seconds": seconds, "megabytes": peak, "found": found}}))
"""
SLOPE = np.linspace(-1.0, 1.0, D)
PLACES = 6.0 * np.eye(5, D)


@pytest.fixture(scope="module")
def four_gigabytes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Five blobs of unit variance about PLACES, and y = SLOPE·x + noise."""
    path = tmp_path_factory.mktemp("large") / "rows.parquet"
    rng = np.random.default_rng(0)
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(D)] + [("y", pa.float64())])
    try:
        with pq.ParquetWriter(path, schema) as writer:
            for _ in range(GROUPS):
                X = rng.standard_normal((GROUP, D)) + PLACES[rng.integers(0, 5, GROUP)]
                y = X @ SLOPE + rng.standard_normal(GROUP)
                writer.write_table(pa.table([*map(pa.array, X.T.copy()), pa.array(y)], schema=schema))
        yield path
    finally:
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("name", MODELS)
def test_peak_memory(name: str, four_gigabytes: Path) -> None:
    assert four_gigabytes.stat().st_size > 4e9
    done = subprocess.run(
        [sys.executable, "-c", FIT.format(model=MODELS[name]), str(four_gigabytes)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    print(f"{name}: {report['megabytes']:.0f} MB at the peak, {report['seconds']:.1f} s")
    assert report["megabytes"] < MOST_MEGABYTES
    found = {key: np.array(value) for key, value in report["found"].items()}
    if name == "Ridge":  # the noise leaves each coefficient a standard error below 1/√ROWS
        np.testing.assert_allclose(found["coef_"], SLOPE, atol=6 / np.sqrt(ROWS))
    if name == "PCA":  # each column has variance 1 + 36·0.2·0.8 at most
        np.testing.assert_allclose(found["mean_"], PLACES.mean(axis=0), atol=6 * np.sqrt(6.8 / ROWS))
    if name == "KMeans":
        order = found["cluster_centers_"][:, :5].argmax(axis=1)
        np.testing.assert_allclose(found["cluster_centers_"][np.argsort(order)], PLACES, atol=0.05)
