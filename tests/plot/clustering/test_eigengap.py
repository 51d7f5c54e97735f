"""The eigengap display draws the numbers it was given."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from sklearn.datasets import make_blobs

from surefit.cluster import SpectralClustering
from surefit.plot import EigengapDisplay


def test_eigengap():
    X = make_blobs(90, centers=[[0, 0], [8, 0], [4, 7]], random_state=0)[0]
    model = SpectralClustering("eigengap", gamma=0.1).fit(X)
    display = EigengapDisplay.from_estimator(model, name="blobs")
    np.testing.assert_array_equal(display.line_.get_ydata(), model.eigenvalues_)
    np.testing.assert_array_equal(display.gap_.get_ydata(), model.eigenvalues_[2:4])
    assert display.ax_.get_title() == "blobs"


def test_no_gap_is_drawn_beyond_the_last_eigenvalue():
    assert not hasattr(EigengapDisplay(eigenvalues=[0.0, 0.1], n_clusters=2).plot(), "gap_")
    with pytest.raises(ValueError, match="at least n_clusters=3"):
        EigengapDisplay(eigenvalues=[0.0, 0.1], n_clusters=3)
