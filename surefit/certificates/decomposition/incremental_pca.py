"""Checker of IncrementalPCA: what PCA claims, whatever the batches, and the variances of the columns."""

from __future__ import annotations

from typing import Any

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import failed, refuted
from surefit.certificates.decomposition.pca import check_pca


@checker(*check_pca.covers, "var_", "n_samples_seen_", "error_bound_", "batch_size_")  # type: ignore[attr-defined]
def check_incremental_pca(model: Any, blocks: Blocks, tol: float) -> Findings:
    """That of PCA, where nothing was dropped between batches."""
    attrs = Attributes(model, "components_")
    size = attrs.parameter("batch_size", 5 * blocks.n_features)
    if attrs.array("var_", (blocks.n_features,)) is None:
        return [bad_attributes(attrs)], "nothing"
    if attrs.has("batch_size_") and attrs.number("batch_size_") != real(size):
        return [refuted("batch_size", f"batch_size_ is not the {size!r} that was asked for.")], "nothing"
    if attrs.has("error_bound_") and attrs.number("error_bound_") != 0:
        return [failed("components", "What directions dropped between batches cost is not recomputed.")], "nothing"
    return check_pca(model, blocks, tol)
