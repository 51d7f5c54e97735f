"""Pictures, in scikit-learn's Display convention: data in the constructor, `plot` draws, `ax_` and `figure_` stay."""

from __future__ import annotations

from surefit.plot.coefficients import CoefficientDisplay
from surefit.plot.fold_scores import FoldScoresDisplay
from surefit.plot.kmeans import InertiaDisplay, KMeansDisplay
from surefit.plot.render import svg_of
from surefit.plot.residuals import ResidualsDisplay
from surefit.plot.scree import ScreeDisplay

__all__ = [
    "CoefficientDisplay",
    "FoldScoresDisplay",
    "InertiaDisplay",
    "KMeansDisplay",
    "ResidualsDisplay",
    "ScreeDisplay",
    "svg_of",
]
