"""The laws of a step, run on every one of them: what makes memory, Parquet and Dask give the same bits."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import surefit.engine
import surefit.solvers
from surefit._core.config import config
from surefit.engine.leaves import leaf_rows, merge_in_order
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import MemorySource
from surefit.engine.step import Step
from tests.engine.steps import CASES, Case, arrays_of, same_bits

every_step = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
D = 8
LEAF = leaf_rows(D)


def data(case: Case, n: int, *, dtype: Any = np.float64, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, D)) * 10 ** rng.uniform(-3, 3, D) + 100.0).astype(dtype)
    for copy_at in (n // 4, n // 2, 3 * n // 4):  # some rows come four times
        X[copy_at : copy_at + n // 10] = X[: n // 10]
    y = rng.integers(0, case.classes, n).astype(np.float64) if case.classes else rng.standard_normal(n)
    return X, y, rng.uniform(0.1, 2.0, n)


def block(X: Any, y: Any, w: Any, start: int = 0, stop: int | None = None) -> Block:
    rows = slice(start, stop)
    return Block(X[rows], y[rows], w[rows], start, LEAF)


def state_of(case: Case, dtype: Any = np.float64, sparse: bool = False) -> Any:
    return case.state(D, dtype, sparse)


def steps_below(cls: type) -> set[type]:
    return {cls}.union(*(steps_below(child) for child in cls.__subclasses__()))


def test_no_step_is_forgotten() -> None:
    for family in (surefit.engine, surefit.solvers):
        for module in pkgutil.iter_modules(family.__path__, f"{family.__name__}."):
            importlib.import_module(module.name)
    every = {cls for cls in steps_below(Step) if cls.__module__.startswith("surefit.") and cls is not Step}
    tested = {type(case.step) for case in CASES}
    assert {cls for cls in every if not cls.__name__.startswith("_")} <= tested


@every_step
def test_combine_is_associative_to_rounding(case: Case) -> None:
    X, y, w = data(case, 3 * LEAF)
    a, b, c = (case.step.map(state_of(case), block(X, y, w, i * LEAF, (i + 1) * LEAF), 1) for i in range(3))
    combine = case.step.combine
    one, two = (case.merged(both) for both in (combine(combine(a, b), c), combine(a, combine(b, c))))
    for left, right in zip(arrays_of(one), arrays_of(two), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-10 * np.abs(left).max())


@every_step
@pytest.mark.parametrize("n", [1, LEAF, LEAF + 1, 4 * LEAF, 7 * LEAF + 5])
@pytest.mark.parametrize("block_leaves", [1, 2, 4])
def test_aligned_blocks_merged_are_the_whole(case: Case, n: int, block_leaves: int) -> None:
    X, y, w = data(case, n)
    whole = case.step.map(state_of(case), block(X, y, w), 2)
    rows = block_leaves * LEAF
    parts = [case.step.map(state_of(case), block(X, y, w, lo, lo + rows), 1) for lo in range(0, n, rows)]
    assert same_bits(merge_in_order(parts, case.step.combine), whole)


@every_step
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_map_is_pure_and_knows_no_threads(case: Case, dtype: Any) -> None:
    X, y, w = data(case, 5 * LEAF + 3, dtype=dtype)
    state = state_of(case, dtype)
    before = [array.copy() for array in (X, y, w)], copy.deepcopy(state)
    first = case.step.map(state, block(X, y, w), 1)
    for n_threads in (1, 2, 3):
        assert same_bits(case.step.map(state, block(X, y, w), n_threads), first)
    assert all(np.array_equal(now, then) for now, then in zip((X, y, w), before[0], strict=True))
    assert same_bits(state, before[1])


@every_step
def test_combine_leaves_its_arguments_alone(case: Case) -> None:
    X, y, w = data(case, 2 * LEAF)
    left, right = (case.step.map(state_of(case), block(X, y, w, lo, lo + LEAF), 1) for lo in (0, LEAF))
    kept = copy.deepcopy((left, right))
    once = case.step.combine(left, right)
    assert same_bits((left, right), kept)
    assert same_bits(case.step.combine(left, right), once)


@every_step
def test_steps_and_statistics_can_be_pickled(case: Case) -> None:
    X, y, w = data(case, LEAF + 1)
    statistic = case.step.map(state_of(case), block(X, y, w), 1)
    assert same_bits(pickle.loads(pickle.dumps(statistic)), statistic)
    step, state = pickle.loads(pickle.dumps((case.step, state_of(case))))
    assert same_bits(step.map(state, block(X, y, w), 1), statistic)


@every_step
def test_a_statistic_does_not_hold_on_to_the_rows(case: Case) -> None:
    X, y, w = data(case, 2 * LEAF)
    statistic = case.step.map(state_of(case), block(X, y, w), 1)
    assert not any(np.shares_memory(array, rows) for array in arrays_of(statistic) for rows in (X, y, w))


@every_step
def test_size_of_a_statistic_does_not_grow_with_the_rows(case: Case) -> None:
    X, y, w = data(case, 4 * LEAF)
    sizes = [
        sum(array.nbytes for array in arrays_of(case.step.map(state_of(case), block(X, y, w, 0, n), 1)))
        for n in (LEAF, 2 * LEAF, 4 * LEAF)
    ]
    if case.step.keeps_rows:  # bytes of a row, fewer than the row has
        assert sizes[2] <= 4 * LEAF * 8 * (D + 1) / 4
        return
    assert len(set(sizes)) == 1


@every_step
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_same_bits_from_memory_parquet_and_dask(case: Case, dtype: Any, n_threads: int, write: Any) -> None:
    from surefit.engine.sources.dask import open_dask
    from surefit.engine.sources.parquet import open_parquet

    da = pytest.importorskip("dask.array")
    X, y, w = data(case, 5 * LEAF + 77, dtype=dtype)
    state = state_of(case, dtype)
    with config(n_threads=n_threads):
        memory = MemorySource(X, y, w).fold(case.step, state)
        assert same_bits(MemorySource(np.asfortranarray(X), y, w).fold(case.step, state), memory)
        parquet = open_parquet(write(X, files=3, y=y, w=w), "y", "w")
        assert parquet.dtype == dtype
        assert same_bits(parquet.fold(case.step, state), memory)
        parquet = open_parquet(write(X, files=2), np.repeat(y, 2)[::2], np.repeat(w, 2)[::2])
        assert same_bits(parquet.fold(case.step, state), memory)
        lazy = (da.from_array(X, chunks=(1234, 3)), da.from_array(y, chunks=999), da.from_array(w, chunks=5000))
        assert same_bits(open_dask(*lazy).fold(case.step, state), memory)


@every_step
def test_same_bits_from_worker_processes(case: Case, client: Any) -> None:
    from surefit.engine.sources.dask import open_dask

    da = pytest.importorskip("dask.array")
    X, y, w = data(case, 6 * LEAF + 1)
    state = state_of(case)
    source = open_dask(da.from_array(X, chunks=(3000, -1)), da.from_array(y, chunks=3000), w)
    assert same_bits(source.fold(case.step, state), MemorySource(X, y, w).fold(case.step, state))


@every_step
def test_same_bits_from_sparse_memory_and_dask(case: Case) -> None:
    from surefit.engine.sources.dask import open_dask

    da = pytest.importorskip("dask.array")
    X, y, w = data(case, 3 * LEAF + 5)
    X[np.random.default_rng(1).random(X.shape) < 0.95] = 0.0
    rows, state = sp.csr_array(X), state_of(case, sparse=True)
    memory = MemorySource(rows, y, w).fold(case.step, state)
    with config(n_threads=1):
        assert same_bits(MemorySource(rows, y, w).fold(case.step, state), memory)
    source = open_dask(da.from_array(X, chunks=(1000, 5)).map_blocks(sp.csr_array), y, w)
    assert source.is_sparse
    assert same_bits(source.fold(case.step, state), memory)
