"""Rows whose squares leave floating point are refused in words, or measured in units of their own."""

from __future__ import annotations

import numpy as np
import pytest

from surefit._core.errors import InvalidData
from surefit.cluster import KMeans, MiniBatchKMeans
from surefit.mixture import BayesianGaussianMixture, GaussianMixture

MIXTURES = [
    GaussianMixture(2, random_state=0),
    GaussianMixture(2, covariance_type="diag", random_state=0),
    BayesianGaussianMixture(n_components=2, random_state=0),
]


def two_groups(dtype=np.float64):
    rng = np.random.default_rng(0)
    return (rng.normal(size=(100, 3)) + 8 * (np.arange(100) % 2)[:, None]).astype(dtype)


@pytest.mark.parametrize("model", MIXTURES, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 1e155), (np.float64, 1e200), (np.float32, 1e37)])
def test_mixtures_refuse_covariances_that_overflow(model, dtype, size):
    with pytest.raises(InvalidData, match="scale the columns"):
        model.fit(two_groups(dtype) * dtype(size))


@pytest.mark.parametrize("size", [2.0**660, 2.0**-660, 2.0**-1060])
def test_small_samples_find_the_centers_of_rows_of_any_size(size):
    rows = two_groups()
    plain = MiniBatchKMeans(2, batch_size=20, random_state=0).fit(rows)
    with np.errstate(over="ignore"):
        model = MiniBatchKMeans(2, batch_size=20, random_state=0).fit(rows * size)
        mates = KMeans(2, random_state=0).fit(rows * size)
    groups = np.arange(100) % 2
    assert len({*zip(model.labels_.tolist(), groups.tolist(), strict=True)}) == 2
    assert len({*zip(mates.labels_.tolist(), groups.tolist(), strict=True)}) == 2
    if size > 2.0**-1000:
        np.testing.assert_allclose(model.cluster_centers_ / size, plain.cluster_centers_, rtol=1e-9)
