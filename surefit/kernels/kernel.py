"""Kernels as expressions: k(x, x') is a number, k(X, Y) the block of all pairs of rows.

An expression knows its mathematics (`str(k)`), its exact diagonal, and whether it is positive definite by construction:
True (Σᵢⱼ cᵢ cⱼ k(xᵢ, xⱼ) ≥ 0 for all points and numbers), False (there are points for which it is not) or None (no rule
decides). Kernels are closed under

    k + k'    k · k'    c k (c ≥ 0)    f(x) k(x, x') f(x')    p(k) with coefficients ≥ 0    exp k    k(φ(x), φ(x'))

written k + l, k * l, 2 * k, k.weighted(f), k.polynomial([1, 0, 3]), k ** 2, k.exp(), k.mapped(phi), k.on([0, 2]) and
k.normalized() for f = 1/√k(x, x).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit.kernels.rows import Rows

if TYPE_CHECKING:
    from surefit.kernels import algebra

Domain = Literal["vectors", "objects", "any"]
SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly the parts of a formula bind."""


class Kernel:
    """A symmetric function of two inputs. Subclasses say what it is for blocks of `Rows`."""

    domain: Domain = "vectors"
    """vectors: rows of numbers; objects: whatever (sets, strings …); any: a function of the user decides."""

    reads_pairs = False
    """X holds kernel values already, a row for each input: Y is not looked at."""

    # What a kernel is

    @property
    def positive_definite(self) -> bool | None:
        return None

    def formula(self, x: str, y: str) -> tuple[str, int]:
        """The mathematics in the variables x and y, and how tightly it binds."""
        raise NotImplementedError

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        """k(a, b) for all pairs, (A.n, B.n): written to `out`, or to a new array."""
        raise NotImplementedError

    def self_values(self, A: Rows) -> np.ndarray:
        """k(a, a) for every row, exactly as the formula says."""
        raise NotImplementedError

    # What a user calls

    def __call__(self, X: Any, Y: Any = None) -> Any:
        """The Gram block of the rows of X and of Y (of X when Y is None); of two single inputs a float."""
        if Y is not None and self._is_one(X) and self._is_one(Y):
            return float(self(self._as_many(X), self._as_many(Y))[0, 0])
        A = Rows.of(self, X)
        B = A if Y is None or self.reads_pairs else A.like(Y)
        refuse_beyond_memory(
            A.n * B.n * A.dtype.itemsize, f"the Gram block of {A.n} × {B.n} pairs", "Take it in blocks: gram_blocks."
        )
        return self.block(A, B)

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) for every row of X."""
        return self.self_values(Rows.of(self, X))

    def _is_one(self, x: Any) -> bool:
        """A single vector (1-d); of objects nobody can tell, so several are always asked for."""
        return self.domain != "objects" and isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype != object

    @staticmethod
    def _as_many(x: np.ndarray) -> np.ndarray:
        return x[None, :]

    # Operators

    def __add__(self, other: Kernel | float) -> algebra.Sum:
        from surefit.kernels import algebra

        return algebra.Sum(self, as_kernel(other))

    def __radd__(self, other: float) -> algebra.Sum:
        from surefit.kernels import algebra

        return algebra.Sum(as_kernel(other), self)

    def __mul__(self, other: Kernel | float) -> Kernel:
        from surefit.kernels import algebra

        return (
            algebra.Scaled(float(other), self) if isinstance(other, Real) else algebra.Product(self, as_kernel(other))
        )

    def __rmul__(self, other: float) -> Kernel:
        return self * other

    def __pow__(self, exponent: int) -> algebra.Power:
        from surefit.kernels import algebra

        return algebra.Power(self, exponent)

    def exp(self) -> algebra.Exp:
        """exp(k)"""
        from surefit.kernels import algebra

        return algebra.Exp(self)

    def polynomial(self, coefficients: Sequence[float]) -> algebra.PolynomialOf:
        """c₀ + c₁ k + c₂ k² + …"""
        from surefit.kernels import algebra

        return algebra.PolynomialOf(self, coefficients)

    def weighted(self, function: Callable[[Any], Any]) -> algebra.Weighted:
        """f(x) k(x, x') f(x'); `function` maps an array of rows to one number for each."""
        from surefit.kernels import algebra

        return algebra.Weighted(self, function)

    def normalized(self) -> algebra.Normalized:
        """k(x, x') / √(k(x, x) k(x', x'))"""
        from surefit.kernels import algebra

        return algebra.Normalized(self)

    def mapped(self, function: Callable[[Any], Any]) -> algebra.Mapped:
        """k(φ(x), φ(x')); `function` maps an array of rows to an array of rows."""
        from surefit.kernels import algebra

        return algebra.Mapped(self, function)

    def on(self, columns: int | Sequence[int]) -> algebra.OnColumns:
        """k of these columns alone."""
        from surefit.kernels import algebra

        return algebra.OnColumns(self, columns)

    # Parameters, as scikit-learn reads them

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, value in list(found.items()):
                if isinstance(value, Kernel):
                    found |= {f"{name}__{inner}": v for inner, v in value.get_params().items()}
        return found

    def set_params(self, **params: Any) -> Kernel:
        own = self.get_params(deep=False)
        inner: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if first not in own:
                raise InvalidParameter(f"{type(self).__name__} has no parameter {first!r}; it has {', '.join(own)}")
            if rest:
                inner.setdefault(first, {})[rest] = value
            else:
                own[first] = value
        for name, values in inner.items():
            own[name] = own[name].set_params(**values)
        cast(Any, self).__init__(**own)
        return self

    def __str__(self) -> str:
        return self.formula("x", "x'")[0]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in self.get_params(deep=False).items())})"


class Constant(Kernel):
    """k(x, x') = value"""

    domain = "any"

    def __init__(self, value: float) -> None:
        self.value = value

    @property
    def positive_definite(self) -> bool:
        return self.value >= 0

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return number(self.value), ATOM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        K = np.empty((A.n, B.n), dtype=A.dtype) if out is None else out
        K[...] = self.value
        return K

    def self_values(self, A: Rows) -> np.ndarray:
        return np.full(A.n, self.value, dtype=A.dtype)


def as_kernel(k: Kernel | float) -> Kernel:
    if isinstance(k, Kernel):
        return k
    if isinstance(k, Real):
        return Constant(float(k))
    raise TypeError(f"a kernel is added to or multiplied by a kernel or a number; got {type(k).__name__}")


def number(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


def coefficient(value: float) -> str:
    """The number in front of a product: nothing for one."""
    return "" if value == 1 else f"{number(value)} "


def bracketed(formula: tuple[str, int], at_least: int) -> str:
    text, binding = formula
    return text if binding >= at_least else f"({text})"


def require(condition: bool, message: str) -> None:
    """For parameters of kernels."""
    if not condition:
        raise InvalidParameter(message)
