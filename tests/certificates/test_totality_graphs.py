"""Checkers of graphs and embeddings are total: whatever attributes and parameters hold, they give a certificate."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.manifold import MDS, ClassicalMDS, Isomap, LocallyLinearEmbedding, SpectralEmbedding

from surefit.certificates.registry import KNOWN
from surefit.cluster import MinCut
from tests.certificates.bench import certify

pytestmark = pytest.mark.filterwarnings("ignore")
X = np.random.default_rng(0).normal(size=(20, 3))
MODELS = [
    ClassicalMDS(2),
    MDS(2, init="classical_mds"),
    SpectralClustering(2, random_state=0),
    SpectralEmbedding(2, n_neighbors=6),
    Isomap(n_neighbors=6),
    LocallyLinearEmbedding(n_neighbors=6, eigen_solver="dense"),
    MinCut(),
]
VALUES: list[Any] = [
    None,
    "abc",
    np.nan,
    np.inf,
    -1,
    10**400,
    [[1, 2], [3]],
    np.zeros((0, 0)),
    np.full((20, 2), np.nan),
    np.zeros((20, 2)),
    -np.ones((20, 20)),
    np.ones(20, int),
    object(),
    sp.csr_array((20, 20)),
    np.array(["a"] * 20),
    1j * np.ones((20, 2)),
    {},
    np.full((20, 20), 1e300),
    lambda a, b: np.nan,
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_whatever_an_attribute_holds(model: Any) -> None:
    model.fit(X)
    assert certify(model, X).holds
    fitted = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    for name in [name for name in vars(model) if not name.startswith("_")]:
        for value in VALUES:
            other = copy.copy(model)
            setattr(other, name, value)
            c = certify(other, X)
            assert c.claims
            if name in fitted and name not in (*c.not_checked, *KNOWN) and value is not None:
                assert not c.holds or name.startswith("n_"), f"{name} = {value!r}\n{c}"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_other_data(model: Any) -> None:
    model.fit(X)
    for data in (X[:10], X * np.nan, X[:, :1], X[:1], X * 1e200, X * 1e-200):
        assert not certify(model, data).holds
