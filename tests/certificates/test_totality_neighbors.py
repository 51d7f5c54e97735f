"""Neighbors and clusters from distances: whatever attributes, parameters and data hold, the checkers answer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

from surefit.certificates import Grade
from surefit.cluster import StepwiseAgglomeration
from surefit.neighbors import GammaIndex
from surefit.neighbors import KNeighborsRegressor as Chosen
from tests.certificates.bench import altered, certify
from tests.certificates.test_totality import learnt, wicked

rng = np.random.default_rng(2)
X = rng.normal(size=(40, 3))
C = np.where(X[:, 0] > 0, 1, 2)
Y = X @ [1.0, 2.0, 3.0]

MODELS: dict[str, tuple[Any, Any]] = {
    "NearestNeighbors": (NearestNeighbors(n_neighbors=3).fit(X), None),
    "KNeighborsClassifier": (KNeighborsClassifier(3).fit(X, C), C),
    "KNeighborsRegressor": (KNeighborsRegressor(3).fit(X, Y), Y),
    "KNeighborsRegressor, number chosen": (Chosen([1, 3]).fit(X, Y), Y),
    "GammaIndex": (GammaIndex(3).fit(X), None),
    "DBSCAN": (DBSCAN(0.9, min_samples=3).fit(X), None),
    "AgglomerativeClustering": (AgglomerativeClustering(compute_distances=True).fit(X), None),
    "StepwiseAgglomeration": (StepwiseAgglomeration(n_clusters=2).fit(X), None),
}
# None means absent for what scikit-learn's class has not, or has only when asked
OPTIONAL = {"n_clusters_", "X_fit_", "y_fit_", "distances_", "linkage_matrix_", "outputs_2d_"}
OPTIONAL |= {"n_neighbors_", "effective_metric_params_"}


@pytest.mark.parametrize("name", MODELS)
def test_every_attribute_may_lie(name: str) -> None:
    model, y = MODELS[name]
    honest = certify(model, X, y, rows=25)
    assert honest.holds, f"\n{honest}"
    accepted = []
    for attribute in learnt(model):
        value = getattr(model, attribute)
        like = value if isinstance(value, (np.ndarray, int, float)) else 1.0
        for i, lie in enumerate(wicked(like)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                c = certify(altered(model, **{attribute: lie}), X, y, rows=25)
            assert len(c) > 0 and all(claim.sentence for claim in c)
            assert c.holds == (c.grade not in (Grade.UNPROVED, Grade.NOT_OPTIMAL))
            assert c == type(c).from_json(c.to_json())
            if c.holds:
                accepted.append((attribute, i))
    # {}; equal labels; True is one
    honest_too = {("effective_metric_params_", 6), ("classes_", 22), ("classes_", 23), ("n_connected_components_", 12)}
    accepted = [pair for pair in accepted if pair not in honest_too]
    assert {a for a, _ in accepted} <= OPTIONAL and {i for _, i in accepted} <= {0}, accepted


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("data", ["nan", "inf", "huge", "zero", "one row", "other columns", "text"])
def test_any_data(name: str, data: str) -> None:
    other = {
        "nan": np.full_like(X, np.nan),
        "inf": np.full_like(X, np.inf),
        "huge": X * 1e300,
        "zero": np.zeros_like(X),
        "one row": X[:1],
        "other columns": np.hstack([X, X]),
        "text": np.full(X.shape, "a"),
    }[data]
    model, y = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        c = certify(model, other, None if y is None else y[: len(other)])
    assert not c.holds and c.failures[0].sentence


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "parameter",
    "metric p metric_params n_neighbors radius weights eps min_samples linkage cost connectivity n_clusters "
    "distance_threshold contamination gamma cv".split(),
)
def test_parameters_may_be_anything(name: str, parameter: str) -> None:
    model, y = MODELS[name]
    if not hasattr(model, parameter):
        return
    for lie in (None, np.nan, "text", [], {}, object(), -1, 1e308, [1.0, "a"]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert len(certify(altered(model, **{parameter: lie}), X, y)) > 0
