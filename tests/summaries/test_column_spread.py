"""Mean and spread of columns against exact fractions, dense and CSR, with weights of rows and of classes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.engine.sources.source import MemorySource
from surefit.summaries.column_spread import ColumnSpread, column_spread, deviations
from surefit.summaries.moments import MomentsStep
from surefit.summaries.row_products import few_columns


def exact(X, w):
    """(weight, mean, squares) of every column, rounded once."""
    omega = [Fraction(float(v)) for v in w]
    total = sum(omega)
    means, squares = [], []
    for column in np.asarray(X, dtype=np.float64).T:
        values = [Fraction(float(x)) for x in column]
        mean = sum(o * x for o, x in zip(omega, values, strict=True)) / total
        means.append(float(mean))
        squares.append(float(sum(o * (x - mean) ** 2 for o, x in zip(omega, values, strict=True))))
    return float(total), np.array(means), np.array(squares)


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * [1.0, 1e-3, 1e5, 1.0, 0.0] + [0.0, 3.0, 1e8, 1e6, 0.1]
    return X, rng.integers(0, 3, n).astype(float), rng.integers(0, 2, n).astype(float)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_dense_columns_keep_their_digits_beside_offsets(dtype, weighted):
    X, w, y = rows()
    X, w = X.astype(dtype), w if weighted else None
    found = column_spread(MemorySource(X, y, w))
    weight, mean, squares = exact(X, np.ones(len(X)) if w is None else w)
    assert found.weight == weight
    np.testing.assert_allclose(found.mean, mean, rtol=1e-15)
    np.testing.assert_allclose(found.squares, squares, rtol=1e-12, atol=1e-28)


def test_weights_of_classes_targets_and_a_scale():
    X, w, y = rows()
    factors = np.array([0.5, 3.0])
    found = column_spread(MemorySource(X, y, w), class_weight=factors, targets=True, scale=0.25)
    weight, mean, squares = exact(np.column_stack([X * 0.25, y]), w * factors[y.astype(int)])
    assert found.weight == weight
    np.testing.assert_allclose(found.mean, mean, rtol=1e-15)
    np.testing.assert_allclose(found.squares, squares, rtol=1e-12, atol=1e-28)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("shape", [(400, 6), (90, 600)])
def test_csr_columns(keep, shape):
    """Rows are summed as they are where columns are few; else they are sorted by columns, which may be kept."""
    rng = np.random.default_rng(1)
    X = sp.random_array(shape, density=0.2 if shape[1] == 6 else 0.005, rng=rng, format="csr")
    w = rng.integers(0, 3, shape[0]).astype(float)
    source = MemorySource(X, None, w)
    found = column_spread(source, keep_columns=keep)
    weight, mean, squares = exact(X.toarray(), w)
    assert found.weight == weight
    np.testing.assert_allclose(found.mean, mean, rtol=1e-13)
    np.testing.assert_allclose(found.squares, squares, rtol=1e-11)
    block = next(iter(source.blocks()))
    assert few_columns(block) == (shape[1] == 6)
    assert ("columns" in block.scratch) == (keep and not few_columns(block))


def test_parts_merge_to_the_whole_and_moments_agree():
    X, w, _ = rows()
    left, right = (
        column_spread(MemorySource(X[:100], None, w[:100])),
        column_spread(MemorySource(X[100:], None, w[100:])),
    )
    _, mean, squares = exact(X, w)
    for found in (left.merged(right), ColumnSpread.of_moments(MemorySource(X, None, w).fold(MomentsStep(False)))):
        np.testing.assert_allclose(found.mean, mean, rtol=1e-14)
        np.testing.assert_allclose(found.squares, squares, rtol=1e-7, atol=1e-20)
    nothing = ColumnSpread(0.0, np.zeros(5), np.zeros(5))
    assert nothing.merged(left).mean.tolist() == left.mean.tolist()
    assert nothing.merged(nothing) is nothing


def test_numbers_beyond_squares_are_measured_scaled():
    X = np.array([[1e200], [3e200]])
    found = column_spread(MemorySource(X), scale=2.0**-660)
    np.testing.assert_allclose(found.squares / 2.0**-660 / 1e200 / 2.0**-660 / 1e200, [2.0], rtol=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
def test_deviations(weighted):
    X, w, _ = rows()
    weight, mean, D = deviations(X, w if weighted else None)
    expected = exact(X, w if weighted else np.ones(len(X)))
    assert weight == expected[0]
    assert (np.abs(mean - expected[1]) <= 1e-15 * (np.abs(expected[1]) + np.abs(D).max(axis=0))).all()
    assert not D[:, 4].any()  # a constant that is not exact in binary
    np.testing.assert_allclose((w if weighted else np.ones(len(X))) @ D**2, expected[2], rtol=1e-8, atol=1e-28)
