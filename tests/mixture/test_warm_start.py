"""Warm starts of mixtures after changed parameters: what does not belong to the last fit is refused in words."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.mixture import BayesianGaussianMixture, GaussianMixture

pytestmark = pytest.mark.filterwarnings("ignore")
MIXTURES = [GaussianMixture, BayesianGaussianMixture]
KINDS = ["full", "tied", "diag", "spherical"]


def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 3)) + 4 * (np.arange(60) % 2)[:, None]


@pytest.mark.parametrize("cls", MIXTURES)
@pytest.mark.parametrize("before", KINDS)
@pytest.mark.parametrize("after", KINDS)
def test_covariances_of_another_kind(cls, before, after):
    model = cls(n_components=2, covariance_type=before, warm_start=True, random_state=0).fit(rows())
    model.set_params(covariance_type=after)
    if before == after:
        assert model.fit(rows()).converged_
        return
    with pytest.raises(ValueError, match="warm_start goes on from 2 components in 3 columns"):
        model.fit(rows())
    assert model.set_params(warm_start=False).fit(rows()).converged_


@pytest.mark.parametrize("cls", MIXTURES)
@pytest.mark.parametrize("n_components", [1, 3])
def test_another_number_of_components(cls, n_components):
    model = cls(n_components=2, warm_start=True, random_state=0).fit(rows())
    with pytest.raises(ValueError, match=f"but n_components={n_components} in 3 columns"):
        model.set_params(n_components=n_components).fit(rows())
    assert len(model.means_) == 2


@pytest.mark.parametrize("cls", MIXTURES)
@pytest.mark.parametrize("kind", KINDS)
def test_other_columns(cls, kind):
    model = cls(n_components=2, covariance_type=kind, warm_start=True, random_state=0).fit(rows())
    with pytest.raises(ValueError, match="but n_components=2 in 2 columns"):
        model.fit(rows()[:, :2])


def test_weights_of_another_law():
    model = BayesianGaussianMixture(n_components=2, warm_start=True, random_state=0).fit(rows())
    with pytest.raises(ValueError, match="the other weight_concentration_prior_type"):
        model.set_params(weight_concentration_prior_type="dirichlet_distribution").fit(rows())


@pytest.mark.parametrize("cls", MIXTURES)
def test_a_warm_start_from_a_fit_that_converged_ends_at_once(cls):
    model = cls(n_components=2, warm_start=True, random_state=0, tol=1e-6, max_iter=500).fit(rows())
    before = model.lower_bound_
    assert model.fit(rows()).n_iter_ == 1 and model.lower_bound_ >= before - 1e-9
