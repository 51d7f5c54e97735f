"""The checker of LMSRegressor, on plain gradient descent and scikit-learn's stochastic descent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, SGDRegressor

from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, changed

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


class Stochastic(SGDRegressor):
    pass


Stochastic.__name__ = "LMSRegressor"


@pytest.mark.parametrize("weights", [None, W], ids=["", "weights"])
def test_the_distance_is_that_of_the_closed_form(weights: Any) -> None:
    best = LinearRegression().fit(X, Y, weights)
    w = np.ones(len(Y)) if weights is None else weights
    least = float(w @ (Y - best.predict(X)) ** 2)
    start = float(w @ Y**2) - least
    for steps in (5, 20, 100, 2000):
        model = LMSRegressor().fit(X, Y, weights, steps)
        f = float(w @ (Y - X @ model.coef_ - model.intercept_) ** 2)
        claim = certify(model, X, Y, weights)["optimal"]
        assert claim.value == pytest.approx((f - least) / (least + 1e-3 * start), rel=1e-6, abs=1e-12)
        assert claim.detail["lower_bound"] == pytest.approx(least, rel=1e-9)
        assert claim.holds == (claim.value <= 1e-6) == (steps == 2000 or claim.value < 1e-6)
        # the same coefficients, found row by row: the share of the start's excess that is left
        model.t_, model.n_iter_ = 300 * steps, steps
        claim = certify(model, X, Y, weights)["near_optimum"]
        assert claim.value == pytest.approx((f - least) / start, rel=1e-6, abs=1e-12)
        assert claim.holds == (claim.value <= 1e-2) and claim.grade is Grade.BOUNDED


def test_accepts_stochastic_descent_for_what_it_is() -> None:
    model = Stochastic(penalty=None, random_state=0).fit(X, Y)
    assert "near_optimum" in certify(model, X, Y) and certify(model, X, Y).holds
    assert not certify(altered(model, coef_=model.coef_ * 0.8), X, Y).holds


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
