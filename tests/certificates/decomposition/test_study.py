"""A slice of the attacks on IncrementalPCA (`python -m tests.certificates.decomposition.study` runs the whole)."""

from __future__ import annotations

import numpy as np

from tests.certificates.decomposition.study import incremental_pca
from tests.reference.principal_variances import principal_variances


def test_lies_are_refused_and_numbers_bound_the_truth():
    found = incremental_pca(10, bundled=False)
    assert not found.faults, "\n".join(found.faults)
    assert found.counts["accepted"] == found.counts["fits"] == 10
    assert found.counts["lies"] - found.counts["as good"] > 200


def test_the_reference_agrees_with_numpy():
    X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 10.0, 0.1]
    mean, columns, values = principal_variances(X)
    np.testing.assert_allclose(mean.astype(float), X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(columns.astype(float), X.var(axis=0), rtol=1e-12)
    np.testing.assert_allclose(values.astype(float), np.linalg.eigvalsh(np.cov(X.T))[::-1], rtol=1e-9)
