"""Discriminant analysis: Gaussian classes and Fisher's projection, with scikit-learn's names and certificates."""

from surefit.discriminant_analysis.linear import LinearDiscriminantAnalysis
from surefit.discriminant_analysis.quadratic import QuadraticDiscriminantAnalysis

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
