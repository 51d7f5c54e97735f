"""Checker of SpectralEmbedding: Y = D^{−½}U, U the eigenvectors of L_sym after the first: LY = DYΛ and YᵀDY = I.

The null vectors of L_sym are known: √d on each component. The columns of the embedding and these must have right
angles, and together hold the smallest eigenvalues (docs/certificates/manifold.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, refuted
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.graphs.components import components
from surefit.certificates.theorems.graphs.graph import Graph, laplacian_of, read_graph
from surefit.certificates.theorems.graphs.model_affinity import affinity_claim
from surefit.certificates.theorems.graphs.null_space import joined, null_claim, null_vectors
from surefit.certificates.theorems.spectral.pairs import (
    MOST_ORDER,
    ROUNDINGS,
    Pairs,
    orthonormal_claim,
    outermost_claim,
    pairs_claim,
)

SMALL = 1e-3  # of the scale: eigenvalues below are measured by this


@checker("embedding_", "affinity_matrix_", "n_neighbors_", "gamma_", "eigenvalues_", "n_components_graph_")
def check_spectral_embedding(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The graph row by row, one product with its Laplacian, one Cholesky factor."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    graph, Y = read_graph(attrs, n), attrs.array("embedding_")
    if Y is not None and (Y.ndim != 2 or len(Y) != n or Y.shape[1] != real(attrs.parameter("n_components", 2))):
        attrs.faults.append(f"embedding_ has shape {Y.shape}, expected {n} rows and n_components columns")
    if attrs.faults or graph is None or Y is None:
        return [bad_attributes(attrs)], "one pass"
    width = 1.0 / blocks.n_features
    claims = [affinity_claim(attrs, graph, blocks, tol, width, by_rows=False)]
    normalized = attrs.text("laplacian", "symmetric") != "unnormalized"
    U = np.sqrt(np.where(graph.degree > 0, graph.degree, 1.0))[:, None] * Y if normalized else Y
    claims += spectral_claims(attrs, graph, U, normalized, tol)
    return claims, f"{len(graph.weight)} edges, {n**3 / 3.0 if n <= MOST_ORDER else 0.0:.1e} operations for a factor"


def spectral_claims(attrs: Attributes, graph: Graph, U: F64, normalized: bool, tol: float) -> list[Claim]:
    laplacian, n = laplacian_of(graph, normalized), graph.n
    scale = float(laplacian.diagonal.max(initial=0.0)) or 1.0
    eps = epsilon(False, np.asarray(attrs.model.embedding_))
    product, length = laplacian.times(U), np.maximum(np.linalg.norm(U, axis=0), 1e-300)
    lam, k = (U * product).sum(axis=0) / length**2, U.shape[1]
    part = components(n, graph.rows, graph.cols)
    N = null_vectors(part, np.where(graph.degree > 0, np.sqrt(graph.degree), 1.0) if normalized else np.ones(n))
    if attrs.has("n_components_graph_") and attrs.number("n_components_graph_") != N.shape[1]:
        said = f"The graph has {N.shape[1]} components; n_components_graph_ says another number."
        return [refuted("components", said)]
    unit, rounding = np.maximum(np.abs(lam), SMALL * scale), ROUNDINGS * eps * scale
    loose, excuse = _loose(attrs, n) * scale / float(unit.min()), np.minimum(0.5, rounding * np.sqrt(n) / unit)
    if attrs.has("eigenvalues_"):
        stated = attrs.array("eigenvalues_", (k,), (k + 1,))  # of k + 1 the first is zero
        off = np.inf if stated is None else np.abs(stated - np.append(0.0, lam)[-stated.size :])
        if not (off <= tol * np.append(SMALL * scale, unit)[-np.size(off) :]).all():
            return [refuted("eigenvalues", "eigenvalues_ are not those of the columns.")]
    pairs, what = Pairs(U, lam, unit, excuse, eps, loose), "L_sym" if normalized else "L"
    return [
        null_claim(pairs, N, tol, rounding),
        orthonormal_claim(U, eps, max(tol, loose)),
        pairs_claim(pairs, product, laplacian.error * length, tol, what,
                    "A smaller eigen_tol or eigen_solver='arpack' keeps more digits."),
        outermost_claim(joined(pairs, N), laplacian.matrix, laplacian.error, tol, last=float(lam.max()),
                        unit=float(unit.max()), smallest=True, matrix=what, propose=largest_direction),
    ]  # fmt: skip


def _loose(attrs: Attributes, n: int) -> float:
    """What the solver was told to leave; scikit-learn's lobpcg ends at a residual of √ε n by itself."""
    asked, solver = getattr(attrs.model, "eigen_tol", "auto"), attrs.text("eigen_solver", "arpack")
    if isinstance(asked, str) or asked is None:
        return 1.5e-8 * n if solver in ("lobpcg", "amg") else 0.0
    return max(0.0, real(asked)) if real(asked) < 0.25 else 0.0
