"""Judging: models on the same folds, with honest intervals and certificates."""

from __future__ import annotations

from surefit.model_selection.candidates import CANDIDATES, Candidate, Shape, candidates_for
from surefit.model_selection.checked_steps import certify_steps
from surefit.model_selection.compare import compare
from surefit.model_selection.comparison import Comparison, Outcome
from surefit.model_selection.intervals import corrected_difference, corrected_interval, holm
from surefit.model_selection.prepare import Table, pipeline_for, prepare_table
from surefit.model_selection.unsupervised import explained_share

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
