"""The pictures of a clustering: rows in their clusters, silhouettes, the inertia and what is proved about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from surefit.model_selection.clusterings.explained_share import split_last
from surefit.model_selection.clusterings.indices import SILHOUETTE
from surefit.model_selection.comparison import Comparison
from surefit.model_selection.outcome import Outcome
from surefit.plot import (
    ClustersDisplay,
    InertiaDisplay,
    KMeansDisplay,
    MixtureDisplay,
    SilhouetteDisplay,
    svg_of,
)
from surefit.plot.clustering.clusters import on_a_plane
from surefit.plot.clustering.kmeans import proved_interval
from surefit.report.picture import Picture, drawing, plain_rows, some_rows

MOST_ROWS = 2000
"""Clusters are drawn with so many rows at most, spread evenly over the data; more would hide each other."""
MOST_CLUSTERINGS = 6
"""The best of each kind are drawn, up to so many."""
PLANE = "Rows on the first two principal components"


def cluster_pictures(comparison: Comparison) -> Iterator[Picture]:
    """All of them, in the order of the page."""
    if comparison.task != "clustering" or comparison.X is None:
        return
    rows = some_rows(comparison.n_rows, MOST_ROWS)
    for place, one in enumerate(_best_of_each_kind(comparison)):
        Z = plain_rows(one, comparison.X, rows)
        if Z is None:
            continue
        yield _clusters(one, Z, rows, comparison.n_rows)
        if place == 0:
            yield from _silhouettes(one, Z, rows)
    yield from _inertia(comparison)


def _best_of_each_kind(comparison: Comparison) -> list[Outcome]:
    """The best clustering, then the best of every other class of estimators, by their silhouettes."""
    found = [one for one in comparison.outcomes if SILHOUETTE in one.extra]
    found.sort(key=lambda one: (one is not comparison.best, -one.extra[SILHOUETTE]))
    kinds: dict[str, Outcome] = {}
    for one in found:
        kinds.setdefault(type(split_last(one.estimator)[1]).__name__, one)
    return list(kinds.values())[:MOST_CLUSTERINGS]


def _clusters(one: Outcome, Z: Any, rows: np.ndarray, n_rows: int) -> Picture:
    """With centers or ellipses where the model has them."""
    _, estimator = split_last(one.estimator)
    labels = labels_of(one, Z, rows)
    counts, noise = np.unique(labels[labels >= 0], return_counts=True)[1], int((labels < 0).sum())
    words = f"{rows.size} rows in {counts.size} cluster{'' if counts.size == 1 else 's'}"
    alone = f", and {noise} rows in none of them" if noise else ""
    some = f" {rows.size:,} of {n_rows:,} rows are drawn." if rows.size < n_rows else ""
    if hasattr(estimator, "covariances_") and Z.shape[1] > 1:
        more, draw = (
            ", in the colors of the components responsible for them; ellipses hold one and two standard deviations",
            drawing(MixtureDisplay.from_estimator, estimator, Z),
        )
    elif hasattr(estimator, "cluster_centers_"):
        more, draw = ", with the centers", drawing(KMeansDisplay.from_estimator, estimator, Z)
    else:
        core = hasattr(estimator, "core_sample_indices_")
        more = "; rings are border rows, crosses noise" if core else ", a color for each cluster"
        flags = np.isin(rows, estimator.core_sample_indices_) if core else None
        draw = ClustersDisplay(points=on_a_plane(np.asarray(Z, dtype=float)), labels=labels, core=flags).plot
    return Picture(
        f"Clusters: {one.name}",
        f"{PLANE}{more}.{some} Silhouette {one.extra_text(SILHOUETTE)}.",
        f"Scatter plot of {words} of {', '.join(map(str, counts[:20]))} rows{alone}.",
        svg_of(draw),
    )


def labels_of(one: Outcome, Z: Any, rows: np.ndarray) -> np.ndarray:
    """The clusters of some of the rows that a clustering was fitted to."""
    if one.predictions is not None:
        return one.predictions[rows]
    _, estimator = split_last(one.estimator)
    return np.asarray(estimator.labels_)[rows] if hasattr(estimator, "labels_") else np.asarray(estimator.predict(Z))


def _silhouettes(one: Outcome, Z: Any, rows: np.ndarray) -> Iterator[Picture]:
    labels = labels_of(one, Z, rows)
    clusters = np.unique(labels[labels >= 0]).size
    if not 2 <= clusters <= min(30, (labels >= 0).sum() - 1):
        return
    yield Picture(
        f"How clear are the clusters? {one.name}",
        "A blade for each cluster: how much nearer each of its rows is to its own cluster than to the next one. Rows "
        "below 0 would fit better elsewhere.",
        f"Silhouettes of {rows.size} rows in {clusters} clusters, sorted within each; the one of all is "
        f"{one.extra_text(SILHOUETTE)}.",
        svg_of(drawing(SilhouetteDisplay.from_predictions, Z, labels)),
    )


def _inertia(comparison: Comparison) -> Iterator[Picture]:
    pairs = []
    for one in comparison.outcomes:
        for certificate in one.certificates.values():
            if certificate.model == "KMeans" and "interval" in certificate:
                pairs.append((len(split_last(one.estimator)[1].cluster_centers_), certificate))
    if len({k for k, _ in pairs}) < 2:
        return
    ratios = [lower / upper if upper > 0 else 1.0 for lower, upper in (proved_interval(one) for _, one in pairs)]
    yield Picture(
        "Inertia and what is proved about it",
        "The best possible inertia for each k lies in the band: below the fit that was found, above the proved bound.",
        f"Inertia against the number of clusters with a proved lower bound; the bound is between "
        f"{min(ratios):.0%} and {max(ratios):.0%} of the inertia found.",
        svg_of(drawing(InertiaDisplay.from_certificates, pairs)),
    )
