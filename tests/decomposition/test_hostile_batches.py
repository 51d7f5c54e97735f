"""Batches that nobody should give to partial_fit: a clear error, and the model stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.decomposition import IncrementalPCA

X = np.random.default_rng(0).normal(size=(50, 4))
BAD = {
    "other columns": (X[:, :3], "3 features, but IncrementalPCA is expecting 4"), "empty": (X[:0], "0 sample"),
    "no columns": (X[:, :0], "0 feature"), "1-d": (X[0], "2D array"), "NaN": (np.where(X > 1, np.nan, X), "NaN"),
    "infinite": (np.where(X > 1, np.inf, X), "infinity"), "words": (np.full((5, 4), "a"), "not numeric"),
    "complex": (X + 1j, "Complex data"), "1e200": (X * 1e200, "do not fit into float64"),
    "1e308": (np.sign(X) * 1e308, "do not fit into float64"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_batch_leaves_the_model_as_it_was(case):
    batch, says = BAD[case]
    model, mate = (IncrementalPCA(3).partial_fit(X) for _ in range(2))
    with pytest.raises(ValueError, match=says):
        model.partial_fit(batch)
    for one in (model, mate):
        one.partial_fit(X[:20])
    assert np.array_equal(model.components_, mate.components_)


@pytest.mark.parametrize("n", [1, 2])
def test_few_rows_are_a_batch_but_no_first_one(n):
    with pytest.raises(ValueError, match="must be less or equal to the batch number of samples"):
        IncrementalPCA(3).partial_fit(X[:n])
    model = IncrementalPCA(3).partial_fit(X).partial_fit(X[:n])
    assert np.isfinite(model.components_).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 1e160), (np.float32, 1e30)])
def test_variances_beyond_the_type_are_refused(dtype, size):
    with pytest.raises(ValueError, match=f"do not fit into {np.dtype(dtype).name}"):
        IncrementalPCA(3).fit((X * size).astype(dtype))
