"""The checker of LMSRegressor, on plain gradient descent and scikit-learn's stochastic descent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, SGDRegressor

from surefit.certificates import Grade, check
from tests.certificates.bench import altered, blocks, certify, changed

rng = np.random.default_rng(31)
X = rng.normal(size=(300, 4))
Y = X @ np.arange(1.0, 5.0) + 2.0 + 0.5 * rng.normal(size=300)
W = rng.integers(0, 3, size=300).astype(float)


class LMSRegressor:
    """Widrow and Hoff's rule on all rows at once."""

    fit_intercept = True

    def fit(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None = None, steps: int = 2000) -> LMSRegressor:
        A, w = np.hstack([X, np.ones((len(X), 1))]), np.ones(len(y)) if w is None else w
        theta = np.zeros(A.shape[1])
        for _ in range(steps):
            theta += 0.3 / w.sum() * A.T @ (w * (y - A @ theta))
        self.coef_, self.intercept_ = theta[:-1], float(theta[-1])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_ + self.intercept_


class Stochastic(SGDRegressor):
    pass


Stochastic.__name__ = "LMSRegressor"


@pytest.mark.parametrize("weights", [None, W], ids=["", "weights"])
def test_the_distance_is_that_of_the_closed_form(weights: Any) -> None:
    best = LinearRegression().fit(X, Y, weights)
    w = np.ones(len(Y)) if weights is None else weights
    least = float(w @ (Y - best.predict(X)) ** 2)
    for steps in (5, 20, 30, 100, 2000):
        model = LMSRegressor().fit(X, Y, weights, steps)
        f = float(w @ (Y - X @ model.coef_ - model.intercept_) ** 2)
        claim = certify(model, X, Y, weights)["optimal"]
        assert claim.value == pytest.approx((f - least) / least, rel=1e-5, abs=1e-12)
        assert claim.holds == (claim.value <= 1e-6)
        assert claim.grade is (Grade.OPTIMAL if claim.holds else Grade.NOT_OPTIMAL)


def test_stochastic_descent_is_held_to_the_same_distance() -> None:
    """A fit row by row has not converged to 1e-6, and the certificate says how far it is; `tol` decides."""
    model = Stochastic(penalty=None, random_state=0).fit(X, Y)
    claim = certify(model, X, Y)["optimal"]
    assert claim.grade is Grade.NOT_OPTIMAL and 1e-6 < claim.value < 0.1
    assert check(model, blocks(X, Y), 2 * claim.value).holds
    assert not check(altered(model, coef_=model.coef_ * 0.8), blocks(X, Y), 2 * claim.value).holds


def test_accepts_data_without_noise() -> None:
    model = LMSRegressor().fit(X, X @ np.ones(4))
    assert certify(model, X, X @ np.ones(4)).grade is Grade.OPTIMAL


MODEL = LMSRegressor().fit(X, Y)


@pytest.mark.parametrize(
    "change",
    [
        {"coef_": np.zeros(4)},
        {"coef_": MODEL.coef_[::-1].copy()},
        {"coef_": -MODEL.coef_},
        {"coef_": MODEL.coef_[:2]},
        {"coef_": changed(MODEL.coef_, 0, np.nan)},
        {"coef_": changed(MODEL.coef_, 0, 1.0)},
        {"coef_": changed(MODEL.coef_, 0, 0.01)},
        {"coef_": MODEL.coef_ * 1e200},
        {"intercept_": MODEL.intercept_ + 0.01},
        {"intercept_": None},
    ],
)
def test_rejects_mutations(change: dict[str, Any]) -> None:
    assert certify(MODEL, X, Y).holds
    assert not certify(altered(MODEL, **change), X, Y).holds
