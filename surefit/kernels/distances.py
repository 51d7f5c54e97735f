"""Kernels of a distance: Gaussian, multiquadrics, Laplacian, chi-squared.

exp(−γ‖x − x'‖²) is exp(−γ‖x‖²) · exp(2γ x·x') · exp(−γ‖x'‖²): f · (a series of x·x' with coefficients ≥ 0) · f, a
kernel. Mixtures of Gaussians over γ with weights ≥ 0 are kernels: 1/√(c² + r²) = ∫ e^{−γ(c² + r²)} (πγ)^{−½} dγ is one,
and so is exp(−γ|x − x'|). √(c² + r²) is none: its value off the diagonal is larger than on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.kernels.blocks import ABSOLUTE, CHI2, pair_block, sq_dist_block
from surefit.kernels.kernel import ATOM, PRODUCT, SUM, Kernel, coefficient, number, require
from surefit.kernels.products import finite
from surefit.kernels.rows import Rows


def positive(name: str, **values: float) -> None:
    finite(name, **values)
    for parameter, value in values.items():
        require(value > 0, f"{name}({parameter}=…) must be a number > 0; got {value!r}")


def not_negative(name: str, **values: float) -> None:
    finite(name, **values)
    for parameter, value in values.items():
        require(value >= 0, f"{name}({parameter}=…) must be a number ≥ 0; got {value!r}")


class Gaussian(Kernel):
    """k(x, x') = exp(−gamma ‖x − x'‖²)"""

    def __init__(self, gamma: float = 1.0) -> None:
        not_negative("Gaussian", gamma=gamma)
        self.gamma = gamma

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"exp(−{coefficient(self.gamma)}‖{x} − {y}‖²)", ATOM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return sq_dist_block(A, B, float(self.gamma), out)

    def self_values(self, A: Rows) -> np.ndarray:
        return np.ones(A.n, dtype=A.dtype)


class Multiquadric(Kernel):
    """k(x, x') = √(c² + ‖x − x'‖²): not positive definite"""

    def __init__(self, c: float = 1.0) -> None:
        not_negative("Multiquadric", c=c)
        self.c = c

    @property
    def positive_definite(self) -> bool:
        return False

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"√({number(self.c**2)} + ‖{x} − {y}‖²)", ATOM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        D = sq_dist_block(A, B, None, out)
        D += D.dtype.type(self.c**2)
        return np.sqrt(D, out=D)

    def self_values(self, A: Rows) -> np.ndarray:
        return np.full(A.n, self.c, dtype=A.dtype)


class InverseMultiquadric(Kernel):
    """k(x, x') = 1 / √(c² + ‖x − x'‖²)"""

    def __init__(self, c: float = 1.0) -> None:
        positive("InverseMultiquadric", c=c)
        self.c = c

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"1/√({number(self.c**2)} + ‖{x} − {y}‖²)", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        D = sq_dist_block(A, B, None, out)
        D += D.dtype.type(self.c**2)
        np.sqrt(D, out=D)
        return np.divide(1, D, out=D)

    def self_values(self, A: Rows) -> np.ndarray:
        return np.full(A.n, 1 / self.c, dtype=A.dtype)


class Laplacian(Kernel):
    """k(x, x') = exp(−gamma ‖x − x'‖₁)"""

    def __init__(self, gamma: float = 1.0) -> None:
        not_negative("Laplacian", gamma=gamma)
        self.gamma = gamma

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"exp(−{coefficient(self.gamma)}‖{x} − {y}‖₁)", ATOM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return pair_block(A.centered, B.centered, ABSOLUTE, float(self.gamma), out)

    def self_values(self, A: Rows) -> np.ndarray:
        return np.ones(A.n, dtype=A.dtype)


class AdditiveChi2(Kernel):
    """k(x, x') = −Σⱼ (xⱼ − x'ⱼ)² / (xⱼ + x'ⱼ), for numbers ≥ 0: zero on the diagonal, so not positive definite"""

    def __init__(self) -> None:
        pass

    @property
    def positive_definite(self) -> bool:
        return False

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"−Σ ({x} − {y})² / ({x} + {y})", SUM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        D = pair_block(_not_below_zero(A), _not_below_zero(B), CHI2, None, out)
        return np.negative(D, out=D)

    def self_values(self, A: Rows) -> np.ndarray:
        _not_below_zero(A)
        return np.zeros(A.n, dtype=A.dtype)


class Chi2(Kernel):
    """k(x, x') = exp(−gamma Σⱼ (xⱼ − x'ⱼ)² / (xⱼ + x'ⱼ)), for numbers ≥ 0"""

    def __init__(self, gamma: float = 1.0) -> None:
        not_negative("Chi2", gamma=gamma)
        self.gamma = gamma

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"exp(−{coefficient(self.gamma)}Σ ({x} − {y})² / ({x} + {y}))", ATOM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return pair_block(_not_below_zero(A), _not_below_zero(B), CHI2, float(self.gamma), out)

    def self_values(self, A: Rows) -> np.ndarray:
        _not_below_zero(A)
        return np.ones(A.n, dtype=A.dtype)


def _not_below_zero(A: Rows) -> Any:
    def look(rows: Rows) -> Any:
        X = rows.values.toarray() if rows.is_sparse else rows.values
        if X.min() < 0:
            row, column = (int(i) for i in np.argwhere(X < 0)[0])
            raise InvalidData(f"X contains negative values: row {row}, column {column} holds {X[row, column]}")
        return X

    return A.kept("not below zero", look)
