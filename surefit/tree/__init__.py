"""Decision trees, with scikit-learn's names and certificates."""

from __future__ import annotations

from surefit.tree.decision_tree_classifier import DecisionTreeClassifier
from surefit.tree.decision_tree_regressor import DecisionTreeRegressor

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]
