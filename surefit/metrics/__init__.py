"""How good predictions are: receiver operating characteristics with intervals, costs, and scores by name.

What scikit-learn does well is its own function under its own name.
"""

from __future__ import annotations

from sklearn.metrics import (
    accuracy_score,
    auc,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    confusion_matrix,
    explained_variance_score,
    f1_score,
    log_loss,
    matthews_corrcoef,
    max_error,
    mean_absolute_error,
    mean_squared_error,
    median_absolute_error,
    precision_score,
    r2_score,
    recall_score,
    root_mean_squared_error,
)

from surefit.metrics.costs import (
    OperatingPoint,
    OperatingPoints,
    best_threshold,
    expected_cost,
    operating_points,
    roc_convex_hull,
)
from surefit.metrics.delong import DelongTest, RocAucInterval, delong_test, roc_auc_interval
from surefit.metrics.names import NAMES, Metric, get_metric
from surefit.metrics.roc_auc import roc_auc_score
from surefit.metrics.roc_band import RocBand, roc_band
from surefit.metrics.roc_curve import roc_curve

__all__ = [
    "NAMES",
    "DelongTest",
    "Metric",
    "OperatingPoint",
    "OperatingPoints",
    "RocAucInterval",
    "RocBand",
    "accuracy_score",
    "auc",
    "average_precision_score",
    "balanced_accuracy_score",
    "best_threshold",
    "brier_score_loss",
    "confusion_matrix",
    "delong_test",
    "expected_cost",
    "explained_variance_score",
    "f1_score",
    "get_metric",
    "log_loss",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_squared_error",
    "median_absolute_error",
    "operating_points",
    "precision_score",
    "r2_score",
    "recall_score",
    "roc_auc_interval",
    "roc_auc_score",
    "roc_band",
    "roc_convex_hull",
    "roc_curve",
    "root_mean_squared_error",
]
