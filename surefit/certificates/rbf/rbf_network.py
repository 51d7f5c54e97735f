"""Checkers of radial basis function networks: ridge regression on the features φⱼ(x) = φ(‖x − cⱼ‖), rows faded.

Computed features differ from exact ones by |E| ≤ ε entry by entry. With ‖E‖ their Frobenius norm under the weights,
√J(w) changes by at most ‖E‖‖w‖, and the best w has α‖w‖² ≤ J(0) = Σωy²: what the computed features prove is off by
a relative (1 + ‖E‖‖w‖/√J)²/(1 − ‖E‖√(Σωy²/α)/√J)² − 1. Without a penalty the claim is about the features as computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BlockOf, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.linear_model.linear_fit import linear_claims
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.theorems.kernel_machine.radial import Radial, read_radial
from surefit.certificates.theorems.least_squares.faded import FadedBlocks, faded_penalty

COVERED = ("centers_", "width_", "coef_", "intercept_", "n_samples_seen_", "predict")


@checker(*COVERED)
def check_rbf_network_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Ridge's passes over the features."""
    claims, cost, scores = _network(model, blocks, tol, 0)
    if scores is not None:
        X, value, rounding = scores
        flat = np.ndim(model.coef_) == 1
        shape = (len(X),) if flat else value.shape
        claims.append(numbers_claim(model, "predict", X, value.reshape(shape), rounding.reshape(shape)))
    return claims, cost


@checker(*COVERED, "classes_", "decision_function", "predict_proba", "predict_log_proba")
@reads_labels
def check_rbf_network_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """As the regressor, with an output of 0 or 1 for each class."""
    classes = np.size(getattr(model, "classes_", ()))
    claims, cost, scores = _network(model, blocks, tol, classes)
    if scores is not None:
        X, value, rounding = scores
        two = value.shape[1] == 2
        decision = value[:, 1] - value[:, 0] if two else value
        claims.append(numbers_claim(model, "decision_function", X, decision, rounding.sum(axis=1) if two else rounding))
        claims += [*_shares(model, X, value, rounding), labels_claim(model, X, value, rounding.max(axis=1))]
    return claims, cost


class Features:
    """The blocks with φ(x) for x, and for codes of classes a column of 0 and 1 for each; with the norms of E and y."""

    def __init__(self, blocks: Any, radial: Radial, centers: F64, classes: int) -> None:
        self.blocks, self.radial, self.centers, self.classes = blocks, radial, centers, classes
        self.n_rows, self.n_features = blocks.n_rows, len(centers)

    def __iter__(self) -> Iterator[BlockOf]:
        places = np.arange(len(self.centers))
        for X, y, w in self.blocks:
            value, _ = self.radial.block(dense(X), self.centers, places)
            yield BlockOf(value, (np.asarray(y)[:, None] == np.arange(self.classes)) * 1.0 if self.classes else y, w)

    def norms(self) -> tuple[float, F64]:
        """‖E‖ and Σωy² of every target."""
        squares, total, places = 0.0, np.zeros(1), np.arange(len(self.centers))
        for (X, _, w), (_, y, _) in zip(self.blocks, self, strict=True):
            error = self.radial.block(dense(X), self.centers, places).error
            squares += float((w[:, None] * error**2).sum())
            total = total + w @ np.asarray(y, dtype=np.float64).reshape(len(w), -1) ** 2
        return 1.01 * float(np.sqrt(squares)), 1.01 * total


class Stripped:
    """The model without its predictions, which take rows and not features."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        if name in ("predict", "positive"):
            raise AttributeError(name)
        return getattr(self.model, name)


def _network(model: Any, blocks: Blocks, tol: float, classes: int) -> tuple[list[Claim], str, Any]:
    """The claims, the cost, and (rows, outputs, rounding) of a sample."""
    attrs, d = Attributes(model, "coef_"), blocks.n_features
    centers, radial = attrs.array("centers_"), read_radial(attrs)
    fading, asked = real(getattr(model, "forgetting", 1.0)), real(getattr(model, "n_centers", None))
    if centers is not None and (centers.ndim != 2 or centers.shape[1] != d or not 1 <= len(centers) <= asked):
        attrs.faults.append(f"centers_ has shape {centers.shape}, expected up to {asked:g} rows of {d} columns")
    if not 0 < fading <= 1:
        attrs.faults.append(f"forgetting={fading} is not in (0, 1]")
    if attrs.faults or centers is None or radial is None:
        return [bad_attributes(attrs)], "nothing", None
    faded = FadedBlocks(blocks, fading)
    features = Features(faded, radial, centers, classes)
    claims, cost, found = linear_claims(
        Stripped(model), features, tol, lambda a, t: faded_penalty(a, faded, t), "sum of squares and penalty",
        "fit the output weights again",
    )  # fmt: skip
    if found is None:
        return claims, cost, None
    claims = [c for c in claims if c.name != "predict"]
    claims = [
        _widened(c, features, found[1], faded_penalty(attrs, faded, 1)) if c.name == "optimal" else c for c in claims
    ]
    seen = real(getattr(model, "n_samples_seen_", None))
    if seen != blocks.n_rows:
        claims.append(refuted("seen", f"n_samples_seen_ is {seen:g}, these are {blocks.n_rows} rows."))
    X, coef = sample_rows(blocks), found[1]
    unit = epsilon(X.dtype == np.float32, np.asarray(model.coef_)) / 2
    rows, b = X.astype(np.float64), np.asarray(model.intercept_, dtype=np.float64)
    value, error = radial.with_raw(unit).block(rows, centers, np.arange(len(centers)))
    size = np.abs(value) @ np.abs(coef.T) + np.abs(b)
    rounding = 2 * error @ np.abs(coef.T) + gamma(2 * len(centers) + 16, unit) * size
    return claims, f"{cost} of features", (X, value @ coef.T + b, rounding)


def _widened(claim: Claim, features: Features, coef: F64, alpha: F64 | None) -> Claim:
    """The claim with what computed features may be off by."""
    least, penalty = float(claim.detail.get("lower_bound", 0.0)), 0.0 if alpha is None else float(alpha[0])
    if not (least > 0 and penalty > 0 and claim.value is not None and claim.limit is not None):
        return claim
    norm, total = features.norms()
    j = int(claim.detail.get("target", 0))
    y = float(total[min(j, total.size - 1)])
    up, down = norm * float(np.linalg.norm(coef[j])) / np.sqrt(least), norm * np.sqrt(y / penalty / least)
    value = (1 + claim.value) * (1 + up) ** 2 / (1 - down) ** 2 - 1 if down < 1 else np.inf
    value = max(value, claim.value)
    if claim.holds and not value <= claim.limit + claim.excuse:
        reason = f"Roundings of the features hide the least value: the fit is within a relative {value:.1e} of it."
        return replace(claim, value=value, holds=False, grade=Grade.UNPROVED, sentence=reason)
    return replace(claim, value=value)


def _shares(model: Any, X: Any, scores: F64, rounding: F64) -> list[Claim]:
    """The outputs cut off at zero over their sum; where none is positive the largest has it all."""
    cut = np.maximum(scores, 0.0)
    total, off = cut.sum(axis=1, keepdims=True), rounding.sum(axis=1, keepdims=True)
    best = (scores == scores.max(axis=1, keepdims=True)) * 1.0
    shares = np.where(total > 0, cut / np.where(total > 0, total, 1.0), best)
    error = np.where(total > 2 * off, (rounding + shares * off) / np.maximum(total - off, 1e-300), 1.0) + 16 * UNIT
    claims = [numbers_claim(model, "predict_proba", X, shares, error)]
    logs = answer_of(model, "predict_log_proba", X)
    if isinstance(logs, Claim):
        return [*claims, logs]
    if logs.shape != shares.shape:
        return [*claims, refuted("predict_log_proba", f"predict_log_proba gives an array of shape {logs.shape}.")]
    off = np.abs(np.exp(logs.astype(np.float64)) - shares) / (error + 1e-6 * (logs.dtype == np.float32))
    failure = "predict_log_proba is not the logarithm of predict_proba."
    sentence = "exp of predict_log_proba is predict_proba; largest difference, in roundings."
    return [*claims, at_most("predict_log_proba", sentence, Grade.EXACT, float(off.max()), 1.0, failure=failure)]
