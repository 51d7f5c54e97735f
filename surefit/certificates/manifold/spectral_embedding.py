"""Checker of SpectralEmbedding: Y = D^{−½}U, U the eigenvectors of L_sym after the first: LY = DYΛ and YᵀDY = I.

The null vectors of L_sym are known: √d on each component. The columns of the embedding and these must have right
angles, and together hold the smallest eigenvalues (docs/certificates/manifold.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, refuted
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.graphs.affinity import affinity_claim
from surefit.certificates.theorems.graphs.graph import Graph, laplacian_of, read_graph
from surefit.certificates.theorems.graphs.null_space import bottom_claims, null_vectors
from surefit.certificates.theorems.spectral.pairs import MOST_EXCUSED, MOST_ORDER, ROUNDINGS, Pairs, pairs_claim

SMALL = 1e-3  # of the scale: eigenvalues below are measured by this


@checker("embedding_", "affinity_matrix_", "n_neighbors_", "gamma_", "eigenvalues_", "n_components_graph_")
def check_spectral_embedding(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The graph against X, one product with its Laplacian, one Cholesky factor."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    graph, Y = read_graph(attrs, n), attrs.array("embedding_", (n, whole(attrs.parameter("n_components", 2))))
    if attrs.faults or graph is None or Y is None:
        return [bad_attributes(attrs)], "one pass"
    claims = [affinity_claim(attrs, graph, blocks, tol, 1.0 / blocks.n_features)]
    claims += _spectral_claims(attrs, graph, Y, attrs.text("laplacian", "symmetric") != "unnormalized", tol)
    return claims, f"{n}² affinities, {n**3 / 3.0 if n <= MOST_ORDER else 0.0:.1e} operations for a factor"


def _spectral_claims(attrs: Attributes, graph: Graph, Y: F64, normalized: bool, tol: float) -> list[Claim]:
    (diagonal, part, error), (n, k) = laplacian_of(graph, normalized), Y.shape
    root, scale = 1 / np.where(part.s > 0, part.s, 1.0), float(diagonal.max(initial=0.0)) or 1.0
    U, N = root[:, None] * Y, null_vectors(graph.components(), root)
    if attrs.has("n_components_graph_") and attrs.number("n_components_graph_") != N.shape[1]:
        said = f"The graph has {N.shape[1]} components; n_components_graph_ says another number."
        return [refuted("components", said)]
    product, length = (
        diagonal[:, None] * U - part.by_rows(lambda B, _: B @ U),
        np.maximum(np.linalg.norm(U, axis=0), 1e-300),
    )
    lam = (U * product).sum(axis=0) / length**2
    unit, eps = np.maximum(np.abs(lam), SMALL * scale), epsilon(False, np.asarray(attrs.model.embedding_))
    if attrs.has("eigenvalues_"):
        stated = attrs.array("eigenvalues_", (k,), (k + 1,))  # of k + 1 the first is zero
        off = np.inf if stated is None else np.abs(stated - np.append(0.0, lam)[-stated.size :])
        if not (off <= tol * np.append(SMALL * scale, unit)[-np.size(off) :]).all():
            return [refuted("eigenvalues", "eigenvalues_ are not those of the columns.")]
    rounding, loose = ROUNDINGS * eps * scale, min(MOST_EXCUSED, _loose(attrs, n) * scale / float(unit.min()))
    A = np.diag(diagonal) - part.by_rows(lambda B, _: B) if n <= MOST_ORDER else None
    pairs = Pairs("L_sym" if normalized else "L", A, error, U, lam, unit, rounding, eps, largest_direction, loose)
    advice = "A smaller eigen_tol or eigen_solver='arpack' keeps more digits."
    return [pairs_claim(pairs, tol, advice, product, 2 * error * length), *bottom_claims(pairs, N, tol)]


def _loose(attrs: Attributes, n: int) -> float:
    """What the solver was told to leave; scikit-learn's lobpcg ends at a residual of √ε n by itself."""
    asked, solver = getattr(attrs.model, "eigen_tol", "auto"), attrs.text("eigen_solver", "arpack")
    if isinstance(asked, str) or asked is None:
        return 1.5e-8 * n if solver in ("lobpcg", "amg") else 0.0
    return max(0.0, real(asked)) if real(asked) < 0.25 else 0.0
