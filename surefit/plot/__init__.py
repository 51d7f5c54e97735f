"""Pictures, in scikit-learn's Display convention: data in the constructor, `plot` draws, `ax_` and `figure_` stay."""

from __future__ import annotations

from surefit.plot.clustering.clusters import ClustersDisplay
from surefit.plot.clustering.dendrogram import DendrogramDisplay, MergeHeightsDisplay
from surefit.plot.clustering.density import KDistanceDisplay, ReachabilityDisplay
from surefit.plot.clustering.eigengap import EigengapDisplay
from surefit.plot.clustering.kmeans import InertiaDisplay, KMeansDisplay
from surefit.plot.clustering.mixture import MixtureDisplay
from surefit.plot.clustering.neighbor_graph import NeighborGraphDisplay
from surefit.plot.clustering.silhouette import SilhouetteDisplay
from surefit.plot.growing.history import HistoryDisplay
from surefit.plot.growing.importances import ImportancesDisplay
from surefit.plot.growing.staged_loss import StagedLossDisplay
from surefit.plot.growing.tree import PruningCurveDisplay, TreeDisplay
from surefit.plot.judging.calibration import CalibrationDisplay
from surefit.plot.judging.confusion import ConfusionMatrixDisplay
from surefit.plot.judging.excess_risk import ExcessRiskDisplay
from surefit.plot.judging.fold_scores import FoldScoresDisplay
from surefit.plot.judging.learning_curve import LearningCurveDisplay
from surefit.plot.judging.neighbor_curve import NeighborCurveDisplay
from surefit.plot.judging.regions import ClassRegionsDisplay
from surefit.plot.judging.residuals import ResidualsDisplay
from surefit.plot.judging.roc import RocCurveDisplay
from surefit.plot.linear.class_coefficients import ClassCoefficientsDisplay
from surefit.plot.linear.coefficients import CoefficientDisplay
from surefit.plot.linear.margin import MarginDisplay
from surefit.plot.linear.penalty_curve import PenaltyCurveDisplay
from surefit.plot.projection.distortion import DistortionDisplay
from surefit.plot.projection.embedding import EmbeddingDisplay
from surefit.plot.projection.scree import ScreeDisplay
from surefit.plot.render import svg_of

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
