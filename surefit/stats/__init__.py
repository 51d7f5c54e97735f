"""Estimating numbers from a sample: moments, likelihood, risk by simulation, bootstrap intervals."""

from __future__ import annotations

from surefit.stats.bootstrap import BootstrapInterval, bootstrap_interval, normal_interval
from surefit.stats.likelihood import LikelihoodFit, maximum_likelihood
from surefit.stats.moments import MomentFit, method_of_moments
from surefit.stats.simulation import EstimatorRisk, MaximalRisk, estimator_risk, maximal_risk

__all__ = [
    "BootstrapInterval",
    "EstimatorRisk",
    "LikelihoodFit",
    "MaximalRisk",
    "MomentFit",
    "bootstrap_interval",
    "estimator_risk",
    "maximal_risk",
    "maximum_likelihood",
    "method_of_moments",
    "normal_interval",
]
