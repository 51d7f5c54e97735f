"""The data protocol: blocks in order, again and again, and CSR rows against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.certificates import ArrayBlocks, Rows
from surefit.certificates.blocks import BadData, all_finite, dense, looked_over
from surefit.certificates.theorems.row_products import matmul, tmatmul

rng = np.random.default_rng(5)
CSR = sp.random(31, 7, 0.3, format="csr", random_state=1)
ROWS = Rows(CSR.data, CSR.indices, CSR.indptr, CSR.shape)
DENSE = CSR.toarray()


@pytest.mark.parametrize("rows", [1, 5, 31, 100])
@pytest.mark.parametrize("X", [DENSE, ROWS], ids=["array", "rows"])
def test_blocks_cover_the_rows_in_order_and_again(X: object, rows: int) -> None:
    y, w = rng.normal(size=(31, 2)), rng.random(31)
    blocks = ArrayBlocks(X, y, w, block_rows=rows)
    assert (blocks.n_rows, blocks.n_features) == (31, 7)
    for _ in range(2):
        parts = list(blocks)
        np.testing.assert_array_equal(np.vstack([dense(p.X) for p in parts]), DENSE)
        np.testing.assert_array_equal(np.vstack([p.y for p in parts]), y)
        np.testing.assert_array_equal(np.concatenate([p.w for p in parts]), w)


def test_operations_on_rows_equal_scipy() -> None:
    B, C, b = rng.normal(size=(7, 3)), rng.normal(size=(31, 2)), rng.normal(size=31)
    np.testing.assert_allclose(matmul(ROWS, B), CSR @ B, atol=1e-14)
    np.testing.assert_allclose(matmul(ROWS, B[:, 0]), CSR @ B[:, 0], atol=1e-14)
    np.testing.assert_allclose(tmatmul(ROWS, C), CSR.T @ C, atol=1e-14)
    np.testing.assert_allclose(tmatmul(ROWS, b), CSR.T @ b, atol=1e-14)
    np.testing.assert_array_equal(dense(ROWS[4:9]), DENSE[4:9])
    assert dense(ROWS[9:4]).shape == (0, 7)


def test_repeated_columns_add_up() -> None:
    rows = Rows(np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2]), (1, 3))
    np.testing.assert_array_equal(dense(rows), [[0.0, 3.0, 0.0]])


def test_single_precision_is_upcast() -> None:
    X = np.full((2, 2), 0.1, dtype=np.float32)
    assert matmul(X, np.ones(2)).dtype == np.float64 and dense(X).dtype == np.float64


@pytest.mark.parametrize(("value", "finite"), [(1.0, True), (np.nan, False), (np.inf, False)])
def test_all_finite(value: float, finite: bool) -> None:
    assert all_finite(np.array([[0.0, value]])) is finite
    assert all_finite(Rows(np.array([value]), np.array([0]), np.array([0, 1]), (1, 1))) is finite
    assert not all_finite(np.array(["a"]))


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="two dimensions"):
        ArrayBlocks(np.zeros(3))
    with pytest.raises(ValueError, match="must have 3 rows"):
        ArrayBlocks(np.zeros((3, 1)), np.zeros(2))
    with pytest.raises(ValueError, match="must have 3 rows"):
        ArrayBlocks(np.zeros((3, 1)), w=np.zeros(2))
    with pytest.raises(BadData, match="shapes"):
        list(looked_over(ArrayBlocks(np.zeros((3, 1)), w=np.zeros((3, 1)))))
    with pytest.raises(ValueError, match="column numbers"):
        Rows(np.ones(1), np.array([5]), np.array([0, 1]), (1, 3))
    with pytest.raises(ValueError, match="indptr"):
        Rows(np.ones(1), np.array([0]), np.array([0]), (1, 3))
