"""Ratios of squared distances are those of SciPy's distances."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.random_projection import GaussianRandomProjection as SklearnProjection

from surefit.plot import DistortionDisplay
from surefit.random_projection import GaussianRandomProjection

X = np.random.default_rng(0).normal(size=(30, 400))


@pytest.mark.parametrize("kind", [GaussianRandomProjection, SklearnProjection], ids=["surefit", "scikit-learn"])
@pytest.mark.parametrize("sparse", [False, True])
def test_all_pairs_of_few_rows(kind, sparse):
    rows = sp.csr_array(X) if sparse else X
    model = kind(100, eps=0.5, random_state=0).fit(rows)
    display = DistortionDisplay.from_estimator(model, rows)
    expected = (pdist(np.asarray(model.transform(X))) / pdist(X)) ** 2
    np.testing.assert_allclose(display.ratios, expected, rtol=1e-9)
    assert display.counts_.sum() == 30 * 29 / 2
    assert display.inside == np.mean(np.abs(expected - 1) <= 0.5)
    assert [line.get_xdata()[0] for line in display.limits_] == [0.5, 1.5]


def test_of_many_rows_pairs_are_drawn_and_none_is_a_row_with_itself():
    display = DistortionDisplay.from_estimator(GaussianRandomProjection(50, random_state=0).fit(X), X, pairs=100)
    assert display.ratios.size == 100


def test_a_projection_that_doubles_every_length():
    class Double:
        def transform(self, X):
            return 2 * X

    display = DistortionDisplay.from_estimator(Double(), X)
    np.testing.assert_allclose(display.ratios, 4.0)
    assert display.limits_ == []
    with pytest.raises(ValueError, match="eps is not known"):
        _ = display.inside


@pytest.mark.parametrize(("rows", "words"), [(np.ones((1, 3)), "two rows"), (np.ones((4, 3)), "all rows are equal")])
def test_rows_without_distances_are_refused(rows, words):
    model = GaussianRandomProjection(2, random_state=0).fit(np.eye(3))
    with pytest.raises(ValueError, match=words):
        DistortionDisplay.from_estimator(model, rows)
