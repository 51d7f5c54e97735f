"""What kernels make of kernels: sums, products, multiples, powers, exp, f·k·f, feature maps, columns.

Each keeps positive definiteness (True stays True): sums and multiples c ≥ 0 at once; products by Schur's theorem; so
powers, polynomials with coefficients ≥ 0, and exp as their limit; f(x) k(x, x') f(x') is Σᵢⱼ (cᵢ fᵢ)(cⱼ fⱼ) k(xᵢ, xⱼ);
k(φ(x), φ(x')) is k at the points φ(x). Of kernels that are not, nothing is known (None).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.kernels.kernel import (
    ATOM,
    POWER,
    PRODUCT,
    SUM,
    Domain,
    Kernel,
    bracketed,
    coefficient,
    number,
    require,
)
from surefit.kernels.products import finite, power, superscript
from surefit.kernels.rows import Rows


def common_domain(kernels: Iterable[Kernel]) -> Domain:
    """Of the parts of one expression; `any` takes what the others take."""
    domains = {kernel.domain for kernel in kernels} - {"any"}
    require(
        len(domains) < 2,
        "kernels on vectors and kernels on objects cannot be joined; give each its own columns: k.on(…)",
    )
    return domains.pop() if domains else "any"


def kept_by(*kernels: Kernel) -> bool | None:
    return True if all(kernel.positive_definite for kernel in kernels) else None


class _OfTwo(Kernel):
    def __init__(self, left: Kernel, right: Kernel) -> None:
        for side in (left, right):
            require(isinstance(side, Kernel), f"{type(self).__name__} takes two kernels; got {type(side).__name__}")
        self.left, self.right = left, right
        self.domain = common_domain((left, right))

    @property
    def positive_definite(self) -> bool | None:
        return kept_by(self.left, self.right)


class Sum(_OfTwo):
    """k + k'"""

    def formula(self, x: str, y: str) -> tuple[str, int]:
        left, right = (bracketed(k.formula(x, y), SUM) for k in (self.left, self.right))
        return f"{left} + {right}".replace("+ −", "− "), SUM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        K = self.left.block(A, B, out)
        K += self.right.block(A, B)
        return K

    def self_values(self, A: Rows) -> np.ndarray:
        return self.left.self_values(A) + self.right.self_values(A)


class Product(_OfTwo):
    """k · k'"""

    def formula(self, x: str, y: str) -> tuple[str, int]:
        left = bracketed(self.left.formula(x, y), PRODUCT)
        return f"{left} {bracketed(self.right.formula(x, y), POWER)}", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        K = self.left.block(A, B, out)
        K *= self.right.block(A, B)
        return K

    def self_values(self, A: Rows) -> np.ndarray:
        return self.left.self_values(A) * self.right.self_values(A)


class _OfOne(Kernel):
    """A kernel made of one `kernel`, with the same inputs."""

    kernel: Kernel

    def _take(self, kernel: Kernel) -> None:
        require(isinstance(kernel, Kernel), f"{type(self).__name__} takes a kernel; got {type(kernel).__name__}")
        self.kernel = kernel
        self.domain = kernel.domain

    @property
    def positive_definite(self) -> bool | None:
        return kept_by(self.kernel)

    def of_values(self, K: np.ndarray) -> np.ndarray:
        """What becomes of the values of the kernel, in place."""
        raise NotImplementedError

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return self.of_values(self.kernel.block(A, B, out))

    def self_values(self, A: Rows) -> np.ndarray:
        return self.of_values(self.kernel.self_values(A))


class Scaled(_OfOne):
    """factor · k"""

    def __init__(self, factor: float, kernel: Kernel) -> None:
        finite("Scaled", factor=factor)
        self.factor = factor
        self._take(kernel)

    @property
    def positive_definite(self) -> bool | None:
        return True if self.factor == 0 else kept_by(self.kernel) if self.factor > 0 else None

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"{coefficient(self.factor)}{bracketed(self.kernel.formula(x, y), PRODUCT)}", PRODUCT

    def of_values(self, K: np.ndarray) -> np.ndarray:
        K *= K.dtype.type(self.factor)
        return K


class Power(_OfOne):
    """k^exponent, for a whole exponent ≥ 0"""

    def __init__(self, kernel: Kernel, exponent: int) -> None:
        whole = isinstance(exponent, (int, np.integer)) and not isinstance(exponent, bool)
        require(
            whole and exponent >= 0, f"k ** n takes a whole number n ≥ 0, or the power is no kernel; got {exponent!r}"
        )
        self.exponent = exponent
        self._take(kernel)

    @property
    def positive_definite(self) -> bool | None:
        return True if self.exponent == 0 else kept_by(self.kernel)

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"{bracketed(self.kernel.formula(x, y), ATOM)}{superscript(self.exponent)}", POWER

    def of_values(self, K: np.ndarray) -> np.ndarray:
        return power(K, self.exponent)


class PolynomialOf(_OfOne):
    """c₀ + c₁ k + c₂ k² + …, with coefficients ≥ 0"""

    def __init__(self, kernel: Kernel, coefficients: Sequence[float]) -> None:
        require(len(coefficients) > 0, "k.polynomial(coefficients) takes at least one coefficient")
        for c in coefficients:
            finite("PolynomialOf", coefficients=c)
            require(c >= 0, f"k.polynomial(coefficients) takes coefficients ≥ 0, or it is no kernel; got {c!r}")
        self.coefficients = coefficients
        self._take(kernel)

    def formula(self, x: str, y: str) -> tuple[str, int]:
        base = bracketed(self.kernel.formula(x, y), ATOM)
        terms = [
            number(c) if n == 0 else f"{coefficient(c)}{base}{superscript(n)}"
            for n, c in enumerate(self.coefficients)
            if c != 0
        ]
        return (" + ".join(terms), SUM) if terms else ("0", ATOM)

    def of_values(self, K: np.ndarray) -> np.ndarray:
        """Horner's scheme."""
        values = K.copy()
        K[...] = self.coefficients[-1]
        for c in reversed(self.coefficients[:-1]):
            K *= values
            K += K.dtype.type(c)
        return K


class Exp(_OfOne):
    """exp(k)"""

    def __init__(self, kernel: Kernel) -> None:
        self._take(kernel)

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"exp({self.kernel.formula(x, y)[0]})", ATOM

    def of_values(self, K: np.ndarray) -> np.ndarray:
        return np.exp(K, out=K)


class Weighted(_OfOne):
    """f(x) k(x, x') f(x')"""

    def __init__(self, kernel: Kernel, function: Callable[[Any], Any]) -> None:
        require(callable(function), f"k.weighted(f) takes a function of rows; got {type(function).__name__}")
        self.function = function
        self._take(kernel)

    def formula(self, x: str, y: str) -> tuple[str, int]:
        f = function_name(self.function, "f")
        return f"{f}({x}) {bracketed(self.kernel.formula(x, y), POWER)} {f}({y})", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        K = self.kernel.block(A, B, out)
        K *= self._weights(A)[:, None]
        K *= self._weights(B)
        return K

    def self_values(self, A: Rows) -> np.ndarray:
        return self._weights(A) ** 2 * self.kernel.self_values(A)

    def _weights(self, A: Rows) -> np.ndarray:
        return A.kept((self, "weights"), self._values)

    def _values(self, rows: Rows) -> np.ndarray:
        f = np.asarray(self.function(rows.X), dtype=rows.dtype)
        if f.shape != (rows.n,) or not np.isfinite(f).all():
            raise InvalidData(f"k.weighted(f): f must give one finite number for each of {rows.n} rows; got {f.shape}")
        return f


class Normalized(_OfOne):
    """k(x, x') / √(k(x, x) k(x', x')): one on the diagonal, zero where k(x, x) is"""

    def __init__(self, kernel: Kernel) -> None:
        self._take(kernel)

    def formula(self, x: str, y: str) -> tuple[str, int]:
        own = [self.kernel.formula(v, v)[0] for v in (x, y)]
        return f"{bracketed(self.kernel.formula(x, y), PRODUCT)} / √({own[0]})√({own[1]})", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        K = self.kernel.block(A, B, out)
        K /= self._norms(A)[:, None]
        K /= self._norms(B)
        return K

    def self_values(self, A: Rows) -> np.ndarray:
        return (self.kernel.self_values(A) > 0).astype(A.dtype)

    def _norms(self, A: Rows) -> np.ndarray:
        return A.kept((self, "norms"), self._roots)

    def _roots(self, rows: Rows) -> np.ndarray:
        values = self.kernel.self_values(rows)
        if values.min() < 0:
            raise InvalidData(f"k.normalized() divides by √k(x, x), and k(x, x) = {values.min():.6g} is below zero")
        return np.sqrt(np.where(values > 0, values, 1))


class Mapped(_OfOne):
    """k(φ(x), φ(x'))"""

    def __init__(self, kernel: Kernel, function: Callable[[Any], Any]) -> None:
        require(callable(function), f"k.mapped(phi) takes a function of rows; got {type(function).__name__}")
        self.function = function
        self._take(kernel)
        self.domain = "any"

    def formula(self, x: str, y: str) -> tuple[str, int]:
        phi = function_name(self.function, "φ")
        return self.kernel.formula(f"{phi}({x})", f"{phi}({y})")

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return self.kernel.block(A.mapped(self.function, self.kernel), B.mapped(self.function, self.kernel), out)

    def self_values(self, A: Rows) -> np.ndarray:
        return self.kernel.self_values(A.mapped(self.function, self.kernel))


class OnColumns(_OfOne):
    """k of some columns of the rows; of one column of objects when `columns` is a number"""

    def __init__(self, kernel: Kernel, columns: int | Sequence[int]) -> None:
        numbers = np.atleast_1d(columns)
        require(
            numbers.size > 0 and numbers.dtype.kind in "iu", f"k.on(columns) takes numbers of columns; got {columns!r}"
        )
        self.columns = columns
        self._take(kernel)
        self.domain = "any"

    @property
    def positive_definite(self) -> bool | None:
        return self.kernel.positive_definite

    def formula(self, x: str, y: str) -> tuple[str, int]:
        names = ",".join(str(c) for c in np.atleast_1d(self.columns))
        return self.kernel.formula(f"{x}[{names}]", f"{y}[{names}]")

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return self.kernel.block(A.columns(self.columns, self.kernel), B.columns(self.columns, self.kernel), out)

    def self_values(self, A: Rows) -> np.ndarray:
        return self.kernel.self_values(A.columns(self.columns, self.kernel))


def function_name(function: Callable[..., Any], otherwise: str) -> str:
    name = getattr(function, "__name__", "<lambda>")
    return otherwise if name == "<lambda>" else name
