"""Kernels as estimators are given them: scikit-learn's names, functions, precomputed matrices, expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from surefit._core.data.intake import take_rows
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.kernels.blocks import written
from surefit.kernels.distances import AdditiveChi2, Chi2, Gaussian, Laplacian
from surefit.kernels.kernel import ATOM, Kernel, require
from surefit.kernels.products import Cosine, Linear, Polynomial, Sigmoid
from surefit.kernels.rows import Rows, as_objects, is_numbers

Calls = Literal["matrices", "pairs"]
NAMES = (
    "linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2", "precomputed"
)  # fmt: skip


class Precomputed(Kernel):
    """X is the matrix of kernel values itself: rows for inputs, columns for the inputs fitted on."""

    domain = "any"
    reads_pairs = True

    def __init__(self) -> None:
        pass

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"K[{x}, {y}]", ATOM

    def __call__(self, X: Any, Y: Any = None) -> np.ndarray:
        """X, whatever Y is: what scikit-learn's pairwise_kernels does."""
        return Rows.of(self, X).X

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        K = A.values if B.parent is None else A.values[:, B.kept("column", lambda rows: np.arange(rows.n))]
        return written(K.toarray() if sp.issparse(K) else np.array(K) if out is None else K, out)

    def self_values(self, A: Rows) -> np.ndarray:
        def make(rows: Rows) -> np.ndarray:
            if rows.X.shape[0] != rows.X.shape[1]:
                raise InvalidData(f"Precomputed matrix must be a square matrix; got shape {rows.X.shape}")
            return np.asarray(rows.values.diagonal()).copy()

        return A.kept("diagonal", make).copy()


class FromFunction(Kernel):
    """A function of the user: of two matrices of rows (SVC's way), or of two rows (that of pairwise_kernels)."""

    domain = "any"

    def __init__(
        self, function: Callable[..., Any], calls: Calls = "matrices", params: dict[str, Any] | None = None
    ) -> None:
        require(callable(function), f"kernel must be a function; got {type(function).__name__}")
        require(calls in ("matrices", "pairs"), f"calls must be 'matrices' or 'pairs'; got {calls!r}")
        self.function, self.calls, self.params = function, calls, params

    def formula(self, x: str, y: str) -> tuple[str, int]:
        name = getattr(self.function, "__name__", "k")
        return f"{'k' if name == '<lambda>' else name}({x}, {y})", ATOM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        params = self.params or {}
        if self.calls == "matrices":
            K = np.asarray(self.function(A.X, B.X, **params), dtype=A.dtype)
        else:
            a, b = self._singles(A), self._singles(B)
            K = np.array([[self.function(x, y, **params) for y in b] for x in a], dtype=A.dtype)
        if K.shape != (A.n, B.n):
            raise InvalidData(f"the kernel function gave shape {K.shape} for {A.n} and {B.n} rows: {(A.n, B.n)} wanted")
        return written(K, out)

    def self_values(self, A: Rows) -> np.ndarray:
        params = self.params or {}
        if self.calls == "pairs":
            return np.array([self.function(x, x, **params) for x in self._singles(A)], dtype=A.dtype)
        step = 64
        parts = [np.diagonal(self.block(R, R)) for R in (A.take(slice(i, i + step)) for i in range(0, A.n, step))]
        return np.concatenate(parts)

    @staticmethod
    def _singles(A: Rows) -> list[Any]:
        return [A.X[[i]] for i in range(A.n)] if A.is_sparse else list(A.X)


def resolve_kernel(
    kernel: Any,
    X: Any = None,
    *,
    gamma: float | None = None,
    degree: float = 3,
    coef0: float = 1.0,
    kernel_params: dict[str, Any] | None = None,
    calls: Calls = "matrices",
) -> Kernel:
    """The expression for what an estimator was given.

    `gamma` None is 1 / (number of columns), as pairwise_kernels has it (1 for chi2). `calls`: how a function is called.
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return FromFunction(kernel, calls, kernel_params)
    if not isinstance(kernel, str) or kernel not in NAMES:
        raise InvalidParameter(f"kernel must be one of {', '.join(NAMES)}, a function or a Kernel; got {kernel!r}")
    if gamma is None:
        gamma = 1.0 if kernel == "chi2" or X is None else 1.0 / X.shape[1]
    if kernel in ("poly", "polynomial"):
        return Polynomial(degree, gamma, coef0)
    if kernel == "sigmoid":
        return Sigmoid(gamma, coef0)
    if kernel in ("rbf", "laplacian", "chi2"):
        return {"rbf": Gaussian, "laplacian": Laplacian, "chi2": Chi2}[kernel](gamma)
    plain = {"linear": Linear, "cosine": Cosine, "additive_chi2": AdditiveChi2, "precomputed": Precomputed}
    return plain[kernel]()


def gamma_scale(X: Any, w: np.ndarray | None = None) -> float:
    """SVC's gamma="scale": 1 / (columns · variance of all numbers of X); 1 when they are all equal.

    With weights of the rows a row of weight two counts twice.
    """
    share = np.full(X.shape[0], 1.0 / X.shape[0]) if w is None else w / w.sum()
    if sp.issparse(X):
        mean = float(share @ np.asarray(X.mean(axis=1), dtype=np.float64).ravel())
        variance = float(share @ np.asarray(X.multiply(X).mean(axis=1), dtype=np.float64).ravel()) - mean**2
    else:
        mean = float(share @ X.mean(axis=1, dtype=np.float64))
        variance = float(share @ np.square(np.subtract(X, mean, dtype=np.float64)).mean(axis=1))
    return 1.0 if variance <= 0 else 1.0 / (X.shape[1] * variance)  # nan where it is beyond floating point


def take_inputs(estimator: Any, kernel: Kernel, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
    """X for an estimator with a kernel: the one place where inputs that are no vectors are let through.

    For kernels on vectors this is `take_rows` (float array or CSR; sets or checks n_features_in_). For kernels on
    objects, and where a function of the user takes what are no numbers, it is an array of objects.
    """
    if kernel.domain == "vectors" or (kernel.domain == "any" and is_numbers(X)):
        return take_rows(estimator, X, reset=reset, min_rows=min_rows)
    objects = as_objects(X)
    if len(objects) < min_rows:
        raise InvalidData(f"Found array with {len(objects)} sample(s) while a minimum of {min_rows} is required.")
    if reset:
        estimator.__dict__.pop("feature_names_in_", None)
        estimator.n_features_in_ = objects.shape[1] if objects.ndim == 2 else 1
    return objects
