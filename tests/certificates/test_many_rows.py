"""Graphs and embeddings of many rows: by blocks of rows, a sample of the affinities, no factor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from surefit.certificates import Grade
from surefit.certificates.manifold import locally_linear_embedding, spectral_embedding
from surefit.certificates.theorems.distances import all_rows
from surefit.certificates.theorems.graphs import affinity
from surefit.cluster import MinCut, SpectralClustering
from surefit.manifold import LocallyLinearEmbedding, SpectralEmbedding
from tests.certificates.bench import altered, certify, failing

rng = np.random.default_rng(0)
GROUP = rng.choice(4, 400, p=[0.1, 0.2, 0.3, 0.4])  # components of different sizes
FAR = 30.0 * rng.normal(size=(4, 5))[GROUP] + rng.normal(size=(400, 5))
NEAR = 1.5 * rng.normal(size=(4, 5))[GROUP] + rng.normal(size=(400, 5))
NEAREST: dict[str, Any] = {"affinity": "nearest_neighbors", "n_neighbors": 8}


@pytest.mark.parametrize("X", [FAR, NEAR], ids=["pieces", "one"])
@pytest.mark.parametrize(
    "model",
    [
        SpectralClustering(4, random_state=0, **NEAREST),
        SpectralEmbedding(2, **NEAREST),
        LocallyLinearEmbedding(n_neighbors=12),
        MinCut(**NEAREST),
    ],
    ids=lambda model: type(model).__name__,
)
def test_blocks_and_samples(model: Any, X: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model.fit(X)
    whole = certify(model, X)
    monkeypatch.setattr(all_rows, "ENTRIES", 20000)
    monkeypatch.setattr(affinity, "ALL_ROWS", 100)
    monkeypatch.setattr(affinity, "SAMPLED", 80)
    for module in (spectral_embedding, locally_linear_embedding):
        monkeypatch.setattr(module, "MOST_ORDER", 300)
    c = certify(model, X)
    assert whole.holds and c.holds, f"\n{c}"
    assert [claim.name for claim in whole] == [claim.name for claim in c]
    if isinstance(model, (SpectralEmbedding, LocallyLinearEmbedding)):
        assert c["smallest"].grade is Grade.UNPROVED and whole["smallest"].grade is not Grade.UNPROVED
        for lie in (model.embedding_ * 1.001, model.embedding_[::-1].copy()):
            assert failing(certify(altered(model, embedding_=lie), X))
    else:
        assert failing(certify(altered(model, labels_=np.roll(model.labels_, 1)), X))
    if hasattr(model, "affinity_matrix_"):
        assert "80 of 400 rows" in c["affinity"].sentence
        for lie in (model.affinity_matrix_ * 0.9, model.affinity_matrix_[::-1][:, ::-1]):
            assert failing(certify(altered(model, affinity_matrix_=lie), X)) & {"affinity", "weights"}
