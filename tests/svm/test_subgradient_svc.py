"""SubgradientSVC: the text's algorithm, its theorem, weights, sources and words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from surefit.svm.linear_svc import LinearSVC
from surefit.svm.subgradient_svc import SubgradientSVC
from tests.reference.linear_svm import subgradient_mean
from tests.solvers.hinge.data import rows


def test_one_step_is_zero():
    """The mean of θ₀ alone: no coefficients, f = 1."""
    X, sign, _ = rows()
    model = SubgradientSVC(max_iter=1).fit(X, sign)
    assert not model.coef_.any() and model.intercept_[0] == 0.0 and model.objective_ == 1.0


def test_two_steps():
    """θ₁ = mean of σ x̃ / λ, so the mean of θ₀ and θ₁ is half of that."""
    X, sign, weight = rows(50, 3)
    model = SubgradientSVC(lambda_=0.5, max_iter=2).fit(X, sign, weight)
    mean = (weight * sign) @ np.column_stack([X, np.ones(50)]) / weight.sum()
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), mean / 0.5 / 2, rtol=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_step_by_step(fit_intercept):
    X, sign, weight = rows()
    model = SubgradientSVC(lambda_=0.1, max_iter=40, fit_intercept=fit_intercept).fit(X, sign > 0, weight)
    mean, values = subgradient_mean(X, sign, weight, 0.1, 40, fit_intercept)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_)[: len(mean)], mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.history_, values, rtol=1e-9)


def test_comes_near_linear_svc():
    X, sign, _ = rows(seed=4)
    near = SubgradientSVC(lambda_=0.1, max_iter=5000).fit(X, sign)
    exact = LinearSVC(loss="hinge", C=1 / (0.1 * len(sign))).fit(X, sign)
    at_exact = 0.05 * (np.sum(exact.coef_**2) + exact.intercept_[0] ** 2)
    at_exact += np.maximum(0.0, 1.0 - sign * exact.decision_function(X)).mean()
    above = near.objective_ - at_exact
    assert 0 <= above <= near.rel_gap_ * near.objective_ + 1e-12
    assert above <= near.bound_ and near.rel_gap_ < 0.01


def test_weight_is_repetition_and_order_does_not_matter():
    X, sign, _ = rows(seed=5)
    w = np.random.default_rng(0).integers(0, 4, len(sign))
    times = np.repeat(np.arange(len(sign)), w)[::-1]
    weighted = SubgradientSVC(max_iter=200).fit(X, sign, w)
    repeated = SubgradientSVC(max_iter=200).fit(X[times], sign[times])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9, atol=1e-11)
    assert weighted.bound_ == pytest.approx(repeated.bound_, rel=1e-12)


def test_sources(tmp_path):
    X, sign, weight = rows(9000, 4)
    names = list("abcd")
    memory = SubgradientSVC(max_iter=20).fit(pd.DataFrame(X, columns=names), sign, weight)
    pd.DataFrame(X, columns=names).assign(label=sign, weight=weight).to_parquet(tmp_path / "rows.parquet")
    streamed = SubgradientSVC(max_iter=20).fit(tmp_path / "rows.parquet", "label", "weight")
    assert streamed.coef_.tobytes() == memory.coef_.tobytes()
    sparse = SubgradientSVC(max_iter=20).fit(sp.csr_array(X), sign, weight)
    np.testing.assert_allclose(sparse.coef_, memory.coef_, rtol=1e-10)


def test_two_classes_only():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        SubgradientSVC().fit(np.ones((3, 1)), [0, 1, 2])
