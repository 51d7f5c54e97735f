"""Attacks on the checkers of EM, CAVI and MonteCarloEM: `python -m tests.certificates.variational.study`.

What these checkers say is about numbers that the user's own functions give: the truth is exact arithmetic with those
numbers, which are asked for again here.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import logsumexp

from surefit.variational import CAVI, EM, MonteCarloEM
from surefit.variational.models import LinearRegressionModel, MixtureModel, NormalModel
from tests.certificates.attack import SIZES, Study, main
from tests.certificates.bench import altered


class TwoNormals:
    """Two normal components of variance one in a column, with weights: θ = (π, m₁, m₂); with F(g, θ)."""

    def start(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.array([0.5, *np.quantile(X, [0.2, 0.9])])

    def log_joint_rows(self, X: np.ndarray, theta: Any) -> np.ndarray:
        logs = np.log([theta[0], 1 - theta[0]])
        return logs - (X[:, None] - np.asarray(theta[1:])) ** 2 / 2 - np.log(2 * np.pi) / 2

    def expect(self, X: np.ndarray, theta: Any) -> np.ndarray:
        joint = self.log_joint_rows(X, theta)
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def maximize(self, X: np.ndarray, R: np.ndarray) -> np.ndarray:
        N = R.sum(axis=0)
        return np.array([N[0] / len(X), *(R.T @ X / N)])

    def log_likelihood(self, X: np.ndarray, theta: Any) -> float:
        return float(logsumexp(self.log_joint_rows(X, theta), axis=1).sum())

    def bound(self, X: np.ndarray, R: np.ndarray, theta: Any) -> float:
        entropy = -(R * np.log(np.where(R > 0, R, 1.0))).sum()
        return float((R * self.log_joint_rows(X, theta)).sum() + entropy)


class Sampled(TwoNormals):
    """The same with drawn labels."""

    def sample(self, X: np.ndarray, theta: Any, n_draws: int, rng: np.random.Generator) -> np.ndarray:
        return rng.random((n_draws, len(X))) < self.expect(X, theta)[:, 0]

    def maximize(self, X: np.ndarray, draws: np.ndarray) -> np.ndarray:
        share = draws.mean(axis=0)
        return super().maximize(X, np.column_stack([share, 1 - share]))

    def log_joint(self, X: np.ndarray, draws: np.ndarray, theta: Any) -> np.ndarray:
        rows = self.log_joint_rows(X, theta)
        return np.where(draws, rows[:, 0], rows[:, 1]).sum(axis=1)


def column(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=40) + np.where(rng.random(40) < 0.4, 0.0, rng.uniform(2, 6))
    return x + (0.0, 30.0, 3000.0, 1e6)[seed % 4]


def share(a: float, b: float) -> float:
    """(a − b)/(1 + |b|), the size of it not above the exact one."""
    exact = (Fraction(a) - Fraction(b)) / (1 + abs(Fraction(b)))
    near = float(exact)
    return float(np.nextafter(near, 0.0)) if abs(Fraction(near)) > abs(exact) else near


def fallen(history: list[float], end: float) -> float:
    """The largest fall, as a share of 1 + the size before it."""
    if history[-1] != end:
        return np.inf
    return max(max(0.0, -share(after, before)) for before, after in pairwise(history))


def em_truth(X: np.ndarray) -> Any:
    def truth(em: Any) -> dict[str, float]:
        here = em.model.log_likelihood(X, em.parameters_)
        after = em.model.log_likelihood(X, em.model.maximize(X, em.model.expect(X, em.parameters_)))
        if not np.isfinite(here + after):
            return {"range": np.inf}
        return {
            "log_likelihood": abs(share(em.log_likelihood_, here)),
            "fixed_point": max(0.0, share(after, here)),
            "history": fallen(list(em.history_), em.log_likelihood_),
            "counts": abs(em.n_iter_ - (len(em.history_) - 1)) + getattr(em, "study_kept", 0.0),
        }

    return truth


def em_lies(em: Any, X: np.ndarray, seed: int) -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(seed)
    for size in SIZES:
        theta = np.array(em.parameters_)
        theta[int(rng.integers(3))] += size * 0.5
        yield f"parameters_ off by {size:g}", altered(em, parameters_=theta)
        value = em.log_likelihood_ * (1 - size)
        yield f"log_likelihood_ off by {size:g}", altered(em, log_likelihood_=value)
        yield f"with its history, by {size:g}", altered(em, log_likelihood_=value, history_=[*em.history_[:-1], value])
        pairs = [tuple(p) for p in em.free_energy_]
        lie = [(pairs[0][0] * (1 + size), pairs[0][1]), *pairs[1:]]
        yield f"free_energy_ off by {size:g}", altered(em, free_energy_=lie, study_kept=float(size > 1e-9))
    yield "n_iter_ by a tenth", altered(em, n_iter_=em.n_iter_ + 0.1)
    yield "converged_", altered(em, converged_=not em.converged_, study_kept=1.0)
    yield "converged_ in words", altered(em, converged_="yes", study_kept=1.0)
    yield "permuted", altered(em, parameters_=em.parameters_[[0, 2, 1]])
    yield "other rows", altered(EM(TwoNormals()).fit(X[:20]))
    yield "stopped", EM(TwoNormals(), max_iter=2).fit(X)


def em(count: int, first: int = 0) -> Study:
    study = Study()
    for seed in range(first, first + count):
        X = column(seed)
        model = EM(TwoNormals(), max_iter=3000).fit(X)
        study.add(f"{seed}", model, (X,), em_truth(X), em_lies(model, X, seed))
    return study


def cavi_case(seed: int) -> tuple[Any, np.ndarray]:
    x, rng = column(seed), np.random.default_rng(seed)
    if seed % 3 == 0:
        return NormalModel(m0=float(np.round(x.mean()))), x
    if seed % 3 == 1:
        design = rng.normal(size=(30, 3))
        return LinearRegressionModel(), np.column_stack([design, design @ [1.0, 2.0, 0.0] + rng.normal(size=30)])
    return MixtureModel(2), (x - x.mean())[:, None]


def cavi_truth(X: np.ndarray) -> Any:
    def truth(cavi: Any) -> dict[str, float]:
        model, factors = cavi.model, dict(cavi.factors_)
        if "labels" in factors and len(factors["labels"]) != len(X):
            return {"rows": np.inf}
        here = model.elbo(X, factors)
        for name in list(factors):
            factors[name] = model.update(name, X, factors)
        after = model.elbo(X, factors)
        if not np.isfinite(here + after):
            return {"range": np.inf}
        true = {
            "elbo": abs(share(cavi.elbo_, here)),
            "fixed_point": max(0.0, share(after, here)),
            "history": fallen(list(cavi.history_), cavi.elbo_),
            "counts": getattr(cavi, "study_kept", 0.0),
        }
        if hasattr(model, "log_evidence"):
            evidence = model.log_evidence(X)
            true["evidence"] = max(0.0, share(max(here, *cavi.history_), evidence))
        return true

    return truth


def cavi_lies(cavi: Any, X: np.ndarray, seed: int) -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(seed)
    for size in SIZES:
        name = list(cavi.factors_)[int(rng.integers(len(cavi.factors_)))]
        factor = cavi.factors_[name]
        fields = [np.asarray(a, dtype=float) * (1 + size) for a in (factor if isinstance(factor, tuple) else (factor,))]
        named = hasattr(factor, "_fields")
        moved = type(factor)(*fields) if named else tuple(fields) if isinstance(factor, tuple) else fields[0]
        yield f"factor {name} off by {size:g}", altered(cavi, factors_={**cavi.factors_, name: moved})
        value = cavi.elbo_ * (1 + size)
        yield f"elbo_ off by {size:g}", altered(cavi, elbo_=value)
        raised = cavi.elbo_ + size * abs(cavi.elbo_)
        yield f"with its history, by {size:g}", altered(cavi, elbo_=raised, history_=[*cavi.history_[:-1], raised])
    yield "n_iter_ by a tenth", altered(cavi, n_iter_=cavi.n_iter_ + 0.1, study_kept=1.0)
    yield "converged_", altered(cavi, converged_=not cavi.converged_, study_kept=1.0)
    yield "converged_ in words", altered(cavi, converged_="yes", study_kept=1.0)
    yield "other rows", CAVI(cavi.model, random_state=seed).fit(X[: len(X) // 2])


def cavi(count: int, first: int = 0) -> Study:
    study = Study()
    for seed in range(first, first + count):
        model, X = cavi_case(seed)
        fit = CAVI(model, random_state=seed).fit(X)
        study.add(f"{seed} {type(model).__name__}", fit, (X,), cavi_truth(X), cavi_lies(fit, X, seed))
    return study


def monte_carlo_truth(X: np.ndarray) -> Any:
    def truth(em: Any) -> dict[str, float]:
        """The expected gain of the exact step is known: Q(θ') − Q(θ) under the posterior."""
        model, theta = TwoNormals(), np.asarray(em.parameters_)
        R = model.expect(X, theta)
        there = model.maximize(X, R)
        gain = (R * (model.log_joint_rows(X, there) - model.log_joint_rows(X, theta))).sum()
        return {"next_gain": float(0.5 * gain) if gain > em.tol else 0.0, "history": getattr(em, "study_kept", 0.0)}

    return truth


def monte_carlo_lies(em: Any, X: np.ndarray, seed: int) -> Iterator[tuple[str, Any]]:
    for size in (1e-3, 1e-2, 1e-1, 1.0):
        yield f"parameters_ off by {size:g}", altered(em, parameters_=np.add(em.parameters_, [0, size, 0]))
    yield "permuted", altered(em, parameters_=np.asarray(em.parameters_)[[0, 2, 1]])
    yield "a step that gained nothing", altered(em, history_=[*em.history_, (-1e-9, 1.0)], study_kept=1.0)
    yield "other rows", MonteCarloEM(Sampled(), tol=0.02, random_state=seed).fit(X[:20])


def monte_carlo_em(count: int, first: int = 0) -> Study:
    study = Study()
    for seed in range(first, first + count):
        X = column(seed)
        fit = MonteCarloEM(Sampled(), tol=0.02, max_iter=200, random_state=seed).fit(X)
        # of converged fits one in twenty may gain more than tol, by the confidence asked for
        study.add(f"{seed}", fit, (X,), monte_carlo_truth(X), monte_carlo_lies(fit, X, seed), honest=False)
    return study


if __name__ == "__main__":
    main({"EM": em, "CAVI": cavi, "MonteCarloEM": monte_carlo_em}, 60)
