"""Checker of SpectralClustering: the graph, its spectrum, the labels in it, and how good the cut can be at most.

The embedding has the eigenvectors U of the k smallest eigenvalues of L or L_sym: rows of U (unnormalized), of D^{−½}U
(random_walk; scikit-learn's only one) or of U divided by their lengths (symmetric). Distances of its rows do not depend
on the basis that was taken. For few rows it is recomputed, and `embedding_` held to it (docs/certificates/cluster.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import gamma
from surefit.certificates.search.spectral.eigen_basis import eigen_basis
from surefit.certificates.theorems.graphs.affinity import affinity_claim
from surefit.certificates.theorems.graphs.graph import Graph, cuts, laplacian_of, read_graph
from surefit.certificates.theorems.spectral.all_eigenvalues import MOST_ORDER, all_eigenvalues

NEXT_STEP, NO_CONVERGENCE, KMEANS_TOL = 4.0, 1e-3, 1e-4
ZERO = 1e-12  # of the scale: smaller eigenvalues count as this in an eigengap
SMALL = 1e-3  # of the largest degree: eigenvalues below are measured by this


@dataclass(frozen=True)
class Spectrum:
    """All eigenvalues within the error; the embedding of the smallest, within ‖moved‖_F up to a rotation."""

    lam: F64
    error: float
    scale: float  # the largest entry of the diagonal
    E: F64
    moved: float


@checker(
    "affinity_matrix_", "labels_", "eigenvalues_", "embedding_", "n_clusters_", "n_components_graph_", "cut_",
    "ratio_cut_", "normalized_cut_", "n_neighbors_", "gamma_",
)  # fmt: skip
def check_spectral_clustering(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The graph against X; all eigenvalues of few rows; one step of k-means in the embedding."""
    attrs, n = Attributes(model, "labels_"), blocks.n_rows
    graph, labels, asked = read_graph(attrs, n), attrs.raw("labels_"), getattr(model, "n_clusters", 8)
    k = whole(getattr(model, "n_clusters_", asked))
    if labels is None or labels.dtype.kind not in "iu" or labels.shape != (n,):
        attrs.faults.append(f"labels_ is not a list of {n} whole numbers")
    if attrs.faults or graph is None or labels is None:
        return [bad_attributes(attrs)], "one pass"
    pieces = int(graph.components().max()) + 1
    claims = [affinity_claim(attrs, graph, blocks, tol), _groups(asked, labels, k), _components(attrs, pieces)]
    if not claims[1].holds:
        return claims, "one pass"
    kind, m = attrs.text("laplacian", "random_walk"), whole(attrs.parameter("n_components", k))
    m, values = m if 1 <= m <= n else k, cuts(graph, labels, k)
    found = _spectrum(graph, m, kind)
    claims += [*_cut_values(attrs, values, n, tol), _interval(values, found, k, kind)]
    if isinstance(asked, str):
        claims.append(_gap(attrs, found, pieces, k))
    if attrs.has("eigenvalues_"):
        claims.append(_eigenvalues(attrs, n, found, k, tol))
    E, moved = (found.E, found.moved) if found is not None and np.isfinite(found.moved) else (None, 0.0)
    if attrs.has("embedding_"):
        E, moved = attrs.array("embedding_", (n, m)), 0.0
        claims.append(_embedding(E, found, tol))
    claims.append(_fixed_point(attrs.text("assign_labels", "kmeans"), E, labels, k, moved, tol))
    return claims, f"{n}² distances" + (f", all {n} eigenvalues" if found else "")


def _unproved(name: str, what: str, reason: str = "there are too many rows for all eigenvalues") -> Claim:
    return Claim(name, f"That {what} is not proved: {reason}.", Grade.UNPROVED, None, 0.0, True)


def _groups(asked: Any, labels: NDArray, k: int) -> Claim:
    used = np.unique(labels)
    if not (isinstance(asked, str) or real(asked) == k) or used.size == 0 or used[0] < 0 or used[-1] >= k:
        return refuted("clusters", f"labels_ or n_clusters_ are not of the n_clusters={asked!r} asked for.")
    return at_most("clusters", f"There are {k} clusters; how many of them are empty.", Grade.EXACT, k - used.size, 0)


def _components(attrs: Attributes, count: int) -> Claim:
    """The zero eigenvalues of every Laplacian are as many as the components."""
    if attrs.has("n_components_graph_") and attrs.number("n_components_graph_") != count:
        return refuted("components", f"The graph has {count} components; n_components_graph_ says another number.")
    more = "" if count == 1 else ": the embedding parts these first; more neighbors or a wider kernel join them"
    return Claim("components", f"The graph has {count} connected components{more}.", Grade.EXACT, count, None, True)


def _gap(attrs: Attributes, found: Spectrum | None, components: int, k: int) -> Claim:
    """n_clusters='eigengap': as many as components, else the k ≥ 2 with the largest λₖ₊₁/λₖ; max_clusters at most.

    Eigenvalues below ZERO of the scale count as that: with [l, h] around each, a ratio is from lₖ₊₁/hₖ to hₖ₊₁/lₖ.
    """
    most = max(1, whole(attrs.parameter("max_clusters", 10)))
    if components == 1 and found is None:
        return _unproved("eigengap", "this is the largest gap")
    if found is None or components > 1 or len(found.lam) < 3:
        right = len(found.lam) if found is not None and components == 1 else min(components, most)
        sentence = f"{right} clusters for {components} components, {most} at most; difference."
        return at_most("eigengap", sentence, Grade.EXACT, abs(k - right), 0)
    low, high = (np.maximum(found.lam[1 : most + 1] + e, ZERO * found.scale) for e in (-found.error, found.error))
    least, largest, others = low[1:] / high[:-1], high[1:] / low[:-1], np.arange(len(low) - 1) != k - 2
    best = float(largest[others].max(initial=0.0))
    return at_most(
        "eigengap", f"No k has a larger ratio of neighboring eigenvalues than {k}, by more than this share.",
        Grade.EXACT, np.inf if others.all() else max(0.0, best / least[k - 2] - 1), 1e-6,
    )  # fmt: skip


def _embedded(s: F64, U: F64, kind: str) -> tuple[F64, float]:
    """The rows that k-means sees, and by how much a change of U is enlarged."""
    if kind == "unnormalized":
        return U, 1.0
    if kind == "random_walk":
        return s[:, None] * U, float(s.max(initial=0.0))
    length = np.sqrt((U * U).sum(axis=1))
    return U / np.where(length > 0, length, 1.0)[:, None], 2 / float(length[length > 0].min(initial=1.0))


def _spectrum(graph: Graph, m: int, kind: str) -> Spectrum | None:
    """The span of the m proposed vectors is within √(2m) · error/gap of the exact one (Davis and Kahan)."""
    if graph.n > MOST_ORDER:
        return None
    diagonal, part, error = laplacian_of(graph, kind != "unnormalized")
    A = np.diag(diagonal) - part.by_rows(lambda B, _: B)
    proposed, Q = eigen_basis(A)
    lam, error = all_eigenvalues(A, error, proposed, Q)
    gap = float(lam[m] - lam[m - 1]) - 2 * error if m < graph.n else np.inf
    E, more = _embedded(part.s, Q[:, np.argsort(proposed)[:m]], kind)
    moved = float(np.sqrt(2.0 * m) * error / gap * more) if gap > 0 else np.inf
    return Spectrum(lam, error, float(diagonal.max()) or 1.0, E, moved)


def _cut_values(attrs: Attributes, values: dict[str, float], n: int, tol: float) -> list[Claim]:
    claims = []
    for name, truth in values.items():
        if attrs.has(f"{name}_"):
            off = abs(real(getattr(attrs.model, f"{name}_")) - truth) / (truth or 1.0)
            sentence = f"{name}_ is that of the labels, recomputed as {truth:.10g}; relative difference."
            claims.append(at_most(name, sentence, Grade.EXACT, off, tol, error=gamma(float(n) ** 2 + 8)))
    return claims


def _interval(values: dict[str, float], found: Spectrum | None, k: int, kind: str) -> Claim:
    name = "ratio_cut" if kind == "unnormalized" else "normalized_cut"
    upper, words = values[name] * (1 + 1e-9), name.replace("_", " ").replace("normalized", "normalised")
    lower = 0.0 if found is None else max(0.0, float(found.lam[:k].sum()) - k * found.error)
    ratio = min(1.0, lower / upper) if upper > 1e-12 else 1.0
    above = f"at most {1 / ratio - 1:.1%} above" if ratio > 0 else "an unknown factor above"
    sentence = f"The least {words} of any {k} groups lies in [{lower:.6g}, {upper:.6g}]: these labels are {above} it"
    sentence += " (by the smallest eigenvalues)." if found else ". There are too many rows for a lower bound."
    right = lower <= upper + 1e-9
    return Claim("interval", sentence, Grade.BOUNDED, ratio, None, right, {"lower": lower, "upper": upper})


def _eigenvalues(attrs: Attributes, n: int, found: Spectrum | None, k: int, tol: float) -> Claim:
    """The smallest eigenvalues at their places, relative to themselves or to a thousandth of the scale."""
    lam = attrs.array("eigenvalues_")
    if lam is None or lam.ndim != 1 or not min(k + 1, n) <= lam.size <= n:
        return refuted("eigenvalues", f"eigenvalues_ is not a list of {k + 1} or more numbers.")
    if found is None:
        return _unproved("eigenvalues", "eigenvalues_ are the smallest")
    unit = np.maximum(found.lam[: lam.size], SMALL * found.scale)
    off = np.abs(lam - found.lam[: lam.size]) / unit
    j = int(np.argmax(off))
    return at_most(
        "eigenvalues", f"eigenvalues_ are the {lam.size} smallest of the Laplacian; largest relative difference.",
        Grade.OPTIMAL, off[j], tol, error=found.error / unit[j],
    )  # fmt: skip


def _embedding(given: F64 | None, found: Spectrum | None, tol: float) -> Claim:
    """‖EEᵀ − E₀E₀ᵀ‖_F over ‖E₀E₀ᵀ‖_F: what no rotation changes, and all that distances of rows depend on."""
    if given is None:
        return refuted("embedding", "embedding_ is not a row of numbers for each row of X.")
    if found is None or not np.isfinite(found.moved):
        reason = "the next eigenvalue is equal, or there are too many rows for all eigenvalues"
        return _unproved("embedding", "the embedding is that of the smallest eigenvalues", reason)
    E, length = found.E, float(np.linalg.norm(found.E))
    truth, rounding = E @ E.T, gamma(E.shape[1] + 8) * (length**2 + float(np.linalg.norm(given)) ** 2)
    size = float(np.linalg.norm(truth)) or 1.0
    return at_most(
        "embedding", "embedding_ is that of the smallest eigenvalues; relative difference of inner products of rows.",
        Grade.OPTIMAL, float(np.linalg.norm(given @ given.T - truth)) / size, tol,
        error=(2 * length * found.moved + found.moved**2 + rounding) / size,
        failure="embedding_ is not that of the smallest eigenvalues, or these are not told from the next.",
    )  # fmt: skip


def _fixed_point(method: str, E: F64 | None, labels: NDArray, k: int, moved: float, tol: float) -> Claim:
    """What one more step of Lloyd's iteration saves, from the means of the labels."""
    if method != "kmeans" or E is None:
        why = f"labels by {method!r} are not recomputed" if method != "kmeans" else "the embedding is not known"
        return _unproved("labels", "the labels are those of the method", why)
    n, m = E.shape
    size = np.maximum(np.bincount(labels, minlength=k), 1)
    C = np.stack([np.bincount(labels, e, minlength=k) for e in E.T], axis=1) / size[:, None]
    sq_dist = np.stack([((E - c) ** 2).sum(axis=1) for c in C], axis=1)
    now, after = float(sq_dist[np.arange(n), labels].sum()), float(sq_dist.min(axis=1).sum())
    total = float(((E - E.mean(axis=0)) ** 2).sum()) or 1.0
    slip, unit = moved + gamma(n + m + 8) * float(np.linalg.norm(E)), now if now > tol * total else total
    saving, error = (now - after) / unit, 2 * (2 * np.sqrt(now) * slip + slip**2) / unit
    stop = min(NEXT_STEP * KMEANS_TOL * total / (n * m) * float(size.max()) / unit, NO_CONVERGENCE)
    limit = tol if saving + error <= tol else max(tol, stop)
    return at_most(
        "fixed_point", "One more step of k-means in the embedding saves at most this share of its inertia."
        + ("" if limit == tol else " It stopped by the tolerance of k-means."),
        Grade.FIXED_POINT if limit == tol else Grade.BOUNDED, saving, limit, error=error,
        failure=f"Labels are no fixed point of k-means in the embedding: a step saves {saving:.2g} of the inertia.",
    )  # fmt: skip
