"""The checker of QuantileRegressor and LADRegressor: scikit-learn's fits, the dual of HiGHS, mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.linear_model import LinearRegression, QuantileRegressor

import surefit.linear_model
from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(5)
N, D = 160, 4
X = rng.normal(size=(N, D)) + 1.0
Y = X @ np.arange(D) + rng.standard_t(3, size=N)
W = rng.integers(0, 4, size=N).astype(float)


class LADRegressor(QuantileRegressor):
    """A model of that name without parameters of its own."""


def pinball(model: Any, X: Any, y: Any, w: Any = None) -> float:
    """scikit-learn's objective, as documented."""
    w = np.ones(len(y)) if w is None else w
    e = y - X @ model.coef_ - model.intercept_
    loss = np.where(e > 0, model.quantile * e, (model.quantile - 1) * e)
    return float(w @ loss / w.sum() + model.alpha * np.abs(model.coef_).sum())


def dual_of_highs(model: Any, X: Any, y: Any, w: Any) -> np.ndarray:
    """max yᵀδ, (q − 1)w ≤ δ ≤ q w, |Xᵀδ| ≤ αΣw, Σδ = 0, by SciPy."""
    limit = np.full(X.shape[1], model.alpha * w.sum())
    answer = linprog(
        -y,
        A_ub=np.vstack([X.T, -X.T]),
        b_ub=np.concatenate([limit, limit]),
        A_eq=np.ones((1, len(y))),
        b_eq=[0.0],
        bounds=np.column_stack([(model.quantile - 1) * w, model.quantile * w]),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert answer.status == 0
    return answer.x


GOOD: dict[str, tuple[QuantileRegressor, tuple[Any, ...]]] = {
    "median": (QuantileRegressor(alpha=0), (X, Y)),
    "median, weights": (QuantileRegressor(alpha=0), (X, Y, W)),
    "quantile 0.9": (QuantileRegressor(quantile=0.9, alpha=0), (X, Y, W)),
    "penalty": (QuantileRegressor(quantile=0.2, alpha=0.05), (X, Y, W)),
    "large penalty": (QuantileRegressor(alpha=10.0), (X, Y, W)),
    "no intercept": (QuantileRegressor(alpha=0.01, fit_intercept=False), (X, Y, W)),
    "no intercept, no penalty": (QuantileRegressor(alpha=0, fit_intercept=False), (X, Y)),
    "ties": (QuantileRegressor(quantile=0.3, alpha=0), (np.round(X), np.round(Y), W)),
    "duplicated columns": (QuantileRegressor(alpha=0), (np.hstack([X, X]), Y)),
    "wide": (QuantileRegressor(alpha=0.01), (X[:9].T.copy(), Y[:4])),
    "perfect fit": (QuantileRegressor(alpha=0), (X, X @ np.arange(D) + 2.0)),
    "constant target": (QuantileRegressor(alpha=0.1), (X, np.full(N, 3.0))),
    "offset of a million": (QuantileRegressor(alpha=0), (X + 1e6, Y)),
    "scales": (QuantileRegressor(alpha=0), (X * np.array([1e-3, 1.0, 1e3, 1e2]), Y * 1e3)),
    "single precision": (QuantileRegressor(alpha=0), (X.astype(np.float32), Y.astype(np.float32))),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts_and_states_the_objective(name: str) -> None:
    model, data = GOOD[name]
    model.fit(*data)
    c = certify(model, *data)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    truth = pinball(model, *data)
    assert c["optimal"].detail["objective"] == pytest.approx(truth, rel=1e-5, abs=1e-9)
    assert c["optimal"].detail["lower_bound"] <= truth * (1 + 1e-5) + 1e-9


@pytest.mark.parametrize("alpha", [0.0, 0.02, 5.0])
@pytest.mark.parametrize("quantile", [0.5, 0.85])
def test_accepts_the_dual_of_highs(alpha: float, quantile: float) -> None:
    model = QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, Y, W)
    model.dual_ = dual_of_highs(model, X, Y, W)
    c = certify(model, X, Y, W)
    assert c.holds and {"dual", "optimal", "predict"} == {claim.name for claim in c}, f"\n{c}"
    assert c["optimal"].detail["lower_bound"] == pytest.approx(Y @ model.dual_ / W.sum(), rel=1e-7)


def test_accepts_sparse_and_the_other_name() -> None:
    S = sp.random(N, 12, 0.3, format="csr", random_state=2)
    assert certify(QuantileRegressor(alpha=1e-3).fit(S, Y), S, Y).holds
    model = LADRegressor(alpha=0.0).fit(X, Y)
    assert certify(model, X, Y).model == "LADRegressor" and certify(model, X, Y).holds


def test_the_median_of_one_column_is_certified_by_hand() -> None:
    """Without columns that matter the median is the answer: 1, 2, 10 has the median 2 and the mean loss 9/6."""
    model = QuantileRegressor(alpha=0).fit(np.zeros((3, 1)), [1.0, 2.0, 10.0])
    claim = certify(model, np.zeros((3, 1)), np.array([1.0, 2.0, 10.0]))["optimal"]
    assert claim.detail["objective"] == pytest.approx(1.5) and claim.detail["lower_bound"] == pytest.approx(1.5)


MODEL = QuantileRegressor(quantile=0.6, alpha=0.02).fit(X, Y, W)
MODEL.dual_ = dual_of_highs(MODEL, X, Y, W)


@pytest.mark.parametrize(
    "change",
    [
        {"coef_": changed(MODEL.coef_, 1, 1e-3)},
        {"coef_": MODEL.coef_[::-1].copy()},
        {"coef_": np.zeros(D)},
        {"coef_": changed(MODEL.coef_, 0, np.nan)},
        {"coef_": MODEL.coef_[:2]},
        {"intercept_": MODEL.intercept_ + 1e-3},
        {"intercept_": None},
        {"alpha": 0.3},
        {"alpha": -1.0},
        {"alpha": "much"},
        {"quantile": 0.61},
        {"quantile": 1.0},
        {"fit_intercept": False},
        {"dual_": np.zeros(N)},
        {"dual_": -MODEL.dual_},
        {"dual_": MODEL.dual_[::-1].copy()},
        {"dual_": MODEL.dual_[:-1]},
        {"dual_": MODEL.dual_ * 1.001},
        {"dual_": changed(MODEL.dual_, 3, 1e-3)},
        {"dual_": changed(MODEL.dual_, 3, np.nan)},
        {"dual_": "text"},
    ],
)
def test_rejects_mutations(change: dict[str, Any]) -> None:
    assert certify(MODEL, X, Y, W).holds
    assert not certify(altered(MODEL, **change), X, Y, W).holds
    if "dual_" not in change:
        assert not certify(altered(MODEL, dual_=None, **change), X, Y, W).holds


def test_rejects_other_data_and_other_losses() -> None:
    model = altered(MODEL, dual_=None)
    assert not certify(model, X, Y).holds
    assert not certify(model, X[3:], Y[3:], W[3:]).holds
    assert not certify(model, X, Y + 1, W).holds
    means = LinearRegression().fit(X, Y)
    liar = altered(QuantileRegressor(alpha=0).fit(X, Y), coef_=means.coef_, intercept_=means.intercept_)
    assert failing(certify(liar, X, Y)) == {"optimal"}


def test_gap_of_a_worse_point_is_its_distance_to_the_best() -> None:
    """The constructed bound is a bound for any point: it never passes the best value known."""
    best = QuantileRegressor(alpha=0.02, quantile=0.6).fit(X, Y)
    for step in (1e-6, 1e-3, 0.1, 3.0):
        worse = altered(best, coef_=best.coef_ + step * rng.normal(size=D))
        claim = certify(worse, X, Y)["optimal"]
        assert claim.detail["objective"] - claim.detail["gap"] <= pinball(best, X, Y) * (1 + 1e-12)
        assert claim.value >= (pinball(worse, X, Y) / pinball(best, X, Y) - 1) * (1 - 1e-6)
        assert claim.holds == (claim.value <= 1e-6)
        if step > 1e-5:  # the better point is found: it is proved to be off
            assert claim.grade is Grade.NOT_OPTIMAL


def test_rounding_of_far_data_excuses_no_wrong_coefficients() -> None:
    """Coefficients 1.1 times as large: the sum of losses is far above the least, whatever the offsets."""
    far = (X + 3000).astype(np.float32), Y.astype(np.float32)
    near = X, 1.7e9 + 1e-3 * Y
    for A, y in (far, near):
        model = QuantileRegressor(alpha=0).fit(A, y)
        rounded = altered(model, coef_=model.coef_.astype(A.dtype), intercept_=A.dtype.type(model.intercept_))
        assert certify(rounded, A, y).holds
        assert certify(altered(rounded, coef_=rounded.coef_ * A.dtype.type(1.1)), A, y)["optimal"].grade is (
            Grade.NOT_OPTIMAL
        )


def test_coefficients_that_cancel_excuse_nothing() -> None:
    """A constant column and the intercept, each 1e13 and of opposite signs: their rounding is not that of the data."""
    A = np.column_stack([X, np.full(N, 4.0)])
    model = QuantileRegressor(alpha=0).fit(A, Y)
    worse = model.coef_ * 1.01
    worse[-1] += 2.0**44
    assert not certify(altered(model, coef_=worse, intercept_=model.intercept_ - 2.0**46), A, Y).holds


def test_accepts_constants_ties_and_more_columns_than_rows() -> None:
    constant = np.column_stack([X, np.full(N, 3.7)])
    assert certify(QuantileRegressor(alpha=0).fit(constant, Y), constant, Y).grade is Grade.OPTIMAL
    local = np.random.default_rng(1)
    A = local.normal(size=(5000, 2))
    y = np.where(local.random(5000) < 0.6, A @ [1.0, 2.0] + 1.0, local.normal(size=5000))
    exact = altered(QuantileRegressor(alpha=0).fit(A[:50], y[:50]), coef_=np.array([1.0, 2.0]), intercept_=1.0)
    assert certify(exact, A, y).grade is Grade.OPTIMAL  # 3000 residuals are zero: 60 % of the rows lie on the plane
    wide = local.normal(size=(20, 45))
    assert certify(QuantileRegressor(alpha=0).fit(wide, wide[:, 0]), wide, wide[:, 0]).holds


def test_single_precision_does_not_suit_columns_far_away() -> None:
    """Rows 10⁶ deviations from zero, coefficients in float32: what their rounding costs excuses a tenth at most."""
    local = np.random.default_rng(5)
    Z = local.normal(size=(200, 3))
    A, y = (Z + 1e6).astype(np.float32), Z @ [1.0, -2.0, 0.5] + 0.3 * local.standard_t(3, size=200)
    model = surefit.linear_model.LADRegressor().fit(A, y.astype(np.float32))
    c = certify(model, A, y.astype(np.float32))
    assert c["optimal"].excuse == 0.1 and c["optimal"].grade is Grade.BOUNDED, f"\n{c}"
