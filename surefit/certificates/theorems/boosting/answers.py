"""What a boosted model answers on rows whose raw predictions are known, and the trace of its loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.blocks import Blocks
from surefit.certificates.claim import Claim
from surefit.certificates.labels import labels_claim
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.boosting.steps import TINY, Steps
from surefit.certificates.theorems.worst import Worst


def number_answers(model: Any, blocks: Blocks, end: Steps) -> list[Claim]:
    X, f = sample_rows(blocks), sample_rows(ArrayBlocks(end.f))
    f, off = f[:, 0], 2 * end.df + (np.finfo(np.float32).eps if X.dtype == np.float32 else 0.0) * np.abs(f[:, 0])
    if end.log_link:
        f, off = np.exp(f), np.exp(f) * (off + 8 * UNIT)
    return [numbers_claim(model, "predict", X, f, off)]


def class_answers(model: Any, blocks: Blocks, end: Steps, share: float) -> list[Claim]:
    """Of two classes f is the score of the second, and `share` of it the half of its log-odds."""
    X, f, df = sample_rows(blocks), sample_rows(ArrayBlocks(end.f)), 2 * end.df
    scores = f if f.shape[1] > 1 else np.hstack([-f, f]) * share
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return [
        labels_claim(model, X, scores, df),
        numbers_claim(model, "predict_proba", X, shares, 4 * df + 32 * UNIT),
        numbers_claim(model, "decision_function", X, f[:, 0] if f.shape[1] == 1 else f, df),
    ]


def trace_claim(model: Any, name: str, trace: list[tuple[float, float]], factor: float, tol: float) -> Claim:
    """The attribute is the trace of means of the loss, each with its rounding, times the factor; relative to each."""
    given, worst = np.asarray(getattr(model, name, np.nan), dtype=np.float64), Worst()
    given = given if given.shape == (len(trace),) else np.full(len(trace), np.inf)
    for (mean, rounding), stated in zip(trace, given.tolist(), strict=True):
        worst.see(abs(stated / factor - mean) / max(abs(mean), TINY), 0.0, rounding / max(abs(mean), TINY))
    sentence = f"{name} is the loss of {len(trace)} rounds (when to stop is not checked); largest relative difference."
    return worst.claim(name, sentence, tol, f"{name} is not the loss of the model after each round.")
