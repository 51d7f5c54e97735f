"""Mixtures of distributions, with scikit-learn's names and certificates."""

from surefit.mixture.bayesian_gaussian_mixture import BayesianGaussianMixture
from surefit.mixture.gaussian_mixture import GaussianMixture
from surefit.mixture.mixture_sampler import MixtureSampler

__all__ = ["BayesianGaussianMixture", "GaussianMixture", "MixtureSampler"]
