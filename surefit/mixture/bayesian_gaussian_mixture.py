"""Mixtures of Gaussians with priors, by mean-field inference."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit.engine.open import open_data
from surefit.engine.sources.source import Source
from surefit.mixture.gaussian_mixture import FAILED, GaussianMixture, frame_of, start_of
from surefit.mixture.given import given_array
from surefit.solvers.mixture.em import SPREAD
from surefit.solvers.mixture.gaussians import CovarianceType, Density, density_of, expected
from surefit.solvers.mixture.starts import by_shares
from surefit.solvers.mixture.variational import Posterior, Prior, in_units, updated
from surefit.summaries.column_spread import column_spread

SINGULAR = 1e-12
"""A covariance of the rows whose eigenvalues differ by more has a direction that no row tells anything about."""


class BayesianGaussianMixture(GaussianMixture):
    """A Gaussian mixture with priors on weights, means and covariances: the posterior by mean-field inference.

    Components that the data do not ask for lose their weight. The evidence lower bound is complete, all constants
    included, and never falls.

    {parameters}

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_ : ndarray
        Of the posterior: mean weights, means of the means, and W⁻¹/ν, as in `GaussianMixture`.
    weight_concentration_ : ndarray of shape (n_components,), or tuple of two
        Of the Dirichlet distribution; of a process the two numbers of each stick's beta distribution.
    mean_precision_, degrees_of_freedom_ : ndarray of shape (n_components,)
        β and ν ('tied': ν is one number). Every row is an observation of a precision ('spherical': of each column).
    weight_concentration_prior_, mean_prior_, mean_precision_prior_, degrees_of_freedom_prior_, covariance_prior_ :
        The priors in use.
    lower_bound_ : float
        The evidence lower bound of all rows: no larger than the log of the probability of the data.
    lower_bounds_, history_ : list of float
        The same at the start of the best run and after each iteration; it never falls.
    converged_, n_iter_ : bool, int
        Whether the best run stopped by `tol`, and its iterations.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.mixture import BayesianGaussianMixture
    >>> X = np.random.default_rng(0).normal(size=(200, 2)) + np.repeat([[0, 0], [9, 3]], 100, axis=0)
    >>> model = BayesianGaussianMixture(n_components=5, random_state=0, max_iter=300).fit(X)
    >>> int((model.weights_ > 0.05).sum())
    2
    """

    weight_concentration_: Any
    mean_precision_: np.ndarray
    degrees_of_freedom_: Any
    weight_concentration_prior_: float
    mean_prior_: np.ndarray
    mean_precision_prior_: float
    degrees_of_freedom_prior_: float
    covariance_prior_: Any

    def __init__(
        self,
        *,
        n_components: Annotated[int, Range(1), "Components at most."] = 1,
        covariance_type: Annotated[
            Literal["full", "tied", "diag", "spherical"],
            "A matrix for each component, one for all, variances of columns, or one variance each.",
        ] = "full",
        tol: Annotated[float, Range(0), "Stop when an iteration raises the bound by less."] = 1e-3,
        reg_covar: Annotated[float, Range(0), "Variance of measurement, added to every variance."] = 1e-6,
        max_iter: Annotated[int, Range(1), "Iterations at most, for each start."] = 100,
        n_init: Annotated[int, Range(1), "Starts, of which the best is kept."] = 1,
        init_params: Annotated[
            Literal["kmeans", "k-means++", "random", "random_from_data"],
            "Where to start: clusters of k-means, rows far apart, random shares, or random rows.",
        ] = "kmeans",
        weight_concentration_prior_type: Annotated[
            Literal["dirichlet_process", "dirichlet_distribution"], "The prior of the weights."
        ] = "dirichlet_process",
        weight_concentration_prior: Annotated[
            float | None, Range(0, open="both"), "Of each component, or of the sticks; None is 1/n_components."
        ] = None,
        mean_precision_prior: Annotated[float | None, Range(0, open="both"), "β₀; None is 1."] = None,
        mean_prior: Annotated[Any, "m₀; None is the mean of the rows."] = None,
        degrees_of_freedom_prior: Annotated[
            float | None,
            Range(0, open="both"),
            "ν₀, above columns − 1 for matrices; None is the number of columns.",
        ] = None,
        covariance_prior: Annotated[
            Any, "W₀⁻¹ by covariance_type; None is the covariance of the rows, plus reg_covar where that is singular."
        ] = None,
        random_state: Annotated[RandomStateLike, "Seed or stream of the starts, and of `sample`."] = None,
        warm_start: Annotated[bool, "Start from the responsibilities of the last fit."] = False,
        verbose: Annotated[int | bool, Range(0), "Print the bound now and then."] = 0,
        verbose_interval: Annotated[int, Range(1), "Iterations between two lines."] = 10,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weight_concentration_prior_type = weight_concentration_prior_type
        self.weight_concentration_prior = weight_concentration_prior
        self.mean_precision_prior = mean_precision_prior
        self.mean_prior = mean_prior
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to X: array, dataframe, Parquet path or Dask collection. `y` is not used."""
        p = self._checked()
        p.means_init = p.weights_init = p.precisions_init = None
        data = open_data(self, X, y, sample_weight, min_rows=2)
        if data.n_rows < p.n_components:
            raise InvalidData(
                f"Expected n_samples >= n_components but got n_components = {p.n_components}, n_samples = {data.n_rows}"
            )
        frame = frame_of(p, data)
        reg = np.full(data.n_features, float(p.reg_covar)) * frame[1] ** 2
        prior = _prior(p, data, frame, reg)
        progress = Progress(self, p.n_init * p.max_iter, X)
        rng, best = random_stream(p.random_state), None
        again = p.warm_start and hasattr(self, "converged_")
        if again:
            self._refuse_another_model(p, data.n_features)
        try:
            for number in range(1 if again else p.n_init):
                if p.verbose:
                    print(f"Initialization {number}")
                start = self._last(frame, reg) if again else density_of(start_of(p, data, frame, reg, rng))
                run = _run(p, data, frame, prior, start, reg, progress)
                best = run if best is None or run[1][-1] > best[1][-1] else best
        except np.linalg.LinAlgError as fault:
            raise InvalidData(FAILED) from fault
        progress.end()
        assert best is not None, "n_init is at least one"
        self._take(*best, frame, data.dtype)
        return self

    def _take(
        self,
        found: Posterior,
        history: list[float],
        converged: bool,
        total: float,
        frame: tuple[np.ndarray, np.ndarray],
        dtype: np.dtype,
    ) -> None:
        own = in_units(found, *frame)
        roots = own.components().roots()
        self.weights_, self.means_ = own.weights().astype(dtype), own.means.astype(dtype)
        self.covariances_, self.precisions_cholesky_ = own.covariances.astype(dtype), roots.astype(dtype)
        matrices = own.prior.kind in ("full", "tied")
        self.precisions_ = (roots @ np.swapaxes(roots, -1, -2) if matrices else roots**2).astype(dtype)
        pair = own.concentration
        self.weight_concentration_ = (pair[0], pair[1]) if own.prior.process else pair
        self.mean_precision_ = own.mean_precision
        self.degrees_of_freedom_ = float(own.degrees) if own.degrees.ndim == 0 else own.degrees
        self.weight_concentration_prior_ = own.prior.concentration
        self.mean_prior_, self.mean_precision_prior_ = own.prior.mean, own.prior.mean_precision
        degrees = own.prior.degrees
        self.degrees_of_freedom_prior_ = int(degrees) if self.degrees_of_freedom_prior is None else degrees
        self.covariance_prior_ = own.prior.scatter
        shown = total * float(np.log(frame[1]).sum())
        self.lower_bounds_ = self.history_ = [value + shown for value in history]
        self.lower_bound_, self.converged_, self.n_iter_ = self.history_[-1], converged, len(history) - 1
        if not converged:
            warnings.warn(
                "Best performing initialization did not converge. Try different init parameters, or increase max_iter, "
                f"tol, or check for degenerate data. (The last of {self.n_iter_} iterations raised the bound by "
                f"{history[-1] - history[-2]:.2g}.)",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _refuse_another_model(self, p: SimpleNamespace, d: int) -> None:
        super()._refuse_another_model(p, d)
        sticks = isinstance(self.weight_concentration_, tuple)
        if sticks != (p.weight_concentration_prior_type == "dirichlet_process"):
            raise InvalidParameter(
                "warm_start goes on from weights of the other weight_concentration_prior_type than "
                f"{p.weight_concentration_prior_type!r}: keep it, or fit with warm_start=False."
            )

    def _last(self, frame: tuple[np.ndarray, np.ndarray], reg: np.ndarray) -> Density:
        """log ρ of the last fit in the coordinates of the frame: x = shift + z/scale."""
        shift, scale = frame
        return in_units(self._posterior(), -shift * scale, 1.0 / scale).density(reg, SPREAD)

    def _density(self) -> Density:
        check_is_fitted(self)
        posterior = self._posterior()
        return posterior.density(np.zeros(posterior.means.shape[1]), None)

    def _posterior(self) -> Posterior:
        process = self.weight_concentration_prior_type == "dirichlet_process"
        prior = Prior(
            self.weight_concentration_prior_, process, self.mean_prior_, self.mean_precision_prior_,
            self.degrees_of_freedom_prior_, np.asarray(self.covariance_prior_), self.covariance_type,
        )  # fmt: skip
        pair = np.stack(self.weight_concentration_) if process else np.asarray(self.weight_concentration_)
        wide = [np.asarray(a, dtype=np.float64) for a in (self.means_, self.covariances_)]
        degrees = np.asarray(self.degrees_of_freedom_, dtype=np.float64)
        return Posterior(prior, pair, self.mean_precision_, wide[0], degrees, wide[1])


def _run(
    p: SimpleNamespace,
    data: Source,
    frame: tuple[np.ndarray, np.ndarray],
    prior: Prior,
    start: Density,
    reg: np.ndarray,
    progress: Progress,
) -> tuple[Posterior, list[float], bool, float]:
    """The factors, the bound at the start and after each iteration, whether it converged, and Σ ω."""
    density, posterior = start, None
    history: list[float] = []
    while True:
        sums = expected(data, density, frame)
        if posterior is not None:
            history.append(sums.log_likelihood - posterior.divergence())
            n_iter = len(history) - 1
            if p.verbose and n_iter % p.verbose_interval == 0:
                print(f"  Iteration {n_iter}\t bound {history[-1]:.5f}")
            gain = history[-1] - history[-2] if n_iter else np.inf
            if p.verbose and gain < p.tol:
                print(f"Initialization converged after {n_iter} iterations.\t bound {history[-1]:.5f}")
            if gain < p.tol or n_iter == p.max_iter or progress.step(lambda: {"lower_bound_": history[-1]}):
                return posterior, history, bool(gain < p.tol), sums.total
        posterior = updated(prior, density, sums, reg)
        density = posterior.density(reg, SPREAD)


def _prior(p: SimpleNamespace, data: Source, frame: tuple[np.ndarray, np.ndarray], reg: np.ndarray) -> Prior:
    """The priors in the coordinates of the frame."""
    shift, scale = frame
    d, kind = data.n_features, p.covariance_type
    least = d - 1 if kind in ("full", "tied") else 0
    degrees = float(d if p.degrees_of_freedom_prior is None else p.degrees_of_freedom_prior)
    if not degrees > least:
        raise InvalidParameter(
            f"The parameter 'degrees_of_freedom_prior' should be greater than {least}, but got {degrees:.3f}."
        )
    size = np.outer(scale, scale) if kind in ("full", "tied") else scale[0] ** 2 if kind == "spherical" else scale**2
    if p.covariance_prior is None:
        scatter = _covariance_of_rows(data, frame, kind, reg)
    else:
        shape: dict[str, tuple[int, ...]] = {"full": (d, d), "tied": (d, d), "diag": (d,), "spherical": ()}
        scatter = given_array(p.covariance_prior, f"{kind} covariance_prior", shape[kind])
        positive = np.linalg.eigvalsh(scatter) if kind in ("full", "tied") else scatter
        if not (positive > 0).all():
            raise InvalidParameter(f"'{kind} covariance_prior' should be symmetric, positive-definite")
        scatter = scatter * size
    mean = np.zeros(d)
    if p.mean_prior is not None:
        mean = (given_array(p.mean_prior, "means", (d,)) - shift) * scale
    return Prior(
        float(1.0 / p.n_components if p.weight_concentration_prior is None else p.weight_concentration_prior),
        p.weight_concentration_prior_type == "dirichlet_process",
        mean,
        float(1.0 if p.mean_precision_prior is None else p.mean_precision_prior),
        degrees,
        np.asarray(scatter, dtype=np.float64),
        kind,
    )


def _covariance_of_rows(
    data: Source, frame: tuple[np.ndarray, np.ndarray], kind: CovarianceType, reg: np.ndarray
) -> Any:
    """Unbiased, in the coordinates of the frame; with `reg` added where it is singular."""
    whole = by_shares(data, frame, kind, np.zeros(data.n_features), 1).covariances
    total = column_spread(data).weight
    scatter = (whole if kind == "tied" else whole[0]) * (total / (total - 1.0) if total >= 2 else 2.0)
    if kind in ("full", "tied"):
        values = np.linalg.eigvalsh(scatter)
        singular = values[0] <= SINGULAR * max(values[-1], 0.0)
        return scatter + np.diag(reg) if singular else scatter
    singular = np.min(scatter) <= 0
    return scatter + (reg[0] if kind == "spherical" else reg) if singular else scatter
