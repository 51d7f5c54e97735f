"""Which pictures a comparison deserves, each with a caption and words for those who cannot see it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefit.model_selection.clusterings.verdict import STABILITY
from surefit.model_selection.comparison import Comparison, score_text
from surefit.plot import FoldScoresDisplay, ResidualsDisplay, svg_of
from surefit.plot.judging.fold_scores import MOST_LINES
from surefit.report.class_pictures import class_pictures
from surefit.report.cluster_pictures import cluster_pictures
from surefit.report.effect_pictures import effect_pictures
from surefit.report.learning_pictures import learning_pictures
from surefit.report.picture import UNSEEN, Picture, drawing
from surefit.report.plane_pictures import plane_pictures


def pictures_of(comparison: Comparison) -> list[Picture]:
    """All pictures, in the order of the page."""
    return [
        *_fold_scores(comparison),
        *class_pictures(comparison),
        *_predictions(comparison),
        *effect_pictures(comparison),
        *learning_pictures(comparison),
        *cluster_pictures(comparison),
        *plane_pictures(comparison),
    ]


def _fold_scores(comparison: Comparison) -> Iterator[Picture]:
    scored = [one for one in comparison.outcomes if one.scored]
    if not scored:
        return
    best = max(scored, key=lambda one: one.interval.mean)
    each = "Each thin line" if len(scored) <= MOST_LINES else "Each small dot"
    if comparison.metric == STABILITY:
        title, words, where = "Stability, draw by draw", f"{each} is one cut of the rows into halves", "of halves"
    else:
        title, where = "Scores, fold by fold", "on unseen rows"
        words = f"{each} is one of the {comparison.n_splits} folds: all models saw the same rows"
    interval = "t interval" if comparison.metric == STABILITY else "corrected resampled t interval"
    yield Picture(
        title,
        f"{words}. Large dots are means, bars the {100 * comparison.level:g} % {interval}.",
        f"Dot plot of {comparison.metric} {where} for {len(scored)} models; the highest mean is "
        f"{score_text(best.interval)} for {best.name}.",
        svg_of(drawing(FoldScoresDisplay.from_comparison, comparison), height=1.1 + 0.34 * len(scored)),
    )


def _predictions(comparison: Comparison) -> Iterator[Picture]:
    best, y, predicted = comparison.best, comparison.y, comparison.best.predictions
    if comparison.task != "regression" or y is None or predicted is None:
        return
    r = float(np.corrcoef(predicted, y)[0, 1]) if np.ptp(predicted) > 0 else 0.0
    residuals = y - predicted
    yield Picture(
        f"Predicted and actual: {best.name}",
        f"{UNSEEN} Points on the line are exact.",
        f"Scatter plot of {y.size} actual values of {comparison.target or 'the target'} against predictions of "
        f"{best.name} for unseen rows; correlation {r:.2f}.",
        svg_of(drawing(ResidualsDisplay.from_predictions, y, predicted, kind="actual_vs_predicted")),
    )
    yield Picture(
        f"What is left over: {best.name}",
        "Actual minus predicted, for unseen rows. A bend says that the model misses a shape, a funnel that errors grow "
        "with the prediction.",
        f"Scatter plot of residuals of {best.name} against predictions; their standard deviation is "
        f"{residuals.std():.4g}, the largest is {np.abs(residuals).max():.4g}.",
        svg_of(drawing(ResidualsDisplay.from_predictions, y, predicted)),
    )
