"""General EM and mean-field variational inference for a user's own model."""

from surefit.variational.cavi import CAVI
from surefit.variational.divergence import elbo, kl_divergence
from surefit.variational.em import EM
from surefit.variational.monte_carlo_em import MonteCarloEM

__all__ = ["CAVI", "EM", "MonteCarloEM", "elbo", "kl_divergence"]
