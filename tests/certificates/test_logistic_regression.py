"""The checker of LogisticRegression: scikit-learn's solvers, converged and not, separation, mutations, conjugates."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import entr, logsumexp
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression

import surefit
from surefit.certificates import Grade
from surefit.certificates.theorems.log_loss.log_loss import losses, probabilities, residuals
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(17)
N, D = 240, 4
X = rng.normal(size=(N, D)) * np.array([1.0, 3.0, 0.3, 1.0]) + 2.0
SCORES = (X - 2.0) @ rng.normal(size=(D, 3)) + rng.gumbel(size=(N, 3))
Y3 = SCORES.argmax(axis=1)
Y2 = (SCORES[:, 0] > SCORES[:, 1]).astype(int)
W = rng.integers(0, 4, size=N).astype(float)
TIGHT: dict[str, Any] = {"solver": "newton-cholesky", "tol": 1e-11, "max_iter": 1000}


def fit(model: LogisticRegression, *data: Any) -> LogisticRegression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*data)


def objective(model: Any, X: Any, y: Any, w: Any = None) -> float:
    """Σ ω log-loss + ‖w‖²/(2C), from SciPy's logsumexp."""
    w = np.ones(len(y)) if w is None else w
    Z = X @ model.coef_.T + model.intercept_
    Z = np.hstack([np.zeros_like(Z), Z]) if Z.shape[1] == 1 else Z
    return float(w @ (logsumexp(Z, axis=1) - Z[np.arange(len(y)), y]) + (model.coef_**2).sum() / (2 * model.C))


GOOD: dict[str, tuple[LogisticRegression, tuple[Any, ...]]] = {
    "binary": (LogisticRegression(**TIGHT), (X, Y2)),
    "binary, weights": (LogisticRegression(**TIGHT), (X, Y2, W)),
    "three classes": (LogisticRegression(**TIGHT), (X, Y3)),
    "three classes, weights": (LogisticRegression(**TIGHT), (X, Y3, W)),
    "no intercept": (LogisticRegression(fit_intercept=False, **TIGHT), (X, Y2, W)),
    "no intercept, three": (LogisticRegression(fit_intercept=False, **TIGHT), (X, Y3, W)),
    "weak penalty": (LogisticRegression(C=1e6, **TIGHT), (X, Y3, W)),
    "strong penalty": (LogisticRegression(C=1e-6, **TIGHT), (X, Y3, W)),
    "no penalty": (LogisticRegression(C=np.inf, **TIGHT), (X, Y2, W)),
    "no penalty, three": (LogisticRegression(C=np.inf, **TIGHT), (X, Y3, W)),
    "no penalty, no intercept": (LogisticRegression(C=np.inf, fit_intercept=False, **TIGHT), (X, Y3)),
    "no penalty, duplicated": (LogisticRegression(C=np.inf, tol=1e-9, max_iter=5000), (np.hstack([X, X]), Y3)),
    "lbfgs": (LogisticRegression(tol=1e-8, max_iter=5000), (X, Y3)),
    "newton-cg": (LogisticRegression(solver="newton-cg", tol=1e-8), (X, Y3)),
    "sag": (LogisticRegression(solver="sag", tol=1e-8, max_iter=20000, random_state=0), (X, Y2)),
    "liblinear": (LogisticRegression(solver="liblinear", tol=1e-9), (X, Y2)),
    "liblinear, scaling": (LogisticRegression(solver="liblinear", tol=1e-9, intercept_scaling=5.0), (X, Y2)),
    "liblinear, lasso": (LogisticRegression(solver="liblinear", tol=1e-10, l1_ratio=1.0, C=0.2), (X, Y2)),
    "saga, elastic net": (
        LogisticRegression(solver="saga", tol=1e-10, l1_ratio=0.5, C=0.2, max_iter=20000, random_state=0),
        (X, Y3),
    ),
    "saga, lasso": (
        LogisticRegression(solver="saga", tol=1e-12, l1_ratio=1.0, C=0.1, max_iter=20000, random_state=0),
        (X, Y3),
    ),
    "wide": (LogisticRegression(**TIGHT), (rng.normal(size=(12, 40)), np.arange(12) % 3)),
    "separable": (LogisticRegression(**TIGHT), (X, (X[:, 0] > 2).astype(int))),
    "constant column": (LogisticRegression(**TIGHT), (np.hstack([X, np.ones((N, 1))]), Y2)),
    "offset": (LogisticRegression(**TIGHT), (X + 1e3, Y2)),
    "single precision": (LogisticRegression(**TIGHT), (X.astype(np.float32), Y3)),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(fit(model, *data), *data)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    if not name.startswith(("liblinear", "saga", "single")):
        assert c["optimal"].detail["objective"] == pytest.approx(objective(model, *data), rel=1e-9)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}, {0: 0.2, 2: 5.0}])
def test_class_weights(class_weight: Any) -> None:
    model = LogisticRegression(class_weight=class_weight, **TIGHT).fit(X, Y3, W)
    assert certify(model, X, Y3, W).holds
    assert not certify(altered(model, class_weight=None), X, Y3, W).holds
    assert not certify(altered(model, class_weight="uniform"), X, Y3, W).holds


def test_text_labels_as_keys() -> None:
    names = np.array(["ash", "elm", "oak"])
    model = LogisticRegression(class_weight={"elm": 4.0}, **TIGHT).fit(X, names[Y3])
    assert certify(model, X, names[Y3]).holds
    assert not certify(altered(model, class_weight={"oak": 4.0}), X, names[Y3]).holds


def test_sparse_narrow_and_wide() -> None:
    """Beyond 1,500 coefficients the better point is found by conjugate gradients."""
    for columns in (30, 3000):
        S = sp.random(N, columns, 0.05, format="csr", random_state=2)
        model = fit(LogisticRegression(solver="newton-cg", tol=1e-9), S, Y3)
        c = certify(model, S, Y3)
        assert c.holds, f"\n{c}"
        assert not certify(altered(model, coef_=changed(model.coef_, (0, 0), 0.1)), S, Y3).holds


@pytest.mark.parametrize("y", [Y2, Y3], ids=["binary", "softmax"])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4, np.inf])
def test_the_bound_is_tight(y: Any, C: float) -> None:
    """The lower bound of a poor point is the least value, found by another solver."""
    best = LogisticRegression(C=C, **TIGHT).fit(X, y, W)
    poor = altered(best, coef_=best.coef_ + 0.05, intercept_=best.intercept_ - 0.1 * np.arange(best.intercept_.size))
    claim = certify(poor, X, y, W)["optimal"]
    assert not claim.holds
    assert claim.detail["lower_bound"] == pytest.approx(objective(best, X, y, W), rel=1e-8)
    assert claim.detail["objective"] == pytest.approx(objective(poor, X, y, W), rel=1e-12)


def test_a_default_that_stopped_far_away_is_rejected() -> None:
    """Breast cancer without scaling: the default stops a fifth above the least value, with a warning."""
    cancer, y = load_breast_cancer(return_X_y=True)
    model = fit(LogisticRegression(), cancer, y)
    claim = certify(model, cancer, y)["optimal"]
    assert not claim.holds and claim.grade is Grade.NOT_OPTIMAL and 0.1 < claim.value < 0.5
    best = fit(LogisticRegression(**TIGHT), cancer, y)
    truth = 1 - objective(best, cancer, y) / objective(model, cancer, y)
    assert claim.value == pytest.approx(truth, rel=1e-6)


def test_what_a_loose_tolerance_reaches_is_reported() -> None:
    """Each tolerance is certified for what it is: the gap falls with it, and the verdict turns."""
    values = [certify(fit(LogisticRegression(tol=t), X, Y3), X, Y3)["optimal"].value for t in (1e-1, 1e-3, 1e-7)]
    assert values[0] > values[1] > values[2] and values[0] > 1e-6 > values[2]


# --- no minimum -------------------------------------------------------------------------------------------------


IRIS, SPECIES = load_iris(return_X_y=True)


def test_an_unpenalised_fit_to_separated_classes_is_no_minimum() -> None:
    """Coefficients that separate are the ray that proves it; any others are on the wrong side of something."""
    model = fit(LogisticRegression(C=np.inf, max_iter=1000), IRIS[:100], SPECIES[:100])
    c = certify(model, IRIS[:100], SPECIES[:100])
    assert c.holds and c.grade is Grade.NO_SOLUTION and "optimal" not in c, f"\n{c}"
    for lie in (-model.coef_, 0 * model.coef_):
        c = certify(altered(model, coef_=lie), IRIS[:100], SPECIES[:100])
        assert not c.holds and c["sides"].grade is Grade.NOT_OPTIMAL, f"\n{c}"


@pytest.mark.parametrize("size", [0.5, 5.0, 20.0, 36.0, 40.0, 300.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_no_minimum_is_found_in_an_exponential_tail(size: float, intercept: bool) -> None:
    """Two rows, two classes: 2 log(1 + exp(−w)) has no minimum, and no lower bound above zero may be stated."""
    A, y = np.array([[-1.0], [1.0], [2.0]]), np.array([0, 1, 1])
    model = LogisticRegression(C=np.inf, fit_intercept=intercept)
    model.classes_, model.coef_, model.intercept_ = np.arange(2), np.array([[size]]), np.zeros(1)
    c = certify(model, A, y)
    assert "optimal" not in c and c.grade is Grade.NO_SOLUTION and not any("lower_bound" in q.detail for q in c)


@pytest.mark.parametrize("columns", ["with the intercept", "without"])
def test_a_separating_ray_proves_that_there_is_no_minimum(columns: str) -> None:
    """Setosa's petals are shorter than 2 cm, versicolor's longer: x₂ − 2.5 separates them (Fisher's data)."""
    A, y = (IRIS[:100], SPECIES[:100]) if columns == "with the intercept" else (IRIS[:100] - 2.5, SPECIES[:100])
    model = fit(LogisticRegression(C=np.inf, max_iter=50), A, y)
    ray = np.array([[0.0, 0.0, 1.0, 0.0, -2.5]]) if columns == "with the intercept" else np.array([[0.0, 0, 1, 0]])
    model.separation_ = ray
    c = certify(model, A, y)
    assert c.holds and c.grade is Grade.NO_SOLUTION and c["separated"].detail["rows_gaining"] == 100, f"\n{c}"
    for lie in (-ray, 0 * ray, ray[:, :2], ray * np.nan, np.vstack([ray, ray]), "text", ray + 3.0):
        assert not certify(altered(model, separation_=lie), A, y).holds
    for lie in (-model.coef_, 0 * model.coef_, model.coef_[:, ::-1]):
        assert not certify(altered(model, coef_=lie), A, y).holds


def test_a_ray_for_one_class_of_three() -> None:
    """Setosa against the rest: the other two keep up with each other exactly, and their part has a minimum."""
    model = fit(LogisticRegression(C=np.inf, tol=1e-9, max_iter=20000), IRIS, SPECIES)
    ray = np.zeros((3, 5))
    ray[0] = [0.0, 0.0, -1.0, 0.0, 2.5]
    model.separation_ = ray
    c = certify(model, IRIS, SPECIES)
    assert c.holds and c.grade is Grade.NO_SOLUTION, f"\n{c}"
    two = fit(LogisticRegression(C=np.inf, tol=1e-10, solver="newton-cg", max_iter=1000), IRIS[50:], SPECIES[50:] - 1)
    assert c["tied"].detail["objective"] == pytest.approx(objective(two, IRIS[50:], SPECIES[50:] - 1), rel=1e-6)
    worse = model.coef_ + np.array([[0.0], [0.1], [0.0]])
    assert "tied" in failing(certify(altered(model, coef_=worse), IRIS, SPECIES))
    assert not certify(altered(model, separation_=np.roll(ray, 1, axis=0)), IRIS, SPECIES).holds
    assert not certify(altered(model, separation_=np.ones((3, 5))), IRIS, SPECIES).holds


def test_a_ray_does_not_excuse_a_penalised_fit() -> None:
    model = fit(LogisticRegression(max_iter=1), IRIS[:100], SPECIES[:100])
    model.separation_ = np.array([[0.0, 0.0, 1.0, 0.0, -2.5]])
    assert {"optimal", "separation_"} <= failing(certify(model, IRIS[:100], SPECIES[:100]))


# --- mutations --------------------------------------------------------------------------------------------------


MODEL = LogisticRegression(C=0.7, **TIGHT).fit(X, Y3, W)
FREE = LogisticRegression(C=np.inf, **TIGHT).fit(X, Y2, W)


@pytest.mark.parametrize(
    "change",
    [
        {"coef_": changed(MODEL.coef_, (1, 1), 1e-2)},
        {"coef_": MODEL.coef_[::-1].copy()},
        {"coef_": -MODEL.coef_},
        {"coef_": np.zeros_like(MODEL.coef_)},
        {"coef_": changed(MODEL.coef_, (0, 0), np.nan)},
        {"coef_": MODEL.coef_[:, :2]},
        {"coef_": MODEL.coef_[:1]},
        {"coef_": MODEL.coef_ * 1e200},
        {"intercept_": MODEL.intercept_ + np.array([0.05, 0.0, 0.0])},
        {"intercept_": MODEL.intercept_[:2]},
        {"C": 0.8},
        {"C": np.inf},
        {"C": -1.0},
        {"C": "large"},
        {"l1_ratio": 0.5},
        {"l1_ratio": 2.0},
        {"penalty": None},
        {"fit_intercept": False},
        {"classes_": np.array([0, 1, 3])[::-1]},
        {"classes_": np.array([0, 1])},
        {"classes_": None},
    ],
)
def test_rejects_mutations(change: dict[str, Any]) -> None:
    assert certify(MODEL, X, Y3, W).holds
    assert not certify(altered(MODEL, **change), X, Y3, W).holds


@pytest.mark.parametrize("step", [1e-2, 0.3, 10.0])
def test_rejects_mutations_without_a_penalty(step: float) -> None:
    assert certify(FREE, X, Y2, W).holds
    assert not certify(altered(FREE, coef_=changed(FREE.coef_, (0, 1), step)), X, Y2, W).holds
    assert not certify(altered(FREE, intercept_=FREE.intercept_ + step), X, Y2, W).holds


def test_rejects_other_data() -> None:
    assert not certify(MODEL, X, Y3).holds
    assert not certify(MODEL, X[5:], Y3[5:], W[5:]).holds
    assert not certify(MODEL, X + 1, Y3, W).holds
    assert "not in classes_" in certify(MODEL, X, np.where(Y3 == 2, -1, Y3), W).failures[0].sentence


# --- the conjugates the proof rests on --------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 5])
def test_fenchel_young_for_the_log_loss(classes: int) -> None:
    """log Σ exp z + Σ q log q ≥ q·z for distributions q, with equality at the softmax."""
    Z = rng.normal(size=(500, classes)) * 10.0 ** rng.uniform(-2, 1.5, size=(500, 1))
    code = rng.integers(0, classes, size=500)
    q = rng.dirichlet(np.full(classes, 0.3), size=500)
    slack = logsumexp(Z, axis=1) - entr(q).sum(axis=1) - (q * Z).sum(axis=1)
    assert (slack >= -1e-12 * np.abs(Z).max()).all()
    p = np.maximum(residuals(probabilities(Z), code) + np.eye(classes)[code], 0.0)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(logsumexp(Z, axis=1) - entr(p).sum(axis=1) - (p * Z).sum(axis=1), 0.0, atol=1e-12)
    loss, error = losses(Z, code, np.zeros(500))
    truth = logsumexp(Z, axis=1) - Z[np.arange(500), code]
    assert (np.abs(loss - truth) <= error + 1e-14 * np.abs(Z).max(axis=1)).all()


def test_fenchel_young_for_the_elastic_net() -> None:
    """λ₁|w| + λ₂w²/2 + (|v| − λ₁)₊²/(2λ₂) ≥ vw, with equality at w = soft(v, λ₁)/λ₂."""
    lasso, ridge = 0.7, 0.3
    w, v = rng.normal(size=400) * 3, rng.normal(size=400) * 2
    rest = np.sign(v) * np.maximum(np.abs(v) - lasso, 0.0)
    slack = lasso * np.abs(w) + ridge * w**2 / 2 + rest**2 / (2 * ridge) - v * w
    assert (slack >= -1e-12).all()
    best = rest / ridge
    at_best = lasso * np.abs(best) + ridge * best**2 / 2 + rest**2 / (2 * ridge) - v * best
    np.testing.assert_allclose(at_best, 0.0, atol=1e-12)


def test_third_derivative_is_within_the_range_times_the_second() -> None:
    """|κ₃| ≤ (max − min) κ₂ for any distribution: what makes the log-loss self-concordant in this sense."""
    p = rng.dirichlet(np.full(6, 0.4), size=2000)
    a = rng.normal(size=(2000, 6))
    mean = (p * a).sum(axis=1, keepdims=True)
    second, third = (p * (a - mean) ** 2).sum(axis=1), (p * (a - mean) ** 3).sum(axis=1)
    assert (np.abs(third) <= (a.max(axis=1) - a.min(axis=1)) * second * (1 + 1e-12)).all()


# --- what a user reads into the verdict ---------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 30.0, 3000.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_offset_excuses_no_slope(offset: float, dtype: Any) -> None:
    """Slopes a tenth too steep, the intercept moved along: the loss is higher by some per mille."""
    shifted = (X + offset).astype(dtype)
    center = np.asarray(shifted.mean(axis=0), dtype=np.float64)
    best = LogisticRegression(C=np.inf, **TIGHT).fit(shifted.astype(np.float64) - center, Y2)
    steep = altered(best, coef_=(1.1 * best.coef_).astype(dtype))
    steep.intercept_ = (best.intercept_ - steep.coef_.astype(np.float64) @ center).astype(dtype)
    here = altered(steep, intercept_=steep.intercept_.astype(np.float64) + steep.coef_.astype(np.float64) @ center)
    truth = 1 - objective(best, shifted - center, Y2) / objective(here, shifted.astype(np.float64) - center, Y2)
    claim = certify(steep, shifted, Y2)["optimal"]
    assert not claim.holds and claim.grade is Grade.NOT_OPTIMAL and claim.value == pytest.approx(truth, rel=1e-2)


def test_sparse_coefficients() -> None:
    model = LogisticRegression(solver="liblinear", tol=1e-10, l1_ratio=1.0, C=0.2).fit(X, Y2).sparsify()
    assert certify(model, X, Y2).holds
    assert not certify(altered(model, coef_=2.0 * model.coef_), X, Y2).holds


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba", "decision_function"])
def test_a_subclass_that_answers_otherwise(method: str) -> None:
    class Other(LogisticRegression):
        pass

    setattr(Other, method, lambda self, rows: getattr(LogisticRegression, method)(self, rows)[::-1])
    model = Other(**TIGHT).fit(X, Y3, W)
    assert method in failing(certify(model, X, Y3, W))


def test_a_stated_gap_is_held_against_the_proved_one() -> None:
    worse = altered(MODEL, coef_=MODEL.coef_ * 1.01)
    gap = 1 - objective(MODEL, X, Y3, W) / objective(worse, X, Y3, W)
    assert "rel_gap" in failing(certify(altered(worse, rel_gap_=1e-9), X, Y3, W))
    assert "rel_gap" not in failing(certify(altered(worse, rel_gap_=1.001 * gap), X, Y3, W))
    assert certify(altered(MODEL, rel_gap_=1e-9), X, Y3, W).holds
    for lie in (-1.0, 3.0, np.inf):
        assert "rel_gap" in failing(certify(altered(MODEL, rel_gap_=lie), X, Y3, W))


def test_no_penalty_and_more_coefficients_than_a_hessian_takes() -> None:
    """40 classes and 40 columns without structure: a minimum, 1,640 coefficients, no Hessian of them."""
    A, y = rng.normal(size=(3000, 40)), rng.integers(0, 40, size=3000)
    model = LogisticRegression(C=np.inf, tol=1e-9, max_iter=500).fit(A, y)
    c = surefit.certify(model, A, y)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    claim = surefit.certify(altered(model, coef_=1.01 * model.coef_), A, y)["optimal"]
    assert claim.grade is Grade.NOT_OPTIMAL


def test_a_stated_gap_of_one_says_nothing_where_there_is_no_minimum() -> None:
    """No gap is above one; any smaller number says that there is a minimum next to these coefficients."""
    A, y = IRIS[:100], SPECIES[:100]
    model = fit(LogisticRegression(C=np.inf, max_iter=10_000), A, y)
    for stated, right in ((1.0, True), (1e-9, False)):
        c = certify(altered(model, rel_gap_=stated), A, y)
        assert c.holds is right and ("rel_gap" in failing(c)) is not right
        assert not right or c.grade is Grade.NO_SOLUTION


def test_classes_that_are_far_apart_under_a_weak_penalty() -> None:
    """Probabilities of the other class are below the smallest double, their logarithms are not."""
    A = np.concatenate([np.linspace(-900.0, -1.0, 40), np.linspace(1.0, 900.0, 40)])[:, None]
    y = np.repeat([0, 1], 40)
    model = fit(LogisticRegression(C=1e4, solver="newton-cholesky", tol=1e-10), A, y)
    assert np.exp(-abs(900.0 * model.coef_[0, 0])) == 0.0
    assert certify(model, A, y).holds, f"\n{certify(model, A, y)}"
