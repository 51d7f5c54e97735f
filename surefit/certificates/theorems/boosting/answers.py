"""What a boosted model answers on rows whose raw predictions are known, and the trace of its loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.labels import labels_claim
from surefit.certificates.predictions import SAMPLE, numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.boosting.losses import POINTED, loss_at, raw_of_mean
from surefit.certificates.theorems.worst import Worst


def check_seed(attrs: Attributes, below: int) -> None:
    """seed_ is the first draw of the stream that a whole random_state starts; of others it cannot be told."""
    asked = whole(getattr(attrs.model, "random_state", None))
    if attrs.has("seed_") and asked >= 0 and attrs.model.seed_ != np.random.default_rng(asked).integers(below):
        attrs.faults.append("seed_ is not what random_state gives")


def start_claim(loss: str, y: F64, w: F64, f: F64, quantiles: tuple[float, float], tol: float) -> Claim:
    """f (…, K) is the best constant: of a loss with a kink one between the quantiles of y, else from the mean of y."""
    spread = float(np.ptp(y[w > 0])) or 1.0
    low, high = (np.array([q]) for q in quantiles)
    if loss not in POINTED:
        shares = y[:, None] == np.arange(f.shape[-1]) if loss == "multinomial" else y[:, None]
        low = high = raw_of_mean(loss, w @ shares / w.sum())
        spread = spread if loss == "squared_error" else max(1.0, float(np.abs(low).max()))
    off, excuse = np.maximum(low - f, f - high).max(), 4 * len(y) * UNIT * float(np.abs(y).max()) / spread
    sentence = "The raw predictions start at the best constant; relative difference."
    failure = "The raw predictions do not start at the best constant for these rows and weights."
    return at_most("start", sentence, Grade.GREEDY, max(off, 0.0) / spread, tol, excuse=excuse, failure=failure)


def answer_claims(model: Any, blocks: Blocks, loss: str, f: F64, df: F64) -> list[Claim]:
    """predict and its kin against the raw predictions f (n, K), which are right to df (n, K)."""
    X = sample_rows(blocks)
    places = np.unique(np.linspace(0, blocks.n_rows - 1, min(SAMPLE, blocks.n_rows)).astype(np.intp))  # theirs
    f, df = f[places], df[places] + 4 * UNIT * np.abs(f[places])
    if not hasattr(model, "classes_"):
        single = np.finfo(np.float32).eps if X.dtype == np.float32 else 0.0
        y, dy = f[:, 0], df[:, 0] + single * np.abs(f[:, 0])
        if loss in ("poisson", "gamma"):
            y, dy = np.exp(y), np.exp(y) * (dy + 8 * UNIT)
        return [numbers_claim(model, "predict", X, y, dy)]
    if f.shape[1] == 1:
        slope = 2.0 if loss == "exponential" else 1.0
        logits, scores = np.concatenate([np.zeros_like(f), slope * f], axis=1), np.concatenate([-f, f], axis=1)
    else:
        slope, logits, scores = 1.0, f, f
    top = logits.max(axis=1, keepdims=True)
    logs = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
    off = 2 * slope * df.max(axis=1, keepdims=True) + 16 * UNIT * (1 + np.abs(logs))
    shares = np.exp(logs)
    lost = np.where(shares < 1e-15, np.inf, off + 8 * UNIT / np.maximum(shares, UNIT))  # log of a share that is 1 − 1
    claims = [
        numbers_claim(model, "predict_proba", X, shares, off * shares + 8 * UNIT),
        labels_claim(model, X, scores, df.max(axis=1)),
    ]
    if hasattr(model, "predict_log_proba"):
        claims.append(numbers_claim(model, "predict_log_proba", X, logs, lost))
    if hasattr(model, "decision_function"):
        claims.append(numbers_claim(model, "decision_function", X, f[:, 0] if f.shape[1] == 1 else f,
                                    df[:, 0] if f.shape[1] == 1 else df))  # fmt: skip
    return claims


class Trace:
    """The mean loss round by round, as a program that averages in float64 has it."""

    def __init__(self, loss: str, y: F64, w: F64, factor: float = 1.0) -> None:
        self.loss, self.y, self.w, self.factor = loss, y, w, factor
        self.means, self.rounding = list[float](), list[float]()

    def add(self, f: F64, df: F64, q: float = 0.5) -> None:
        terms, size, _, _ = loss_at(self.loss, self.y, f, q)
        total = self.w.sum()
        self.means.append(self.factor * float(self.w @ terms / total))
        slope = np.minimum(1.0 + size, 1e300)  # no loss here is steeper than that: |g| ≤ 1 + what its terms are
        off = self.w @ (8 * UNIT * size + 2 * df.max(axis=1) * slope) / total
        self.rounding.append(abs(self.factor) * float(off) + 2 * len(self.y) * UNIT * abs(self.means[-1]))

    def claim(self, name: str, given: F64 | None, tol: float) -> Claim:
        """`given` is the trace, entry by entry, relative to each; what rounding hides is excused."""
        mean, off = np.array(self.means), np.array(self.rounding)
        if given is None or given.shape != mean.shape or not np.isfinite(given).all():
            given = np.full(mean.shape, np.inf)
        tiny = np.finfo(float).tiny
        relative, excuse = np.abs(given - mean) / np.maximum(np.abs(mean), tiny), off / np.maximum(np.abs(mean), tiny)
        worst = Worst()
        for value, excused in zip(relative.tolist(), excuse.tolist(), strict=True):
            worst.see(value, 0.0, excused)
        sentence = f"{name} is the loss after each of {len(mean)} rounds, recomputed; largest relative difference."
        return worst.claim(name, sentence, tol, f"{name} is not the loss of the model after each round.")
