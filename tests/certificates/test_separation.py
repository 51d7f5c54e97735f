"""The checkers of LinearProgramClassifier, BatchPerceptron and Perceptron, on plain implementations and SciPy's LP."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron
from sklearn.svm import SVC

from surefit.certificates import Grade
from surefit.certificates.search.linear.shortest_separator import shortest_separator
from tests.certificates.bench import altered, blocks, certify, changed, failing

rng = np.random.default_rng(29)
IRIS, SPECIES = load_iris(return_X_y=True)
APART = (IRIS[:100], SPECIES[:100])  # setosa and versicolor: separable
MIXED = (IRIS[50:], SPECIES[50:] - 1)  # versicolor and virginica: not


def signed(X: np.ndarray, y: np.ndarray, intercept: bool = True) -> np.ndarray:
    A = np.hstack([X, np.ones((len(X), 1))]) if intercept else X
    return (2.0 * y - 1.0)[:, None] * A


class Plane:
    """Answers of one hyperplane, as scikit-learn's linear classifiers give them."""

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        return (X @ self.coef_.T + self.intercept_)[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class LinearProgramClassifier(Plane):
    """min Σ ω s with y(x·w + b) ≥ 1 − s, s ≥ 0, by HiGHS; its dual, scaled, is Farkas' vector."""

    def __init__(self, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def fit(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None = None) -> LinearProgramClassifier:
        A, n = signed(X, y, self.fit_intercept), len(X)
        w = np.ones(n) if w is None else w
        d = A.shape[1]
        answer = linprog(
            np.concatenate([np.zeros(d), w]),
            A_ub=-np.hstack([A, np.eye(n)]),
            b_ub=-np.ones(n),
            bounds=[(None, None)] * d + [(0, None)] * n,
        )
        assert answer.status == 0
        theta = answer.x[:d]
        self.classes_ = np.array([0, 1])
        self.coef_ = theta[None, : X.shape[1]]
        self.intercept_ = np.array([theta[-1] if self.fit_intercept else 0.0])
        self.separable_ = bool(answer.fun < 1e-9)
        if self.separable_:
            self.margin_ = float((A @ theta)[w > 0].min() / np.linalg.norm(self.coef_))
        else:
            lam = -answer.ineqlin.marginals
            self.farkas_ = lam / lam.sum()
        return self


class BatchPerceptron(Plane):
    """Rosenblatt's rule on the first violated row, from zero."""

    fit_intercept = True

    def fit(self, X: np.ndarray, y: np.ndarray) -> BatchPerceptron:
        A = signed(X, y)
        theta, self.n_updates_ = np.zeros(A.shape[1]), 0
        while (bad := np.flatnonzero(A @ theta <= 0)).size:
            theta = theta + A[bad[0]]
            self.n_updates_ += 1
        self.classes_, self.separable_ = np.array([0, 1]), True
        self.coef_, self.intercept_ = theta[None, :-1], theta[-1:]
        self.bound_ = np.nan
        return self


LP = LinearProgramClassifier


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("data", [APART, MIXED], ids=["apart", "mixed"])
def test_accepts_both_answers(data: Any, intercept: bool) -> None:
    model = LP(intercept).fit(*data)
    c = certify(model, *data)
    assert c.holds, f"\n{c}"
    if model.separable_:
        assert c.grade is Grade.EXACT
        assert {claim.name for claim in c} == {"separates", "margin", "decision_function", "predict"}
    else:
        assert "farkas" in c and c["optimal"].grade is Grade.OPTIMAL


def test_accepts_weights_offsets_scales_and_sparse_rows() -> None:
    w = rng.integers(0, 3, size=100).astype(float)
    X, y = MIXED
    for A in (X, X + 1e5, X * np.array([1e-3, 1.0, 1e3, 10.0])):
        assert certify(LP().fit(A, y, w), A, y, w).holds
    S = sp.csr_array(np.where(X < 2.0, 0.0, X))
    assert certify(LP().fit(S.toarray(), y), S, y).holds


def test_farkas_of_four_points_is_proved_without_rounding() -> None:
    """Exclusive or: the two diagonals of a square cross in the middle, each end with weight ¼."""
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    model = LP().fit(X, y)
    model.farkas_ = np.full(4, 0.25)
    claim = certify(model, X, y)["farkas"]
    assert claim.holds and claim.grade is Grade.NO_SOLUTION and claim.detail["exact"]
    # a third of a point: not exact in binary, but weights next to these are
    thirds = np.array([[0.1], [0.3], [0.2]])
    model = LP().fit(thirds, np.array([0, 0, 1]))
    claim = certify(model, thirds, np.array([0, 0, 1]))["farkas"]
    assert claim.holds and claim.detail["exact"]


def test_points_that_only_seem_to_lie_on_a_line_are_separable() -> None:
    """0.1 + 0.2 is not 0.3 in binary: outside [0.1, 0.3] by one rounding, so no exact proof is claimed."""
    X, y = np.array([[0.1], [0.3], [0.1 + 0.2]]), np.array([0, 0, 1])
    model = LP().fit(np.array([[0.1], [0.3], [0.3]]), y)
    model.separable_, model.farkas_ = False, np.array([0.0, 0.5, 0.5])
    claim = certify(model, X, y)["farkas"]
    assert not claim.detail["exact"]


@pytest.mark.parametrize("seed", range(20))
def test_exact_proofs_of_overlapping_classes(seed: int) -> None:
    """Classes that overlap in a volume have an exact proof on a few of their rows, whatever rounding did to farkas_."""
    local = np.random.default_rng(seed)
    d = int(local.integers(1, 7))
    X = local.normal(size=(60, d)) * 10.0 ** local.uniform(-3, 3, size=d) + local.normal(size=d)
    y = local.integers(0, 2, size=60)
    claim = certify(LP().fit(X, y), X, y)["farkas"]
    assert claim.holds and claim.detail["exact"] and claim.grade is Grade.NO_SOLUTION


def test_no_exact_proof_of_what_is_false() -> None:
    """Weights that nearly balance separable points: the rational solution has a negative weight, or there is none."""
    X, y = APART
    model = altered(SEPARATED, separable_=False)
    for seed in range(10):
        local = np.random.default_rng(seed)
        few = np.zeros(100)
        few[local.choice(100, size=6, replace=False)] = 1 / 6
        for lam in (few, local.dirichlet(np.ones(100))):
            c = certify(altered(model, farkas_=lam), X, y)
            assert not c.holds and not c["farkas"].detail["exact"]


SEPARATED, CROSSED = LP().fit(*APART), LP().fit(*MIXED)


@pytest.mark.parametrize(
    "change",
    [
        {"coef_": -SEPARATED.coef_},
        {"coef_": np.zeros((1, 4))},
        {"coef_": changed(SEPARATED.coef_, (0, 2), 1e-2)},
        {"coef_": SEPARATED.coef_[:, :2]},
        {"coef_": changed(SEPARATED.coef_, (0, 0), np.nan)},
        {"intercept_": SEPARATED.intercept_ + 0.01},
        {"intercept_": SEPARATED.intercept_ - 30},
        {"margin_": SEPARATED.margin_ * 1.0001},
        {"farkas_": np.full(100, 0.01)},
        {"margin_": -SEPARATED.margin_},
        {"margin_": np.nan},
        {"separable_": False},
        {"separable_": "yes"},
        {"separable_": None},
        {"fit_intercept": False, "intercept_": np.array([1e-3])},
        {"classes_": np.array([1, 0])},
    ],
)
def test_rejects_mutations_of_a_separating_plane(change: dict[str, Any]) -> None:
    assert certify(SEPARATED, *APART).holds
    assert not certify(altered(SEPARATED, **change), *APART).holds


@pytest.mark.parametrize(
    "change",
    [
        {"farkas_": CROSSED.farkas_[::-1].copy()},
        {"farkas_": -CROSSED.farkas_},
        {"farkas_": np.zeros(100)},
        {"farkas_": np.full(100, 0.01)},
        {"farkas_": CROSSED.farkas_ * 2},
        {"farkas_": changed(CROSSED.farkas_, 0, 1e-6)},
        {"farkas_": changed(CROSSED.farkas_, 0, np.nan)},
        {"farkas_": CROSSED.farkas_[:-1]},
        {"farkas_": None},
        {"separable_": True},
        {"coef_": changed(CROSSED.coef_, (0, 0), 1e-3)},
        {"coef_": np.zeros((1, 4))},
        {"intercept_": CROSSED.intercept_ + 1e-3},
        {"margin_": 1.0},
    ],
)
def test_rejects_mutations_of_a_proof(change: dict[str, Any]) -> None:
    assert certify(CROSSED, *MIXED).holds
    assert not certify(altered(CROSSED, **change), *MIXED).holds


def test_the_least_sum_of_violations_is_that_of_highs() -> None:
    A = signed(*MIXED)
    theta = np.append(CROSSED.coef_[0], CROSSED.intercept_)
    claim = certify(CROSSED, *MIXED)["optimal"]
    assert claim.detail["objective"] == pytest.approx(np.maximum(0.0, 1.0 - A @ theta).mean(), rel=1e-9)
    assert claim.detail["lower_bound"] == pytest.approx(claim.detail["objective"], rel=1e-7)


# --- BatchPerceptron --------------------------------------------------------------------------------------------


BATCH = BatchPerceptron().fit(*APART)


def shortest() -> float:
    """B of Novikoff's theorem: the shortest (w, b) with all margins ≥ 1, from the nearest point of the convex hull."""
    A = signed(*APART)
    # the hull of ±A: its maximum-margin plane through the origin
    svm = SVC(kernel="linear", C=1e10, tol=1e-10).fit(np.vstack([A, -A]), np.repeat([1, 0], 100))
    theta = svm.coef_[0]
    return float(np.linalg.norm(theta) / (A @ theta).min())


def test_accepts_novikoffs_bound() -> None:
    c = certify(BATCH, *APART)
    assert c.holds and c["updates"].value == BATCH.n_updates_, f"\n{c}"
    R, B = np.linalg.norm(signed(*APART), axis=1).max(), shortest()
    low, high = c["updates"].detail["shortest"]
    assert low == pytest.approx(B, rel=1e-6) and high == pytest.approx(B, rel=1e-6) and low <= high
    assert certify(altered(BATCH, bound_=(R * B) ** 2), *APART)["bound"].holds
    for lie in (1.01, 0.99):
        assert failing(certify(altered(BATCH, bound_=lie * (R * B) ** 2), *APART)) == {"bound"}


@pytest.mark.parametrize("seed", range(12))
def test_the_interval_of_the_shortest_separator(seed: int) -> None:
    """Against the hard margin of scikit-learn's SVC on the mirrored rows."""
    local = np.random.default_rng(seed)
    X = local.normal(size=(30, 3)) * 10.0 ** local.uniform(-2, 2)
    side = X @ local.normal(size=3)
    keep = np.abs(side) > 0.3 * np.abs(side).mean()
    X, y = X[keep], (side[keep] > 0).astype(int)
    A = signed(X, y, intercept=False)
    svm = SVC(kernel="linear", C=1e12, tol=1e-12).fit(np.vstack([A, -A]), np.repeat([1, 0], len(A)))
    truth = np.linalg.norm(svm.coef_) / (A @ svm.coef_[0]).min()
    phi, (w, b) = shortest_separator(blocks(X, y), False, svm.coef_[0], 0.0)
    low, high = phi.sum() / np.linalg.norm(A.T @ phi), np.linalg.norm(w) / (A @ w).min()
    assert b == 0 and (phi >= 0).all()
    assert low * (1 - 1e-9) <= truth and low == pytest.approx(high, rel=1e-8) == pytest.approx(truth, rel=1e-4)


@pytest.mark.parametrize(
    "change",
    [
        {"n_updates_": 10**12},
        {"n_updates_": -1},
        {"n_updates_": 0.5},
        {"n_updates_": None},
        {"bound_": BATCH.n_updates_ / 2},
        {"bound_": 1e15},
        {"bound_": np.inf},
        {"bound_": "text"},
        {"coef_": -BATCH.coef_},
        {"coef_": np.zeros((1, 4))},
        {"intercept_": BATCH.intercept_ + 100},
        {"separable_": False},
        {"separable_": None},
    ],
)
def test_rejects_mutations_of_a_perceptron(change: dict[str, Any]) -> None:
    assert certify(BATCH, *APART).holds
    assert not certify(altered(BATCH, **change), *APART).holds


def test_a_perceptron_may_give_the_proof_that_it_cannot_stop() -> None:
    liar = altered(BATCH, separable_=False)
    assert not certify(liar, *MIXED).holds
    proof = {"separable_": False, "farkas_": CROSSED.farkas_, "margin_": None, "bound_": np.nan}
    honest = altered(BATCH, **proof, coef_=CROSSED.coef_, intercept_=CROSSED.intercept_)
    c = certify(honest, *MIXED)
    assert c.holds and c["updates"].grade is Grade.UNPROVED and "not checked" in c["updates"].sentence
    assert not certify(honest, *APART).holds
    for lie in ({"margin_": 1.0}, {"bound_": 100.0}):
        assert not certify(altered(honest, **lie), *MIXED).holds, lie
    # the proof says nothing about coefficients: these are held against the least sum of violations
    for coef in (-CROSSED.coef_, 1.01 * CROSSED.coef_, BATCH.coef_):
        assert certify(altered(honest, coef_=coef), *MIXED)["optimal"].grade is Grade.NOT_OPTIMAL


# --- Perceptron -------------------------------------------------------------------------------------------------


def wrong(model: Any, X: Any, y: Any) -> int:
    return int(np.count_nonzero(model.predict(X) != y))


@pytest.mark.parametrize("data", [APART, MIXED, (IRIS, SPECIES)], ids=["apart", "mixed", "three"])
def test_mistakes_are_recounted(data: Any) -> None:
    model = Perceptron(random_state=0, max_iter=2000, tol=None).fit(*data)
    c = certify(model, *data)
    assert c.holds and c[0].detail["wrong"] == wrong(model, *data), f"\n{c}"
    assert (c[0].name, c.grade) == (("separates", Grade.EXACT) if data is APART else ("mistakes", Grade.BOUNDED))
    model.n_mistakes_ = wrong(model, *data)
    assert certify(model, *data).holds
    for lie in (model.n_mistakes_ + 1, -1, np.nan, "none"):
        assert "n_mistakes" in failing(certify(altered(model, n_mistakes_=lie), *data))
    zero = altered(model, coef_=np.zeros_like(model.coef_), intercept_=np.zeros_like(model.intercept_))
    assert "mistakes" in failing(certify(zero, *data))
    negated = altered(model, coef_=-model.coef_, intercept_=-model.intercept_)
    assert certify(negated, *data)["mistakes"].grade is Grade.NOT_OPTIMAL


def test_the_margin_of_a_separating_perceptron() -> None:
    model = Perceptron(random_state=0).fit(*APART)
    truth = (signed(*APART) @ np.append(model.coef_[0], model.intercept_)).min() / np.linalg.norm(model.coef_)
    assert certify(model, *APART)["separates"].detail["margin"] == pytest.approx(truth, rel=1e-9)


def test_rejects_a_perceptron_worse_than_a_constant() -> None:
    model = Perceptron(random_state=0).fit(IRIS, SPECIES)
    for change in ({"coef_": -model.coef_}, {"coef_": model.coef_[::-1].copy()}, {"coef_": model.coef_[:2]}):
        assert not certify(altered(model, **change), IRIS, SPECIES).holds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        short = Perceptron(max_iter=1, shuffle=False).fit(*APART)
    assert certify(short, *APART)["mistakes"].detail["wrong"] == wrong(short, *APART)
