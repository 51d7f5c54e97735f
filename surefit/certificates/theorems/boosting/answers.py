"""What a boosted model answers on rows whose raw predictions are known, and the trace of its loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.claim import Claim
from surefit.certificates.labels import labels_claim
from surefit.certificates.predictions import SAMPLE, numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.boosting.steps import TINY, Steps
from surefit.certificates.theorems.worst import Worst


def answer_claims(model: Any, blocks: Blocks, end: Steps) -> list[Claim]:
    """predict and its kin, from the raw predictions of all rows."""
    X, places = sample_rows(blocks), np.linspace(0, blocks.n_rows - 1, min(SAMPLE, blocks.n_rows)).astype(np.intp)
    places = np.unique(places)  # of the rows X
    f, df = end.f[places], 2 * end.df
    flat = f[:, 0] if f.shape[1] == 1 else f
    if not hasattr(model, "classes_"):
        off = df + (np.finfo(np.float32).eps if X.dtype == np.float32 else 0.0) * np.abs(flat)
        if end.loss in ("poisson", "gamma"):
            flat, off = np.exp(flat), np.exp(flat) * (off + 8 * UNIT)
        return [numbers_claim(model, "predict", X, flat, off)]
    scores = f if f.shape[1] > 1 else np.hstack([-f, f]) * (1.0 if end.loss == "exponential" else 0.5)
    logs = scores - scores.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    shares, slack = np.exp(logs), 4 * df + 16 * UNIT * (1 + np.abs(logs))
    claims = [
        labels_claim(model, X, scores, df),
        numbers_claim(model, "predict_proba", X, shares, slack * shares + 8 * UNIT),
        numbers_claim(model, "decision_function", X, flat, df),
    ]
    if hasattr(model, "predict_log_proba"):  # of a share 1 − 1 anything
        slack = np.where(shares < 1e-15, np.inf, slack + 8 * UNIT / np.maximum(shares, UNIT))
        claims.append(numbers_claim(model, "predict_log_proba", X, logs, slack))
    return claims


def trace_claim(attrs: Attributes, name: str, trace: list[tuple[float, float]], factor: float, tol: float) -> Claim:
    """The attribute is the trace of means of the loss, each with its rounding, times the factor; relative to each."""
    given, worst = attrs.raw(name), Worst()
    given = given if given is not None and given.shape == (len(trace),) else np.full(len(trace), np.inf)
    for (mean, rounding), stated in zip(trace, given.tolist(), strict=True):
        worst.see(abs(stated / factor - mean) / max(abs(mean), TINY), 0.0, rounding / max(abs(mean), TINY))
    sentence = f"{name} is the loss after each of {len(trace)} rounds, recomputed; largest relative difference."
    return worst.claim(name, sentence, tol, f"{name} is not the loss of the model after each round.")
