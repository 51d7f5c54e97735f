"""Mixtures of distributions, with scikit-learn's names and certificates."""

from surefit.mixture.mixture_sampler import MixtureSampler

__all__ = ["MixtureSampler"]
