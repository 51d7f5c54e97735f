"""Judging: models on the same folds, with honest intervals and certificates."""

from __future__ import annotations

from surefit.ensemble.bagging.cross_validated_ensemble import CrossValidatedEnsemble
from surefit.model_selection.candidates import CANDIDATES, Candidate, Shape, candidates_for
from surefit.model_selection.checked_steps import certify_steps
from surefit.model_selection.clusterings.explained_share import explained_share
from surefit.model_selection.compare import compare
from surefit.model_selection.comparison import Comparison, Outcome
from surefit.model_selection.prepare.steps import pipeline_for
from surefit.model_selection.prepare.table import Table, prepare_table
from surefit.model_selection.significance.intervals import corrected_difference, corrected_interval, holm
from surefit.model_selection.validation.cross_validate import (
    FoldScores,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from surefit.model_selection.validation.fingerprint import folds_fingerprint
from surefit.model_selection.validation.nested import NestedScores, nested_cross_validate
from surefit.model_selection.validation.splitters import (
    HoldOut,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

__all__ = [
    "CANDIDATES",
    "Candidate",
    "Comparison",
    "CrossValidatedEnsemble",
    "FoldScores",
    "HoldOut",
    "KFold",
    "LeaveOneOut",
    "NestedScores",
    "Outcome",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "Shape",
    "ShuffleSplit",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "Table",
    "candidates_for",
    "certify_steps",
    "compare",
    "corrected_difference",
    "corrected_interval",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
    "explained_share",
    "folds_fingerprint",
    "holm",
    "nested_cross_validate",
    "pipeline_for",
    "prepare_table",
]
