"""Expressions: values, formulas, what is known of positive definiteness, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.kernels import (
    AdditiveChi2,
    Bilinear,
    Chi2,
    Constant,
    Cosine,
    FromFunction,
    Gaussian,
    GramRows,
    InverseMultiquadric,
    Laplacian,
    Linear,
    Multiquadric,
    Polynomial,
    Sigmoid,
    Spectrum,
)

X = np.random.default_rng(0).normal(size=(30, 4))
Y = np.random.default_rng(1).normal(size=(11, 4))
G, P = Gaussian(0.5), Polynomial(2, 0.3, 1.0)
GXY, PXY = G(X, Y), P(X, Y)
A = np.array([[2.0, 0.5, 0, 0], [0.5, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 0]])


def first_column(rows):
    return rows[:, 0]


@pytest.mark.parametrize(
    ("kernel", "value", "text"),
    [
        (G + P, GXY + PXY, "exp(−0.5 ‖x − x'‖²) + (0.3 x·x' + 1)²"),
        (G * P, GXY * PXY, "exp(−0.5 ‖x − x'‖²) (0.3 x·x' + 1)²"),
        (3 * G, 3 * GXY, "3 exp(−0.5 ‖x − x'‖²)"),
        (G * 3 + 2, 3 * GXY + 2, "3 exp(−0.5 ‖x − x'‖²) + 2"),
        (1 + G, 1 + GXY, "1 + exp(−0.5 ‖x − x'‖²)"),
        ((Linear() + 1) ** 3, (X @ Y.T + 1) ** 3, "(x·x' + 1)³"),
        ((G + P) * G, (GXY + PXY) * GXY, "(exp(−0.5 ‖x − x'‖²) + (0.3 x·x' + 1)²) exp(−0.5 ‖x − x'‖²)"),
        (G.exp(), np.exp(GXY), "exp(exp(−0.5 ‖x − x'‖²))"),
        (G.polynomial([1, 0, 3]), 1 + 3 * GXY**2, "1 + 3 exp(−0.5 ‖x − x'‖²)²"),
        (
            G.weighted(first_column),
            X[:, :1] * GXY * Y[:, 0],
            "first_column(x) exp(−0.5 ‖x − x'‖²) first_column(x')",
        ),
        (Linear().mapped(np.exp), np.exp(X) @ np.exp(Y).T, "exp(x)·exp(x')"),
        (G.on([0, 2]), G(X[:, [0, 2]], Y[:, [0, 2]]), "exp(−0.5 ‖x[0,2] − x'[0,2]‖²)"),
        (
            G.on([0, 1]) * Linear().on([2, 3]),
            G(X[:, :2], Y[:, :2]) * (X[:, 2:] @ Y[:, 2:].T),
            "exp(−0.5 ‖x[0,1] − x'[0,1]‖²) (x[2,3]·x'[2,3])",
        ),
        (
            G.on([0]) + G.on([1]) + Linear().mapped(np.exp) + Linear().mapped(np.sin),
            G(X[:, :1], Y[:, :1]) + G(X[:, 1:2], Y[:, 1:2]) + np.exp(X) @ np.exp(Y).T + np.sin(X) @ np.sin(Y).T,
            "exp(−0.5 ‖x[0] − x'[0]‖²) + exp(−0.5 ‖x[1] − x'[1]‖²) + exp(x)·exp(x') + sin(x)·sin(x')",
        ),
        (G.on(3), G(X[:, 3:], Y[:, 3:]), "exp(−0.5 ‖x[3] − x'[3]‖²)"),
        (Bilinear(A), X @ A @ Y.T, "xᵀAx'"),
        (Linear().normalized(), Cosine()(X, Y), "x·x' / √(x·x)√(x'·x')"),
        (Constant(2.0), np.full((30, 11), 2.0), "2"),
        (Multiquadric(2.0), np.sqrt(4 - 2 * np.log(GXY)), "√(4 + ‖x − x'‖²)"),
        (InverseMultiquadric(2.0), 1 / np.sqrt(4 - 2 * np.log(GXY)), "1/√(4 + ‖x − x'‖²)"),
        (-1 * G, -GXY, "−1 exp(−0.5 ‖x − x'‖²)"),
    ],
    ids=str,
)
def test_values_and_formulas(kernel, value, text):
    np.testing.assert_allclose(kernel(X, Y), value, rtol=1e-11, atol=1e-13)
    assert str(kernel) == text
    diagonal = np.array([kernel(x[None], x[None])[0, 0] for x in X])
    np.testing.assert_allclose(kernel.diagonal(X), diagonal, rtol=1e-12)
    gram = GramRows(kernel, X)
    whole = kernel(X)
    np.testing.assert_allclose(gram.rows([3, 29], [0, 5]), whole[np.ix_([3, 29], [0, 5])], rtol=1e-13)
    out = np.empty((2, 30))
    np.testing.assert_allclose(gram.rows([3, 29], out=out), whole[[3, 29]], rtol=1e-13)
    np.testing.assert_allclose(
        np.vstack([K for _, K in gram.cross(Y, 1000)]), np.asarray(value).T, rtol=1e-11, atol=1e-13
    )


@pytest.mark.parametrize(
    ("kernel", "known"),
    [
        (Linear(), True),
        (Gaussian(2.0), True),
        (Laplacian(), True),
        (InverseMultiquadric(), True),
        (Cosine(), True),
        (Chi2(), True),
        (Bilinear(A), True),
        (Constant(0.0), True),
        (Polynomial(3, 1.0, 1.0), True),
        (Polynomial(2, -1.0, 0.0), True),  # (−t)² = t²
        (Polynomial(2, 1.0, -1.0), False),  # t² − 2t + 1
        (Polynomial(3, -1.0, 0.0), False),
        (Polynomial(2.5, 1.0, 1.0), False),
        (Polynomial(2.5, 1.0, 0.0), None),
        (Sigmoid(1.0, 0.0), False),
        (Sigmoid(1.0, 2.0), False),
        (Sigmoid(1.0, -2.0), False),
        (Multiquadric(), False),
        (AdditiveChi2(), False),
        (Constant(-1.0), False),
        (2 * G + G * P, True),
        (G + Sigmoid(), None),
        (-1 * G, None),
        (0 * Sigmoid(), True),
        (Sigmoid() ** 0, True),
        (G.exp().weighted(first_column).on([0, 1]), True),
        (G.polynomial([0, 1]).mapped(np.exp).normalized(), True),
        (FromFunction(lambda a, b: a @ b.T), None),
    ],
    ids=str,
)
def test_positive_definite_by_construction(kernel, known):
    assert kernel.positive_definite is known


@pytest.mark.parametrize(
    "kernel",
    [Polynomial(2, 1.0, -1.0), Polynomial(3, -1.0, 0.0), Polynomial(2.5, 1.0, 1.0), Multiquadric(),
     Sigmoid(1.0, 0.0), Sigmoid(1.0, 0.5), Sigmoid(1.0, -1.0)],
    ids=str,
)  # fmt: skip
def test_what_is_known_not_to_be_has_a_negative_eigenvalue(kernel):
    grid = np.linspace(-0.9, 0.9, 13)[:, None]
    assert np.linalg.eigvalsh(kernel(grid)).min() < -1e-12


@pytest.mark.parametrize(
    "kernel",
    [Gaussian(2.0), Laplacian(), InverseMultiquadric(), Cosine(), Bilinear(A), Polynomial(3), G.exp() + P * G,
     G.weighted(first_column), (2 * G + 1).polynomial([1, 2, 3]), Linear().mapped(np.sin), G.on([1]) * P.on([0, 3])],
    ids=str,
)  # fmt: skip
def test_what_is_positive_definite_has_no_negative_eigenvalue(kernel):
    assert kernel.positive_definite
    values = np.linalg.eigvalsh(kernel(X))
    assert values.min() >= -1e-12 * values.max()


def test_sparse_rows_in_expressions():
    S, T = sp.csr_array(X * (X > 0)), sp.csr_array(Y * (Y > 0))
    k = 2 * G + P * Linear() + G.on([0, 2]).exp()
    np.testing.assert_allclose(k(S, T), k(S.toarray(), T.toarray()), rtol=1e-12)
    np.testing.assert_allclose(Bilinear(A)(S, T), S.toarray() @ A @ T.toarray().T, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Gaussian(-1), "gamma=…. must be a number ≥ 0"),
        (lambda: Gaussian(np.nan), "finite"),
        (lambda: Gaussian("scale"), "finite number"),
        (lambda: Polynomial(-1), "degree=…. must be a number ≥ 0"),
        (lambda: InverseMultiquadric(0), "> 0"),
        (lambda: Bilinear([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
        (lambda: Bilinear([[1.0, 0.0], [0.0, -1.0]]), "smallest eigenvalue is -1"),
        (lambda: Bilinear([[np.nan]]), "finite"),
        (lambda: Bilinear([1.0, 2.0]), "square matrix"),
        (lambda: G**-1, "whole number"),
        (lambda: G**0.5, "whole number"),
        (lambda: G.polynomial([1, -1]), "coefficients ≥ 0"),
        (lambda: G.polynomial([]), "at least one"),
        (lambda: G.on([]), "numbers of columns"),
        (lambda: G.on(["a"]), "numbers of columns"),
        (lambda: G.weighted(3), "function"),
        (lambda: G + Spectrum(), "its own columns"),
        (lambda: G.set_params(width=3), "has no parameter 'width'"),
    ],
)
def test_parameters_that_make_no_kernel_are_refused(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: G(np.full((3, 2), np.nan)), "NaN"),
        (lambda: G(X, Y[:, :3]), "4 columns and Y has 3"),
        (lambda: G(np.empty((0, 3))), "at least one row"),
        (lambda: G(X[0]), "2D"),
        (lambda: G([["a", "b"]]), "rows of numbers"),
        (lambda: G.on([7])(X), "column 7"),
        (lambda: Chi2()(X), "negative values: row 0"),
        (lambda: G.weighted(lambda rows: rows)(X), "one finite number for each of 30"),
        (lambda: G.mapped(lambda rows: rows[:3])(X), "one row for each of 30"),
        (lambda: (-1 * G).normalized()(X), "below zero"),
    ],
)  # fmt: skip
def test_inputs_that_do_not_suit_are_refused(call, words):
    with pytest.raises(InvalidData, match=words):
        call()


def test_bilinear_names_the_width_it_is_for():
    with pytest.raises(InvalidParameter, match="4 columns; got 2"):
        Bilinear(A)(X[:, :2])


def test_operators_refuse_what_is_no_kernel():
    with pytest.raises(TypeError, match="a kernel or a number"):
        G + "linear"
