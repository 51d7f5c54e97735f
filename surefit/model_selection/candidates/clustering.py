"""The clusterings that `surefit compare` tries: a row for each method, which chooses its own number of clusters."""

from __future__ import annotations

from typing import Any

from surefit.model_selection.candidates.candidate import Candidate, Shape
from surefit.model_selection.clusterings.search import ClusterSearch

MOST_CLUSTERS = 8
MANY_ROWS = 10_000
"""Beyond so many rows k-means starts once: its cost grows with the rows, the spread between starts shrinks."""
CLUSTER_ROWS = 5_000
"""Beyond so many rows no clustering is tried whose cost grows with their square."""
PROOF_ROWS = 2_000
"""Beyond so many rows no clustering is tried whose proof takes seconds."""
DENSITY_ROWS, NEAR_COLUMNS = 20_000, 8
"""With few columns density is looked for in so many rows: their neighbors are found, and the proof ends, in seconds."""
DENSE_ROWS = 10
"""Rows near a row that make it a core row of DBSCAN; half of it for a short table."""
FULL_COLUMNS = 30
"""Beyond so many columns mixtures have covariances of single columns only."""
SQUARE = f"its cost grows with the square of the rows: tried on 4 to {CLUSTER_ROWS:,} rows"
PROOF = f"its cost, and that of its proof, grows with the square of the rows: tried on 4 to {PROOF_ROWS:,} rows"
DENSITY = f"tried on {DENSE_ROWS} to {DENSITY_ROWS:,} rows; of more than {NEAR_COLUMNS} columns, to {CLUSTER_ROWS:,}"


def _counts(n_rows: int) -> tuple[dict[str, Any], ...]:
    """2 … 8 clusters, each of two rows at least."""
    return tuple({"n_clusters": k} for k in range(2, MOST_CLUSTERS + 1) if 2 * k <= n_rows)


def _kmeans(value: Any, n_rows: int) -> Any:
    from surefit.cluster import KMeans

    return ClusterSearch(KMeans(n_init=10 if n_rows <= MANY_ROWS else 1, random_state=0), _counts(n_rows))


def _mixture(kinds: tuple[str, ...], n_rows: int) -> Any:
    from surefit.mixture import GaussianMixture

    counts = [k for k in range(1, MOST_CLUSTERS + 1) if 2 * k <= n_rows]
    settings = tuple({"n_components": k, "covariance_type": kind} for kind in kinds for k in counts)
    return ClusterSearch(GaussianMixture(random_state=0), settings, "bic", max_rows=CLUSTER_ROWS)


def _dbscan(value: Any, n_rows: int) -> Any:
    from surefit.cluster import DBSCAN

    m = DENSE_ROWS if n_rows >= 10 * DENSE_ROWS else DENSE_ROWS // 2
    return ClusterSearch(DBSCAN(), ({"min_samples": m},))


def _linkage(kind: str, n_rows: int) -> Any:
    from surefit.cluster import AgglomerativeClustering

    return ClusterSearch(AgglomerativeClustering(linkage=kind), _counts(n_rows))  # type: ignore[arg-type]


def _spectral(value: Any, n_rows: int) -> Any:
    from surefit.cluster import SpectralClustering

    return ClusterSearch(SpectralClustering(affinity="nearest_neighbors", random_state=0), _counts(n_rows), "eigengap")


def _has_covariances(kinds: tuple[str, ...], shape: Shape) -> bool:
    """Of pairs of columns where there are few columns. Categories have no density."""
    if shape.mixed or shape.n_rows < 4:
        return False
    return ("full" in kinds) == (shape.n_columns <= FULL_COLUMNS)


def _few_for_density(value: Any, shape: Shape) -> bool:
    return DENSE_ROWS <= shape.n_rows <= (DENSITY_ROWS if shape.n_columns <= NEAR_COLUMNS else CLUSTER_ROWS)


def _few_for_proof(value: Any, shape: Shape) -> bool:
    return 4 <= shape.n_rows <= PROOF_ROWS


CLUSTERING: tuple[Candidate, ...] = (
    Candidate(
        "k-means",
        "clustering",
        "k centers, each row drawn to the nearest",
        _kmeans,
        suits=lambda value, shape: shape.n_rows >= 4,
        unless="it needs four rows or more",
    ),
    Candidate(
        "Gaussian mixture",
        "clustering",
        "rows drawn from one of k Gaussians; k and the kind of their covariances by the Bayesian information criterion",
        _mixture,
        (("full", "tied", "diag", "spherical"), ("diag", "spherical")),
        _has_covariances,
        unless="columns of categories have no density, and it needs four rows or more",
    ),
    Candidate(
        "Ward",
        "clustering",
        "pairs of clusters merged where the squared distances to the means grow least, until k are left",
        lambda value, n_rows: _linkage("ward", n_rows),
        suits=lambda value, shape: 4 <= shape.n_rows <= CLUSTER_ROWS,
        unless=SQUARE,
    ),
    Candidate(
        "average linkage",
        "clustering",
        "pairs of clusters merged where their rows are nearest on average, until k are left",
        lambda value, n_rows: _linkage("average", n_rows),
        suits=_few_for_proof,
        unless=PROOF,
    ),
    Candidate(
        "complete linkage",
        "clustering",
        "pairs of clusters merged where their farthest rows are nearest, until k are left",
        lambda value, n_rows: _linkage("complete", n_rows),
        suits=_few_for_proof,
        unless=PROOF,
    ),
    Candidate(
        "single linkage",
        "clustering",
        "pairs of clusters merged where their nearest rows are nearest, until k are left",
        lambda value, n_rows: _linkage("single", n_rows),
        suits=_few_for_proof,
        unless=PROOF,
    ),
    Candidate(
        "spectral clustering",
        "clustering",
        "the graph of nearest neighbors cut into k parts along its smallest eigenvectors",
        _spectral,
        suits=lambda value, shape: 12 <= shape.n_rows <= PROOF_ROWS,
        unless=f"its proof takes seconds beyond: tried on 12 to {PROOF_ROWS:,} rows",
    ),
    Candidate(
        "DBSCAN",
        "clustering",
        "rows with ten rows (in short tables five) within ε of them, joined; ε from the knee of their distances",
        _dbscan,
        suits=_few_for_density,
        unless=DENSITY,
    ),
)
