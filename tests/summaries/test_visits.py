"""The order of visits depends on the set of weighted rows alone, and not on where they come from."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.engine.sources.source import MemorySource
from surefit.summaries import visits
from surefit.summaries.canonical import canonical_rows, example_hashes
from surefit.summaries.holdout import held_out
from surefit.summaries.visits import Visits, window_rows

N, D = 300, 3


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, size=(N, D)).astype(float), rng.integers(0, 2, N).astype(float)


def visited(X: Any, y: np.ndarray, w: np.ndarray | None = None, number: int = 0, **options: Any) -> list[tuple]:
    """(x, y, weight) in the order of the visit."""
    options = {"seed": 5, "shuffle": True} | options
    seen = []
    for window in Visits(MemorySource(X, y, w), **options).epoch(number):
        rows = window.X.toarray() if sp.issparse(window.X) else window.X
        weights = np.ones(len(window.order)) if window.w is None else window.w
        seen += [(*rows[i], window.y[i], v) for i, v in zip(window.order, weights, strict=True)]
    return seen


def totals(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> dict[tuple, float]:
    """The weight of each distinct example, counted by a dict."""
    counted: Counter = Counter()
    for x, label, weight in zip(X, y, w, strict=True):
        if weight:
            counted[(*x, label)] += weight
    return dict(counted)


def test_every_example_is_visited_once_with_its_whole_weight():
    X, y = data()
    w = np.random.default_rng(1).integers(0, 4, N).astype(float)
    seen = visited(X, y, w)
    assert {one[:-1]: one[-1] for one in seen} == totals(X, y, w)
    assert len(seen) == len(totals(X, y, w))


def test_shuffled_repeated_and_weightless_rows_change_no_visit():
    X, y = data()
    rng = np.random.default_rng(2)
    w = rng.integers(0, 4, N).astype(float)
    p = rng.permutation(N)
    times = w.astype(int)
    seen = visited(X, y, w)
    assert visited(X[p], y[p], w[p]) == seen
    assert visited(np.repeat(X, times, axis=0), np.repeat(y, times)) == seen
    assert visited(X[w > 0], y[w > 0], w[w > 0]) == seen
    assert visited(sp.csr_array(X), y, w) == seen
    assert visited(X.astype(np.float32), y, w) == visited(X.astype(np.float32)[p], y[p], w[p])


def test_weights_that_round_are_added_in_no_order():
    X, y = data()
    rng = np.random.default_rng(3)
    w, p = rng.uniform(0.01, 1.0, N), rng.permutation(N)
    assert visited(X[p], y[p], w[p]) == visited(X, y, w)


def test_epochs_and_seeds_differ_and_are_repeatable():
    X, y = data()
    first, second = visited(X, y, number=0), visited(X, y, number=1)
    assert first != second
    assert sorted(first) == sorted(second)
    assert visited(X, y, number=1) == second
    assert visited(X, y, seed=6) != first
    kept = Visits(MemorySource(X, y), 5, True)
    for number in (1, 0, 1):
        (window,) = kept.epoch(number)
        assert [tuple(X[i]) for i in window.order] == [one[:D] for one in visited(X, y, number=number)]


def test_without_shuffle_rows_are_visited_as_they_stand():
    X, y = data()
    w = np.random.default_rng(4).integers(0, 3, N).astype(float)
    assert visited(X, y, shuffle=False) == [(*x, c, 1.0) for x, c in zip(X, y, strict=True)]
    assert visited(X, y, w, shuffle=False) == [(*x, c, v) for x, c, v in zip(X, y, w, strict=True) if v]


def test_real_targets_tell_equal_rows_apart():
    X = np.zeros((4, 2))
    y = np.array([1.5, -1.5, 1.5, 0.0])
    assert sorted(visited(X, y)) == [(0, 0, -1.5, 1), (0, 0, 0.0, 1), (0, 0, 1.5, 2)]


def test_minus_zero_is_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0]])
    assert [one[-1] for one in visited(X, np.array([0.0, -0.0]))] == [2.0]


def test_hashes_that_collide_are_told_apart_by_contents():
    X, y = data()
    rng = np.random.default_rng(8)
    p = rng.permutation(N)
    same = np.zeros(N, dtype=np.uint64)
    for rows, labels in ((X, y), (X[p], y[p])):
        _, order, weights = canonical_rows(rows, None, same, y=labels)
        examples = [(*rows[i], labels[i]) for i in order]
        assert examples == sorted(examples)
        assert dict(zip(examples, weights, strict=True)) == totals(rows, labels, np.ones(N))


def test_hashes_of_examples_need_row_and_target():
    X, y = data()
    hashes = example_hashes(X, y)
    assert len(set(hashes)) == len({(*x, c) for x, c in zip(X, y, strict=True)})


def mix(z: int) -> int:
    """SplitMix64's finaliser in Python's whole numbers."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
    return z ^ (z >> 31)


def permutation_reference(n: int, seed: int, epoch: int, window: int) -> list[int]:
    state, out = mix((mix((mix(seed) + epoch) % 2**64) + window) % 2**64), []
    for i in range(n):
        while True:
            state = (state + 0x9E3779B97F4A7C15) % 2**64
            product = mix(state) * (i + 1)
            if product % 2**64 >= 2**64 % (i + 1):
                break
        j = product >> 64
        out.append(out[j] if j < i else i)
        out[j] = i
    return out


@pytest.mark.parametrize(("n", "key"), [(0, (1, 2, 3)), (1, (0, 0, 0)), (2, (2**63, 5, 1)), (500, (2**64 - 1, 999, 7))])
def test_permutations_are_the_references(n: int, key: tuple[int, int, int]):
    found = _native.permutation(n, *key)
    assert found.tolist() == permutation_reference(n, *key)
    assert sorted(found.tolist()) == list(range(n))


def test_all_permutations_are_equally_likely():
    """χ² of 24 cells over 24 000 epochs: 23 degrees of freedom, 49.7 is the 0.999 quantile (NIST's table)."""
    seen = Counter(tuple(_native.permutation(4, 11, epoch, 0).tolist()) for epoch in range(24_000))
    assert len(seen) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in seen.values()) < 49.728


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(visits, "WINDOW_BYTES", 4096 * D * 8)
    return window_rows(D)


def test_windows_are_the_same_on_every_source(small_windows: int, tmp_path: Any):
    da, pq, pa = (pytest.importorskip(name) for name in ("dask.array", "pyarrow.parquet", "pyarrow"))
    import surefit
    from surefit.engine.sources.dask import open_dask
    from surefit.engine.sources.parquet import open_parquet

    n = 2 * small_windows + 1234
    rng = np.random.default_rng(6)
    X, y, w = rng.normal(size=(n, D)), rng.integers(0, 2, n).astype(float), rng.integers(0, 3, n).astype(float)
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y, "w": w}), tmp_path / "t.parquet")
    sources = [
        MemorySource(X, y, w),
        MemorySource(sp.csr_array(X), y, w),
        open_parquet(surefit.scan(str(tmp_path / "t.parquet")), "y", "w"),
        open_dask(*(da.from_array(part, chunks=(777, D)[: part.ndim]) for part in (X, y, w))),
    ]
    seen = []
    for source in sources:
        listed = []
        for window in Visits(source, 9, True, validation_fraction=0.2).epoch(3):
            rows = window.X.toarray() if sp.issparse(window.X) else window.X
            listed.append((window.start, rows[window.order], window.y[window.order], window.w, rows[window.held]))
        assert [start for start, *_ in listed] == [0, small_windows, 2 * small_windows]
        assert sum(part.sum() for *_, part, _ in listed) < w.sum()
        seen.append(b"".join(part.tobytes() for one in listed for part in one[1:]))
    assert seen == [seen[0]] * len(sources)


def test_rows_of_one_window_do_not_reach_another(small_windows: int):
    n = 2 * small_windows
    X, y = np.arange(n * D, dtype=float).reshape(n, D), np.zeros(n)
    starts = [(w.start, np.sort(w.X[w.order][:, 0])) for w in Visits(MemorySource(X, y), 0, True).epoch(0)]
    for number, (start, first_column) in enumerate(starts):
        assert start == number * small_windows
        np.testing.assert_array_equal(first_column, X[start : start + small_windows, 0])


@pytest.mark.parametrize("shuffle", [True, False])
def test_equal_examples_are_on_the_same_side_and_every_class_gives_its_share(shuffle: bool):
    rng = np.random.default_rng(7)
    n = 2000
    X, y = rng.integers(0, 8, size=(n, 4)).astype(float), (rng.random(n) < 0.1).astype(float)
    w, p = rng.integers(0, 3, n).astype(float), rng.permutation(n)
    (window,) = Visits(MemorySource(X, y, w), 1, shuffle, validation_fraction=0.25).epoch(0)
    held = totals(X[window.held], y[window.held], window.held_w)
    (seen,) = [totals(X[window.order], y[window.order], window.w)]
    assert not held.keys() & seen.keys()
    assert held | seen == totals(X, y, w)
    for label in (0.0, 1.0):
        share = sum(v for one, v in held.items() if one[-1] == label) / w[y == label].sum()
        assert 0.2 < share <= 0.25 + 1e-12
    (other,) = Visits(MemorySource(X[p], y[p], w[p]), 1, shuffle, validation_fraction=0.25).epoch(0)
    assert totals(X[p][other.held], y[p][other.held], other.held_w) == held


def test_too_small_a_class_gives_nothing_and_weightless_rows_are_not_held_out():
    y = np.array([0.0] * 10 + [1.0] * 2)
    w = np.ones(12)
    w[3] = 0
    hashes = example_hashes(np.arange(12.0)[:, None], y)
    out = held_out(hashes, y, w, 0.34, 0)
    assert out[:10].sum() == 3 and not out[10:].any() and not out[3]
