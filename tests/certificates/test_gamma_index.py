"""The checker of GammaIndex, and of the number of neighbors chosen by leaving rows out; mutations they must refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier as Reference
from sklearn.neighbors import NearestNeighbors

from surefit.certificates import Grade
from surefit.neighbors import GammaIndex, KNeighborsClassifier, KNeighborsRegressor
from tests.certificates.bench import altered, certify, changed, failing
from tests.certificates.test_neighbors import lying

rng = np.random.default_rng(9)
X = rng.normal(size=(150, 3))
GRID = rng.integers(0, 9, (150, 2)).astype(float)

GOOD: dict[str, tuple[dict[str, Any], Any]] = {
    "defaults": ({}, X),
    "one neighbor, half outliers": ({"n_neighbors": 1, "contamination": 0.5}, X),
    "no outliers": ({"contamination": 1e-9}, X),
    "ties": ({}, GRID),
    "manhattan": ({"metric": "manhattan"}, X),
    "cosine": ({"metric": "cosine"}, X),
    "precomputed": ({"metric": "precomputed"}, pairwise_distances(X)),
    "single precision": ({}, X.astype(np.float32)),
    "offset of a million": ({}, X + 1e6),
    "single precision, offset": ({}, (X + 3000).astype(np.float32)),
    "mixed scales": ({}, X * [1e-3, 1.0, 1e3]),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    settings, data = GOOD[name]
    c = certify(GammaIndex(**settings).fit(data), data)
    assert c.holds and c.grade is Grade.EXACT and c.not_checked == (), f"\n{c}"


def test_scikit_learns_distances_are_accepted_as_gamma() -> None:
    """gamma_ from scikit-learn's search in place of ours."""
    mean = NearestNeighbors(n_neighbors=5).fit(X).kneighbors()[0].mean(axis=1)
    model = GammaIndex().fit(X)
    level = np.sort(mean)[-16]
    assert certify(altered(model, gamma_=mean, threshold_=float(level), offset_=-float(level)), X)["gamma"].holds


MODEL = GammaIndex().fit(X)
G, T = MODEL.gamma_, MODEL.threshold_


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"gamma_": G * (1 + 1e-9)}, "gamma"),
        ({"gamma_": changed(G, 7, 1e-9)}, "gamma"),
        ({"gamma_": G[::-1].copy()}, "gamma"),
        ({"gamma_": np.zeros(150)}, "gamma"),
        ({"gamma_": G[:-1]}, "attributes"),
        ({"gamma_": changed(G, 7, np.nan)}, "attributes"),
        ({"threshold_": T * (1 + 1e-9), "offset_": -T * (1 + 1e-9)}, "threshold"),
        ({"threshold_": float(np.sort(G)[-15])}, "threshold"),
        ({"offset_": T}, "threshold"),
        ({"n_neighbors": 6}, "gamma"),
        ({"n_neighbors": 150}, "attributes"),
        ({"contamination": 0.2}, "threshold"),
        ({"contamination": -1}, "attributes"),
        ({"metric": "manhattan"}, "attributes"),
        ({"X_fit_": X + 1e-9}, "attributes"),
        ({"n_samples_fit_": 7}, "attributes"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert fails in failing(certify(altered(MODEL, **change), X))


@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("score_samples", lambda s: s * (1 + 1e-9)),
        ("score_samples", lambda s: -s),
        ("decision_function", lambda s: s + 1e-6),
        ("predict", lambda y: -y),
        ("predict", np.ones_like),
        ("rank", lambda r: r + 1e-3),
        ("rank", lambda r: 1 - r),
    ],
)
def test_rejects_other_answers(method: str, change: Any) -> None:
    assert method in failing(certify(lying(MODEL, change, method), X))


def test_rejects_other_data() -> None:
    for other in (X[:-1], X[::-1], X * 1.01, np.where(np.arange(150)[:, None] == 3, X + 1, X)):
        assert not certify(MODEL, other).holds


# --- the number of neighbors ---------------------------------------------------------------------------------------

C = np.where(X[:, 0] + rng.normal(size=150) > 0, "yes", "no")
Y = X @ [1.0, 2.0, 0.0] + rng.normal(size=150)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("rows", [X, GRID, GRID / 10, X.astype(np.float32)], ids=["rows", "grid", "tenths", "single"])
def test_left_out_scores_are_recomputed(rows: Any, weights: str) -> None:
    a = KNeighborsClassifier([1, 3, 8], weights=weights).fit(rows, C)
    b = KNeighborsRegressor([1, 3, 8], weights=weights).fit(rows, Y)
    for model, y in ((a, C), (b, Y)):
        c = certify(model, rows, y)
        assert c.holds and c.not_checked == (), f"\n{c}"


def test_scores_are_those_of_scikit_learn() -> None:
    """Each row left out, by scikit-learn's classifier on all others."""
    keep = ~np.eye(150, dtype=bool)
    right = [Reference(3).fit(X[k], C[k]).predict(X[i : i + 1])[0] == C[i] for i, k in enumerate(keep)]
    model = KNeighborsClassifier([3]).fit(X, C)
    assert certify(altered(model, cv_scores_=np.array([np.mean(right)]), best_score_=np.mean(right)), X, C).holds


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_rejects_another_choice(kind: str) -> None:
    y = C if kind == "classes" else Y
    model = (KNeighborsClassifier if kind == "classes" else KNeighborsRegressor)([1, 3, 8]).fit(X, y)
    s, at = model.cv_scores_, int(np.argmax(model.cv_scores_))
    other = int(model.candidates_[(at + 1) % 3])
    for change in (
        {"cv_scores_": s * (1 + 1e-6), "best_score_": s.max() * (1 + 1e-6)},
        {"cv_scores_": changed(s, (at + 1) % 3, -1 / 150)},
        {"cv_scores_": s[::-1].copy()},
        {"cv_scores_": s[:-1]},
        {"best_score_": float(s.max()) + 1e-9},
        {"n_neighbors_": other},
        {"n_neighbors_": 5},
        {"candidates_": model.candidates_ + 1, "n_neighbors_": model.n_neighbors_ + 1},
        {"y_fit_": np.roll(np.asarray(model.y_fit_), 1)},
        {"outputs_2d_": True},
    ):
        assert not certify(altered(model, **change), X, y).holds, change
