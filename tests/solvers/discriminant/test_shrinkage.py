"""Shrunk covariances against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.covariance

from surefit.engine.sources.source import MemorySource
from surefit.solvers.discriminant.shrinkage import (
    Centers,
    FourthPowersStep,
    column_scales,
    ledoit_wolf,
    shrunk,
)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 5)) @ rng.normal(size=(5, 5)) + 3


def test_shrunk_is_scikit_learns(rows):
    C = np.cov(rows.T, bias=True)
    np.testing.assert_allclose(shrunk(C, 0.3), sklearn.covariance.shrunk_covariance(C, 0.3), rtol=1e-13)


def test_ledoit_wolf_is_scikit_learns_on_standardised_rows(rows):
    mean, C = rows.mean(axis=0), np.cov(rows.T, bias=True)
    scales = column_scales(C, mean)
    state = Centers(mean[None], scales[None], (mean, scales))
    found = MemorySource(rows, np.zeros(40)).fold(FourthPowersStep(), state)
    assert found.classes[0] == pytest.approx(found.total, rel=1e-13)
    Z = (rows - mean) / scales
    assert found.total == pytest.approx(float(((Z**2).sum(axis=1) ** 2).sum()), rel=1e-12)
    expected = sklearn.covariance.ledoit_wolf(Z, assume_centered=True)[0] * np.outer(scales, scales)
    np.testing.assert_allclose(ledoit_wolf(C, scales, found.total, 40.0), expected, rtol=1e-10)


def test_constant_columns_have_scale_one():
    C = np.diag([4.0, 0.0, 1e-40])
    assert column_scales(C, np.array([0.0, 3.7, 3.7])).tolist() == [2.0, 1.0, 1.0]
    assert ledoit_wolf(np.array([[2.0]]), np.ones(1), 1.0, 3.0).tolist() == [[2.0]]
