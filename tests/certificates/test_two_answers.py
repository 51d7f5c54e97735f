"""No data has two answers: what one certificate excludes, no other certificate proves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor

from tests.certificates.bench import altered, certify
from tests.certificates.test_separation import LinearProgramClassifier

rng = np.random.default_rng(53)
N = 60
X, Z = rng.normal(size=N), rng.normal(size=N)
Z = np.sign(Z) * (0.5 + np.abs(Z))
SIDE = (Z > 0).astype(int)

CLOSE = [1e-8, 1e-10, 1e-12, 1e-13, 5e-14, 2e-14, 1e-14]


@pytest.mark.parametrize("t", CLOSE)
def test_separable_or_not_but_never_both(t: float) -> None:
    """(x, x + tz) is separated by (−1, 1)/t with margins |z| ≥ ½, more than rounding."""
    A = np.column_stack([X, X + t * Z])
    alone = LinearProgramClassifier().fit(X[:, None], SIDE)
    assert not alone.separable_
    here = {"coef_": np.array([[-1.0, 1.0]]) / t, "intercept_": np.zeros(1)}
    plane = altered(alone, separable_=True, farkas_=None, **here)
    assert certify(plane, A, SIDE).holds
    wrong = altered(alone, coef_=np.array([[alone.coef_[0, 0], 0.0]]))
    certificate = certify(wrong, A, SIDE)
    assert not certificate.holds
    # what farkas_ proves of such columns is a share of the size of scores, and it is no smaller than the one there is
    margin = ((2.0 * SIDE - 1.0) * (A @ np.array([-1.0, 1.0]))).min()
    size = np.abs(A - A.mean(axis=0)).mean(axis=0).sum() + abs(A.mean(axis=0) @ np.array([-1.0, 1.0]))
    claim = certificate["farkas"]
    assert not claim.detail["exact"] and claim.value >= margin / size * (1 - 1e-6)


@pytest.mark.parametrize("t", CLOSE)
def test_the_least_sum_of_deviations_of_columns_that_nearly_agree(t: float) -> None:
    """Coefficients (−1, 1)/t leave a tenth of the deviations and lose at most a seventh of that gain in rounding."""
    y = Z + 0.1 * rng.normal(size=N)
    A = np.column_stack([X, X + t * Z])
    alone = QuantileRegressor(alpha=0.0).fit(X[:, None], y)
    wrong = altered(alone, coef_=np.array([alone.coef_[0], 0.0]), n_features_in_=2)
    here = np.abs(y - A @ wrong.coef_ - wrong.intercept_).mean()
    assert np.abs(y - A @ np.array([-1.0, 1.0]) / t).mean() + 1e-15 * np.abs(A).sum(axis=1).mean() / t < 0.5 * here
    assert not certify(wrong, A, y).holds


def test_rows_without_weight_prove_nothing() -> None:
    """0 and 1 against 1 + 10⁻¹¹ and 2 are separable; the row in between has no weight."""
    A = np.array([[0.0], [1.0], [1.0 + 1e-11], [2.0], [0.5]])
    y, w = np.array([0, 0, 1, 1, 1]), np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    model = altered(LinearProgramClassifier().fit(A, np.array([0, 1, 0, 1, 0])), separable_=False)
    small = 1e-11
    model.farkas_ = np.array([0.0, 0.5, 0.5 - small, 0.0, small])
    claim = certify(model, A, y, w)["farkas"]
    assert not claim.detail["exact"]
    # with a weight it is a proof: 1 lies between 0.5 and 1 + 10⁻¹¹
    assert certify(model, A, y, np.ones(5))["farkas"].detail["exact"]


def test_margins_below_the_smallest_number() -> None:
    """2.6 − 2.4 − 2.4 is negative, in units of 10⁻³²⁴ where the first product is rounded up and the others away."""
    A = np.array([[1.3e-162, 1.2e-162, 1.2e-162], [-1.3e-162, -1.2e-162, -1.2e-162]])
    y = np.array([1, 0])
    model = altered(
        LinearProgramClassifier(False).fit(np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]), y),
        coef_=np.array([[2e-162, -2e-162, -2e-162]]),
        margin_=None,
    )
    assert not certify(model, A, y).holds


@pytest.mark.parametrize("offset", [0.1, 1e3, 1e6, 1e12, 1e16])
def test_a_constant_column_excuses_no_intercept(offset: float) -> None:
    """The mean of a constant column is rounded; what is left of the column is rounding, and must not carry the rest."""
    local = np.random.default_rng(7)
    w, y = local.random(N), Z + 0.1 * local.normal(size=N)
    A = np.column_stack([X, np.full(N, offset)])
    model = QuantileRegressor(alpha=0.0).fit(X[:, None], y, w)
    model = altered(model, coef_=np.append(model.coef_, 0.0), n_features_in_=2)
    assert certify(model, A, y, w).holds
    for step in (10.0, -10.0, 0.5):
        assert not certify(altered(model, intercept_=model.intercept_ + step), A, y, w).holds
        carried = altered(model, coef_=np.append(model.coef_[0], step / offset))
        assert not certify(carried, A, y, w).holds


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e-300, 1e300])
def test_weights_in_any_unit(unit: float) -> None:
    """All weights alike change nothing: a wrong fit stays wrong where slopes times weights underflow."""
    y, w = X + Z + 0.1 * np.random.default_rng(7).normal(size=N), np.full(N, unit)
    median = QuantileRegressor(alpha=0.0).fit(X[:, None], y)
    labels = (X + Z > 0).astype(int)
    plane = LinearProgramClassifier().fit(X[:, None], labels)
    for model, target in ((median, y), (plane, labels)):
        assert certify(model, X[:, None], target, w).holds
        assert not certify(altered(model, coef_=model.coef_ * 1.01), X[:, None], target, w).holds
