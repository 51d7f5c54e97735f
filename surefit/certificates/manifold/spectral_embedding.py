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
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.largest_direction import largest_direction
from surefit.certificates.theorems.graphs.graph import Graph, read_graph
from surefit.certificates.theorems.graphs.model_affinity import affinity_claim
from surefit.certificates.theorems.graphs.null_space import (
    joined,
    null_claim,
    null_vectors,
    only_null,
    right_angles_claim,
)
from surefit.certificates.theorems.spectral.pairs import (
    MOST_ORDER,
    ROUNDINGS,
    Pairs,
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
    scale = 1.0 if normalized else float(graph.degree.max(initial=0.0)) or 1.0
    eps = epsilon(False, np.asarray(attrs.model.embedding_))
    product, error = graph.laplacian_times(U, normalized)
    length = np.maximum(np.linalg.norm(U, axis=0), 1e-300)
    lam = (U * product).sum(axis=0) / length**2
    values = np.where(graph.degree > 0, np.sqrt(graph.degree), 1.0) if normalized else np.ones(graph.n)
    N = null_vectors(graph.components(), values)
    unit = np.maximum(np.abs(lam), SMALL * scale)
    loose, rounding = _loose(attrs, graph.n) * scale / float(unit.min()), ROUNDINGS * eps * scale
    if attrs.has("n_components_graph_") and attrs.number("n_components_graph_") != N.shape[1]:
        return [
            refuted("components", f"The graph has {N.shape[1]} components; n_components_graph_ says another number.")
        ]
    pairs = Pairs(U, lam, unit, np.minimum(0.5, rounding * np.sqrt(graph.n) / unit), eps, loose)
    what = "L_sym" if normalized else "L"
    advice = "A smaller eigen_tol or eigen_solver='arpack' keeps more digits."
    claims = [
        null_claim(pairs, N, tol, rounding),
        right_angles_claim(pairs, N, tol, rounding),
        pairs_claim(pairs, product, error, tol, what, advice),
    ]
    if attrs.has("eigenvalues_"):
        claims.append(_values(attrs, lam, unit, (error / length + gamma(graph.n + 8) * scale), tol))
    null = only_null(pairs, N)
    if null is not None:
        claims.append(null)
    elif graph.n <= MOST_ORDER:
        A, slip = graph.laplacian(normalized)
        last, most = float(lam.max(initial=0.0)), float(unit.max())
        claims.append(outermost_claim(joined(pairs, N), A, slip, tol, last=last, unit=most, smallest=True, matrix=what,
                                      propose=largest_direction))  # fmt: skip
    else:
        sentence = f"That no smaller eigenvalue is left out is not proved: {graph.n} rows are too many for a factor."
        claims.append(Claim("smallest", sentence, Grade.UNPROVED, None, tol, True))
    return claims


def _loose(attrs: Attributes, n: int) -> float:
    """What the solver was told to leave; scikit-learn's lobpcg ends at a residual of √ε n by itself."""
    asked, solver = getattr(attrs.model, "eigen_tol", "auto"), attrs.text("eigen_solver", "arpack")
    if isinstance(asked, str) or asked is None:
        return 1.5e-8 * n if solver in ("lobpcg", "amg") else 0.0
    return max(0.0, real(asked)) if real(asked) < 0.25 else 0.0


def _values(attrs: Attributes, lam: F64, unit: F64, error: F64, tol: float) -> Claim:
    given = attrs.array("eigenvalues_")
    if given is None or given.shape not in (lam.shape, (lam.size + 1,)):
        return refuted("eigenvalues", f"eigenvalues_ is not a list of {lam.size} numbers.")
    off = np.abs(given[-lam.size :] - lam) / unit
    j = int(np.argmax(off))
    return at_most(
        "eigenvalues", f"eigenvalues_ are those of the columns; number {j} comes nearest to its limit, relative to it.",
        Grade.EXACT, off[j], tol, error=float(error[j]) / unit[j],
        failure=f"eigenvalues_ are not those of the columns: number {j} is off by a relative {off[j]:.2g}.",
    )  # fmt: skip
