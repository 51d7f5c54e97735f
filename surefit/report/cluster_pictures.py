"""The pictures of a clustering: rows in their clusters, the inertia and what is proved about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from surefit.model_selection.clusterings.explained_share import prepared, seen_by_last, split_last
from surefit.model_selection.comparison import Comparison
from surefit.model_selection.outcome import Outcome
from surefit.model_selection.prepare.columns import take
from surefit.plot import ClustersDisplay, InertiaDisplay, KMeansDisplay, ScreeDisplay, svg_of
from surefit.plot.kmeans import proved_interval
from surefit.report.picture import Picture

MOST_ROWS = 5000
"""Clusters are drawn with so many rows at most, spread evenly over the data; more would hide each other."""


def cluster_pictures(comparison: Comparison) -> Iterator[Picture]:
    """All of them, in the order of the page."""
    if comparison.X is not None:
        yield from _scree(comparison)
        yield from _clusters(comparison)
    yield from _inertia(comparison)


def _scree(comparison: Comparison) -> Iterator[Picture]:
    from surefit.decomposition import PCA

    Z = prepared(_shortest(comparison).estimator, comparison.X)
    if min(Z.shape) < 3:
        return
    pca = PCA().fit(Z)
    display = ScreeDisplay(shares=pca.explained_variance_ratio_)
    yield Picture(
        "Scree of the columns",
        "How much of the variance each principal component carries; the ring marks the knee.",
        f"Scree plot of {display.shares.size} principal components; the knee is at {display.knee}, which carry "
        f"{100 * display.shares[: display.knee].sum():.0f} % of the variance.",
        svg_of(display.plot),
    )


def _clusters(comparison: Comparison) -> Iterator[Picture]:
    clusterings = [one for one in comparison.outcomes if hasattr(split_last(one.estimator)[1], "labels_")]
    if not clusterings:
        return
    one = comparison.best if comparison.best in clusterings else clusterings[0]
    _, estimator = split_last(one.estimator)
    rows = np.unique(np.linspace(0, comparison.n_rows - 1, min(comparison.n_rows, MOST_ROWS)).astype(int))
    Z = seen_by_last(one.estimator, take(comparison.X, rows))
    if not hasattr(estimator, "cluster_centers_"):
        yield _clusters_without_centers(one, Z, rows)
        return
    counts = np.bincount(estimator.predict(Z), minlength=len(estimator.cluster_centers_))
    some = f" {rows.size:,} of {comparison.n_rows:,} rows are drawn." if rows.size < comparison.n_rows else ""
    yield Picture(
        f"Clusters: {one.name}",
        f"Rows and centres on the first two principal components.{some}",
        f"Scatter plot of {Z.shape[0]} rows in {counts.size} clusters of {', '.join(map(str, counts))} rows.",
        svg_of(_draw(KMeansDisplay.from_estimator, estimator, Z)),
    )


def _clusters_without_centers(one: Outcome, Z: Any, rows: np.ndarray) -> Picture:
    _, estimator = split_last(one.estimator)
    labels = np.asarray(estimator.labels_)[rows]
    counts, noise = np.unique(labels[labels >= 0], return_counts=True)[1], int((labels < 0).sum())
    alone = f", and {noise} rows in none of them" if noise else ""
    core = " Rings are border rows, crosses noise." if hasattr(estimator, "core_sample_indices_") else ""
    return Picture(
        f"Clusters: {one.name}",
        f"Rows on the first two principal components, a color for each cluster.{core}",
        f"Scatter plot of {rows.size} rows in {counts.size} clusters of {', '.join(map(str, counts))} rows{alone}.",
        svg_of(_draw(ClustersDisplay.from_estimator, estimator, Z, rows=rows)),
    )


def _inertia(comparison: Comparison) -> Iterator[Picture]:
    pairs = []
    for one in comparison.outcomes:
        for certificate in one.certificates.values():
            if certificate.model == "KMeans" and "interval" in certificate:
                pairs.append((len(split_last(one.estimator)[1].cluster_centers_), certificate))
    if len(pairs) < 2:
        return
    ratios = [lower / upper if upper > 0 else 1.0 for lower, upper in (proved_interval(one) for _, one in pairs)]
    yield Picture(
        "Inertia and what is proved about it",
        "The best possible inertia for each k lies in the band: below the fit that was found, above the proved bound.",
        f"Inertia against the number of clusters with a proved lower bound; the bound is between "
        f"{min(ratios):.0%} and {max(ratios):.0%} of the inertia found.",
        svg_of(_draw(InertiaDisplay.from_certificates, pairs)),
    )


def _draw(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    return lambda ax: method(*args, ax=ax, **kwargs)


def _shortest(comparison: Comparison) -> Outcome:
    """The model with the fewest steps: what its last step sees is the data, prepared and nothing more."""
    return min(comparison.outcomes, key=lambda one: len(getattr(one.estimator, "steps", [one.estimator])))
