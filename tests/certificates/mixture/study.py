"""Attacks on the checkers of BayesianGaussianMixture and MixtureSampler: `python -m tests.certificates.mixture.study`.

Bounds and gains come from mpmath (tests/reference/bayesian_mixture.py), the rest from long double.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import mpmath as mp
import numpy as np
import sklearn.mixture
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from surefit.mixture import BayesianGaussianMixture, MixtureSampler
from tests.certificates.attack import Rows, Study, answering, main, nudged, rows
from tests.certificates.bench import altered
from tests.reference import bayesian_mixture as reference

L = np.longdouble
KINDS = ("full", "tied", "diag", "spherical")
BUNDLED = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "diabetes": load_diabetes}


def fitted(r: Rows, seed: int, w: Any = None, **settings: Any) -> Any:
    law = ("dirichlet_process", "dirichlet_distribution")[seed // 4 % 2]
    asked = {"tol": 1e-7, "max_iter": 3000, "n_components": 3, "covariance_type": KINDS[seed % 4],
             "weight_concentration_prior_type": law, "random_state": seed,
             "reg_covar": 1e-6 * float(np.var(r.X, axis=0).min())}  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BayesianGaussianMixture(**(asked | settings)).fit(r.X, sample_weight=w)


def matrices(S: Any, kind: str, K: int, d: int) -> Any:
    S = np.asarray(S, dtype=L)
    if kind in ("full", "tied"):
        return np.broadcast_to(S, (K, d, d))
    return np.stack([np.eye(d, dtype=L) * np.broadcast_to(v, (d,)) for v in S])


def inverse_off(model: Any) -> float:
    """The largest entry of PΣ − I, in units of the columns, for both forms of P."""
    kind, (K, d) = model.covariance_type, model.means_.shape
    S, worst = matrices(model.covariances_, kind, K, d), L(0)
    unit = np.sqrt(np.diagonal(S, axis1=1, axis2=2))
    for name in ("precisions_", "precisions_cholesky_"):
        P = matrices(getattr(model, name), kind, K, d)
        P = P @ P.transpose(0, 2, 1) if name == "precisions_cholesky_" else P
        worst = max(worst, np.abs(unit[:, :, None] * (P @ S) / unit[:, None, :] - np.eye(d)).max())
    return float(worst)


def counts_off(model: Any, total: float) -> float:
    """By how much concentrations, precisions and degrees of freedom count other rows, of all rows."""
    beta, d = np.asarray(model.mean_precision_, dtype=L), model.means_.shape[1]
    N = beta - L(model.mean_precision_prior_)
    a, a0 = np.asarray(model.weight_concentration_, dtype=L), L(model.weight_concentration_prior_)
    later = np.append(np.cumsum(N[::-1])[-2::-1], 0)
    expected = np.stack([1 + N, a0 + later]) if a.ndim == 2 else a0 + N
    counted = {"tied": N.sum(), "spherical": d * N}.get(model.covariance_type, N)
    nu = (np.asarray(model.degrees_of_freedom_, dtype=L) - L(model.degrees_of_freedom_prior_) - counted) / d
    return float(max(np.abs(a - expected).max(), np.abs(nu).max(), abs(N.sum() - L(total))) / L(total))


def priors_off(model: Any, r: Rows) -> float:
    """mean_prior_ against the mean of the rows, covariance_prior_ against their covariance, in deviations."""
    X, w, d = np.asarray(r.X, dtype=L), np.asarray(r.weights, dtype=L), r.X.shape[1]
    mean = X[0] + w @ (X - X[0]) / w.sum()
    C = ((X - mean) * w[:, None]).T @ (X - mean) / (w.sum() - 1)
    unit = np.sqrt(np.diagonal(C))
    given = np.asarray(model.covariance_prior_, dtype=L)
    if model.covariance_type in ("diag", "spherical"):
        given, C = np.eye(d) * given, np.eye(d) * np.diagonal(C)
    if model.covariance_type == "spherical":
        C = np.eye(d) * np.trace(C) / d
        unit = np.full(d, np.sqrt((unit**2).mean()))
    far = np.abs(np.asarray(model.mean_prior_, dtype=L) - mean) / unit
    units = np.outer(unit, unit)
    off = np.abs((given - C) / units).max()
    if np.linalg.eigvalsh((C / units).astype(float))[0] < 1e-9:  # nearly singular: reg_covar may have been added
        off = min(off, np.abs((given - C - L(model.reg_covar) * np.eye(d)) / units).max())
    return float(max(far.max(), off))


def bayesian_truth(r: Rows) -> Any:
    def truth(model: Any) -> dict[str, float]:
        total = float(r.weights.sum())
        try:
            bound, gain = reference.bound_and_gain(model, r.X, r.weights)
            with mp.workdps(reference.DIGITS):
                chances = reference.mean_weights(reference.of_model(model))
        except (ValueError, ZeroDivisionError, TypeError):  # out of the range of its law
            return {"range": np.inf}
        if isinstance(bound, mp.mpc) or isinstance(gain, mp.mpc):  # the logarithm of a determinant below zero
            return {"range": np.inf}
        weights = np.asarray(model.weights_, dtype=float)
        return {
            "lower_bound": float(abs(mp.mpf(float(model.lower_bound_)) - bound) / total),
            "stationary": float(max(gain, 0) / total),
            "chances": float(max(abs(p - mp.mpf(w)) for p, w in zip(chances, weights.tolist(), strict=True))),
            "precisions": inverse_off(model),
            "counts": counts_off(model, total),
            "priors": priors_off(model, r),
            "kept": getattr(model, "study_kept", 0.0),
        }

    return truth


def largest_distance(model: Any, r: Rows) -> float:
    """Of a row from zero, in the smallest deviations of the components that have rows."""
    kind, (K, d) = model.covariance_type, model.means_.shape
    S = matrices(model.covariances_, kind, K, d).astype(float)
    unit = np.sqrt(np.diagonal(S, axis1=1, axis2=2))
    least = np.linalg.eigvalsh(S / (unit[:, :, None] * unit[:, None, :]))[:, 0]
    far = np.abs(r.X).max(axis=0) / unit / np.sqrt(least)[:, None]
    return float(far[np.unique(model.predict(r.X))].max())


def bayesian_lies(model: Any, r: Rows, seed: int) -> Iterator[tuple[str, Any]]:
    rng, spread = np.random.default_rng(seed), np.asarray(r.X, dtype=float).std(axis=0)
    names = ("weights_", "covariances_", "precisions_", "precisions_cholesky_", "weight_concentration_",
             "mean_precision_", "degrees_of_freedom_", "covariance_prior_")  # fmt: skip
    units = {name: np.asarray(getattr(model, name), dtype=float) for name in names}
    yield from nudged(model, {**units, "means_": spread, "mean_prior_": spread, "lower_bound_": len(r.X)}, rng)
    yield "permuted means", altered(model, means_=model.means_[::-1])
    yield "not converged", altered(model, converged_=not model.converged_, study_kept=1.0)
    yield "n_iter_", altered(model, n_iter_=model.n_iter_ + 1, study_kept=1.0)
    yield "a bound that fell", altered(model, lower_bounds_=[model.lower_bound_ + 1, *model.lower_bounds_[1:]],
                                       study_kept=1.0)  # fmt: skip
    for settings in ({"max_iter": 2, "init_params": "random"}, {"mean_precision_prior": 3.0}):
        yield f"a fit with {settings}", altered(fitted(r, seed, r.w, **settings), mean_precision_prior=None)
    yield "other rows", fitted(r._replace(X=r.X[: len(r.X) * 3 // 4]), seed)
    near = 1e4 * float(np.finfo(r.X.dtype).eps) * largest_distance(model, r)
    for method in ("score_samples", "predict_proba"):
        for size in (1e-5, 1e-3, 1e-1):
            liar = answering(model, method, lambda a, s=size: a + s)
            yield f"{method} off by {size}", altered(liar, study_kept=float(size > near))
    yield "predict", altered(answering(model, "predict", lambda a: (a + 1) % 3), study_kept=1.0)


def bayesian(count: int, first: int = 0, bundled: bool = True) -> Study:
    study = Study()
    for seed in range(first, first + count):
        r = rows(seed, most=60)
        model = fitted(r, seed, r.w)
        label = f"{seed} {r.sort} {model.covariance_type}"
        study.add(label, model, (r.X, None, r.w), bayesian_truth(r), bayesian_lies(model, r, seed))
    for name, load in BUNDLED.items() if bundled else ():
        X = StandardScaler().fit_transform(load().data)
        for cls in (BayesianGaussianMixture, sklearn.mixture.BayesianGaussianMixture):
            model = cls(n_components=3, tol=1e-8, max_iter=5000, random_state=0).fit(X)
            study.add(f"{name} {cls.__module__}", model, (X,), lambda model: {}, ())
    return study


def sampler(count: int, first: int = 0) -> Study:
    """Weights moved by each size: refused where drawn frequencies differ by more than the limit says."""
    study = Study()
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        K, n = int(rng.integers(2, 6)), int(rng.integers(200, 20_000))
        chances = rng.dirichlet(np.ones(K) * 10.0 ** rng.uniform(-1, 1))
        model = MixtureSampler([norm(i) for i in range(K)], chances)
        labels = model.sample(n, random_state=seed)[1]

        def truth(one: Any, labels: Any = labels) -> dict[str, float]:
            found = np.bincount(labels, minlength=len(one.weights)).astype(L) / len(labels)
            weights = np.asarray(one.weights, dtype=L)
            off = abs(weights.sum() - 1)
            return {"frequencies": float(np.abs(found - weights).max()), "weights": float(off) if off > 1e-14 else 0.0}

        study.add(f"{seed}", model, (labels,), truth, sampler_lies(model, rng))
    return study


def sampler_lies(model: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    yield from nudged(model, {"weights": 1.0}, rng)
    i, j = rng.permutation(len(model.weights))[:2]
    for size in (1e-3, 1e-2, 1e-1, 0.5):
        moved = np.array(model.weights)
        step = size * moved[j]
        moved[i], moved[j] = moved[i] + step, moved[j] - step
        yield f"weight moved by {size}", altered(model, weights=moved)
    yield "permuted", altered(model, weights=np.roll(model.weights, 1))


if __name__ == "__main__":
    main({"BayesianGaussianMixture": bayesian, "MixtureSampler": sampler}, 60)
