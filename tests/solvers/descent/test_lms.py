"""Widrow and Hoff's rule: the compiled loops against plain NumPy, and the rule itself against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.solvers.descent.lms import Rate, Walk
from surefit.solvers.numerics.coordinates import Coordinates
from tests.reference.descent import lms_visit_reference


def case(n: int, d: int, k: int, *, weights: str = "", intercept: bool = True, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.4, rng.normal(size=(n, d)) + 1.0, 0.0)
    Y = rng.normal(size=(n, k)) * 3 + 5
    order = rng.permutation(n)[: max(1, 3 * n // 4)].astype(np.int64)
    w = None
    if weights == "whole":
        w = rng.integers(1, 4, len(order)).astype(np.float64)
    elif weights == "any":
        w = rng.uniform(0.01, 3.0, len(order))
    frame = Coordinates(rng.normal(size=d), rng.uniform(0.5, 2.0, d), rng.normal(size=k), intercept)
    if not intercept:
        frame = frame._replace(center=np.zeros(d), target=np.zeros(k))
    at = Walk(rng.normal(size=(k, d)), rng.normal(size=k) * intercept, np.zeros((k, d)), np.zeros(k), 7.0, 0.0)
    at = at._replace(mean=at.u, mean_b=at.beta)
    total = float(len(order) if w is None else w.sum()) + 5.0  # the pass goes on elsewhere
    return X, Y, order, w, frame, total, at


def native(X, Y, order, w, frame, rate, total, at):
    rest = (Y, order, w, tuple(frame[:4]), tuple(rate), total, tuple(at))
    if sp.issparse(X):
        return Walk(*_native.lms_visit_csr(X.data, X.indices, X.indptr, X.shape[1], *rest))
    return Walk(*_native.lms_visit(X, *rest))


RATES = [
    Rate(0.02, 0.0, 1.0, False),
    Rate(0.05, 0.25, 1.0, False),
    Rate(0.3, 1.0, 20.0, True),
    Rate(1e3, 0.0, 1.0, True),
    Rate(0.2, 0.0, 1.0, False),  # beyond 1/q for many rows
]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("weights", ["", "whole", "any"])
@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (2, 3, 1), (30, 5, 2), (12, 17, 3), (20, 8, 1)])
@pytest.mark.parametrize("kind", ["f64", "f32", "csr64", "csr32", "csr long"])
def test_loops_are_their_reference(rate: Rate, weights: str, n: int, d: int, k: int, kind: str) -> None:
    for intercept in (True, False):
        X, Y, order, w, frame, total, at = case(n, d, k, weights=weights, intercept=intercept, seed=n + d)
        if kind in ("f32", "csr32"):
            X = X.astype(np.float32)
        if kind.startswith("csr"):
            X = sp.csr_array(X)
        if kind == "csr long":
            X = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
            X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        got = native(X, Y, order, w, frame, rate, total, at)
        want = lms_visit_reference(X, Y, order, w, frame, rate, total, at)
        for name, left, right in zip(Walk._fields, got, want, strict=True):
            scale = np.abs(right).max() + 1
            np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-11 * scale, err_msg=name)


def test_two_calls_are_one() -> None:
    X, Y, order, w, frame, total, at = case(40, 6, 2, weights="any")
    rate = RATES[1]
    whole = native(X, Y, order, w, frame, rate, total, at)
    half = native(X, Y, order[:13], w[:13], frame, rate, total, at)
    both = native(X, Y, order[13:], w[13:], frame, rate, total, half)
    for left, right in zip(both, whole, strict=True):
        np.testing.assert_array_equal(left, right)


def exact_pass(X, y, weights, eta, *, intercept=True):
    """One pass in fractions, each weight that many updates; every iterate in a list."""
    w, b, iterates = [Fraction(0)] * len(X[0]), Fraction(0), []
    for row, target, times in zip(X, y, weights, strict=True):
        for _ in range(times):
            r = Fraction(target) - sum(a * Fraction(v) for a, v in zip(w, row, strict=True)) - b
            w = [a + eta * r * Fraction(v) for a, v in zip(w, row, strict=True)]
            b += eta * r * intercept
            iterates.append((list(w), b))
    return w, b, iterates


ROWS, TARGETS = [[1, 2], [0, -1], [3, 1], [-2, 0]], [3, 1, -2, 4]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [2, 1, 3, 1]])
def test_a_pass_by_hand(sparse: bool, weights: list[int]) -> None:
    eta = Fraction(1, 16)  # below 1/q for every row: 1/11
    w, b, iterates = exact_pass(ROWS, TARGETS, weights, eta)
    X = sp.csr_array(np.array(ROWS, dtype=float)) if sparse else np.array(ROWS, dtype=float)
    frame = Coordinates(np.zeros(2), np.ones(2), np.zeros(1), True)
    zero = np.zeros((1, 2)), np.zeros(1)
    total = float(sum(weights))
    got = native(
        X,
        np.array(TARGETS, dtype=float)[:, None],
        np.arange(4),
        np.array(weights, dtype=float),
        frame,
        Rate(1 / 16, 0.0, 1.0, False),
        total,
        Walk(*zero, *zero, 0.0, 0.0),
    )
    np.testing.assert_allclose(got.u[0], [float(a) for a in w], rtol=1e-14)
    np.testing.assert_allclose(got.beta, [float(b)], rtol=1e-14)
    assert got.clock == got.done == total
    if weights == [1, 1, 1, 1]:
        mean = [float(sum(one[0][j] for one in iterates) / 4) for j in range(2)]
        np.testing.assert_allclose(got.mean[0], mean, rtol=1e-14)
        np.testing.assert_allclose(got.mean_b, [float(sum(one[1] for one in iterates) / 4)], rtol=1e-14)


def test_a_capped_update_puts_the_row_right() -> None:
    X, y = np.array([[3.0, 4.0]]), np.array([[7.0]])
    frame = Coordinates(np.zeros(2), np.ones(2), np.zeros(1), True)
    zero = np.zeros((1, 2)), np.zeros(1)
    got = native(X, y, np.array([0]), None, frame, Rate(1e9, 0.0, 1.0, True), 1.0, Walk(*zero, *zero, 0.0, 0.0))
    np.testing.assert_allclose(got.u[0] @ X[0] + got.beta[0], 7.0, rtol=1e-15)
    np.testing.assert_allclose(got.u[0], 7.0 / 26 * X[0], rtol=1e-15)  # the shortest step: r x / (‖x‖² + 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"order": np.array([4])}, "no row"),
        ({"order": np.array([-1])}, "no row"),
        ({"w": np.ones(2)}, "w has length 2"),
        ({"Y": np.ones((3, 1))}, "Y has length 3"),
    ],
)
def test_loops_refuse_what_does_not_fit(change: dict, words: str) -> None:
    frame = Coordinates(np.zeros(2), np.ones(2), np.zeros(1), True)
    zero = np.zeros((1, 2)), np.zeros(1)
    given = {"X": np.ones((4, 2)), "Y": np.ones((4, 1)), "order": np.array([0]), "w": None} | change
    with pytest.raises(ValueError, match=words):
        native(**given, frame=frame, rate=RATES[0], total=1.0, at=Walk(*zero, *zero, 0.0, 0.0))


def test_csr_loop_refuses_columns_beyond_the_width() -> None:
    frame = Coordinates(np.zeros(2), np.ones(2), np.zeros(1), True)
    zero = np.zeros((1, 2)), np.zeros(1)
    at, rest = tuple(Walk(*zero, *zero, 0.0, 0.0)), (np.ones((1, 1)), np.array([0]), None, tuple(frame[:4]))
    for indices, indptr, words in [([5], [0, 1], "out of range"), ([0], [0, 2], "beyond the 1 stored")]:
        with pytest.raises(ValueError, match=words):
            _native.lms_visit_csr(
                np.ones(1), np.array(indices, np.int32), np.array(indptr, np.int32), 2, *rest, tuple(RATES[0]), 1.0, at
            )
