"""The checkers of votes and means within a radius, on scikit-learn's fits; mutations they must refuse."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import RadiusNeighborsClassifier, RadiusNeighborsRegressor

import surefit.neighbors
from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, failing

rng = np.random.default_rng(3)
X = rng.normal(size=(200, 3))
C = np.where(X[:, 0] + rng.normal(size=200) > 0, "yes", np.where(X[:, 1] > 0.5, "perhaps", "no"))
Y = X @ [1.0, 2.0, -1.0] + rng.normal(size=200)
GRID = rng.integers(0, 8, (200, 2)).astype(float)

GOOD: dict[str, tuple[dict[str, Any], Any]] = {
    "tree": ({}, X),
    "brute force": ({"algorithm": "brute"}, X),
    "ties on a grid": ({}, GRID),
    "inverse distances": ({"weights": "distance"}, X),
    "inverse distances on a grid": ({"weights": "distance"}, GRID),
    "a function": ({"weights": lambda d: (1 + d) ** -2}, X),
    "manhattan": ({"metric": "manhattan"}, X),
    "cosine": ({"metric": "cosine", "radius": 0.1}, X),
    "precomputed": ({"metric": "precomputed"}, pairwise_distances(X)),
    "tiny radius": ({"radius": 1e-9}, X),
    "radius of everything": ({"radius": 100.0}, X),
    "sparse": ({}, sp.csr_array(np.where(np.abs(X) < 0.5, 0, X))),
    "single precision": ({}, X.astype(np.float32)),
    "one row": ({}, X[:1]),
}


@pytest.mark.parametrize("module", [sklearn.neighbors, surefit.neighbors])
@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str, module: Any) -> None:
    settings, data = GOOD[name]
    n = data.shape[0]
    products = module is sklearn.neighbors and name in ("brute force", "sparse")  # which it forms distances from
    grade = Grade.BOUNDED if products else Grade.EXACT
    for label in (None, "most_frequent", "no", "far"):
        c = certify(module.RadiusNeighborsClassifier(**settings, outlier_label=label).fit(data, C[:n]), data, C[:n])
        assert c.holds and c.grade is grade and not c.not_checked, f"{label}\n{c}"
    c = certify(module.RadiusNeighborsRegressor(**settings).fit(data, Y[:n]), data, Y[:n])
    assert c.holds and c.grade is grade and not c.not_checked, f"\n{c}"


def lying(model: Any, method: str, change: Any) -> Any:
    """A copy whose method answers something else."""
    honest = getattr(model, method)
    liar = copy.copy(model)
    liar.__class__ = type(type(model).__name__, (type(model),), {method: lambda self, Q=None: change(honest(Q))})
    return liar


CLASSES = RadiusNeighborsClassifier(0.9, outlier_label="no").fit(X, C)
MEANS = RadiusNeighborsRegressor(0.9).fit(X, Y)


@pytest.mark.parametrize(
    ("method", "change", "fails"),
    [
        ("predict_proba", lambda p: p[:, ::-1], "predict_proba"),
        ("predict_proba", lambda p: p * (1 + 1e-10), "predict_proba"),
        ("predict_proba", lambda p: np.where(np.arange(len(p))[:, None] == len(p) - 1, 0.0, p), "predict_proba"),
        ("predict_proba", lambda p: p[:-1], "predict_proba"),
        ("predict", lambda p: np.roll(p, 1), "predict"),
        ("predict", lambda p: np.where(p == "no", "perhaps", p), "outliers"),
        ("predict", lambda p: None, "predict"),
        ("radius_neighbors", lambda p: (p[0], np.roll(p[1], 1)), "radius_neighbors"),
        ("radius_neighbors", lambda p: (p[0][:-1], p[1][:-1]), "radius_neighbors"),
    ],
)
def test_rejects_other_answers_of_the_classifier(method: str, change: Any, fails: str) -> None:
    assert certify(CLASSES, X, C).holds
    assert fails in failing(certify(lying(CLASSES, method, change), X, C))


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p * (1 + 1e-10),
        np.nan_to_num,
        lambda p: np.full_like(p, np.nan),
        lambda p: np.roll(p, 1),
        lambda p: p[:-1],
    ],
)
def test_rejects_other_means(change: Any) -> None:
    assert certify(MEANS, X, Y).holds
    assert failing(certify(lying(MEANS, "predict", change), X, Y)) == {"predict"}


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"radius": 0.8}, "predict_proba"),
        ({"radius": -1.0}, "attributes"),
        ({"radius": "far"}, "attributes"),
        ({"weights": "distance"}, "predict_proba"),
        ({"outlier_label": "yes"}, "attributes"),
        ({"outlier_label_": ["yes"]}, "attributes"),
        ({"outlier_label_": None}, "attributes"),
        ({"classes_": np.array(["a", "b", "c"])}, "attributes"),
        ({"n_samples_fit_": 199}, "attributes"),
        ({"metric": "manhattan"}, "attributes"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    liar = altered(CLASSES, **change)
    if "radius" in change and fails == "predict_proba":  # it answers as it did with the radius that it had
        for method in ("predict", "predict_proba", "radius_neighbors"):
            liar = lying_as(liar, CLASSES, method)
        fails = "radius_neighbors"
    if "weights" in change:
        for method in ("predict", "predict_proba"):
            liar = lying_as(liar, CLASSES, method)
    assert fails in failing(certify(liar, X, C))


def lying_as(model: Any, other: Any, method: str) -> Any:
    """A copy of the model that answers as the other does."""
    liar = copy.copy(model)
    liar.__class__ = type(
        type(model).__name__, (type(model),), {method: lambda self, Q=None: getattr(other, method)(Q)}
    )
    return liar


def test_rejects_other_data() -> None:
    for other in (X[::-1], X + 1e-3, X * 2):
        assert not certify(CLASSES, other, C).holds and not certify(MEANS, other, Y).holds
    assert not certify(MEANS, X, np.roll(Y, 1)).holds
    assert not certify(CLASSES, X, np.roll(C, 1)).holds


def test_outliers_of_whole_numbers() -> None:
    """A whole number is never NaN: scikit-learn answers the smallest one of all where no row is near."""
    whole = np.rint(Y).astype(int)
    c = certify(RadiusNeighborsRegressor().fit(X, whole), X, whole)
    assert failing(c) == {"predict"} and c.grade is Grade.NOT_OPTIMAL and "floating point" in c["predict"].sentence
    assert certify(RadiusNeighborsRegressor().fit(X, whole.astype(float)), X, whole.astype(float)).holds
    assert certify(surefit.neighbors.RadiusNeighborsRegressor().fit(X, whole), X, whole).holds
