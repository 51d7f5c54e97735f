"""Mixtures of Gaussians, fitted by expectation and maximization."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from surefit._core.arithmetic import power_of_two
from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit.engine.apply import apply_rows
from surefit.engine.open import open_data
from surefit.engine.rowwise import by_leaves
from surefit.engine.sources.source import Source
from surefit.mixture.given import given_means, given_precisions, given_weights
from surefit.solvers.clustering.lloyd import lloyd, measure_extent
from surefit.solvers.clustering.seeding import canonical_sample, choose, rows_at
from surefit.solvers.mixture.em import Mixture, expectation_maximization
from surefit.solvers.mixture.gaussians import Components, Density, dense, density_of, log_joint, responsibilities
from surefit.solvers.mixture.starts import by_shares, with_common_spread
from surefit.summaries.column_spread import column_spread

MOST_LOST = 1e-2  # of a row's log-likelihood, by storing in single precision
FAILED = (
    "Fitting the mixture model failed because some components have ill-defined empirical covariance (for instance "
    "caused by singleton or collapsed samples). Try to decrease the number of components, increase reg_covar, or scale "
    "the input data."
)


class GaussianMixture(DensityMixin, Estimator):
    """A density that is a weighted sum of normal ones: max over π, m, Σ of  Σ ωᵢ log Σ_k π_k N(xᵢ; m_k, Σ_k) .

    Expectation and maximization, one pass over the rows each; the log-likelihood never falls. Starts do not depend on
    the order of the rows, so a row of weight two is a row given twice. Works on arrays, dataframes, Parquet files and
    Dask collections, with the same bits.

    {parameters}

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        The chances of the components.
    means_ : ndarray of shape (n_components, n_features)
        Their means.
    covariances_, precisions_, precisions_cholesky_ : ndarray
        By covariance_type: (n_components, d, d), (d, d), (n_components, d) or (n_components,); the precisions are the
        inverses, and the last are triangular U with U Uᵀ = precision (or square roots).
    lower_bound_ : float
        The mean log-likelihood of the fitted parameters, less what reg_covar takes.
    lower_bounds_, history_ : list of float
        The same at the start of the best run and after each iteration; it never falls.
    converged_ : bool
        Whether the best run stopped by `tol`.
    n_iter_ : int
        Iterations of the best run.
    collapsed_ : ndarray of bool of shape (n_components,)
        Components whose smallest variance is reg_covar and nothing else: they sit on too few distinct rows.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.mixture import GaussianMixture
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = GaussianMixture(n_components=2, random_state=0).fit(X)
    >>> model.means_[np.argsort(model.means_[:, 0])].round(6)
    array([[ 1.,  2.],
           [10.,  2.]])
    """

    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray
    precisions_: np.ndarray
    precisions_cholesky_: np.ndarray
    lower_bound_: float
    lower_bounds_: list[float]
    history_: list[float]
    converged_: bool
    n_iter_: int
    collapsed_: np.ndarray

    def __init__(
        self,
        n_components: Annotated[int, Range(1), "How many components."] = 1,
        *,
        covariance_type: Annotated[
            Literal["full", "tied", "diag", "spherical"],
            "A matrix for each component, one for all, variances of columns, or one variance each.",
        ] = "full",
        tol: Annotated[float, Range(0), "Stop when an iteration gains less log-likelihood a row."] = 1e-3,
        reg_covar: Annotated[float, Range(0), "Variance of measurement, added to every variance."] = 1e-6,
        max_iter: Annotated[int, Range(0), "Iterations at most, for each start; with 0 the start is kept."] = 100,
        n_init: Annotated[int, Range(1), "Starts, of which the best is kept."] = 1,
        init_params: Annotated[
            Literal["kmeans", "k-means++", "random", "random_from_data"],
            "Where to start: clusters of k-means, rows far apart, random shares, or random rows.",
        ] = "kmeans",
        weights_init: Annotated[Any, "First weights; None: by init_params."] = None,
        means_init: Annotated[Any, "First means; None: by init_params."] = None,
        precisions_init: Annotated[Any, "First precisions, by covariance_type; None: by init_params."] = None,
        random_state: Annotated[RandomStateLike, "Seed or stream of the starts, and of `sample`."] = None,
        warm_start: Annotated[bool, "Start from the parameters of the last fit."] = False,
        verbose: Annotated[int | bool, Range(0), "Print the log-likelihood now and then."] = 0,
        verbose_interval: Annotated[int, Range(1), "Iterations between two lines."] = 10,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to X: array, dataframe, Parquet path or Dask collection. `y` is not used."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, min_rows=2)
        if data.n_rows < p.n_components:
            raise InvalidData(
                f"Expected n_samples >= n_components but got n_components = {p.n_components}, n_samples = {data.n_rows}"
            )
        frame = frame_of(p, data)
        prior = np.full(data.n_features, float(p.reg_covar)) * frame[1] ** 2
        again = p.warm_start and hasattr(self, "converged_")
        if again:
            self._refuse_another_model(p, data.n_features)
        n_init = 1 if again else p.n_init
        progress = Progress(self, n_init * p.max_iter, X)
        rng, best = random_stream(p.random_state), None
        for run in range(n_init):
            if p.verbose:
                print(f"Initialization {run}")
            try:
                start = self._stored(frame) if again else start_of(p, data, frame, prior, rng)
                found = expectation_maximization(
                    data, frame, start, prior, max_iter=p.max_iter, tol=p.tol, report=_reporter(p, progress)
                )
            except np.linalg.LinAlgError as fault:
                raise InvalidData(FAILED) from fault
            if p.verbose and found.converged:
                print(f"Initialization converged after {found.n_iter} iterations.")
            if best is None or found.lower_bound > best.lower_bound:
                best = found
        progress.end()
        assert best is not None, "n_init is at least one"
        lost = self._learn(best, frame, data.dtype)
        self._warn(p, lost)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X)`, then the likeliest component of each row."""
        return self.fit(X, y, sample_weight).predict(X)

    def _learn(self, found: Mixture, frame: tuple[np.ndarray, np.ndarray], dtype: np.dtype) -> float:
        """Returns about what a row's log-likelihood loses where the attributes are of single precision."""
        (shift, scale), c = frame, found.components
        size = {"full": np.outer(scale, scale), "tied": np.outer(scale, scale), "diag": scale, "spherical": scale[0]}
        power = 1 if c.kind in ("full", "tied") else 2
        covariances = c.covariances / size[c.kind] ** power
        own = Components(c.weights, shift + c.means / scale, covariances, c.kind)
        roots = own.roots()
        self.weights_ = own.weights.astype(dtype)
        self.means_ = own.means.astype(dtype)
        self.covariances_ = covariances.astype(dtype)
        self.precisions_cholesky_ = roots.astype(dtype)
        matrices = c.kind in ("full", "tied")
        self.precisions_ = (roots @ np.swapaxes(roots, -1, -2) if matrices else roots**2).astype(dtype)
        # log-densities are of x, not of the coordinates of the frame
        shown = float(np.log(scale).sum())
        self.lower_bounds_ = self.history_ = [value + shown for value in found.history]
        self.lower_bound_ = self.history_[-1]
        self.converged_, self.n_iter_ = found.converged, found.n_iter
        self.collapsed_ = _least_variances(own) <= self.reg_covar * (1 + 1e-6)
        return own.divergence(self._components()) if dtype == np.float32 else 0.0

    def _warn(self, p: SimpleNamespace, lost: float) -> None:
        if not lost <= MOST_LOST:
            what = f"the mean log-likelihood of what is stored is lower by about {lost:.1g}"
            told = (
                f"float32 does not hold these components: {what if lost < np.inf else 'not even their covariances'}. "
                "Some covariances are nearly singular, or means far from zero: fit in float64, raise reg_covar, or "
                "center and scale the columns."
            )
            if lost == np.inf:
                raise InvalidData(told)
            warnings.warn(told, UserWarning, stacklevel=5)
        if self.collapsed_.any() and p.reg_covar > 0:
            places = ", ".join(str(k) for k in np.flatnonzero(self.collapsed_))
            one = self.collapsed_.sum() == 1
            warnings.warn(
                f"component{'' if one else 's'} {places} collapsed: {'its' if one else 'their'} smallest variance is "
                f"reg_covar={p.reg_covar:g} and nothing else. Too few distinct rows are left to "
                f"{'it' if one else 'them'}, or columns depend on each other: take fewer components, or raise "
                "reg_covar.",
                UserWarning,
                stacklevel=5,
            )
        if not self.converged_ and p.max_iter > 0:
            warnings.warn(
                "Best performing initialization did not converge. Try different init parameters, or increase max_iter, "
                f"tol, or check for degenerate data. (The last of {self.n_iter_} iterations gained "
                f"{self.history_[-1] - self.history_[-2]:.2g} a row.)",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _refuse_another_model(self, p: SimpleNamespace, d: int) -> None:
        """A warm start goes on from components of the same number and kind, in the same columns."""
        K = p.n_components
        shape: dict[str, tuple[int, ...]] = {"full": (K, d, d), "tied": (d, d), "diag": (K, d), "spherical": (K,)}
        if self.means_.shape != (K, d) or self.covariances_.shape != shape[p.covariance_type]:
            raise InvalidParameter(
                f"warm_start goes on from {len(self.means_)} components in {self.means_.shape[1]} columns with "
                f"covariances_ of shape {self.covariances_.shape}, but n_components={K} in {d} columns with "
                f"covariance_type={p.covariance_type!r} ask for {shape[p.covariance_type]}: keep them, or fit with "
                "warm_start=False."
            )

    def _stored(self, frame: tuple[np.ndarray, np.ndarray]) -> Components:
        shift, scale = frame
        size: Any = np.outer(scale, scale) if self.covariance_type in ("full", "tied") else scale**2
        size = scale[0] ** 2 if self.covariance_type == "spherical" else size
        own = self._components()
        return Components(own.weights, (own.means - shift) * scale, own.covariances * size, own.kind)

    def _components(self) -> Components:
        w, m, S = (np.asarray(a, dtype=np.float64) for a in (self.weights_, self.means_, self.covariances_))
        return Components(w, m, S, self.covariance_type)

    def _density(self) -> Density:
        """Of the stored parameters."""
        check_is_fitted(self)
        return density_of(self._components())

    def score_samples(self, X: Any) -> Any:
        """The log-density of each row."""
        density = self._density()
        return apply_rows(self, X, lambda rows: _rowwise(rows, density, 0))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-density of the rows."""
        return float(np.mean(self.score_samples(X)))

    def predict_proba(self, X: Any) -> Any:
        """The chance of each component, given the row."""
        density = self._density()
        return apply_rows(self, X, lambda rows: _rowwise(rows, density, 1))

    def predict(self, X: Any) -> Any:
        """The likeliest component of each row; the first of several."""
        density = self._density()
        return apply_rows(self, X, lambda rows: _rowwise(rows, density, 2)[:, 0].astype(np.intp))

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Points and their components, component by component."""
        check_is_fitted(self)
        if n_samples < 1:
            raise InvalidParameter(
                f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one sample."
            )
        rng = random_stream(self.random_state)
        weights = np.asarray(self.weights_, dtype=np.float64)
        counts = rng.multinomial(n_samples, weights / weights.sum())
        K, d = self.means_.shape
        points = []
        for k in range(K):
            z = rng.standard_normal((counts[k], d))
            if self.covariance_type in ("full", "tied"):
                S = self.covariances_[k] if self.covariance_type == "full" else self.covariances_
                z = z @ np.linalg.cholesky(np.asarray(S, dtype=np.float64)).T
            else:
                z = z * np.sqrt(self.covariances_[k])
            points.append(z + self.means_[k])
        return np.concatenate(points).astype(self.means_.dtype), np.repeat(np.arange(K), counts)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags = ClassifierTags()  # predict_proba has a column for each of several components
        return tags

    def _n_parameters(self) -> int:
        K, d = self.means_.shape
        covariance = {"full": K * d * (d + 1) // 2, "tied": d * (d + 1) // 2, "diag": K * d, "spherical": K}
        return covariance[self.covariance_type] + K * d + K - 1

    def bic(self, X: Any) -> float:
        """Bayes' information criterion on X: lower is better."""
        said = self.score_samples(X)
        return float(-2 * np.sum(said) + self._n_parameters() * np.log(len(said)))

    def aic(self, X: Any) -> float:
        """Akaike's information criterion on X: lower is better."""
        return float(-2 * np.sum(self.score_samples(X)) + 2 * self._n_parameters())


def frame_of(p: SimpleNamespace, data: Source) -> tuple[np.ndarray, np.ndarray]:
    """Where rows are measured from, and in which units: about the mean, and powers of two about the deviations."""
    columns = column_spread(data)
    deviation = np.sqrt(columns.squares / columns.weight)
    largest = float(deviation.max())
    most, most_squared = (float(np.sqrt(np.finfo(one).max)) / data.n_rows for one in (data.dtype, np.float64))
    if not (largest <= most and np.abs(columns.mean).max() <= most_squared):  # squares overflow beyond
        raise InvalidData(
            f"Covariances of these rows do not fit into {np.dtype(data.dtype).name}: scale the columns to deviations "
            f"of {most:.2g} at most, and means of {most_squared:.2g}."
        )
    if 0 < largest < np.sqrt(np.finfo(np.float64).eps * p.reg_covar):
        raise InvalidData(
            f"The largest standard deviation of a column is {largest:.2g}: beside reg_covar={p.reg_covar:g}, which is "
            "added to its square, nothing is left of it. Scale the columns, or lower reg_covar."
        )
    if p.covariance_type == "spherical":
        deviation = np.full(len(deviation), np.sqrt((deviation**2).mean()))
    deviation = np.where(np.isfinite(deviation) & (deviation > 0), deviation, 1.0)
    return columns.mean, 1.0 / power_of_two(deviation)


def start_of(
    p: SimpleNamespace, data: Source, frame: tuple[np.ndarray, np.ndarray], prior: np.ndarray, rng: np.random.Generator
) -> Components:
    shift, scale = frame
    K, d, kind = p.n_components, data.n_features, p.covariance_type
    means = None if p.means_init is None else given_means(p.means_init, K, d)
    if means is not None and p.weights_init is not None and p.precisions_init is not None:
        start = Components(np.zeros(K), means, np.zeros(0), kind)  # nothing is left to be found
    elif p.init_params == "kmeans" or (means is not None and p.init_params != "random"):
        centers = means if means is not None else _clusters(data, K, rng)
        start = by_shares(data, frame, kind, prior, K, centers=np.asarray(centers, dtype=np.float64))
    elif p.init_params == "random":
        start = by_shares(data, frame, kind, prior, K, seed=int(rng.integers(2**63)))
    else:
        seeding: Any = "k-means++" if p.init_params == "k-means++" else "random"
        sample = canonical_sample(data, K)
        rows = rows_at(sample, choose(sample, K, seeding, rng)[0]).astype(np.float64)
        start = with_common_spread(data, frame, kind, prior, (rows - shift) * scale)
    if means is not None:
        start = start._replace(means=(means - shift) * scale)
    if p.weights_init is not None:
        start = start._replace(weights=given_weights(p.weights_init, K))
    if p.precisions_init is not None:
        covariances = given_precisions(p.precisions_init, kind, K, d)
        size: Any = np.outer(scale, scale) if kind in ("full", "tied") else scale**2
        start = start._replace(covariances=covariances * (scale[0] ** 2 if kind == "spherical" else size))
    return start


def _clusters(data: Source, K: int, rng: np.random.Generator) -> np.ndarray:
    """The centers of k-means."""
    sample, extent = canonical_sample(data, K), measure_extent(data)
    chosen, _ = choose(sample, K, "k-means++", rng, extent.frame.scale)
    return lloyd(data, rows_at(sample, chosen), extent, 300, 1e-4).centers


def _reporter(p: SimpleNamespace, progress: Progress) -> Any:
    last = [-np.inf]

    def report(n_iter: int, value: float) -> bool:
        if p.verbose and n_iter % p.verbose_interval == 0:
            print(f"  Iteration {n_iter}" + (f"\t ll change {value - last[0]:.5f}" if p.verbose > 1 else ""))
        last[0] = value
        return progress.step(lambda: {"lower_bound_": value, "n_iter_": n_iter})

    return report


def _least_variances(components: Components) -> np.ndarray:
    K = len(components.weights)
    if components.kind in ("full", "tied"):
        return np.broadcast_to(np.linalg.eigvalsh(components.covariances)[..., 0], (K,))
    return components.covariances.reshape(K, -1).min(axis=1)


def _rowwise(rows: Any, density: Density, what: int) -> np.ndarray:
    """0: log p of each row; 1: chances of components; 2: the place of the largest."""
    K = len(density.means)

    def leaf(X: Any) -> np.ndarray:
        X = dense(X).astype(np.float64, copy=False)
        if what == 2:
            return log_joint(density, X).argmax(axis=1)[:, None]
        log_p, chances = responsibilities(density, X)
        return chances if what else log_p[:, None]

    out = np.empty((rows.shape[0], K if what == 1 else 1), np.float64 if what == 2 else rows.dtype)
    found = by_leaves(rows, out, leaf, least_rows=256)
    return found[:, 0] if what == 0 else found
