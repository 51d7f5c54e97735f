"""Mixtures of distributions, with scikit-learn's names and certificates."""

from surefit.mixture.gaussian_mixture import GaussianMixture
from surefit.mixture.mixture_sampler import MixtureSampler

__all__ = ["GaussianMixture", "MixtureSampler"]
