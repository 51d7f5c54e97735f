"""What SVC and SVR share: the kernel, the intake of rows, limits, scores of new rows, scikit-learn's attributes."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from surefit._core.base import Estimator
from surefit._core.data.intake import take_rows, take_targets, take_weights
from surefit._core.errors import InvalidData
from surefit._core.threads import single_threaded_blas
from surefit.engine.apply import apply_rows
from surefit.engine.labels import memory_codes
from surefit.engine.open import kind_of, open_data
from surefit.kernels import GramRows, Kernel, Precomputed, gamma_scale, resolve_kernel, take_inputs
from surefit.solvers.margin.support_vectors import Limits, Machine
from surefit.svm.remembered import Remembered, contents
from surefit.svm.weighted_rows import WeightedRows, distinct_rows, given_rows

BLOCK_BYTES = 2**25
"""Of the Gram block between new rows and support vectors."""
GAP_PER_TOL = 1e-3
RESERVE = 0.5
"""The solver stops at this part of the gap allowed: the rest is for the rounding of coefficients."""
FAR = 10.0
"""Standard deviations between the rows and the origin beyond which rows are centered."""
LITTLE = 2**13
"""Multiplications: fewer than OpenBLAS asks for before it shares out a product, with a vector too."""
NOT_FINITE = "The dual coefficients or intercepts are not finite"
Finish = Callable[[np.ndarray, np.dtype], np.ndarray]
LEVEL = 5  # from a warning through fit and its frame to the caller


class SupportVectorMachine(Estimator):
    """x ↦ Σ coefᵢ k(xᵢ, x) + intercept, over the support vectors: the rows whose coefficient is not zero."""

    kernel: Any
    degree: int
    coef0: float
    support_: np.ndarray
    support_vectors_: Any
    dual_coef_: Any
    intercept_: np.ndarray
    fit_status_: int
    shape_fit_: tuple[int, ...]
    gamma_: float
    rel_gap_: float
    _n_support: np.ndarray
    _fit_inputs: Any
    _remembered: Remembered

    # Training rows

    def _open(
        self, X: Any, y: Any, sample_weight: Any, target: Literal["classes", "numbers"]
    ) -> tuple[WeightedRows, Any]:
        """The rows that count, and the classes."""
        sample_weight = without_negative(sample_weight)
        self._fit_inputs, self._remembered = None, Remembered()
        if self._route == "vectors":
            wanted: Any = "classes" if target == "classes" else True
            instead = "LogisticRegression" if target == "classes" else "Ridge"
            data = open_data(self, X, y, sample_weight, target=wanted, stream=False, instead=instead)
            self.shape_fit_ = data.X.shape
            return distinct_rows(data.X, single_target(data.y), data.w), data.classes
        if kind_of(X) != "memory":
            raise InvalidData(f"{type(self).__name__} with this kernel needs its inputs in memory; got {X!r}")
        inputs = self._inputs(X)
        n = inputs.shape[0]
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (n,)
        classes = None
        if target == "classes":
            classes, codes = memory_codes(self, y, n, None)
        else:
            codes = single_target(take_targets(self, y, n))
        return given_rows(inputs, codes, take_weights(sample_weight, n)), classes

    @property
    def _route(self) -> Literal["vectors", "matrix", "function", "objects"]:
        """How X is read: rows of numbers; a Gram matrix; whatever the user's function takes; inputs of a kernel."""
        if isinstance(self.kernel, str):
            return "matrix" if self.kernel == "precomputed" else "vectors"
        if isinstance(self.kernel, Kernel):
            return "vectors" if self.kernel.domain == "vectors" else "objects"
        return "function"

    def _inputs(self, X: Any) -> Any:
        """A square Gram matrix, or an array of objects."""
        if self._route == "objects":
            return take_inputs(self, self.kernel, X, reset=True)
        if self._route == "function":
            self._fit_inputs = X
            return self._called(X)
        if sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        X = take_rows(self, X, reset=True, sparse=False)
        if X.shape[0] != X.shape[1]:
            raise InvalidData(
                f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        return X

    def _called(self, X: Any) -> np.ndarray:
        """The user's function of X and the inputs of the fit."""
        K = self.kernel(X, self._fit_inputs)
        K = np.asarray(K.toarray() if sp.issparse(K) else K, dtype=np.float64)
        n, m = count_of(X), count_of(self._fit_inputs)
        if K.shape != (n, m):
            raise InvalidData(f"the kernel function must give a matrix of shape {(n, m)} for {n} and {m} inputs; "
                              f"got shape {K.shape}")  # fmt: skip
        if not np.isfinite(K).all():
            raise InvalidData("the kernel function gave NaN or infinity")
        return K

    # The kernel

    def _learn_gamma(self, gamma: Any, rows: WeightedRows) -> None:
        """γ as a number. A row of weight two counts twice in the variance of X."""
        if self._route != "vectors":
            self.gamma_ = 0.0
        elif gamma == "scale":
            with np.errstate(over="ignore", invalid="ignore"):
                self.gamma_ = gamma_scale(rows.X[rows.places], rows.w)
            if not 0 < self.gamma_ < np.inf:
                raise InvalidData(
                    f"{NOT_FINITE}: the variance of X is beyond floating point, and with it gamma='scale'"
                )
        else:
            self.gamma_ = 1.0 / rows.X.shape[1] if gamma == "auto" else float(gamma)

    def _expression(self) -> Kernel:
        if self._route == "function":
            return Precomputed()
        return resolve_kernel(self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0)

    def _gram(self, rows: WeightedRows) -> tuple[GramRows, np.ndarray]:
        """The Gram matrix of the training rows, in double precision, and where in it each row is.

        Of the linear kernel that of centered rows: an offset of all rows only moves the intercept (`_intercept`), and
        would cost the digits of its square.
        """
        if self._route in ("matrix", "function"):
            return GramRows(self._expression(), rows.X, dtype=np.float64), rows.places
        X = rows.X[rows.places]
        center = self._center(rows)
        X = X if center is None else X - center
        return GramRows(self._expression(), X, dtype=np.float64), np.arange(len(rows))

    def _center(self, rows: WeightedRows) -> np.ndarray | None:
        """The mean of dense rows under the linear kernel where it is far beside their spread; else None: the answer is
        then, step by step, that of the same rows stored sparse."""
        if not isinstance(self.kernel, str) or self.kernel != "linear" or sp.issparse(rows.X):
            return None
        X = rows.X[rows.places].astype(np.float64, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            deviations = X - X[0]
            mean = deviations.mean(axis=0)
            center, deviations = X[0] + mean, deviations - mean
            far = center @ center > FAR**2 * np.vdot(deviations, deviations) / len(X)
        return center if far and np.isfinite(center).all() else None

    def _intercept(self, rows: WeightedRows, places: np.ndarray, machine: Machine) -> float:
        """Of the rows as they are: Σ coefᵢ (xᵢ − c)·(x − c) + bias = Σ coefᵢ xᵢ·x + bias − Σ coefᵢ (xᵢ − c)·c − e c·x.

        e = Σ coefᵢ is zero but for rounding, and x near c.
        """
        center = self._center(rows)
        if center is None:
            return machine.bias
        moved = float(machine.coef @ ((rows.X[rows.places[places]] - center) @ center))
        return machine.bias - moved - math.fsum(machine.coef) * float(center @ center)

    def _limits(self, p: Any) -> Limits:
        return Limits(
            tol=max(RESERVE * GAP_PER_TOL * float(p.tol), 1e-15),
            max_iter=None if p.max_iter == -1 else int(p.max_iter),
            deadline=None if p.time_budget is None else time.monotonic() + float(p.time_budget),
            cache_bytes=int(float(p.cache_size) * 2**20),
            shrinking=bool(p.shrinking),
        )

    # What was learnt

    def _learn_support(self, rows: WeightedRows, coef: np.ndarray, support: np.ndarray) -> None:
        """Of coefficients (m, rows given) those of the support vectors."""
        if not np.isfinite(coef).all() or not np.isfinite(self.intercept_).all():
            raise InvalidData(f"{NOT_FINITE}. The input data may contain large values and need to be preprocessed.")
        self.support_ = support.astype(np.int32)
        kept = coef[:, support]
        sparse = sp.issparse(rows.X) and self._route == "vectors"
        kind = sp.csr_array if isinstance(rows.X, sp.sparray) else sp.csr_matrix
        self.dual_coef_ = kind(kept) if sparse else kept
        matrix = self._route in ("matrix", "function")
        self.support_vectors_ = np.empty((0, 0)) if matrix else rows.X[support]

    def _told(self, machine: Machine, p: Any) -> None:
        """Ctrl-C ends the fit; `verbose` prints."""
        if machine.status == "interrupted":
            raise KeyboardInterrupt(
                f"stopped after {machine.n_iter} iterations at a relative gap of {machine.rel_gap:.1e}"
            )
        if p.verbose:
            print(f"{len(machine.coef)} rows: {machine.n_iter} iterations, relative gap {machine.rel_gap:.2e}")

    def _conclude(self, machines: Sequence[Machine], p: Any) -> None:
        """The gap, and a warning where it is larger than asked for."""
        self.rel_gap_ = max(machine.rel_gap for machine in machines)
        unfinished = [machine for machine in machines if machine.status != "converged"]
        self.fit_status_ = int(bool(unfinished))
        if not unfinished:
            return
        worst = max(unfinished, key=lambda machine: machine.rel_gap)
        if worst.status == "unbounded":
            warnings.warn(reason(worst.status, p), ConvergenceWarning, stacklevel=LEVEL)
            return
        where = f"It stopped after {worst.n_iter} iterations" if len(machines) == 1 else (
            f"{len(unfinished)} of {len(machines)} pairs of classes stopped early, the worst after {worst.n_iter} "
            "iterations"
        )  # fmt: skip
        gap = f"at a relative gap of {worst.rel_gap:.1e} (tol {GAP_PER_TOL * float(p.tol):.0e})"
        warnings.warn(f"{reason(worst.status, p)} {where} {gap}.", ConvergenceWarning, stacklevel=LEVEL)

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors, for each class."""
        if not hasattr(self, "_n_support"):
            raise AttributeError("n_support_ is known after fit")
        return self._n_support

    @property
    def _gamma(self) -> float:
        """scikit-learn's name, which converters of models read."""
        return self.gamma_

    @property
    def coef_(self) -> Any:
        """Weights of the columns; of a linear kernel only."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self, "support_")
        weights = self._support_weights().T
        coef = (sp.csr_array(weights) if sp.issparse(self.support_vectors_) else weights) @ self.support_vectors_
        (coef.data if sp.issparse(coef) else coef).flags.writeable = False
        return coef

    def _support_weights(self) -> np.ndarray:
        """(support vectors, scores): the weight of each in each score."""
        raise NotImplementedError

    # New rows

    def _apply(self, X: Any, finish: Finish) -> Any:
        """`finish` of the scores (n, m) and of the precision of the answer: single where all rows are."""
        if self._route == "vectors":
            return apply_rows(
                self, X, lambda rows: finish(self._scores(rows), self._precision(rows)), little=self._is_little
            )
        with single_threaded_blas():
            return finish(self._matrix_scores(X), np.dtype(np.float64))

    def _is_little(self, rows: Any) -> bool:
        """Whether products with the weights are so small that BLAS makes them on one thread by itself."""
        return rows.shape[0] * self.support_vectors_.shape[0] * len(self.intercept_) <= LITTLE

    def _precision(self, rows: Any) -> np.dtype:
        return np.result_type(rows.dtype, self.support_vectors_.dtype)

    def _scores(self, rows: Any) -> np.ndarray:
        """In double precision."""
        self._refuse_altered(rows)
        intercept = self.intercept_
        scores = np.empty((rows.shape[0], len(intercept)))
        scores[:] = intercept
        if not self.support_vectors_.shape[0]:
            return scores
        weights, gram = self._remembered.of(self._key(), self._prepared)
        if gram is None:
            product = rows.astype(np.float64, copy=False) @ weights
            return scores + (product.toarray() if sp.issparse(product) else product)
        for part, K in gram.cross(rows, BLOCK_BYTES):
            scores[part] += K @ weights
        return scores

    def _key(self) -> tuple | None:
        """Of all that the scores depend on beside the intercept; a kernel's own expression may be changed in place."""
        arrays = contents(self.support_vectors_, self.dual_coef_, self._n_support)
        if arrays is None or not isinstance(self.kernel, str):
            return None
        return self.kernel, self.gamma_, self.degree, self.coef0, arrays

    def _prepared(self) -> tuple[Any, GramRows | None]:
        """Weights of the kernel values with the support vectors; for the linear kernel those of the columns."""
        if isinstance(self.kernel, str) and self.kernel == "linear":
            return self.coef_.T, None
        return self._support_weights(), GramRows(self._expression(), self.support_vectors_, dtype=np.float64)

    def _matrix_scores(self, X: Any) -> np.ndarray:
        if self._route == "objects":
            return self._scores(take_inputs(self, self.kernel, X, reset=False))
        if self._route == "function":
            K = self._called(X)
        else:
            if sp.issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported.")
            if np.ndim(X) == 2 and np.shape(X)[1] != self.shape_fit_[0]:
                raise InvalidData(
                    f"X.shape[1] = {np.shape(X)[1]} should be equal to {self.shape_fit_[0]}, the number of samples at "
                    "training time"
                )
            K = take_rows(self, X, reset=False, sparse=False)
        return K[:, self.support_].astype(np.float64, copy=False) @ self._support_weights() + self.intercept_

    def _refuse_altered(self, rows: Any) -> None:
        n_vectors = self.support_vectors_.shape[0]
        if sp.issparse(rows) and not sp.issparse(self.support_vectors_):
            raise InvalidData(f"cannot use sparse input in {type(self).__name__!r} trained on dense data")
        if self.support_vectors_.shape[-1] and self._n_support.sum() != n_vectors:
            raise InvalidData(f"The internal representation of {type(self).__name__} was altered")

    # Copies, and models read back from files, remember nothing

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_remembered"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._remembered = Remembered()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._route == "matrix"
        tags.input_tags.sparse = self._route != "matrix"
        return tags


def reason(status: str, p: Any) -> str:
    """Why a fit stopped early, and what to do."""
    if status == "max_iter":
        return (
            f"Solver terminated early (max_iter={p.max_iter}).  Consider pre-processing your data with StandardScaler "
            "or MinMaxScaler."
        )
    if status == "time_budget":
        return f"The time budget of {p.time_budget:g} s was used up: raise it, or bring the columns to one scale."
    if status == "unbounded":
        return (
            "C=inf has no answer: no function of this kernel satisfies every row, as farkas_ proves; the answer kept "
            "is that of a finite C. Use one, or a kernel that can follow the rows."
        )
    return "Rounding hides what is left: columns of similar size, or a smaller C, leave less."


def count_of(inputs: Any) -> int:
    return inputs.shape[0] if hasattr(inputs, "shape") else len(inputs)


def single_target(y: Any) -> np.ndarray:
    """One number for each row, in double precision; a column is taken as one, with a warning."""
    return (y if y.ndim == 1 else column_or_1d(y, warn=True)).astype(np.float64, copy=False)


def without_negative(sample_weight: Any) -> Any:
    """Weights below zero become zero with a warning: rows that do not count, as in libsvm."""
    if sample_weight is None or isinstance(sample_weight, str):
        return sample_weight
    try:
        w = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return sample_weight  # refused, with its reason, where weights are read
    if w.ndim != 1 or not w.size or np.isnan(w).any():
        return sample_weight
    if not (w > 0).any():
        raise InvalidData("sample_weight: Invalid input - all samples have zero or negative weights.")
    if (w < 0).any():
        warnings.warn(
            f"{(w < 0).sum()} rows have a negative weight, the first is row {np.argmax(w < 0)}: they are left out",
            stacklevel=LEVEL,
        )
        return np.maximum(w, 0.0)
    return sample_weight
