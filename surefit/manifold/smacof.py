"""SMACOF as a function: one run from one start, and the best of several."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.base import Estimator
from surefit._core.data.faults import refuse_non_finite
from surefit._core.data.intake import take_rows
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit._core.threads import single_threaded_blas
from surefit.solvers.embedding.dissimilarities import given_dissimilarities
from surefit.solvers.embedding.guttman import Look, Stress
from surefit.solvers.embedding.smacof import Scaled, minimize_stress

MOST_COLUMNS = 512


class Run(NamedTuple):
    """One run of SMACOF in the user's units."""

    X: np.ndarray
    stress: float
    n_iter: int
    history: np.ndarray
    """Raw stress of the start and after each step."""
    scaled: Scaled


def _smacof_single(
    problem: Stress,
    start: np.ndarray,
    *,
    max_iter: int,
    eps: float,
    normalized_stress: bool,
    verbose: int = 0,
    on_step: Callable[[Look], bool] | None = None,
) -> Run:
    """One run from one start."""
    found = minimize_stress(problem, start / problem.unit, max_iter=max_iter, eps=eps, on_step=on_step)
    history = found.history * problem.unit * problem.unit
    stress = float(history[-1])
    if normalized_stress:
        stress = float(np.sqrt(found.stress / found.sq_dist)) if found.sq_dist > 0 else 0.0
    if verbose:
        print(f"SMACOF: {found.n_iter} iterations, stress {stress:.6g}")
    return Run(found.X * problem.unit, stress, found.n_iter, history, found)


def best_run(single: Callable[..., Run], problem: Stress, starts: Iterable[np.ndarray], **how: Any) -> Run:
    """The run of least stress; among equals the first. Warns if it stopped early."""
    best: Run | None = None
    for start in starts:
        problem.restart()
        run = single(problem, start, **how)
        if best is None or run.stress < best.stress:
            best = run
    assert best is not None
    if not best.scaled.converged and how["max_iter"] > 1:
        warnings.warn(
            f"stopped after {best.n_iter} iterations, when one more would still lower the stress by "
            f"{best.scaled.rel_gain:.1e} of the squared distances (eps {how['eps']:g}): raise max_iter",
            ConvergenceWarning,
            stacklevel=5,
        )
    return best


def random_starts(n: int, p: int, count: int, random_state: RandomStateLike) -> Iterable[np.ndarray]:
    stream = random_stream(random_state)
    return (stream.uniform(size=(n, p)) for _ in range(count))


def given_start(init: Any, n: int) -> np.ndarray:
    X = np.array(init, dtype=np.float64)
    if X.ndim != 2 or len(X) != n or X.shape[1] == 0:
        raise InvalidData(f"init matrix should be of shape ({n}, n_components); got {X.shape}")
    refuse_non_finite(X, "init")
    return X


def given_weights(weights: Any, n: int) -> np.ndarray | None:
    """Weights of pairs, with a diagonal of zeros."""
    if weights is None:
        return None
    w = np.array(weights, dtype=np.float64)
    if w.shape != (n, n):
        raise InvalidData(f"weights must have a number for each pair, shape {(n, n)}; got {w.shape}")
    refuse_non_finite(w, "weights")
    if (w < 0).any() or not np.array_equal(w, w.T):
        raise InvalidData("weights of pairs must be symmetric and ≥ 0; a weight of zero is a missing dissimilarity")
    np.fill_diagonal(w, 0.0)
    return w


def check_columns(p: int) -> None:
    if p > MOST_COLUMNS:
        raise InvalidParameter(f"SMACOF works in at most {MOST_COLUMNS} dimensions; n_components={p}")


def smacof(
    dissimilarities: Any,
    *,
    metric: bool = True,
    n_components: int = 2,
    init: Any = None,
    n_init: int = 1,
    n_jobs: int | None = None,
    max_iter: int = 300,
    verbose: int = 0,
    eps: float = 1e-6,
    random_state: RandomStateLike = None,
    return_n_iter: bool = False,
    normalized_stress: bool | Literal["auto"] = "auto",
    weights: Any = None,
) -> tuple[np.ndarray, float] | tuple[np.ndarray, float, int]:
    """Points whose distances are near to dissimilarities, by stress majorization.

    Parameters
    ----------
    dissimilarities : array-like of shape (n_samples, n_samples)
        Symmetric, ≥ 0.
    metric : bool
        Whether distances shall be near to the dissimilarities, or (False) to any numbers in their order.
    n_components : int
        Dimensions of the points; `init` overrides it.
    init : array-like of shape (n_samples, n_components), default=None
        The start; None takes `n_init` random ones.
    n_init : int
        How many random starts; the result of least stress is kept.
    n_jobs : int, default=None
        Threads, −1 for all; None takes what the settings allow.
    max_iter : int
        Most steps of a run.
    verbose : int
        Whether each run is printed.
    eps : float
        A run ends when a step lowers the stress by less than this share of the squared distances.
    random_state : int, RandomState, Generator, SeedSequence or None
        Seed or stream of the random starts.
    return_n_iter : bool
        Whether to return the number of steps too.
    normalized_stress : bool or "auto"
        Whether the stress is √(σ/Σ w d²) instead of σ; "auto" for non-metric scaling only.
    weights : array-like of shape (n_samples, n_samples), default=None
        Weights of the pairs; zero for a missing dissimilarity.

    Returns
    -------
    X : ndarray of shape (n_samples, n_components)
        The points.
    stress : float
        Of the points.
    n_iter : int
        Steps of the best run, if asked for.

    Examples
    --------
    >>> from surefit.manifold import smacof
    >>> X, stress = smacof([[0, 3, 4], [3, 0, 5], [4, 5, 0]], random_state=0, eps=1e-12)
    >>> bool(stress < 1e-6)
    True
    """
    _check_numbers(n_components=n_components, n_init=n_init, max_iter=max_iter)
    if not isinstance(eps, Real) or not eps >= 0:
        raise InvalidParameter(f"smacof(eps=…) must be a number ≥ 0; got {eps!r}")
    D = given_dissimilarities(take_rows(Estimator(), dissimilarities, reset=True, sparse=False))
    n = len(D)
    if init is not None:
        if n_init != 1:
            warnings.warn(
                f"Explicit initial positions passed: performing only one init of the MDS instead of {n_init}",
                stacklevel=2,
            )
        starts: Iterable[np.ndarray] = [given_start(init, n)]
    else:
        starts = random_starts(n, int(n_components), int(n_init), random_state)
    check_columns(n_components if init is None else np.shape(init)[1])
    with single_threaded_blas():
        problem = Stress(D, given_weights(weights, n), nonmetric=not metric, n_jobs=n_jobs)
        run = best_run(
            _smacof_single,
            problem,
            starts,
            max_iter=int(max_iter),
            eps=float(eps),
            normalized_stress=not metric if normalized_stress == "auto" else bool(normalized_stress),
            verbose=verbose,
        )
    return (run.X, run.stress, run.n_iter) if return_n_iter else (run.X, run.stress)


def _check_numbers(**numbers: Any) -> None:
    for name, value in numbers.items():
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise InvalidParameter(f"smacof({name}=…) must be a whole number ≥ 1; got {value!r}")
