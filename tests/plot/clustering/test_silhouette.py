"""Silhouettes are those of scikit-learn, cluster by cluster; noise is left out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import silhouette_samples, silhouette_score

from surefit.cluster import KMeans
from surefit.mixture import GaussianMixture
from surefit.plot import SilhouetteDisplay

X = load_iris().data


@pytest.mark.parametrize("model", [KMeans(3, random_state=0), GaussianMixture(3, random_state=0)])
def test_the_blades_are_scikit_learns_silhouettes(model):
    labels = model.fit(X).predict(X)
    display = SilhouetteDisplay.from_estimator(model, X)
    np.testing.assert_allclose(display.silhouettes, silhouette_samples(X, labels))
    assert display.mean_line_.get_xdata()[0] == pytest.approx(silhouette_score(X, labels))
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == [
        f"{k} ({n})" for k, n in reversed(list(enumerate(np.bincount(labels))))
    ]
    assert len(display.blades_) == 3


def test_noise_is_left_out():
    labels = np.where(np.arange(150) % 10 == 0, -1, np.arange(150) // 50)
    display = SilhouetteDisplay.from_predictions(X, labels)
    np.testing.assert_allclose(display.silhouettes, silhouette_samples(X[labels >= 0], labels[labels >= 0]))


@pytest.mark.parametrize("labels", [np.zeros(150, dtype=int), np.arange(150), np.full(150, -1)])
def test_one_cluster_or_one_row_each_is_refused(labels):
    with pytest.raises(ValueError, match="2 clusters at least"):
        SilhouetteDisplay.from_predictions(X, labels)
