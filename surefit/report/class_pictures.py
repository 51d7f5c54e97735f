"""The pictures of a classification: who is taken for whom, how probabilities keep their word, where classes lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from surefit.model_selection.clusterings.explained_share import dense, seen_by_last, split_last
from surefit.model_selection.comparison import Comparison, Outcome
from surefit.model_selection.prepare.columns import take
from surefit.plot import (
    CalibrationDisplay,
    ClassRegionsDisplay,
    ConfusionMatrixDisplay,
    RocCurveDisplay,
    svg_of,
)
from surefit.plot.calibration import BINS, believed, reliability
from surefit.plot.regions import plane_regions
from surefit.plot.roc import roc_points
from surefit.report.picture import Picture

MOST_CLASSES = 40
MOST_CURVES = 4
SAME = 0.05
MOST_ROWS = 3000
UNSEEN = "Every row is judged by a model that has not seen it."


def class_pictures(comparison: Comparison) -> Iterator[Picture]:
    """All of them, in the order of the page."""
    if comparison.classes is None or comparison.y is None:
        return
    yield from _confusion(comparison, comparison.y, comparison.classes)
    if comparison.classes.size == 2:
        yield from _roc(comparison, comparison.y, comparison.classes)
    yield from _reliability(comparison, comparison.y, comparison.classes)
    yield from _regions(comparison, comparison.y, comparison.classes)


def _confusion(comparison: Comparison, y: np.ndarray, classes: np.ndarray) -> Iterator[Picture]:
    best, predicted = comparison.best, comparison.best.predictions
    if predicted is None or classes.size > MOST_CLASSES:
        return
    wrong = int((predicted != y).sum())
    pairs, counts = np.unique(np.column_stack([y, predicted])[predicted != y], axis=0, return_counts=True)
    most = ""
    if wrong:
        true, taken = pairs[counts.argmax()]
        most = f" Most often {str(true)!r} is taken for {str(taken)!r}: {counts.max()} times."
    yield Picture(
        f"Who is taken for whom: {best.name}",
        f"Rows by actual and predicted class; colours are shares of the actual class. {UNSEEN}{most}",
        f"Confusion matrix of {best.name} for {classes.size} classes: {y.size - wrong} of {y.size} unseen rows are "
        f"told rightly.{most}",
        svg_of(
            lambda ax: ConfusionMatrixDisplay.from_predictions(y, predicted, labels=classes, ax=ax),
            height=float(np.clip(1.5 + 0.42 * classes.size, 3.4, 6.5)),
        ),
    )


def _roc(comparison: Comparison, y: np.ndarray, classes: np.ndarray) -> Iterator[Picture]:
    shown = _with_probabilities(comparison)[:MOST_CURVES]
    if not shown:
        return
    points = [roc_points(y, P[:, 1], classes[1]) for _, P in shown]
    curves = [RocCurveDisplay(fpr=f, tpr=t, name=one.name) for (one, _), (f, t) in zip(shown, points, strict=True)]

    def draw(ax: Any) -> None:
        for place, curve in enumerate(curves):
            style = {"color": f"C{place}", "linewidth": 2.0 if place == 0 else 1.2, "alpha": 1.0 if place == 0 else 0.8}
            curve.plot(ax, chance=place == 0, line_kwargs=style)

    areas = ", ".join(f"{curve.roc_auc:.3f} for {curve.name}" for curve in curves)
    yield Picture(
        f"Finding {str(classes[1])!r}",
        f"ROC: how many rows of the class are found at the price of how many false alarms. {UNSEEN}",
        f"ROC curves of {len(curves)} models for the class {str(classes[1])!r} on unseen rows; areas {areas}.",
        svg_of(draw, width=4.8, height=4.4),
    )


def _reliability(comparison: Comparison, y: np.ndarray, classes: np.ndarray) -> Iterator[Picture]:
    shown = _with_probabilities(comparison)
    if not shown:
        return
    one, P = shown[0]
    display = CalibrationDisplay(*reliability(*believed(P, y, classes), BINS), level=comparison.level)
    of = f"of {str(classes[1])!r}" if classes.size == 2 else "of the class that is predicted"
    off = display.calibration_error
    yield Picture(
        f"Do probabilities keep their word? {one.name}",
        f"Rows grouped by the probability {of}: on the line, as many came true as was said. Bars are Wilson intervals; "
        f"the mean distance to the line is {off:.3f}. {UNSEEN}",
        f"Reliability curve of {one.name} in {display.counts.size} groups of {display.counts.min()} to "
        f"{display.counts.max()} unseen rows; the mean distance between probability and share is {off:.3f}.",
        svg_of(display.plot, width=4.8, height=4.4),
    )


def _regions(comparison: Comparison, y: np.ndarray, classes: np.ndarray) -> Iterator[Picture]:
    """What the best model says on the plane of two principal components of what its last step sees."""
    one = comparison.best
    rows = np.unique(np.linspace(0, comparison.n_rows - 1, min(comparison.n_rows, MOST_ROWS)).astype(int))
    Z = seen_by_last(one.estimator, take(comparison.X, rows))
    Z = Z if hasattr(Z, "iloc") else dense(Z)
    if Z.shape[1] < 2 or Z.shape[0] < 3 or classes.size > MOST_CLASSES or _has_categories(one):
        return
    _, estimator = split_last(one.estimator)
    display = ClassRegionsDisplay(**plane_regions(estimator.predict, Z, y[rows], classes))
    shares = display.shares or (0.0, 0.0)
    some = f" {rows.size:,} of {comparison.n_rows:,} rows are drawn." if rows.size < comparison.n_rows else ""
    off = "" if Z.shape[1] == 2 else " Rows lie off that plane, so a row on another colour may still be told rightly."
    yield Picture(
        f"Where classes lie: {one.name}",
        "Rows on the first two principal components, and behind them what the model says on the plane through the mean."
        f"{off}{some}",
        f"Scatter plot of {rows.size} rows of {classes.size} classes on two principal components, which carry "
        f"{100 * sum(shares):.0f} % of the variance, over the regions that {one.name} gives to each class.",
        svg_of(display.plot),
    )


def _with_probabilities(comparison: Comparison) -> list[tuple[Outcome, np.ndarray]]:
    """Models with their probabilities, the best first, without those that give all rows nearly the same."""
    ranked = sorted(comparison.outcomes, key=lambda one: one.merit, reverse=True)
    able = [(one, np.clip(one.probabilities, 0.0, 1.0)) for one in ranked if one.probabilities is not None]
    return [(one, P) for one, P in able if np.ptp(P, axis=0).max() > SAME or one is comparison.best]


def _has_categories(one: Outcome) -> bool:
    """Codes of categories have no plane: the numbers between them mean nothing."""
    kinds = [kind for kind, _ in getattr(split_last(one.estimator)[1], "parts_", [])]
    return any(kind != "gaussian" for kind in kinds)
