"""The clusterings and projections that `surefit compare` tries."""

from __future__ import annotations

from typing import Any

from surefit.model_selection.candidates.candidate import Candidate

MANY_ROWS = 10_000
"""Beyond so many rows k-means starts once: its cost grows with the rows, the spread between starts shrinks."""
CLUSTER_ROWS = 5_000
"""Beyond so many rows no clustering is tried whose cost grows with their square."""
PROOF_ROWS = 2_000
"""Beyond so many rows no clustering is tried whose proof takes seconds."""
DENSITY_ROWS, NEAR_COLUMNS = 20_000, 8
"""With few columns density is looked for in so many rows: their neighbors are found, and the proof ends, in seconds."""


def _kmeans(k: int, n_rows: int) -> Any:
    from surefit.cluster import KMeans

    return KMeans(n_clusters=k, n_init=10 if n_rows <= MANY_ROWS else 1, random_state=0)


def _dbscan(min_samples: int, n_rows: int) -> Any:
    from surefit.cluster import DBSCAN

    return DBSCAN(min_samples=min_samples)


def _ward(k: int, n_rows: int) -> Any:
    from surefit.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters=k, linkage="ward")


def _average(k: int, n_rows: int) -> Any:
    from surefit.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters=k, linkage="average")


def _spectral(k: int, n_rows: int) -> Any:
    from surefit.cluster import SpectralClustering

    return SpectralClustering(n_clusters=k, affinity="nearest_neighbors", random_state=0)


def _pca(n_components: int, n_rows: int) -> Any:
    from surefit.decomposition import PCA

    return PCA(n_components=n_components)


CLUSTERING: tuple[Candidate, ...] = (
    Candidate(
        "PCA {value}",
        "clustering",
        "the best linear picture with this many dimensions",
        _pca,
        (1, 2),
        lambda q, shape: q < shape.n_columns and q < shape.n_rows,
    ),
    Candidate(
        "KMeans k={value}",
        "clustering",
        "k centres, each row drawn to the nearest",
        _kmeans,
        tuple(range(2, 9)),
        lambda k, shape: 2 * k <= shape.n_rows,
    ),
    Candidate(
        "Ward k={value}",
        "clustering",
        "pairs of clusters merged where the squared distances to the means grow least, until k are left",
        _ward,
        (2, 3, 4),
        lambda k, shape: 2 * k <= shape.n_rows <= CLUSTER_ROWS,
    ),
    Candidate(
        "average linkage k={value}",
        "clustering",
        "pairs of clusters merged where their rows are nearest on average, until k are left",
        _average,
        (2, 3, 4),
        lambda k, shape: 2 * k <= shape.n_rows <= PROOF_ROWS,
    ),
    Candidate(
        "spectral k={value}",
        "clustering",
        "the graph of nearest neighbors cut into k parts along its smallest eigenvectors",
        _spectral,
        (2, 3, 4),
        lambda k, shape: 12 <= shape.n_rows <= PROOF_ROWS,
    ),
    Candidate(
        "DBSCAN m={value}",
        "clustering",
        "rows with m rows within ε of them, joined; ε from the knee of the m-distances",
        _dbscan,
        (5, 10),
        lambda m, shape: 2 * m <= shape.n_rows <= (DENSITY_ROWS if shape.n_columns <= NEAR_COLUMNS else CLUSTER_ROWS),
    ),
)
