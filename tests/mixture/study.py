"""Random Gaussian mixtures: does the likelihood ever fall, is a good fit refused, a stopped one or a lie believed?

`python -m tests.mixture.study [COUNT [FIRST]]` prints the counts, and then what the checkers say of scikit-learn's
mixtures and networks on its bundled data. What a step gains is known from long double (tests/mixture/long_double.py).
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.claim import Grade
from surefit.mixture import GaussianMixture
from tests.certificates.bench import altered, certify, failing
from tests.mixture import long_double

SORTS = ("plain", "tiny scale", "huge scale", "offset", "duplicates", "collapse", "single precision", "weights")
KINDS = ("full", "tied", "diag", "spherical")
STARTS = ("kmeans", "k-means++", "random", "random_from_data")
LIMIT = 1e-6
"""The limit of a certificate by default."""


class Problem(NamedTuple):
    sort: str
    X: np.ndarray
    w: np.ndarray | None
    settings: dict[str, Any]


def problem(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    sort, kind = SORTS[seed % len(SORTS)], KINDS[seed // len(SORTS) % len(KINDS)]
    d, groups, n = int(rng.integers(1, 5)), int(rng.integers(1, 5)), int(rng.integers(25, 120))
    shapes = np.eye(d) + 0.6 * rng.normal(size=(groups, d, d))
    group = rng.integers(groups, size=n)
    X = np.einsum("ni,nij->nj", rng.normal(size=(n, d)), shapes[group])
    X = X + rng.uniform(0, 5) * rng.normal(size=(groups, d))[group]
    unit = {"tiny scale": 1e-6, "huge scale": 1e6}.get(sort, 1.0) * 10 ** rng.uniform(-1, 1)
    if sort == "duplicates":
        X = X[rng.integers(0, n // 3, n)]
    if sort == "collapse":
        X[: n // 3] = X[0]
    X = X * unit + (unit * 10 ** rng.uniform(1, 4) if sort == "offset" else 0.0)
    if sort == "single precision":
        X = X.astype(np.float32)
    w = None
    if sort == "weights":
        w = rng.integers(0, 4, n).astype(float) if rng.random() < 0.5 else rng.exponential(size=n)
    settings = {
        "n_components": int(rng.integers(1, 6)),
        "covariance_type": kind,
        "reg_covar": 1e-6 * unit**2,
        "tol": float(10 ** rng.uniform(-9, -3)),
        "init_params": STARTS[int(rng.integers(4))],
        "random_state": seed,
    }
    return Problem(sort, X, w, settings)


def fitted(p: Problem, max_iter: int = 5000) -> GaussianMixture:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GaussianMixture(**p.settings, max_iter=max_iter).fit(p.X, sample_weight=p.w)


def lies(model: Any) -> Iterator[tuple[str, Any]]:
    """The model with one thing changed that nobody calls rounding."""
    k = int(np.argmax(model.weights_))
    K, d = model.means_.shape
    tied = model.covariance_type == "tied"
    S = np.asarray(model.covariances_, dtype=float)
    variance = S if tied else S[k]
    deviation = np.sqrt(np.diagonal(variance) if np.ndim(variance) == 2 else np.broadcast_to(variance, (d,)))
    means = np.asarray(model.means_, dtype=float).copy()
    means[k] += 0.2 * deviation
    yield "means_", altered(model, means_=means)
    yield "covariances_", altered(model, covariances_=1.2 * S)
    for name in ("precisions_", "precisions_cholesky_"):
        yield name, altered(model, **{name: 1.01 * np.asarray(getattr(model, name), dtype=float)})
    share = 1 / (1 + 1 / K)
    yield "weights_ beyond one", altered(model, weights_=np.asarray(model.weights_, dtype=float) * (1 + share))
    if K > 1 and np.ptp(model.weights_) > 0.05:
        yield "weights_", altered(model, weights_=np.roll(model.weights_, 1))
    yield "lower_bound_", altered(model, lower_bound_=model.lower_bound_ + 0.01)
    yield "converged_", altered(model, converged_=not model.converged_)
    yield "n_iter_", altered(model, n_iter_=model.n_iter_ + 1)
    yield "collapsed_", altered(model, collapsed_=~model.collapsed_)
    yield "lower_bounds_", altered(model, lower_bounds_=[*model.lower_bounds_[:-1], model.lower_bounds_[-1] + 0.01])


def is_true(name: str, lie: Any, model: Any, p: Problem) -> bool:
    """Whether the change leaves a stationary point (a rolled or moved component that explains the rows as well)."""
    if name not in ("weights_", "means_", "covariances_"):
        return False
    ones = np.ones(len(p.X)) if p.w is None else p.w
    here, there = (long_double.mean_log_likelihood(long_double.of_model(m), p.X, ones) for m in (model, lie))
    return abs(float(here - there)) < 1e-4


def printed_below_truth(model: Any, certificate: Any, p: Problem) -> list[str]:
    """Claims whose printed number is below the true one."""
    ones = np.ones(len(p.X)) if p.w is None else p.w
    theta = long_double.of_model(model)
    value = long_double.mean_log_likelihood(theta, p.X, ones)
    truth = {
        "stationary": float(long_double.gain(theta, p.X, ones)),
        "lower_bound": abs(float(np.longdouble(model.lower_bound_) - value)),
    }
    return [c.name for c in certificate if c.name in truth and not c.value >= truth[c.name]]


def bounded(certificate: Any, name: str) -> bool:
    """The claim holds by an excuse for rounding that is larger than its limit: BOUNDED by what is printed."""
    return any(c.name == name and c.grade == Grade.BOUNDED for c in certificate)


def study(count: int, first: int = 0) -> tuple[Counter, list[str]]:
    """Counts, and a line for each thing that should not be."""
    counts: Counter = Counter()
    wrong: list[str] = []
    for seed in range(first, first + count):
        p = problem(seed)
        model = fitted(p)
        said = certify(model, p.X, w=p.w)
        where = f"{seed} ({p.sort}, {p.settings['covariance_type']})"
        counts["fits"] += 1
        falls = float(np.max(-np.diff(model.history_), initial=0.0))
        if falls > 1e-11 * (1 + abs(model.lower_bound_)):
            wrong.append(f"{where}: the likelihood falls by {falls:.2g}")
        if model.converged_:
            counts["converged"] += 1
            if model.collapsed_.any() and all(c.grade == Grade.UNPROVED for c in said.failures):
                counts["converged, collapsed and not decided"] += not said.holds
            elif not said.holds:
                wrong.append(f"{where}: a converged fit is refused: {sorted(failing(said))}")
        wrong += [f"{where}: {name} printed below the truth" for name in printed_below_truth(model, said, p)]
        wrong += _stopped(p, where, counts)
        for name, lie in lies(model):
            if is_true(name, lie, model, p):
                continue
            counts["lies"] += 1
            found = certify(lie, p.X, w=p.w)
            if found.holds and bounded(found, "precisions"):
                counts["lies within what is printed as rounding"] += 1
            elif found.holds:
                wrong.append(f"{where}: believed another {name}")
    return counts, wrong


def _stopped(p: Problem, where: str, counts: Counter) -> list[str]:
    """A fit of one iteration: refused where another step gains more than the fit's tol."""
    model = fitted(p, max_iter=1)
    said = certify(model, p.X, w=p.w)
    ones = np.ones(len(p.X)) if p.w is None else p.w
    gains = float(long_double.gain(long_double.of_model(model), p.X, ones))
    wrong = [f"{where}, stopped: {name} printed below the truth" for name in printed_below_truth(model, said, p)]
    if model.converged_ or gains <= 2 * max(LIMIT, 4 * model.tol):
        return wrong
    counts["stopped"] += 1
    if "stationary" not in failing(said) and bounded(said, "stationary"):
        counts["stopped, within what is printed as rounding"] += 1
    elif "stationary" not in failing(said):
        wrong.append(f"{where}: a stopped fit is believed, though a step gains {gains:.2g}")
    return wrong


def main() -> None:
    numbers = [int(a) for a in sys.argv[1:3]]
    counts, wrong = study(*(numbers or [1000]))
    print(", ".join(f"{n} {name}" for name, n in counts.items()))
    print(f"{len(wrong)} wrong")
    for line in wrong:
        print("  " + line)
    from tests.mixture.audit import audited

    for line in audited():
        print(line)


if __name__ == "__main__":
    main()
