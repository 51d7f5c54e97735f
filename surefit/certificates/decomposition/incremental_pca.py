"""Checker of IncrementalPCA: what PCA claims, whatever the batches; and the variances of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, failed, refuted
from surefit.certificates.decomposition.pca import ROUNDINGS, check_pca, worst
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.spectral.centered import centered, first_pass


@checker(*check_pca.covers, "var_", "n_samples_seen_", "error_bound_", "batch_size_")  # type: ignore[attr-defined]
def check_incremental_pca(model: Any, blocks: Blocks, tol: float) -> Findings:
    """That of PCA, and two passes."""
    attrs = Attributes(model, "components_")
    columns, size = _columns(attrs, blocks, tol), attrs.parameter("batch_size", 5 * blocks.n_features)
    if attrs.has("batch_size_") and attrs.number("batch_size_") != real(size):
        columns = refuted("batch_size", f"batch_size_ is not the {size!r} that was asked for.")
    if attrs.has("error_bound_") and attrs.number("error_bound_") != 0:
        reason = "Directions were dropped between batches (error_bound_): what that costs is not recomputed."
        return [columns, failed("components", reason)], "two passes"
    claims, cost = check_pca(model, blocks, tol)
    return [columns, *claims], f"{cost}, and two passes more"


def _columns(attrs: Attributes, blocks: Blocks, tol: float) -> Claim:
    """var_ divides by the number of rows; where a column varies less than its mean is rounded, by that."""
    var, center = attrs.array("var_", (blocks.n_features,)), first_pass(blocks)
    if var is None:
        return bad_attributes(attrs)
    eps, size = epsilon(center.single, np.asarray(attrs.model.var_)), np.abs(center.mean)
    truth = sum(((A * A).sum(axis=0) for A, _ in centered(blocks, center.mean)), 0.0 * size) / blocks.n_rows
    unit = np.maximum(truth, (eps * size) ** 2)
    unit = np.where(unit > 0, unit, np.finfo(float).tiny)
    sentence, wrong = "var_ is the variance of each column, relative to itself.", "var_ is not the variance of a column"
    off, excuse = np.abs(var - truth) / unit, ROUNDINGS * eps * (1 + size / np.sqrt(unit))
    return worst("columns", sentence, Grade.EXACT, off, tol, 2 * gamma(blocks.n_rows + 8), excuse, wrong)
