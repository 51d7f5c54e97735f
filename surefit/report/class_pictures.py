"""The pictures of a classification: who is taken for whom, how probabilities keep their word, where classes lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from surefit.model_selection.comparison import Comparison
from surefit.model_selection.outcome import Outcome
from surefit.plot import CalibrationDisplay, ConfusionMatrixDisplay, RocCurveDisplay, svg_of
from surefit.plot.judging.calibration import BINS, believed, reliability
from surefit.report.picture import UNSEEN, Picture, ranked

MOST_CLASSES = 40
MOST_CURVES = 4
SAME = 0.05


def class_pictures(comparison: Comparison) -> Iterator[Picture]:
    """All of them, in the order of the page."""
    if comparison.classes is None or comparison.y is None:
        return
    yield from _confusion(comparison, comparison.y, comparison.classes)
    yield from _roc(comparison, comparison.y, comparison.classes)
    yield from _reliability(comparison, comparison.y, comparison.classes)


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
        f"Rows by actual and predicted class; colors are shares of the actual class. {UNSEEN}{most}",
        f"Confusion matrix of {best.name} for {classes.size} classes: {y.size - wrong} of {y.size} unseen rows are "
        f"told rightly.{most}",
        svg_of(
            lambda ax: ConfusionMatrixDisplay.from_predictions(y, predicted, labels=classes, ax=ax),
            height=float(np.clip(1.5 + 0.42 * classes.size, 3.4, 6.5)),
        ),
    )


def _roc(comparison: Comparison, y: np.ndarray, classes: np.ndarray) -> Iterator[Picture]:
    """Two classes: the best models, the first with its band. Several: the best model, each class against the rest."""
    shown = _with_probabilities(comparison)
    if not shown or not 2 <= classes.size <= MOST_CURVES + 1:
        return
    level = comparison.level
    if classes.size == 2:
        score = RocCurveDisplay.of_predictions
        curves = [score(y, P[:, 1], pos_label=classes[1], name=one.name, level=level) for one, P in shown[:MOST_CURVES]]
        title, of = f"Finding {str(classes[1])!r}", f"{len(curves)} models for the class {str(classes[1])!r}"
    else:
        one, P = shown[0]
        curves = [
            RocCurveDisplay.of_predictions(y == label, P[:, k], pos_label=True, name=str(label), level=level)
            for k, label in enumerate(classes)
        ]
        title, of = f"Finding each class: {one.name}", f"{one.name}, each class against the rest,"

    def draw(ax: Any) -> None:
        for place, curve in enumerate(curves):
            first = place == 0 and classes.size == 2
            curve.band = curve.band if first else None
            style = {"color": f"C{place}", "linewidth": 2.0 if first else 1.3, "alpha": 1.0 if first else 0.85}
            curve.plot(ax, chance=place == 0, line_kwargs=style)

    areas = ", ".join(f"{curve.roc_auc:.3f} for {curve.name}" for curve in curves)
    band = f"The band holds the curve at any one rate of false alarms with {100 * level:g} %; " * (classes.size == 2)
    yield Picture(
        title,
        "ROC: how many rows of the class are found at the price of how many false alarms. "
        f"{band}{'brackets' if band else 'Brackets'} are DeLong's {100 * level:g} % intervals of the areas. {UNSEEN}",
        f"ROC curves of {of} on unseen rows; areas {areas}.",
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


def _with_probabilities(comparison: Comparison) -> list[tuple[Outcome, np.ndarray]]:
    """Models with their probabilities, the best first, without those that give all rows nearly the same."""
    able = [(one, np.clip(one.probabilities, 0.0, 1.0)) for one in ranked(comparison) if one.probabilities is not None]
    return [(one, P) for one, P in able if np.ptp(P, axis=0).max() > SAME or one is comparison.best]
