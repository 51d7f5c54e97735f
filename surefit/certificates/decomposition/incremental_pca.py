"""Checker of IncrementalPCA: what PCA claims, whatever the batches; and the variances of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.decomposition.pca import check_pca
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.spectral.centered import first_pass

ROUNDINGS = 10.0


@checker(*check_pca.covers, "var_", "n_samples_seen_", "error_bound_", "batch_size_")  # type: ignore[attr-defined]
def check_incremental_pca(model: Any, blocks: Blocks, tol: float) -> Findings:
    """That of PCA, and one pass."""
    attrs = Attributes(model, "components_")
    bound = attrs.number("error_bound_") if attrs.has("error_bound_") else 0.0
    columns = _columns(attrs, blocks, tol)
    size = attrs.parameter("batch_size", 5 * blocks.n_features)
    if attrs.has("batch_size_") and attrs.number("batch_size_") != real(size):
        return [refuted("batch_size", f"batch_size_ is not the {size!r} that was asked for.")], "nothing"
    if bound is None or columns is None:
        return [bad_attributes(attrs)], "one pass"
    if bound > 0:
        reason = "Directions were dropped between batches; that variances lie within error_bound_ is not checked here."
        return [columns, failed("components", reason)], "two passes"
    if bound < 0:
        return [columns, failed("components", "error_bound_ is negative.")], "two passes"
    claims, cost = check_pca(model, blocks, tol)
    return [columns, *claims], f"{cost}, and one pass more"


def _columns(attrs: Attributes, blocks: Blocks, tol: float) -> Claim | None:
    """var_ (n below the line) and the number of rows."""
    var, seen, center = attrs.array("var_", (blocks.n_features,)), attrs.number("n_samples_seen_"), first_pass(blocks)
    if var is None or seen is None:
        return None
    eps = epsilon(center.single, np.asarray(attrs.model.var_))
    squares = sum((((dense(X) - center.mean) ** 2).sum(axis=0) for X, _, _ in blocks), np.zeros(blocks.n_features))
    truth = squares / blocks.n_rows
    offset = (eps * np.abs(center.mean)) ** 2  # of a mean that is off by a rounding
    size = np.maximum(truth, offset)
    off = np.where(var == truth, 0.0, np.abs(var - truth) / np.where(size > 0, size, 1e-300))
    rounding = ROUNDINGS * eps * (1 + np.abs(center.mean) / np.sqrt(np.where(size > 0, size, np.inf)))
    j = int((off - rounding).argmax())
    return at_most(
        "columns",
        f"var_ is the variance of each column and n_samples_seen_ the number of rows; column {j}, relative difference.",
        Grade.EXACT, off[j] if seen == blocks.n_rows else np.inf, tol, error=2 * gamma(blocks.n_rows + 8),
        excuse=float(rounding[j]),
        failure=f"var_ is not the variance of column {j}, or the rows are not {seen:g}.",
    )  # fmt: skip
