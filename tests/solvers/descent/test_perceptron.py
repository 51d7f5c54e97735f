"""The compiled loop against its NumPy reference, and dense rows against CSR to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.solvers.descent.perceptron import Planes, Rule, visit
from surefit.summaries.visits import Window
from tests.reference.descent import perceptron_visit_reference

RULES = {
    "none": Rule(1.0, 0.0, 0.0, True),
    "no intercept": Rule(0.5, 0.0, 0.0, False),
    "l2": Rule(0.7, 0.01, 0.0, True),
    "l1": Rule(0.7, 0.0, 0.01, True),
    "elastic": Rule(0.3, 0.02, 0.005, True),
    "l2 that leaves nothing": Rule(2.0, 0.6, 0.0, True),
    "l2 that soon leaves little": Rule(1.0, 0.9, 0.01, True),
}


def window(n: int, d: int, dtype: Any, seed: int, weighted: bool, zeros: float = 0.5) -> Window:
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) * (rng.random((n, d)) > zeros)).astype(dtype)
    y = rng.integers(0, 3, n).astype(float)
    order = rng.permutation(n)[: max(1, n - 2)].astype(np.intp)
    w = rng.choice([0.25, 1.0, 2.0, 5.5], len(order)) if weighted else None
    return Window(X, y, w, order, np.empty(0, dtype=np.intp), None, 0)


def planes(d: int, rule: Rule, seed: int = 0) -> Planes:
    rng = np.random.default_rng(seed)
    positive, negative = np.array([1.0, 3.0, 0.0]), np.array([1.0, 0.5, 1.0])
    return Planes(rng.normal(size=(3, d)), rng.normal(size=3), np.arange(3.0), positive, negative, rule.l1 > 0)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 2), (60, 5), (80, 16), (50, 37)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_reference(name: str, dtype: Any, n: int, d: int, weighted: bool):
    rule = RULES[name]
    rows = window(n, d, dtype, n + d, weighted)
    ours, reference = planes(d, rule), planes(d, rule)
    active = np.array([0, 2]) if d == 5 else np.arange(3)
    got, want = visit(rows, ours, active, rule, 2), perceptron_visit_reference(rows, reference, active, rule)
    scale = np.abs(reference.coef).max()
    np.testing.assert_allclose(ours.coef, reference.coef, rtol=1e-9, atol=1e-10 * scale)
    np.testing.assert_allclose(ours.intercept, reference.intercept, rtol=1e-9, atol=1e-10 * scale)
    if rule.l1 == 0:  # else a column's size counts as it was when the column last paid
        np.testing.assert_allclose(got, want, rtol=1e-8)
    else:
        np.testing.assert_allclose(got, want, rtol=0.2)


@pytest.mark.parametrize("name", RULES)
def test_dense_rows_without_zeros_have_the_twins_objective(name: str):
    rule = RULES[name]
    rows = window(60, 9, np.float64, 1, True, zeros=0.0)
    got = visit(rows, planes(9, rule), np.arange(3), rule, 1)
    np.testing.assert_allclose(got, perceptron_visit_reference(rows, planes(9, rule), np.arange(3), rule), rtol=1e-9)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_have_the_bits_of_dense_ones(name: str, dtype: Any, index: Any):
    rule = RULES[name]
    dense = window(300, 41, dtype, 3, True, zeros=0.8)
    csr = sp.csr_array(dense.X)
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    csr.data[::7] = 0.0  # zeros that are stored
    sparse = dense._replace(X=csr)
    dense = dense._replace(X=csr.toarray())
    one, other = planes(41, rule), planes(41, rule)
    for _ in range(3):
        left = visit(dense, one, np.arange(3), rule, 1)
        right = visit(sparse, other, np.arange(3), rule, 2)
        assert left.tobytes() == right.tobytes()
    np.testing.assert_array_equal(one.coef, other.coef)
    np.testing.assert_array_equal(one.intercept, other.intercept)


def test_threads_and_chunks_change_no_bit():
    rule = RULES["elastic"]
    rows = window(30_000, 20, np.float64, 4, True, zeros=0.3)  # enough work for threads
    results = []
    for n_threads in (1, 2, 3):
        model = planes(20, rule)
        visit(rows, model, np.arange(3), rule, n_threads)
        results.append(model.coef.tobytes())
    apart = planes(20, rule)
    for k in range(3):
        visit(rows, apart, np.array([k]), rule, 1)
    assert results == [apart.coef.tobytes()] * 3


def test_coefficients_that_overflow_show_in_the_objective():
    rows = window(20, 3, np.float64, 5, False)._replace(y=np.zeros(20))
    model = planes(3, RULES["none"])
    model.coef[1] = np.inf
    objective = visit(rows, model, np.arange(3), RULES["none"], 1)
    assert not np.isfinite(objective[1]) and np.isfinite(objective[[0, 2]]).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"order": np.array([50])}, "order holds 50, which is no row"),
        ({"order": np.array([-1])}, "order holds -1, which is no row"),
        ({"y": np.zeros(3)}, "y has length 3, expected 20"),
        ({"w": np.ones(3)}, "w has length 3"),
        ({"X": np.zeros((20, 4))}, "a row of coef has length 3, expected 4"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], words: str):
    rows = window(20, 3, np.float64, 6, False)._replace(**change)
    with pytest.raises(ValueError, match=words):
        visit(rows, planes(3, RULES["none"]), np.arange(3), RULES["none"], 1)


def test_planes_out_of_range_are_refused():
    rows, model = window(20, 3, np.float64, 6, False), planes(3, RULES["none"])
    rest = (model.codes[:1], model.positive[:1], model.negative[:1], 1)
    with pytest.raises(ValueError, match="planes is out of range"):
        _native.perceptron_window(
            rows.X,
            rows.y,
            None,
            rows.order,
            *RULES["none"],
            model.coef,
            model.intercept,
            None,
            None,
            np.array([3]),
            *rest,
        )
