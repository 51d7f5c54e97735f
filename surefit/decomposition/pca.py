"""Principal component analysis."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit._core.threads import single_threaded_blas
from surefit.decomposition.dimension import Scree, knee, minka_dimension, share_of_variance
from surefit.decomposition.projection import log_density, project, rebuild
from surefit.engine.apply import apply_rows
from surefit.engine.open import kind_of, open_data
from surefit.solvers.principal.eigen import Axes, Count, Iteration, Size, principal_axes, size_of


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Orthogonal directions of largest variance: max over orthonormal V of  Σ ωᵢ ‖V (xᵢ − m)‖² .

    With A = diag(√ω)(X − 1 mᵀ) = U Σ Vᵀ the components are the leading rows of Vᵀ and the variances σ²/(Σω − 1). The
    route is chosen by shape: eigenvectors of the d × d products (tall data, files, Dask), of the n × n products (wide
    data), or an orthogonal factorisation without squaring when small variances would otherwise be lost in rounding.

    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, by decreasing variance; in each the entry of largest size is positive.
    explained_variance_ : ndarray of shape (n_components,)
        Variance along each component, with Σω − 1 below the line.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The same as a share of the whole variance.
    singular_values_ : ndarray of shape (n_components,)
        The singular values of A; 0 where the data does not vary.
    mean_ : ndarray of shape (n_features,)
        The weighted mean.
    n_components_ : int
        How many components were kept.
    n_samples_ : int or float
        Rows seen; Σω when weights were given.
    noise_variance_ : float
        The mean of the variances left out (the noise of the probabilistic model of Tipping and Bishop).
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.decomposition import PCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> PCA(n_components=2).fit(X).singular_values_.round(4)
    array([6.3006, 0.5498])
    """

    components_: np.ndarray
    explained_variance_: np.ndarray
    explained_variance_ratio_: np.ndarray
    singular_values_: np.ndarray
    mean_: np.ndarray
    n_components_: int
    n_samples_: int | float
    noise_variance_: float

    def __init__(
        self,
        n_components: Annotated[
            int | float | Literal["mle"] | None,
            Range(0),
            "How many components to keep: a number, a share of the variance in (0, 1), 'mle' for Minka's estimate, "
            "or None for min(n_samples, n_features).",
        ] = None,
        *,
        copy: Annotated[bool, "For compatibility; X is never changed."] = True,
        whiten: Annotated[bool, "Scale the projections to unit variance (0 where the data does not vary)."] = False,
        svd_solver: Annotated[
            Literal["auto", "full", "covariance_eigh", "arpack", "randomized"],
            "'auto' chooses by shape; 'covariance_eigh' takes eigenvectors of products of columns (or rows, if fewer); "
            "'full' keeps the digits of small variances; 'arpack' and 'randomized' give few components of large data.",
        ] = "auto",
        tol: Annotated[float, Range(0), "Relative tolerance of 'arpack'; 0 is full precision."] = 0.0,
        iterated_power: Annotated[
            int | Literal["auto"],
            Range(0),
            "Power iterations of 'randomized'; 'auto' takes 7, or 4 for many components.",
        ] = "auto",
        n_oversamples: Annotated[int, Range(1), "Random vectors beyond n_components in 'randomized'."] = 10,
        power_iteration_normalizer: Annotated[
            Literal["auto", "QR", "LU", "none"],
            "What keeps the basis of 'randomized' well conditioned between powers; 'auto': 'LU', or 'none' up to two.",
        ] = "auto",
        random_state: Annotated[RandomStateLike, "Seed or stream of 'randomized' and 'arpack'."] = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the components of X: array, dataframe, CSR, Parquet path or Dask collection. `y` is not used.

        A row of weight ω counts as ω equal rows.
        """
        p = self._checked()
        data = open_data(self, X, y, sample_weight, min_rows=2 if sample_weight is None else 1)
        size = size_of(data)
        if not size.weight > 1:
            raise InvalidData(
                f"The sample weights add up to {size.weight:g}, which stands for at most one row; a variance needs "
                "more than one. A weight counts repetitions: scale the weights up."
            )
        count = _count(p, size)
        progress = Progress(self, None, X)
        axes = principal_axes(data, count, size, p.svd_solver, _iteration(p, progress))
        self._learn(axes, size, data.dtype, data.has_weights)
        progress.end()
        return self

    def _learn(self, axes: Axes, size: Size, dtype: np.dtype, weighted: bool) -> None:
        k, degrees = len(axes.singular_values), axes.weight - 1.0
        squares = axes.eigenvalues
        if axes.tail is not None:
            left = axes.tail
        else:
            left = max(0.0, axes.total - float(squares.sum()))
        self.mean_ = axes.mean.astype(dtype, copy=False)
        self.components_ = axes.components.astype(dtype, copy=False)
        self.singular_values_ = axes.singular_values.astype(dtype, copy=False)
        self.explained_variance_ = (squares / degrees).astype(dtype, copy=False)
        share = squares / axes.total if axes.total > 0 else np.zeros(k)
        self.explained_variance_ratio_ = share.astype(dtype, copy=False)
        self.noise_variance_ = left / degrees / (size.limit - k) if k < size.limit else 0.0
        self.n_components_ = k
        self.n_samples_ = size.weight if weighted and size.weight % 1 else int(size.weight)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X, y, sample_weight)`, then `transform(X)`."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """The coordinates of rows along the components: (x − mean_) components_ᵀ, whitened if so asked."""
        check_is_fitted(self)
        scale = None
        if self.whiten:
            deviation = np.sqrt(self.explained_variance_.astype(np.float64))
            scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
        return apply_rows(self, X, partial(project, mean=self.mean_, components=self.components_, scale=scale))

    def inverse_transform(self, X: Any) -> Any:
        """Rows rebuilt from their coordinates along the components."""
        check_is_fitted(self)
        scale = np.sqrt(self.explained_variance_.astype(np.float64)) if self.whiten else None
        back = partial(rebuild, mean=self.mean_, components=self.components_, scale=scale)
        kind = kind_of(X)
        if kind == "parquet":
            raise CannotStream("inverse_transform takes an array or a Dask array; got a path. Read the file first.")
        if kind == "dask":
            W = self.components_ if scale is None else self.components_ * scale[:, None]
            return X @ W + self.mean_
        codes = check_array(X, dtype=(np.float64, np.float32), input_name="X")
        if codes.shape[1] != self.n_components_:
            raise InvalidData(f"X has {codes.shape[1]} columns, but the model has {self.n_components_} components.")
        with single_threaded_blas():
            return back(codes)

    def score_samples(self, X: Any) -> Any:
        """The log-density of each row under the probabilistic model: Gaussian with covariance `get_covariance()`.

        If that matrix is singular, it is the density on the space that the training rows span, and −inf outside.
        """
        check_is_fitted(self)
        function = partial(
            log_density,
            mean=self.mean_,
            components=self.components_,
            variances=self._model_variances(),
            noise=float(self.noise_variance_),
        )
        return apply_rows(self, X, function, sparse=False)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of `score_samples(X)`."""
        return float(self.score_samples(X).mean())

    def get_covariance(self) -> np.ndarray:
        """The covariance of the probabilistic model: Vᵀ diag(λ) V + σ² (I − Vᵀ V), λ the variances, σ² the noise."""
        check_is_fitted(self)
        return self._quadratic(self._model_variances(), self.noise_variance_)

    def get_precision(self) -> np.ndarray:
        """The inverse of `get_covariance()`."""
        check_is_fitted(self)
        variances, noise = self._model_variances(), self.noise_variance_
        if not (variances > 0).all() or (self.n_components_ < self.n_features_in_ and not noise > 0):
            raise np.linalg.LinAlgError(
                "The covariance of the model is singular: some direction has variance 0. Keep fewer components, so "
                "that the noise variance is positive."
            )
        return self._quadratic(1 / variances, 1 / noise if noise else 0.0)

    def scree(self) -> Scree:
        """The curve of variances: eigenvalues, shares, running sum, what is left over, and the knee.

        The knee is the number of components before the point farthest below the chord of the curve. Fit with
        n_components=None for the whole curve.
        """
        check_is_fitted(self)
        values, ratio = self.explained_variance_, self.explained_variance_ratio_
        n = float(self.n_samples_)
        after = np.append(np.cumsum(values[:0:-1], dtype=np.float64)[::-1], 0.0) if len(values) else np.zeros(0)
        beyond = float(self.noise_variance_) * (self._largest() - self.n_components_)
        return Scree(values.copy(), ratio.copy(), np.cumsum(ratio), (after + beyond) * (n - 1), knee(values))

    def _largest(self) -> int:
        return max(self.n_components_, min(int(np.ceil(self.n_samples_)), self.n_features_in_))

    def _model_variances(self) -> np.ndarray:
        """Variances of the model along the components: no less than the noise."""
        return np.maximum(self.explained_variance_.astype(np.float64), self.noise_variance_)

    def _quadratic(self, along: np.ndarray, across: float) -> np.ndarray:
        """Vᵀ diag(along) V + across (I − VᵀV)."""
        d = self.n_features_in_
        refuse_beyond_memory(2 * 8.0 * d * d, f"A {d} × {d} matrix", "Use score_samples, which does not form it.")
        V = self.components_.astype(np.float64)
        with single_threaded_blas():
            S = (V.T * (along.astype(np.float64) - across)) @ V
        S.flat[:: d + 1] += across
        return S.astype(self.components_.dtype, copy=False)

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        return tags


def _count(p: SimpleNamespace, size: Size) -> Count:
    """How many components: a number, or a rule that chooses once all eigenvalues are known."""
    wanted, limit = p.n_components, size.limit
    few_only = p.svd_solver in ("arpack", "randomized")
    solver = "full" if p.svd_solver == "auto" else p.svd_solver
    if wanted is None:
        return limit - 1 if p.svd_solver == "arpack" else limit
    if isinstance(wanted, str):
        if few_only:
            raise InvalidParameter(f"n_components={wanted!r} cannot be a string with svd_solver={p.svd_solver!r}")
        if limit < size.n_features:
            raise InvalidParameter("n_components='mle' is only supported if n_samples >= n_features")
        return lambda eigenvalues, total: minka_dimension(eigenvalues / (size.weight - 1), size.weight)
    whole = float(wanted).is_integer() and not isinstance(wanted, float)
    if not whole and not few_only:
        if not 0 < wanted < 1:
            raise InvalidParameter(
                f"PCA(n_components=…) must be a whole number, a share of the variance between 0 and 1, 'mle' or None; "
                f"got {wanted!r}."
            )
        return lambda eigenvalues, total: share_of_variance(eigenvalues, total, float(wanted))
    if not whole or not int(few_only) <= wanted <= limit:
        raise InvalidParameter(
            f"n_components={wanted!r} must be between {int(few_only)} and min(n_samples, n_features)={limit} with "
            f"svd_solver={solver!r}"
        )
    if p.svd_solver == "arpack" and wanted == limit:
        raise InvalidParameter(
            f"n_components={wanted!r} must be strictly less than min(n_samples, n_features)={limit} with "
            f"svd_solver='arpack'; n_samples={size.weight:g}, n_features={size.n_features}"
        )
    return int(wanted)


def _iteration(p: SimpleNamespace, progress: Progress) -> Iteration:
    return Iteration(
        tol=float(p.tol),
        n_oversamples=int(p.n_oversamples),
        n_iter=None if p.iterated_power == "auto" else int(p.iterated_power),
        normalizer=p.power_iteration_normalizer,
        stream=random_stream(p.random_state) if p.svd_solver in ("auto", "arpack", "randomized") else None,
        stop=lambda: progress.step(dict),
    )
