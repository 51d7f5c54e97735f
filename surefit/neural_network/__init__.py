"""Networks of layers, with scikit-learn's names and certificates."""

from surefit.neural_network.mlp_classifier import MLPClassifier
from surefit.neural_network.mlp_regressor import MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]
