"""The settings of histogram boosting: from few small trees, for few rows, to the usual ones."""

from __future__ import annotations

from typing import Any

BOOSTED: tuple[dict[str, Any], ...] = (
    {"learning_rate": 0.05, "max_leaf_nodes": 4, "max_iter": 100},
    {"learning_rate": 0.1, "max_leaf_nodes": 8, "max_iter": 100},
    {"learning_rate": 0.1, "max_leaf_nodes": 31, "max_iter": 100},
)
