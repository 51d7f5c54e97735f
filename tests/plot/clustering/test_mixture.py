"""Ellipses have the axes of the covariances, rows the mean color of the components responsible for them."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.mixture import GaussianMixture as SklearnMixture

from surefit.mixture import GaussianMixture
from surefit.plot import MixtureDisplay
from surefit.plot.clustering.mixture import full_covariances

X = load_iris().data


def test_an_ellipse_of_known_axes():
    """The covariance diag(9, 4) turned by 30° has half axes of 3 and 2 at one standard deviation."""
    turn = np.radians(30)
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    display = MixtureDisplay(
        points=[[1.0, 2.0]], responsibilities=[[1.0]], weights=[1.0], means=[[1.0, 2.0]],
        covariances=[R @ np.diag([9.0, 4.0]) @ R.T],
    ).plot()  # fmt: skip
    one, two = display.ellipses_
    assert (one.get_width(), one.get_height()) == pytest.approx((6.0, 4.0))
    assert (two.get_width(), two.get_height()) == pytest.approx((12.0, 8.0))
    assert one.get_angle() % 180 == pytest.approx(30.0)
    assert tuple(one.get_center()) == (1.0, 2.0)


def test_a_row_between_two_components_has_both_colors():
    display = MixtureDisplay(
        points=[[0, 0], [1, 1], [2, 2]], responsibilities=[[1, 0], [0.25, 0.75], [0, 1]], weights=[0.5, 0.5],
        means=[[0, 0], [2, 2]], covariances=[np.eye(2)] * 2,
    ).plot()  # fmt: skip
    first, second = (np.array(matplotlib.colors.to_rgb(f"C{k}")) for k in (0, 1))
    np.testing.assert_allclose(display.scatter_.get_facecolors()[:, :3], [first, 0.25 * first + 0.75 * second, second])


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_components_are_projected_as_the_rows_are(kind):
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    display = MixtureDisplay.from_estimator(model, X)
    plane = SklearnPCA(2).fit(X)
    np.testing.assert_allclose(np.abs(display.points), np.abs(plane.transform(X)), atol=1e-9)
    np.testing.assert_allclose(np.abs(display.means), np.abs(plane.transform(model.means_)), atol=1e-9)
    whole = full_covariances(model)
    for k in range(2):
        expected = plane.components_ @ whole[k] @ plane.components_.T
        np.testing.assert_allclose(np.abs(display.covariances[k]), np.abs(expected), atol=1e-9)
    assert len(display.ellipses_) == 4


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_covariances_of_every_type_give_scikit_learns_densities(kind):
    """Gaussian log-densities from the whole matrices, and scikit-learn's own scores of the same mixture."""
    model = SklearnMixture(2, covariance_type=kind, random_state=0).fit(X)
    parts = []
    for weight, mean, C in zip(model.weights_, model.means_, full_covariances(model), strict=True):
        d = X - mean
        quadratic = np.einsum("ij,jk,ik->i", d, np.linalg.inv(C), d)
        parts.append(np.log(weight) - 0.5 * (quadratic + np.linalg.slogdet(2 * np.pi * C)[1]))
    np.testing.assert_allclose(np.logaddexp(*parts), model.score_samples(X), rtol=1e-9)


def test_an_empty_component_is_not_drawn():
    display = MixtureDisplay(
        points=[[0, 0]], responsibilities=[[1, 0]], weights=[1.0, 0.001], means=[[0, 0], [5, 5]],
        covariances=[np.eye(2)] * 2,
    ).plot()  # fmt: skip
    assert len(display.ellipses_) == 2


def test_shapes_that_do_not_fit_together_are_refused():
    with pytest.raises(ValueError, match="two columns"):
        MixtureDisplay(points=[[0, 0, 0]], responsibilities=[[1]], weights=[1], means=[[0, 0]], covariances=[np.eye(2)])
