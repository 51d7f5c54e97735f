"""Radial basis functions: interpolation through all points, and networks with few centers."""

from surefit.rbf.classifier import RBFNetworkClassifier
from surefit.rbf.interpolator import RBFInterpolator
from surefit.rbf.regressor import RBFNetworkRegressor

__all__ = ["RBFInterpolator", "RBFNetworkClassifier", "RBFNetworkRegressor"]
