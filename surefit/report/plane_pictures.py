"""The rows on a plane: what the best model says there, or where the values of the target lie."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefit.model_selection.clusterings.explained_share import split_last
from surefit.model_selection.comparison import Comparison
from surefit.plot import ClassRegionsDisplay, EmbeddingDisplay, ScreeDisplay, svg_of
from surefit.plot.judging.regions import plane_regions
from surefit.report.picture import Picture, plain_rows, ranked, some_rows

MOST_CLASSES = 10
MOST_ROWS = 3000
LEAST_SHARE = 0.4
"""A plane that carries less of the variance says little about what a model does off it."""


def plane_pictures(comparison: Comparison) -> Iterator[Picture]:
    """Regions of classes where the best model sees numbers, else rows by their target; then the scree."""
    if comparison.X is None:
        return
    regions = list(_regions(comparison))
    yield from regions
    Z, rows = _drawn(comparison)
    if Z is None or min(Z.shape) < 3:
        return
    _, singular, directions = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    shares = singular**2 / max(float((singular**2).sum()), np.finfo(float).tiny)
    if comparison.y is not None and not regions:
        yield _by_target(comparison, (Z - Z.mean(axis=0)) @ directions[:2].T, rows, shares)
    yield _scree(shares, rows.size)


def _regions(comparison: Comparison) -> Iterator[Picture]:
    """What the best model says on the plane of two principal components of what its last step sees."""
    one, y, classes = comparison.best, comparison.y, comparison.classes
    if classes is None or y is None or classes.size > MOST_CLASSES:
        return
    rows = some_rows(comparison.n_rows, MOST_ROWS)
    Z = plain_rows(one, comparison.X, rows)
    if Z is None or Z.shape[1] < 2 or Z.shape[0] < 3:
        return
    _, estimator = split_last(one.estimator)
    display = ClassRegionsDisplay(**plane_regions(estimator.predict, Z, y[rows], classes))
    shares = display.shares or (0.0, 0.0)
    if sum(shares) < LEAST_SHARE:
        return
    off = "" if Z.shape[1] == 2 else " Rows lie off that plane, so a row on another color may still be told rightly."
    yield Picture(
        f"Where classes lie: {one.name}",
        "Rows on the first two principal components, and behind them what the model says on the plane through the mean."
        f"{off}{_some(rows.size, comparison.n_rows)}",
        f"Scatter plot of {rows.size} rows of {classes.size} classes on two principal components, which carry "
        f"{100 * sum(shares):.0f} % of the variance, over the regions that {one.name} gives to each class.",
        svg_of(display.plot),
    )


def _by_target(comparison: Comparison, points: np.ndarray, rows: np.ndarray, shares: np.ndarray) -> Picture:
    y, target = np.asarray(comparison.y), comparison.target or "the target"
    first, second = (f"{100 * share:.0f} % of the variance" for share in shares[:2])
    axes = (f"first component ({first})", f"second component ({second})")
    display = EmbeddingDisplay(points=points, values=y[rows], labels=axes)
    number = display.classes is None
    spread = f" Its correlation with the first is {np.corrcoef(points[:, 0], y[rows])[0, 1]:.2f}." if number else ""
    return Picture(
        f"The rows on a plane, by {target}",
        "Rows on the first two principal components of the columns, scaled and encoded. Neighbors of one color say "
        f"that the columns tell the target.{_some(rows.size, comparison.n_rows)}",
        f"Scatter plot of {rows.size} rows on two principal components, which carry {100 * shares[:2].sum():.0f} % of "
        f"the variance, colored by {target}.{spread}",
        svg_of(lambda ax: display.plot(ax, value_name=target if number else "")),
    )


def _scree(shares: np.ndarray, n_rows: int) -> Picture:
    display = ScreeDisplay(shares=shares)
    return Picture(
        "Scree of the columns",
        "How much of the variance each principal component carries; the ring marks the knee.",
        f"Scree plot of {display.shares.size} principal components of {n_rows:,} rows; the knee is at {display.knee}, "
        f"which carry {100 * display.shares[: display.knee].sum():.0f} % of the variance.",
        svg_of(display.plot),
    )


def _drawn(comparison: Comparison) -> tuple[np.ndarray | None, np.ndarray]:
    """The rows as numbers on one scale: what the model with the fewest steps sees that takes neither codes nor gaps."""
    rows = some_rows(comparison.n_rows, MOST_ROWS)
    fewest = sorted(ranked(comparison), key=lambda one: len(getattr(one.estimator, "steps", [one.estimator])))
    for one in fewest:
        Z = plain_rows(one, comparison.X, rows)
        if Z is not None:
            return np.asarray(Z, dtype=float), rows
    return None, rows


def _some(drawn: int, n_rows: int) -> str:
    return f" {drawn:,} of {n_rows:,} rows are drawn." if drawn < n_rows else ""
