"""Judging: models on the same folds, with honest intervals and certificates."""

from __future__ import annotations

from surefit.model_selection.candidates import CANDIDATES, Candidate, Shape, candidates_for
from surefit.model_selection.checked_steps import certify_steps
from surefit.model_selection.clusterings.explained_share import explained_share
from surefit.model_selection.compare import compare
from surefit.model_selection.comparison import Comparison, Outcome
from surefit.model_selection.prepare.table import Table, pipeline_for, prepare_table
from surefit.model_selection.significance.intervals import corrected_difference, corrected_interval, holm

__all__ = [
    "CANDIDATES",
    "Candidate",
    "Comparison",
    "Outcome",
    "Shape",
    "Table",
    "candidates_for",
    "certify_steps",
    "compare",
    "corrected_difference",
    "corrected_interval",
    "explained_share",
    "holm",
    "pipeline_for",
    "prepare_table",
]
