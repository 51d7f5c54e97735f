"""The checker of RecursiveLeastSquares on fits, on stand-ins from long double, and on mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from surefit.certificates import Grade
from surefit.linear_model import Ridge
from surefit.linear_model.recursive_least_squares import RecursiveLeastSquares
from tests.certificates.bench import altered, certify, changed, failing
from tests.reference.ridge import long_ridge

rng = np.random.default_rng(3)
N, D = 200, 4
X = rng.normal(size=(N, D)) * [1.0, 30.0, 1e-3, 1.0] + 5.0
Y = X @ [1.0, 0.1, 200.0, -1.0] + rng.normal(size=N)
W = rng.integers(0, 4, N).astype(float)


def faded(w: np.ndarray, fading: float) -> np.ndarray:
    """By repetition: a row of weight two is that row given twice."""
    count = w.astype(int)
    after = np.cumsum(count[::-1])[::-1] - count
    return np.array([sum(fading ** (a + i) for i in range(c)) for a, c in zip(after, count, strict=True)])


class StandIn(RecursiveLeastSquares):
    """Coefficients from long double, so that the checker is tested without a solver."""

    def exactly(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> StandIn:
        self.fit(X[:3], y[:3])
        alpha = self.alpha * self.forgetting ** w.sum()
        coef, b, P = long_ridge(X, y.reshape(len(y), -1), faded(w, self.forgetting), alpha, self.fit_intercept)
        self.coef_, self.intercept_ = coef[0].astype(float), float(b[0])
        self.__dict__["covariance_"], self.n_samples_seen_ = P.astype(float), len(X)
        return self


CASES = [(1.0, 1.0), (1e-3, 0.97), (100.0, 0.9), (1.0, 0.5)]


@pytest.mark.parametrize(("alpha", "forgetting"), CASES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weights", [None, W], ids=["", "weights"])
def test_accepts_what_long_double_gives_and_the_fit(
    alpha: float, forgetting: float, intercept: bool, weights: Any
) -> None:
    settings = {"alpha": alpha, "forgetting": forgetting, "fit_intercept": intercept}
    exact = StandIn(**settings).exactly(X, Y, np.ones(N) if weights is None else weights)
    c = certify(exact, X, Y, weights)
    assert c.holds and c.grade is not Grade.UNPROVED, f"\n{c}"
    model = RecursiveLeastSquares(**settings).fit(X, Y, weights)
    model.covariance_  # noqa: B018  computed when it is first asked for
    c = certify(model, X, Y, weights)
    assert c.holds and not c.not_checked, f"\n{c}"
    assert c["covariance"].value is not None and c["covariance"].value < 1e-6


@pytest.mark.parametrize("size", [1e-8, 1e-5, 1e-2])
@pytest.mark.parametrize("forgetting", [1.0, 0.95])
def test_printed_gap_bounds_the_true_one(size: float, forgetting: float) -> None:
    model = StandIn(alpha=0.5, forgetting=forgetting).exactly(X, Y, W)
    omega, alpha = faded(W, forgetting).astype(np.longdouble), 0.5 * forgetting ** W.sum()

    def value(coef: np.ndarray, b: float) -> Any:
        r = Y - X.astype(np.longdouble) @ coef.astype(np.longdouble) - b
        return (omega * r * r).sum() + alpha * (coef.astype(np.longdouble) ** 2).sum()

    coef, b, _ = long_ridge(X, Y[:, None], omega, alpha, True)
    least = value(coef[0], b[0])
    liar = altered(model, coef_=model.coef_ * (1 + size * np.array([1, -1, 1, -1.0])))
    true, claim = float((value(liar.coef_, liar.intercept_) - least) / least), certify(liar, X, Y, W)["optimal"]
    assert claim.value is not None and claim.value >= true * (1 - 1e-9)
    assert not (claim.holds and true > 1e-6 + claim.excuse)


MODEL = StandIn(alpha=2.0, forgetting=0.98).exactly(X, Y, np.ones(N))


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"coef_": changed(MODEL.coef_, 0, 1e-2)}, "optimal"),
        ({"coef_": MODEL.coef_[::-1].copy()}, "optimal"),
        ({"coef_": changed(MODEL.coef_, 0, np.nan)}, "attributes"),
        ({"intercept_": MODEL.intercept_ + 0.01}, "optimal"),
        ({"alpha": 4000.0}, "optimal"),
        ({"forgetting": 0.97}, "optimal"),
        ({"forgetting": 1.0}, "optimal"),
        ({"forgetting": 0.0}, "attributes"),
        ({"forgetting": "some"}, "attributes"),
        ({"n_samples_seen_": N + 1}, "seen"),
        ({"n_samples_seen_": None}, "seen"),
        ({"covariance_": MODEL.covariance_ * 1.001}, "covariance"),
        ({"covariance_": MODEL.covariance_[::-1].copy()}, "covariance"),
        ({"covariance_": np.eye(D)}, "covariance"),
        ({"covariance_": MODEL.covariance_[:2]}, "covariance"),
        ({"covariance_": np.full((D, D), np.nan)}, "covariance"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X, Y).holds
    assert fails in failing(certify(altered(MODEL, **change), X, Y))


def test_rejects_other_rows_and_another_order() -> None:
    assert not certify(MODEL, X[3:], Y[3:]).holds
    assert not certify(MODEL, X[::-1], Y[::-1]).holds
    assert not certify(MODEL, X, Y, W).holds


def test_ridge_is_not_forgetting() -> None:
    batch = Ridge(2.0).fit(X, Y)
    assert not certify(altered(MODEL, coef_=batch.coef_, intercept_=batch.intercept_), X, Y).holds
