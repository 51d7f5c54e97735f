"""Checkers of radial basis function networks: ridge regression on the features φⱼ(x) = φ(‖x − cⱼ‖), rows faded.

That the centers are good ones is not claimed: the output weights are the best for the centers and the width there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.machines.feature_basis import orthonormal_basis
from surefit.certificates.theorems.kernel_machine.above_least import above_least, worst
from surefit.certificates.theorems.kernel_machine.few_features import Part, distances
from surefit.certificates.theorems.kernel_machine.gram_products import LONG, apply
from surefit.certificates.theorems.kernel_machine.kernels import Entries
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


def _network(model: Any, blocks: Blocks, tol: float, classes: int) -> tuple[list[Claim], str, Any]:
    """The claims, the cost, and (rows, outputs, rounding) of a sample."""
    attrs, fading = Attributes(model, "coef_"), real(getattr(model, "forgetting", 1.0))
    radial, centers = read_radial(attrs), attrs.array("centers_")
    asked, intercept = real(getattr(model, "n_centers", None)), attrs.flag("fit_intercept", True)
    if centers is not None and (centers.shape[1:] != (blocks.n_features,) or not 1 <= len(centers) <= asked):
        attrs.faults.append(f"centers_ has shape {centers.shape}, expected up to {asked:g} rows of the data's columns")
    if not 0 < fading <= 1:
        attrs.faults.append(f"forgetting={fading} is not in (0, 1]")
    if attrs.faults or centers is None or radial is None:
        return [bad_attributes(attrs)], "nothing", None
    faded, K = FadedBlocks(blocks, fading), len(centers)
    features, alpha = Features(faded, radial, centers, classes, intercept), faded_penalty(attrs, faded, 1)
    t = next(iter(features)).y.shape[1]
    coef = attrs.array("coef_", *([(K,), (1, K)] if t == 1 else [(t, K)]))
    b = attrs.array("intercept_", *([(), (1,)] if t == 1 else [(), (t,)]))
    if b is not None and b.any() and not intercept:
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or alpha is None or coef is None or b is None:
        return [bad_attributes(attrs)], "one pass", None
    W, b, s = (
        coef.reshape(t, K).T,
        np.broadcast_to(b.reshape(-1), (t,)),
        np.append(np.zeros(int(intercept)), alpha.repeat(K)),
    )
    unit = epsilon(False, *map(np.asarray, (model.coef_, model.intercept_))) / 2
    basis, theta = orthonormal_basis(features, s), np.vstack([b[None], W]) if intercept else W
    found = distances(features, blocks.n_rows, s, theta, basis, unit, intercept)
    claims = [worst(above_least(tol, *numbers) for numbers in found)]
    if (seen := real(getattr(model, "n_samples_seen_", None))) != blocks.n_rows:
        claims.append(refuted("seen", f"n_samples_seen_ is {seen:g}, these are {blocks.n_rows} rows."))
    X = sample_rows(blocks)
    eps = epsilon(X.dtype == np.float32, np.asarray(model.coef_))
    value, rounding, size = apply(replace(radial, raw=eps), X.astype(np.float64), centers, W)
    rounding += gamma(K + 16, eps) * (size + np.abs(b))
    return claims, "two passes over the features", (X, (value + b).astype(np.float64), rounding)


@dataclass
class Features:
    """The rows with φ(x), and 1 in front for an intercept; for codes of classes a column of 0 and 1 for each."""

    blocks: Any
    radial: Radial
    centers: F64
    classes: int
    intercept: bool

    def __iter__(self) -> Iterator[Part]:
        for X, y, w in looked_over(self.blocks, needs_y=True):
            phi = self.radial.block(dense(X).astype(LONG), self.centers.astype(LONG), np.arange(len(self.centers)))
            ones = np.ones((len(w), int(self.intercept)), LONG)
            codes = y[:, None] == np.arange(self.classes)
            if self.classes and not codes.any(axis=1).all():
                raise BadData("some labels are not in classes_")
            y = codes * 1.0 if self.classes else y.reshape(len(w), -1).astype(np.float64)
            yield Part(Entries(np.hstack([ones, phi.value]), np.hstack([0 * ones, phi.error])), y, w)


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
