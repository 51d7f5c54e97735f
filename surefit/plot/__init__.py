"""Pictures, in scikit-learn's Display convention: data in the constructor, `plot` draws, `ax_` and `figure_` stay."""

from __future__ import annotations

from surefit.plot.calibration import CalibrationDisplay
from surefit.plot.class_coefficients import ClassCoefficientsDisplay
from surefit.plot.clusters import ClustersDisplay
from surefit.plot.coefficients import CoefficientDisplay
from surefit.plot.confusion import ConfusionMatrixDisplay
from surefit.plot.dendrogram import DendrogramDisplay, MergeHeightsDisplay
from surefit.plot.density import KDistanceDisplay, ReachabilityDisplay
from surefit.plot.distortion import DistortionDisplay
from surefit.plot.eigengap import EigengapDisplay
from surefit.plot.embedding import EmbeddingDisplay
from surefit.plot.excess_risk import ExcessRiskDisplay
from surefit.plot.fold_scores import FoldScoresDisplay
from surefit.plot.history import HistoryDisplay
from surefit.plot.importances import ImportancesDisplay
from surefit.plot.kmeans import InertiaDisplay, KMeansDisplay
from surefit.plot.learning_curve import LearningCurveDisplay
from surefit.plot.margin import MarginDisplay
from surefit.plot.mixture import MixtureDisplay
from surefit.plot.neighbor_curve import NeighborCurveDisplay
from surefit.plot.neighbor_graph import NeighborGraphDisplay
from surefit.plot.penalty_curve import PenaltyCurveDisplay
from surefit.plot.regions import ClassRegionsDisplay
from surefit.plot.render import svg_of
from surefit.plot.residuals import ResidualsDisplay
from surefit.plot.roc import RocCurveDisplay
from surefit.plot.scree import ScreeDisplay
from surefit.plot.silhouette import SilhouetteDisplay
from surefit.plot.staged_loss import StagedLossDisplay
from surefit.plot.tree import PruningCurveDisplay, TreeDisplay

__all__ = [
    "CalibrationDisplay",
    "ClassCoefficientsDisplay",
    "ClassRegionsDisplay",
    "ClustersDisplay",
    "CoefficientDisplay",
    "ConfusionMatrixDisplay",
    "DendrogramDisplay",
    "DistortionDisplay",
    "EigengapDisplay",
    "EmbeddingDisplay",
    "ExcessRiskDisplay",
    "FoldScoresDisplay",
    "HistoryDisplay",
    "ImportancesDisplay",
    "InertiaDisplay",
    "KDistanceDisplay",
    "KMeansDisplay",
    "LearningCurveDisplay",
    "MarginDisplay",
    "MergeHeightsDisplay",
    "MixtureDisplay",
    "NeighborCurveDisplay",
    "NeighborGraphDisplay",
    "PenaltyCurveDisplay",
    "PruningCurveDisplay",
    "ReachabilityDisplay",
    "ResidualsDisplay",
    "RocCurveDisplay",
    "ScreeDisplay",
    "SilhouetteDisplay",
    "StagedLossDisplay",
    "TreeDisplay",
    "svg_of",
]
