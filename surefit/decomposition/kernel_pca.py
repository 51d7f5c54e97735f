"""Principal component analysis in the feature space of a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_array, check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.data.intake import take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit._core.random import RandomStateLike
from surefit._core.threads import single_threaded_blas
from surefit.decomposition.pre_image import fixed_points, ridge_pre_images
from surefit.engine.apply import apply_rows
from surefit.engine.open import need_memory
from surefit.kernels import Gaussian, GramRows, Kernel, Linear, resolve_kernel, take_inputs
from surefit.solvers.spectral.centered_gram import CenteredGram
from surefit.solvers.spectral.kernel_components import Components, kernel_components

KernelName = Literal[
    "linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2", "precomputed"
]
BLOCK_BYTES = 2**24
FEW_ROWS = 200
"""Up to so many rows every solver's name means LAPACK."""


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Directions of largest variance of φ(x), the features of a kernel k(x, x') = ⟨φ(x), φ(x')⟩, about their mean.

    With m the mean of the features, K_c(i, j) = ⟨φ(xᵢ) − m, φ(xⱼ) − m⟩ has eigenvalues λ and unit eigenvectors a.
    The projection of row i is √λ aᵢ, that of a new point Σᵢ K_c(x, xᵢ) aᵢ/√λ. A row of weight ω counts as ω equal rows:
    m is the weighted mean, K_c diag(ω) a = λ a, Σ ωᵢ aᵢ² = 1, and a new point has Σᵢ K_c(x, xᵢ) ωᵢ aᵢ/√λ. The Gram
    matrix is formed once, n² numbers; few components are found by Lanczos in blocks, to rounding.

    {parameters}

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        λ, largest first; those that are rounding are 0.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        a; in each column the entry of largest size is positive.
    X_fit_ : ndarray or CSR of shape (n_samples, n_features)
        The rows; the matrix for a precomputed kernel.
    gamma_ : float
        The gamma used.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Of the kernel ridge regression from projections to rows; with fit_inverse_transform.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        The projections it was fitted to.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.decomposition import KernelPCA
    >>> X = np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    >>> KernelPCA(n_components=1).fit_transform(X).round(6)
    array([[ 1.],
           [ 0.],
           [-1.]])
    """

    eigenvalues_: np.ndarray
    eigenvectors_: np.ndarray
    X_fit_: Any
    gamma_: float
    dual_coef_: np.ndarray
    X_transformed_fit_: np.ndarray

    def __init__(
        self,
        n_components: Annotated[int | None, Range(1), "How many; None keeps all whose eigenvalue is not zero."] = None,
        *,
        kernel: Annotated[
            KernelName | Callable, "A name, a function of two rows, or an expression of surefit.kernels."
        ] = "linear",
        gamma: Annotated[
            float | None, Range(0, open="high"), "Of rbf, poly, sigmoid, laplacian and chi2; None is 1/n_features."
        ] = None,
        degree: Annotated[float, Range(0, open="high"), "Of the polynomial kernel."] = 3,
        coef0: Annotated[float, Range(open="both"), "Of the polynomial and the sigmoid kernel."] = 1,
        kernel_params: Annotated[dict | None, "Keyword arguments for a function."] = None,
        alpha: Annotated[float, Range(0, open="high"), "Penalty of the ridge regression for pre-images."] = 1.0,
        fit_inverse_transform: Annotated[bool, "Whether to learn the way back, for inverse_transform."] = False,
        pre_image: Annotated[
            Literal["ridge", "fixed_point"],
            "How inverse_transform finds a row: by kernel ridge regression as in scikit-learn, or, for the Gaussian "
            "kernel, from there on to the nearest point in feature space.",
        ] = "ridge",
        eigen_solver: Annotated[
            Literal["auto", "dense", "arpack", "randomized"],
            "'dense': LAPACK; 'arpack' and 'randomized': Lanczos in blocks, to `tol`; 'auto' chooses by shape.",
        ] = "auto",
        tol: Annotated[float, Range(0, open="high"), "Relative residual at which Lanczos stops; 0 is rounding."] = 0,
        max_iter: Annotated[
            int | None, Range(1), "Most passes of Lanczos; None goes on, or leaves it to LAPACK."
        ] = None,
        iterated_power: Annotated[
            int | Literal["auto"], Range(0), "Accepted for scikit-learn's sake: iterations stop when they are done."
        ] = "auto",
        remove_zero_eig: Annotated[bool, "Whether to drop components whose eigenvalue is zero."] = False,
        random_state: Annotated[RandomStateLike, "Accepted for scikit-learn's sake: nothing depends on it."] = None,
        copy_X: Annotated[bool, "Whether `X_fit_` is a copy; X is never changed."] = True,
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.pre_image = pre_image
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the components of the rows X: array, dataframe, CSR or, for kernels on them, objects. `y` is not used.

        A row of weight ω counts as ω equal rows.
        """
        p = self._checked()
        rows, w = self._opened(p, X, sample_weight)
        counts = np.arange(rows.shape[0]) if w is None else np.flatnonzero(w > 0)
        kernel = self._expression()
        self._center = _mean(rows) if type(kernel) is Linear and not sp.issparse(rows) else None
        gram = GramRows(kernel, self._moved(rows), dtype=np.float64)
        inner = gram if len(counts) == gram.n else gram.subset(counts)
        if gram.kernel.reads_pairs and len(counts) < gram.n:
            inner = GramRows(gram.kernel, gram.rows(counts, counts))
        centered = CenteredGram(inner, None if w is None else w[counts], p.n_jobs)
        found = self._components(p, centered, _precision(rows))
        self._learn(rows, w, counts, centered.row_means, found)
        unseen = np.setdiff1d(np.arange(gram.n), counts)
        if len(unseen):
            self._place(gram.rows(unseen, counts), unseen, counts)
        if p.fit_inverse_transform:
            self._learn_the_way_back(p, rows, w)
        return self

    def _opened(self, p: SimpleNamespace, X: Any, sample_weight: Any) -> tuple[Any, np.ndarray | None]:
        if p.fit_inverse_transform and isinstance(p.kernel, str) and p.kernel == "precomputed":
            raise InvalidParameter(
                "Cannot fit_inverse_transform with a precomputed kernel: there are no rows to come back to"
            )
        need_memory(self, X, instead="PCA")
        plain = resolve_kernel(p.kernel, gamma=1.0, degree=p.degree, coef0=p.coef0, calls="pairs")
        rows = take_inputs(self, plain, X, reset=True)
        rows = rows if sp.issparse(rows) else np.ascontiguousarray(rows)
        self.gamma_ = 1.0 / self.n_features_in_ if p.gamma is None else float(p.gamma)
        if p.pre_image == "fixed_point" and not isinstance(plain, Gaussian):
            raise InvalidParameter("KernelPCA(pre_image='fixed_point') is for kernel='rbf'; use 'ridge'.")
        if p.fit_inverse_transform and rows.dtype == object:
            raise InvalidData("fit_inverse_transform is for rows of numbers; these are objects")
        return rows, take_weights(sample_weight, rows.shape[0])

    def _expression(self) -> Kernel:
        return resolve_kernel(
            self.kernel,
            gamma=self.gamma_,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            calls="pairs",
        )

    def _moved(self, rows: Any) -> Any:
        """Rows about their mean for x·x', which is the same once features are centered: an offset costs no digits."""
        return rows if self._center is None else np.subtract(rows, self._center, dtype=np.float64)

    def _components(self, p: SimpleNamespace, centered: CenteredGram, dtype: np.dtype) -> Components:
        k = centered.n if p.n_components is None else min(p.n_components, centered.n)
        iterate = {"auto": None, "dense": False}.get(p.eigen_solver, centered.n > FEW_ROWS and k < centered.n)
        found = kernel_components(centered, k, iterate=iterate, tol=float(p.tol), max_iter=p.max_iter, dtype=dtype)
        if not found.converged:
            warnings.warn(
                f"stopped after {p.max_iter} passes at a relative residual of {found.rel_residual:.1e}; raise max_iter",
                ConvergenceWarning,
                stacklevel=5,
            )
        if p.remove_zero_eig or p.n_components is None:
            keep = found.values > 0
            found = found._replace(values=found.values[keep], a=found.a[:, keep])
        return found

    def _learn(
        self, rows: Any, w: np.ndarray | None, counts: np.ndarray, row_means: np.ndarray, found: Components
    ) -> None:
        dtype = _precision(rows)
        self.eigenvalues_ = narrowed(found.values, dtype, each=True)
        a = np.zeros((rows.shape[0], found.a.shape[1]))
        a[counts] = found.a
        self.eigenvectors_ = narrowed(a, dtype)
        self.X_fit_ = rows.copy() if self.copy_X else rows
        self._weights = w
        scaled = self._scaled()[counts]
        self._offset = row_means @ scaled

    def _scaled(self) -> np.ndarray:
        """α = ω a/√λ, zero where λ is."""
        roots = np.sqrt(self.eigenvalues_.astype(np.float64))
        scaled = self.eigenvectors_ * np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
        return scaled if self._weights is None else scaled * self._weights[:, None]

    def _place(self, K: np.ndarray, unseen: np.ndarray, counts: np.ndarray) -> None:
        """Rows of weight zero are projected like new points."""
        roots = np.sqrt(self.eigenvalues_.astype(np.float64))
        projections = K @ self._scaled()[counts] - self._offset
        self.eigenvectors_[unseen] = np.divide(
            projections, roots, out=np.zeros_like(projections), where=np.broadcast_to(roots > 0, projections.shape)
        )

    def _learn_the_way_back(self, p: SimpleNamespace, rows: Any, w: np.ndarray | None) -> None:
        self.X_transformed_fit_ = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        K = self._expression()(self.X_transformed_fit_.astype(np.float64))
        dense = (rows.toarray() if sp.issparse(rows) else rows).astype(np.float64)
        self.dual_coef_ = narrowed(ridge_pre_images(K, dense, w, float(p.alpha)), rows.dtype)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X, y, sample_weight)`, and the projections of X, without computing kernels again."""
        self.fit(X, y, sample_weight)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    def transform(self, X: Any) -> Any:
        """The projections of rows on the components."""
        check_is_fitted(self)
        kernel = self._expression()
        gram = GramRows(kernel, self._moved(self.X_fit_), dtype=np.float64)
        scaled, offset = self._scaled(), self._offset

        def project(rows: Any) -> np.ndarray:
            out = np.empty((rows.shape[0], scaled.shape[1]), _precision(rows))
            for places, block in gram.cross(self._moved(rows), BLOCK_BYTES):
                out[places] = block @ scaled - offset
            return out

        if kernel.domain == "vectors" or kernel.reads_pairs:
            return apply_rows(self, X, project)
        with single_threaded_blas():
            return project(take_inputs(self, kernel, X, reset=False))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows whose features lie near m + Σ z (direction) for projections z; learnt with fit_inverse_transform."""
        check_is_fitted(self)
        if not hasattr(self, "dual_coef_"):
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse "
                "transform is not available: fit KernelPCA(fit_inverse_transform=True)."
            )
        codes = check_array(X, dtype=(np.float64, np.float32), input_name="X")
        if codes.shape[1] != len(self.eigenvalues_):
            raise InvalidData(f"X has {codes.shape[1]} columns, but the model has {len(self.eigenvalues_)} components.")
        gram = GramRows(self._expression(), self.X_transformed_fit_, dtype=np.float64)
        with single_threaded_blas():
            found = np.vstack([block @ self.dual_coef_ for _, block in gram.cross(codes, BLOCK_BYTES)])
            if self.pre_image == "fixed_point":
                X = self.X_fit_.toarray() if sp.issparse(self.X_fit_) else self.X_fit_
                found = fixed_points(self._expression(), X, self._mixture(codes), found)
        return found.astype(codes.dtype, copy=False)

    def _mixture(self, codes: np.ndarray) -> np.ndarray:
        """c with  m + Σ z (direction) = Σᵢ cᵢ φ(xᵢ), a row for each of the codes."""
        w = np.ones(self.X_fit_.shape[0]) if self._weights is None else self._weights
        along = codes.astype(np.float64) @ self._scaled().T
        return along + (1.0 - along.sum(axis=1, keepdims=True)) * (w / w.sum())

    @property
    def _n_features_out(self) -> int:
        return self.eigenvalues_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


def _mean(rows: np.ndarray) -> np.ndarray:
    """In double, from the first row on."""
    first = rows[0].astype(np.float64)
    return first + np.subtract(rows, first, dtype=np.float64).mean(axis=0)


def _precision(rows: Any) -> np.dtype:
    """Single where the rows are; double for objects."""
    return np.dtype(np.float32) if rows.dtype == np.float32 else np.dtype(np.float64)
