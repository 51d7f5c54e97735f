"""Affinities by a kernel, held against its formula on the rows checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.graphs.affinity import checked_rows, dense_rows
from surefit.certificates.theorems.graphs.distances import in_slices
from surefit.certificates.theorems.graphs.graph import Graph
from surefit.certificates.theorems.kernel_machine.kernels import Kernel


def kernel_claim(graph: Graph, X: F64, kernel: Kernel, eps: float, tol: float) -> Claim:
    """|W − K| relative to K where K is an exponential, else to the largest of the row; loops do not count."""
    least = 1e-36 if eps > 1e-10 else 1e-290  # what underflows does not count
    worst, error, excuse, rows, places = 0.0, 0.0, 0.0, checked_rows(len(X)), np.arange(len(X))
    for part in in_slices(len(rows), len(X)):
        some = rows[part]
        K = kernel.block(X[some], X, places)
        if not (np.isfinite(K.value).all() and np.isfinite(K.error).all()):
            raise BadData("the kernel overflows on these data")
        size = np.abs(K.value) if kernel.name in ("rbf", "laplacian", "chi2") else np.abs(K.value).max(axis=1)[:, None]
        own = (some[:, None] == places) | (size < least)
        unit: Any = np.where(own, np.inf, np.broadcast_to(size, own.shape))
        worst = max(worst, float((np.abs(dense_rows(graph, some) - K.value) / unit).max(initial=0.0)))
        error = max(error, float((K.error / unit).max(initial=0.0)))
        excuse = max(excuse, float((eps * (1 + np.abs(np.log(np.where(own, 1.0, size))))).max(initial=0.0)))
    return at_most(
        "affinity",
        f"The affinities are those of the kernel {kernel.name!r}, on {len(rows)} rows; largest relative difference.",
        Grade.EXACT, worst, tol, error=error, excuse=10 * excuse,
        failure=f"The affinities are not those of the kernel {kernel.name!r}: off by a relative {worst:.2g}.",
    )  # fmt: skip
