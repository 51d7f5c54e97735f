"""How good predictions are: receiver operating characteristics with intervals, costs, and scores by name."""

from __future__ import annotations

from surefit.metrics.roc_auc import roc_auc_score
from surefit.metrics.roc_curve import roc_curve

__all__ = ["roc_auc_score", "roc_curve"]
