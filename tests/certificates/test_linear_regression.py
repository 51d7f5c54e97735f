"""The checker of LinearRegression on scikit-learn's fits, on NIST's reference problems, and on mutations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import lsqr
from sklearn.linear_model import LinearRegression

from surefit.certificates import CertificateError, Grade, check
from tests.certificates.bench import altered, blocks, certify, changed, failing

rng = np.random.default_rng(7)
N, D = 400, 6
X = rng.normal(size=(N, D)) @ np.diag([1, 2, 0.5, 1, 3, 1]) + 2.0
Y = X @ np.array([1.0, -2.0, 0.5, 0.0, 3.0, -1.0]) + 4.0 + rng.normal(size=N)
W = rng.random(N) * 3
Y3 = np.column_stack([Y, X[:, 0] - Y, rng.normal(size=N)])

NIST = Path(__file__).resolve().parents[2].parent / "shared" / "nist_linear.json"


def nist(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Design matrix, y, certified (intercept, coefficients), certified residual sum of squares."""
    if not NIST.exists():
        pytest.skip("NIST's linear reference problems (shared/nist_linear.json) are not next to the project")
    s = json.loads(NIST.read_text())["sets"][name]
    x, y = np.array(s["x"], dtype=float), np.array(s["y"], dtype=float)
    A = np.column_stack([x**p for p in range(1, s["degree_or_columns"] + 1)]) if s["model"] == "poly" else x
    return A, y, np.array(s["coef"], dtype=float), float(s["residual_ss"])


GOOD: dict[str, tuple[Any, ...]] = {
    "plain": (X, Y),
    "weights": (X, Y, W),
    "zero weights": (X, Y, np.where(np.arange(N) % 3 == 0, 0.0, W)),
    "three targets": (X, Y3, W),
    "one column of targets": (X, Y[:, None]),
    "single precision": (X.astype(np.float32), Y.astype(np.float32)),
    "noise-free": (X, X @ np.arange(6.0) - 1.0),
    "offset of a million": (X + 1e6, Y + 1e6),
    "duplicated columns": (np.hstack([X, X[:, :2]]), Y),
    "constant columns": (np.hstack([X, np.full((N, 1), 0.1), np.zeros((N, 1))]), Y, W),
    "wide": (X[:20].T.copy(), Y[:6]),
    "as many rows as columns": (X[:6], Y[:6]),
    "one row": (X[:1], Y[:1]),
    "constant target": (X, np.full(N, 0.3)),
    "zero target": (X, np.zeros(N)),
    "all columns constant": (np.ones((N, 3)), Y),
    "collinear": (np.hstack([X, X @ np.ones((6, 1))]), Y),
}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", GOOD)
def test_accepts_scikit_learn(name: str, intercept: bool) -> None:
    data = GOOD[name]
    # a condition number above 1e6 needs a smaller cut-off than scikit-learn's default
    tol = 1e-12 if "million" in name and not intercept else 1e-6
    model = LinearRegression(fit_intercept=intercept, tol=tol).fit(*data)
    c = certify(model, *data)
    assert c.holds, f"\n{c}"
    assert c.grade is (Grade.BOUNDED if name == "collinear" else Grade.OPTIMAL)
    rows = len(data[1]) <= 6  # as many independent columns: the residuals' squares against those of y
    assert c["optimal"].limit == (1e-12 if rows else 1e-6) and "predict" in c


@pytest.mark.parametrize("data", [(X, Y), (X, Y, W), (X, Y3), (np.hstack([X, X]), Y)])
def test_accepts_non_negative(data: tuple[Any, ...]) -> None:
    model = LinearRegression(positive=True).fit(*data)
    c = certify(model, *data)
    assert c.holds, f"\n{c}"
    assert "feasible" in c


def test_accepts_sparse() -> None:
    S = sp.random(N, 30, 0.2, format="csr", random_state=3)
    y = S @ rng.normal(size=30) + rng.normal(size=N)
    model = LinearRegression(tol=1e-12).fit(S, y)
    assert certify(model, S, y).grade is Grade.OPTIMAL
    assert not certify(altered(model, coef_=changed(model.coef_, 3, 1e-2)), S, y).holds


def test_gap_equals_the_closed_form() -> None:
    """f(w) − f* against lstsq on the plain design matrix."""
    model = LinearRegression().fit(X, Y)
    wrong = altered(model, coef_=model.coef_ + 0.1)
    A = np.column_stack([np.ones(N), X])
    best = np.linalg.lstsq(A, Y, rcond=None)[1][0]
    f = float(((Y - X @ wrong.coef_ - wrong.intercept_) ** 2).sum())
    claim = certify(wrong, X, Y)["optimal"]
    assert not claim.holds
    assert claim.detail["objective"] == pytest.approx(f, rel=1e-12)
    assert claim.detail["lower_bound"] == pytest.approx(best, rel=1e-9)


def test_condition_number_is_that_of_the_scaled_columns() -> None:
    A = X - X.mean(axis=0)
    claim = certify(LinearRegression().fit(X, Y), X, Y)["condition"]
    assert claim.value == pytest.approx(np.linalg.cond(A / np.linalg.norm(A, axis=0)), rel=1e-9)
    assert claim.informs


MODEL = LinearRegression().fit(X, Y)
MUTATIONS: dict[str, dict[str, Any]] = {
    "perturbed coefficient": {"coef_": changed(MODEL.coef_, 2, 1e-3)},
    "slightly perturbed": {"coef_": MODEL.coef_ * (1 + 1e-4)},
    "zero coefficient": {"coef_": MODEL.coef_ * (np.arange(D) != 4)},
    "all zero": {"coef_": np.zeros(D)},
    "permuted": {"coef_": MODEL.coef_[::-1].copy()},
    "flipped": {"coef_": -MODEL.coef_},
    "intercept moved": {"intercept_": MODEL.intercept_ + 1e-3},
    "intercept flipped": {"intercept_": -MODEL.intercept_},
    "NaN": {"coef_": changed(MODEL.coef_, 0, np.nan)},
    "infinite": {"intercept_": np.inf},
    "huge": {"coef_": MODEL.coef_ * 1e300},
    "one short": {"coef_": MODEL.coef_[:-1]},
    "wrong shape": {"coef_": MODEL.coef_[:, None]},
    "text": {"coef_": "abc"},
    "ragged": {"coef_": [[1.0], [1.0, 2.0]]},
    "no intercept": {"intercept_": None},
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_rejects_mutations(name: str) -> None:
    assert certify(MODEL, X, Y).holds
    c = certify(altered(MODEL, **MUTATIONS[name]), X, Y)
    assert not c.holds and c.grade in (Grade.UNPROVED, Grade.NOT_OPTIMAL)


def test_rejects_other_data() -> None:
    assert not certify(MODEL, X[:-5], Y[:-5]).holds
    assert not certify(MODEL, X, np.roll(Y, 1)).holds
    assert not certify(MODEL, X, Y, W).holds
    assert not certify(MODEL, X[:, ::-1], Y).holds
    assert certify(MODEL, X[::-1], Y[::-1]).holds


def test_rejects_an_intercept_that_was_not_asked_for() -> None:
    model = LinearRegression(fit_intercept=False).fit(X, Y)
    assert failing(certify(altered(model, intercept_=1.0), X, Y)) == {"attributes"}


def test_rejects_a_longer_minimiser() -> None:
    """Duplicated columns: moving weight between the twins keeps the fit and lengthens the coefficients."""
    A = np.hstack([X, X[:, :1]])
    model = LinearRegression().fit(A, Y)
    assert certify(model, A, Y)["minimum_norm"].holds
    moved = altered(model, coef_=changed(changed(model.coef_, 0, 0.5), 6, -0.5))
    assert failing(certify(moved, A, Y)) == {"minimum_norm"}


def test_rejects_broken_constraints() -> None:
    model = LinearRegression(positive=True).fit(X, Y)
    assert (model.coef_ == 0).any()
    free = LinearRegression().fit(X, Y)
    assert "feasible" in failing(certify(altered(model, coef_=free.coef_, intercept_=free.intercept_), X, Y))
    clipped = np.maximum(free.coef_, 0)
    centred = altered(model, coef_=clipped, intercept_=float(Y.mean() - X.mean(axis=0) @ clipped))
    assert "optimal" in failing(certify(centred, X, Y))
    assert not certify(altered(model, coef_=model.coef_ * 0.99), X, Y).holds


@pytest.mark.parametrize("name", ["Filip", "Longley", "Wampler1", "Wampler2", "Wampler3", "Wampler4", "Wampler5"])
def test_accepts_certified_values(name: str) -> None:
    A, y, certified, rss = nist(name)
    model = altered(LinearRegression(), coef_=certified[1:], intercept_=certified[0])
    c = certify(model, A, y)
    assert c.holds, f"\n{c}"
    assert c["optimal"].detail["lower_bound"] == pytest.approx(rss, rel=1e-7, abs=1e-15)


def test_rejects_truncated_rank_on_filip() -> None:
    """scikit-learn 1.9 drops singular values below 1e-6 by default; its fit is eight times above the least."""
    A, y, _, rss = nist("Filip")
    model = LinearRegression(tol=1e-6).fit(A, y)
    c = certify(model, A, y)
    assert failing(c) == {"optimal"} and c.grade is Grade.NOT_OPTIMAL
    assert c["optimal"].detail["objective"] > 5 * rss
    assert rss * (1 - 1e-3) <= c["optimal"].detail["lower_bound"] <= rss


def test_certified_digits_matter_on_filip() -> None:
    A, y, certified, _ = nist("Filip")
    rounded = np.array([float(f"{v:.9e}") for v in certified])
    assert not certify(altered(LinearRegression(), coef_=rounded[1:], intercept_=rounded[0]), A, y).holds


def worse(model: Any, X: np.ndarray, factor: float) -> Any:
    """Coefficients times a factor, with the intercept that goes with them, in their own precision."""
    coef = (model.coef_ * factor).astype(model.coef_.dtype)
    b = model.intercept_ - float((coef.astype(float) - model.coef_.astype(float)) @ X.astype(float).mean(axis=0))
    return altered(model, coef_=coef, intercept_=model.coef_.dtype.type(b))


def true_gap(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """f/min f − 1 in long double, by modified Gram-Schmidt on centered columns, twice."""
    A, r = X.astype(np.longdouble), y - X.astype(np.longdouble) @ model.coef_.astype(np.longdouble) - model.intercept_
    A, total = A - A.mean(axis=0), r @ r
    Q: list[np.ndarray] = [np.ones(len(r), dtype=np.longdouble) / np.sqrt(np.longdouble(len(r)))]
    for a in A.T:
        for q in Q + Q:
            a = a - (q @ a) * q
        Q.append(a / np.sqrt(a @ a))
    gap = sum((q @ r) ** 2 for q in Q)
    return float(gap / (total - gap))


@pytest.mark.parametrize("offset", [0.0, 30.0, 3000.0, 1e6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_bounds_the_truth(offset: float, dtype: Any) -> None:
    scale = np.array([1e-3, 1.0, 1e3, 1.0, 50.0, 1.0])
    A, y = ((X - 2.0 + offset) * scale).astype(dtype), (Y + offset).astype(dtype)
    model = LinearRegression(tol=1e-14).fit(A, y)
    for factor in (1.0, 1 + 1e-6, 1 + 1e-5, 1 + 1e-4, 1.001, 1.01, 1.1, 2.0):
        liar = worse(model, A, factor)
        truth, claim = true_gap(liar, A, y), certify(liar, A, y)["optimal"]
        assert claim.value >= truth * (1 - 1e-9)
        assert claim.holds == (claim.value <= claim.limit + claim.excuse)
        assert factor < 1.1 or claim.grade is Grade.NOT_OPTIMAL


def test_a_target_far_from_zero() -> None:
    """y = 1.7e9 ± 1e-3: the sum of squares is compared with the least one, not with y."""
    y = 1.7e9 + 1e-3 * Y
    model = LinearRegression().fit(X, y)
    assert certify(model, X, y).grade is Grade.OPTIMAL
    claim = certify(worse(model, X, 1.2), X, y)["optimal"]
    assert claim.grade is Grade.NOT_OPTIMAL and claim.value >= true_gap(worse(model, X, 1.2), X, y) > 0.1


def test_the_intercept_counts() -> None:
    """Moved by δ it adds n δ² to the sum of squares: exactly that is shown."""
    f = float(((Y - MODEL.predict(X)) ** 2).sum())
    for delta in (3e-5, 1e-2):
        claim = certify(altered(MODEL, intercept_=MODEL.intercept_ + delta), X, Y)["optimal"]
        assert claim.value == pytest.approx(N * delta**2 / f, rel=1e-4) and claim.holds == (delta < 1e-3)


def test_dummy_variables_are_dependent_without_rounding() -> None:
    groups = rng.integers(0, 4, size=N)
    A = np.hstack([np.eye(4)[groups], X])
    model = LinearRegression().fit(A, Y)
    c = certify(model, A, Y)
    assert c.holds and c.grade is Grade.OPTIMAL and c["minimum_norm"].holds, f"\n{c}"
    shifted = altered(model, coef_=model.coef_ + np.append(np.ones(4), np.zeros(D)), intercept_=model.intercept_ - 1)
    assert failing(certify(shifted, A, Y)) == {"minimum_norm"}


def test_nearly_dependent_columns_are_named() -> None:
    A = np.hstack([X, X @ np.ones((D, 1)) / 3.0])
    c = certify(LinearRegression().fit(A, Y), A, Y)
    assert c.holds and c.grade is Grade.BOUNDED and "columns 6 that move predictions" in c["optimal"].sentence


def test_rejects_a_subclass_that_predicts_something_else() -> None:
    class Mine(LinearRegression):
        def predict(self, X: Any) -> Any:
            return super().predict(X) + 1e-6

    assert failing(certify(Mine().fit(X, Y), X, Y)) == {"predict"}


def test_tol_decides() -> None:
    liar = worse(MODEL, X, 1.01)
    truth = true_gap(liar, X, Y)
    assert check(liar, blocks(X, Y), 1.01 * truth).holds and not check(liar, blocks(X, Y), 0.99 * truth).holds
    assert certify(liar, X, Y)["optimal"].sentence.endswith("fit again on these rows, with a smaller tol.")


def test_beyond_factors_steps_are_bounded() -> None:
    """More than 5000 columns: the claim is about coefficients within a stated distance."""
    n, d = 6000, 5100
    S = sp.csr_array((np.ones(2 * n), (np.repeat(np.arange(n), 2), np.arange(2 * n) * 7919 % d)), shape=(n, d))
    y = rng.normal(size=n)
    model = altered(LinearRegression(fit_intercept=False), coef_=lsqr(S, y, atol=1e-15, btol=1e-15)[0], intercept_=0.0)
    c = certify(model, S, y, rows=2000)
    assert c.holds and c.grade is Grade.BOUNDED and "spreads of y" in c["optimal"].sentence
    assert not certify(altered(model, coef_=model.coef_ * 1.01), S, y, rows=2000).holds


def test_not_fitted_and_no_target() -> None:
    with pytest.raises(CertificateError, match="not fitted"):
        certify(LinearRegression(), X, Y)
    with pytest.raises(CertificateError, match="needs y"):
        certify(MODEL, X)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_data_give_a_reason(bad: float) -> None:
    assert "NaN" in certify(MODEL, changed(X, (3, 2), bad), Y)[0].sentence
    assert "NaN" in certify(MODEL, X, changed(Y, 3, bad))[0].sentence
    assert "negative" in certify(MODEL, X, Y, -W)[0].sentence
    assert "zero" in certify(MODEL, X, Y, 0 * W)[0].sentence


@pytest.mark.parametrize("intercept", [True, False])
def test_targets_of_zero_are_fitted_by_zero(intercept: bool) -> None:
    model = LinearRegression(fit_intercept=intercept).fit(X, np.zeros(N))
    assert certify(model, X, np.zeros(N)).holds
    assert "optimal" in failing(certify(altered(model, coef_=np.full(D, 1e-3)), X, np.zeros(N)))
