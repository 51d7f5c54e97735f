"""The Dask source on the local schedulers and on worker processes."""

from __future__ import annotations

import gc
import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from surefit._core.base import Estimator
from surefit._core.config import config
from surefit._core.errors import InvalidData
from surefit.engine.apply import apply_rows
from surefit.engine.open import open_data
from surefit.engine.sources.dask import apply_dask, open_dask
from surefit.engine.sources.source import MemorySource
from tests.engine.steps import TotalsStep, same_bits

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((20_000, 5))
Y = RNG.standard_normal((20_000, 2))
W = RNG.uniform(0.5, 1.5, 20_000)
STATE = np.zeros(5)


def frame(**more: Any) -> Any:
    columns = {f"x{j}": X[:, j] for j in range(5)} | more
    return dd.from_pandas(pd.DataFrame(columns), npartitions=7)


def from_memory(y: Any = None, w: Any = None) -> Any:
    return MemorySource(X, y, w).fold(TotalsStep(), STATE)


def unknown(array: np.ndarray, chunks: Any) -> Any:
    """An array whose chunks have lengths that Dask does not know."""
    lazy = da.from_array(array, chunks=chunks)
    return lazy[da.ones(array.shape[0], chunks=lazy.chunks[0]) > 0]


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
@pytest.mark.parametrize("chunks", [(20_000, 5), (777, 2), (4096, 5), (1, 5), (15_000, 5)])
def test_chunks_and_local_schedulers_do_not_change_the_bits(scheduler: str, chunks: tuple[int, int]) -> None:
    rows = slice(0, 300) if chunks[0] == 1 else slice(None)
    with dask.config.set(scheduler=scheduler):
        source = open_dask(da.from_array(X[rows], chunks=chunks), Y[rows, 0], W[rows])
        got = source.fold(TotalsStep(), STATE)
    assert same_bits(got, MemorySource(X[rows], Y[rows, 0], W[rows]).fold(TotalsStep(), STATE))


def test_blocks_are_aligned_and_in_order() -> None:
    source = open_dask(da.from_array(X, chunks=(777, 3)), da.from_array(Y, chunks=(999, 1)), W)
    blocks = list(source.blocks())
    assert [block.start for block in blocks] == [0, 4096, 8192, 12288, 16384]
    assert all(block.X.flags.c_contiguous for block in blocks)
    assert np.array_equal(np.concatenate([block.X for block in blocks]), X)
    assert np.array_equal(np.concatenate([block.y for block in blocks]), Y)
    assert np.array_equal(np.concatenate([block.w for block in blocks]), W)
    assert (source.n_targets, source.target_ndim, source.has_weights) == (2, 2, True)


@pytest.mark.parametrize(
    ("y", "w"),
    [
        (Y[:, 0], W),
        (da.from_array(Y[:, 0], chunks=1000), da.from_array(W, chunks=3000)),
        (unknown(Y[:, 0], 1000), unknown(W, 3000)),
        (dd.from_pandas(pd.Series(Y[:, 0]), npartitions=3), dd.from_pandas(pd.Series(W), npartitions=2)),
        (pd.Series(Y[:, 0]), W.tolist()),
    ],
    ids=["memory", "array", "unknown", "series", "pandas"],
)
def test_targets_and_weights_in_every_form(y: Any, w: Any) -> None:
    want = from_memory(Y[:, 0], W)
    for rows in (da.from_array(X, chunks=(5000, 5)), unknown(X, (5000, 5)), frame()):
        source = open_dask(rows, y, w)
        assert (source.n_rows, source.n_features, source.target_ndim) == (20_000, 5, 1)
        assert same_bits(source.fold(TotalsStep(), STATE), want)


def test_columns_of_a_dataframe_as_target_and_weight() -> None:
    rows = frame(a=Y[:, 0], b=Y[:, 1], w=W)
    source = open_dask(rows, "a", "w")
    assert list(source.feature_names) == ["x0", "x1", "x2", "x3", "x4", "b"] and source.target_ndim == 1
    source = open_dask(rows, ["a", "b"], "w")
    assert list(source.feature_names) == ["x0", "x1", "x2", "x3", "x4"] and source.n_targets == 2
    assert np.array_equal(np.concatenate([block.y for block in source.blocks()]), Y)
    source = open_dask(rows, ["a", "b"], "w", target=False)
    assert source.n_features == 5 and source.n_targets == 0
    assert same_bits(source.fold(TotalsStep(), STATE), from_memory(None, W))


def test_a_dataframe_of_targets_keeps_two_dimensions() -> None:
    source = open_dask(frame(), dd.from_pandas(pd.DataFrame(Y[:, :1], columns=["t"]), npartitions=2))
    assert (source.n_targets, source.target_ndim) == (1, 2)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("float32", "f4"),
        ("Float32", "f4"),
        ("float[pyarrow]", "f4"),
        ("float64", "f8"),
        ("Int64", "f8"),
        ("bool", "f8"),
    ],
)
def test_types(kind: str, dtype: str) -> None:
    values = pd.DataFrame({"a": [0.0, 1.0, 1.0], "b": [1.0, 0.0, 1.0]}).astype(kind)
    source = open_dask(dd.from_pandas(values, npartitions=2))
    assert source.dtype == dtype
    assert np.array_equal(next(iter(source.blocks())).X, [[0, 1], [1, 0], [1, 1]])


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_sparse_blocks(make: Any) -> None:
    sparse = np.where(RNG.random(X.shape) < 0.8, 0.0, X)
    source = open_dask(da.from_array(sparse, chunks=(3000, 5)).map_blocks(make), None, W)
    assert source.is_sparse
    want = MemorySource(sp.csr_array(sparse), None, W).fold(TotalsStep(), STATE)
    assert same_bits(source.fold(TotalsStep(), STATE), want)


def test_blocks_that_do_not_fit_are_not_kept() -> None:
    loads = []

    def load(block: np.ndarray) -> np.ndarray:
        loads.append(len(block))
        return block

    lazy = da.from_array(X, chunks=(5000, 5)).map_blocks(load, dtype=float, meta=np.empty((0, 0)))
    with dask.config.set(scheduler="synchronous"):
        source = open_dask(lazy)
        first = len(loads)
        assert same_bits(source.fold(TotalsStep(), STATE), from_memory())
        assert len(loads) == first, "blocks that fit are loaded once"
        with config(memory_limit=1000):
            source = open_dask(lazy)
        first = len(loads)
        assert same_bits(source.fold(TotalsStep(), STATE), from_memory())
        assert len(loads) == first + 4, "others are loaded once in each pass"


BAD = {
    "one dimension": (lambda: open_dask(da.ones(5)), "got 1D array"),
    "series": (lambda: open_dask(frame()["x0"]), "got 1D array"),
    "three dimensions": (lambda: open_dask(da.ones((5, 5, 5))), "got 3D array"),
    "delayed": (lambda: open_dask(dask.delayed(np.ones)(5)), "array or dataframe is needed; got a Dask Delayed"),
    "no rows": (lambda: open_dask(da.ones((0, 5))), r"0 sample\(s\)"),
    "no columns": (lambda: open_dask(da.ones((5, 0))), r"0 feature\(s\)"),
    "complex": (lambda: open_dask(da.ones((5, 2), dtype=complex)), "Complex data not supported"),
    "text": (lambda: open_dask(frame(name=["a"] * 20_000)), "column 'name' of X is not numeric"),
    "category": (lambda: open_dask(frame(c=pd.Categorical(["a"] * 20_000))), "column 'c' of X is not numeric"),
    "text target": (lambda: open_dask(frame(name=["a"] * 20_000), "name"), "column 'name' of y is not numeric"),
    "no such target": (lambda: open_dask(frame(), "q"), "no column 'q'; it has x0"),
    "array has no names": (lambda: open_dask(da.ones((5, 2)), "q"), "y names a column"),
    "length of y": (lambda: open_dask(frame(), Y[:50]), "X has 20000 rows, y has 50"),
    "length of lazy y": (lambda: open_dask(frame(), da.ones(50)), "X has 20000 rows, y has 50"),
    "length of w": (lambda: open_dask(frame(), None, da.ones(50)), "X has 20000 rows, sample_weight has 50"),
    "matrix of w": (lambda: open_dask(frame(), None, da.ones((20_000, 2))), "1D array or scalar"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_opened_says_why(name: str) -> None:
    make, message = BAD[name]
    with pytest.raises(InvalidData, match=message):
        make()


def spoilt(row: int, column: int, value: float) -> np.ndarray:
    bad = X.copy()
    bad[row, column] = value
    return bad


def in_a_frame(values: np.ndarray) -> Any:
    return dd.from_pandas(pd.DataFrame(values, columns=list("abcde")), npartitions=9)


BAD_VALUES = {
    "NaN": (lambda: (da.from_array(spoilt(17_001, 2, np.nan), chunks=(999, 5)),), "NaN.*column 2, row 17001"),
    "infinity": (lambda: (in_a_frame(spoilt(9_999, 3, -np.inf)),), "infinity.*column 'd', row 9999"),
    "missing": (lambda: (in_a_frame(spoilt(12_345, 0, np.nan)).astype("Float64"),), "NaN.*column 'a', row 12345"),
    "target": (lambda: (frame(), da.from_array(spoilt(15_000, 0, np.nan)[:, 0])), "Input y contains NaN.*row 15000"),
    "weight": (lambda: (frame(), None, da.from_array(np.where(np.arange(20_000) == 8_200, -1.0, 1.0))), "row 8200 has"),
    "zero weights": (lambda: (frame(), None, da.zeros(20_000)), "all weights are zero"),
}


@pytest.mark.parametrize("name", BAD_VALUES)
@pytest.mark.parametrize("where", ["local", "cluster"])
def test_bad_values_are_named_with_their_row_in_the_whole_data(name: str, where: str, request: Any) -> None:
    if where == "cluster":
        request.getfixturevalue("client")
    make, message = BAD_VALUES[name]
    with pytest.raises(InvalidData) as caught:
        open_dask(*make()).fold(TotalsStep(), STATE)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


def test_worker_processes_give_the_same_bits_pass_after_pass(client: Any) -> None:
    source = open_dask(da.random.default_rng(0).standard_normal((30_000, 5), chunks=(7000, 5)), None, None)
    rows = np.concatenate([block.X for block in source.blocks()])
    for shift in (0.0, 1.0):
        want = MemorySource(rows).fold(TotalsStep(), STATE + shift)
        assert same_bits(source.fold(TotalsStep(), STATE + shift), want)


def test_nothing_stays_on_the_cluster(client: Any) -> None:
    source = open_dask(da.random.default_rng(0).standard_normal((30_000, 5), chunks=(7000, 5)))
    source.fold(TotalsStep(), STATE)
    assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) > 0
    del source
    gc.collect()
    assert settled(client) == 0


def settled(client: Any) -> int:
    """Tasks the scheduler holds after it had a moment to forget them."""
    import time

    for _ in range(100):
        left = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        if left == 0:
            break
        time.sleep(0.05)
    return left


def test_an_interrupt_cancels_what_runs(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    source = open_dask(da.random.default_rng(0).standard_normal((30_000, 5), chunks=(7000, 5)))

    def interrupted(self: Any, timeout: Any = None) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(distributed.Future, "result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            source.fold(Slow(), STATE)
    assert settled(client) == 0


class Slow(TotalsStep):
    def map_leaf(self, state: Any, leaf: Any) -> Any:
        import time

        time.sleep(0.2)
        return super().map_leaf(state, leaf)


class Model(Estimator):
    """Sums of rows, or their first two columns."""

    def __init__(self, flat: bool = True) -> None:
        self.flat = flat

    def fit(self, X: Any) -> Model:
        open_data(self, X)
        return self

    def apply(self, X: Any) -> Any:
        return apply_rows(self, X, (lambda rows: rows.sum(axis=1)) if self.flat else (lambda rows: rows[:, :2]))


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("where", ["local", "cluster"])
def test_results_are_lazy_and_know_their_shape(flat: bool, dtype: Any, where: str, request: Any) -> None:
    if where == "cluster":
        request.getfixturevalue("client")
    rows = X.astype(dtype)
    model = Model(flat).fit(rows)
    want = model.apply(rows)
    lazy = model.apply(da.from_array(rows, chunks=(3000, 2)))
    assert isinstance(lazy, da.Array) and lazy.dtype == dtype and lazy.shape == want.shape
    assert lazy.chunks[0] == (3000,) * 6 + (2000,)
    assert np.array_equal(lazy.compute(), want) and lazy.compute().dtype == dtype
    lazy = model.apply(dd.from_pandas(pd.DataFrame(rows, columns=list("abcde")), npartitions=4))
    assert isinstance(lazy, da.Array) and lazy.dtype == dtype and lazy.ndim == want.ndim
    assert np.array_equal(lazy.compute(), want)
    assert np.array_equal(lazy.compute_chunk_sizes()[:10].compute(), want[:10])


def test_results_check_the_columns() -> None:
    model = Model().fit(pd.DataFrame(X, columns=list("abcde")))
    lazy = dd.from_pandas(pd.DataFrame(np.column_stack([Y[:, 0], X]), columns=list("yabcde")), npartitions=3)
    assert np.array_equal(model.apply(lazy).compute(), X.sum(axis=1)), "columns are found by name"
    with pytest.raises(InvalidData, match=r"feature names should match.*no column 'a'"):
        model.apply(lazy.rename(columns={"a": "z"}))
    with pytest.raises(InvalidData, match="X has 4 features, but Model is expecting 5"):
        Model().fit(X).apply(da.ones((10, 4)))
    with pytest.raises(InvalidData, match="got 1D array"):
        Model().fit(X).apply(da.ones(10))
    bad = apply_dask(Model().fit(X), da.from_array(spoilt(5, 1, np.nan)), lambda rows: rows[:, 0])
    with pytest.raises(InvalidData, match="column 1, row 5 of a chunk"):
        bad.compute()


def test_results_on_sparse_chunks() -> None:
    lazy = da.from_array(X, chunks=(3000, 5)).map_blocks(sp.csr_array)
    got = apply_dask(Model().fit(X), lazy, lambda rows: np.asarray(rows @ np.ones(5)))
    np.testing.assert_allclose(got.compute(), X.sum(axis=1), rtol=1e-12, atol=1e-12)
