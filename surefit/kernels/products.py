"""Kernels of the inner product x·x': linear, polynomial, sigmoid, cosine, xᵀAx'.

A function f(x·x') with the series Σ aₙ (x·x')ⁿ is positive definite if every aₙ ≥ 0: each (x·x')ⁿ is a product of
kernels. If some aₙ < 0 it is not, already for numbers x in any neighbourhood of 0: the mixed derivative ∂ₓⁿ∂ᵧⁿ at 0 of
a positive definite function is a limit of sums Σ cᵢ cⱼ k(xᵢ, xⱼ) ≥ 0, and it is (n!)² aₙ.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit.kernels.blocks import power_block, product_block
from surefit.kernels.kernel import ATOM, POWER, PRODUCT, SUM, Kernel, bracketed, coefficient, number, require
from surefit.kernels.rows import Rows, squares


def dot_self(A: Rows) -> np.ndarray:
    return A.kept("dot_self", lambda rows: squares(rows.values))


def dot_formula(gamma: float, coef0: float, x: str, y: str) -> tuple[str, int]:
    text = f"{coefficient(gamma)}{x}·{y}"
    if coef0 == 0:
        return text, PRODUCT
    return f"{text} {'+' if coef0 > 0 else '−'} {number(abs(coef0))}", SUM


def finite(name: str, **values: float) -> None:
    for parameter, value in values.items():
        require(
            isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value),
            f"{name}({parameter}=…) must be a finite number; got {value!r}",
        )


class Linear(Kernel):
    """k(x, x') = x·x'"""

    @property
    def positive_definite(self) -> bool:
        return True

    def __init__(self) -> None:
        pass

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"{x}·{y}", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return product_block(A.values, B.values, out)

    def self_values(self, A: Rows) -> np.ndarray:
        return dot_self(A).copy()


class Polynomial(Kernel):
    """k(x, x') = (gamma x·x' + coef0)^degree"""

    def __init__(self, degree: float = 3, gamma: float = 1.0, coef0: float = 1.0) -> None:
        finite("Polynomial", degree=degree, gamma=gamma, coef0=coef0)
        require(degree >= 0, f"Polynomial(degree=…) must be a number ≥ 0; got {degree!r}")
        self.degree, self.gamma, self.coef0 = degree, gamma, coef0

    @property
    def positive_definite(self) -> bool | None:
        """By the signs of the coefficients of (γ t + c)^degree in t."""
        degree = float(self.degree)
        if not degree.is_integer():
            return False if self.coef0 > 0 and self.gamma != 0 else None
        signs = [_sign(self.gamma) ** n * _sign(self.coef0) ** (int(degree) - n) for n in range(int(degree) + 1)]
        return all(sign >= 0 for sign in signs)

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"{bracketed(dot_formula(self.gamma, self.coef0, x, y), ATOM)}{superscript(self.degree)}", POWER

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        if float(self.degree).is_integer() and self.degree < 2**31:
            return power_block(A, B, float(self.gamma), float(self.coef0), int(self.degree), out)
        return self._of_products(product_block(A.values, B.values, out))

    def self_values(self, A: Rows) -> np.ndarray:
        return self._of_products(dot_self(A).copy())

    def _of_products(self, P: np.ndarray) -> np.ndarray:
        P *= P.dtype.type(self.gamma)
        P += P.dtype.type(self.coef0)
        return power(P, self.degree)


class Sigmoid(Kernel):
    """k(x, x') = tanh(gamma x·x' + coef0): not positive definite, since no series of tanh has all coefficients ≥ 0.

    At c its second coefficient has the sign of −tanh c, at 0 the third is −1/3, and for c < 0 the first is tanh c < 0.
    """

    def __init__(self, gamma: float = 1.0, coef0: float = 1.0) -> None:
        finite("Sigmoid", gamma=gamma, coef0=coef0)
        self.gamma, self.coef0 = gamma, coef0

    @property
    def positive_definite(self) -> bool:
        return self.gamma == 0 and self.coef0 >= 0

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"tanh({dot_formula(self.gamma, self.coef0, x, y)[0]})", ATOM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return self._of_products(product_block(A.values, B.values, out))

    def self_values(self, A: Rows) -> np.ndarray:
        return self._of_products(dot_self(A).copy())

    def _of_products(self, P: np.ndarray) -> np.ndarray:
        P *= P.dtype.type(self.gamma)
        P += P.dtype.type(self.coef0)
        return np.tanh(P, out=P)


class Cosine(Kernel):
    """k(x, x') = x·x' / (‖x‖ ‖x'‖), zero where x or x' is zero"""

    def __init__(self) -> None:
        pass

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"{x}·{y} / (‖{x}‖ ‖{y}‖)", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return product_block(unit_rows(A), unit_rows(B), out)

    def self_values(self, A: Rows) -> np.ndarray:
        return (dot_self(A) > 0).astype(A.dtype)


def unit_rows(A: Rows) -> Any:
    return A.kept("unit", _unit)


def _unit(rows: Rows) -> Any:
    X = rows.values
    largest = abs(X).max(axis=1)
    largest = largest.toarray().ravel() if rows.is_sparse else largest
    largest = np.where(largest > 0, largest, 1).astype(X.dtype)  # squares of what is left neither overflow nor vanish
    scaled = divided_rows(X, largest)
    norms = np.sqrt(squares(scaled))
    return divided_rows(scaled, np.where(norms > 0, norms, 1).astype(X.dtype))


def divided_rows(X: Any, by: np.ndarray) -> Any:
    if isinstance(X, np.ndarray):
        return X / by[:, None]
    X = X.copy()
    X.data /= np.repeat(by, np.diff(X.indptr))
    return X


class Bilinear(Kernel):
    """k(x, x') = xᵀAx' for a symmetric positive semidefinite A"""

    def __init__(self, A: Any) -> None:
        matrix = np.asarray(A, dtype=np.float64)
        require(
            matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.size > 0,
            f"Bilinear(A=…) must be a square matrix; got shape {matrix.shape}",
        )
        require(bool(np.isfinite(matrix).all()), "Bilinear(A=…) must be finite; it holds NaN or infinity")
        gap = float(np.abs(matrix - matrix.T).max())
        require(
            gap == 0,
            f"Bilinear(A=…) must be symmetric; A and its transpose differ by {gap:.3g}. Use (A + A.T) / 2.",
        )
        values, vectors = np.linalg.eigh(matrix)
        rounding = 16 * len(values) * np.finfo(np.float64).eps * float(np.abs(values).max())
        if values[0] < -rounding:
            raise InvalidParameter(
                f"Bilinear(A=…) must be positive semidefinite; its smallest eigenvalue is {values[0]:.6g}"
            )
        self.A = A
        self._root = vectors * np.sqrt(np.maximum(values, 0))

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"{x}ᵀA{y}", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return product_block(self._features(A), self._features(B), out)

    def self_values(self, A: Rows) -> np.ndarray:
        return squares(self._features(A))

    def _features(self, A: Rows) -> np.ndarray:
        """A = RRᵀ, so xᵀAx' = (Rᵀx)·(Rᵀx')."""
        require(
            A.X.shape[1] == len(self._root),
            f"Bilinear(A=…) is for rows with {len(self._root)} columns; got {A.X.shape[1]}",
        )
        return A.kept((self, "features"), lambda rows: np.asarray(rows.X @ self._root, dtype=rows.dtype))


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def power(P: np.ndarray, degree: float) -> np.ndarray:
    """Pⁿ in place: for whole n by squaring, as exact as n roundings; for others as NumPy has it."""
    if not (isinstance(degree, Integral) or float(degree).is_integer()):
        return np.power(P, P.dtype.type(degree), out=P)
    n = int(degree)
    if n == 0:
        P[...] = 1
        return P
    base = P.copy()
    for bit in bin(n)[3:]:
        np.multiply(P, P, out=P)
        if bit == "1":
            np.multiply(P, base, out=P)
    return P


def superscript(value: float) -> str:
    if value == 1:
        return ""
    if float(value).is_integer():
        return str(int(value)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"^{number(value)}"
