"""Which pictures a comparison deserves, each with a caption and words for those who cannot see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from surefit._core.errors import SurefitError
from surefit.model_selection.clusterings.explained_share import split_last
from surefit.model_selection.comparison import Comparison, Outcome, score_text
from surefit.plot import (
    ClassCoefficientsDisplay,
    CoefficientDisplay,
    FoldScoresDisplay,
    NeighborCurveDisplay,
    ResidualsDisplay,
    svg_of,
)
from surefit.report.class_pictures import class_pictures
from surefit.report.cluster_pictures import cluster_pictures
from surefit.report.picture import Picture


def pictures_of(comparison: Comparison) -> list[Picture]:
    """All pictures, in the order of the page."""
    found = list(_fold_scores(comparison))
    if comparison.task == "classification":
        found += class_pictures(comparison)
        found += _coefficients(comparison)
        found += _class_coefficients(comparison)
    elif comparison.y is not None:
        found += _predictions(comparison)
        found += _coefficients(comparison)
    found += _neighbor_curve(comparison)
    found += cluster_pictures(comparison)
    return found


def _fold_scores(comparison: Comparison) -> Iterator[Picture]:
    scored = [one for one in comparison.outcomes if one.scored]
    if not scored:
        return
    best = max(scored, key=lambda one: one.interval.mean)
    yield Picture(
        "Scores, fold by fold",
        f"Each thin line is one of the {comparison.n_splits} folds: all models saw the same rows. Large dots are "
        f"means, bars the {100 * comparison.level:g} % corrected resampled t interval.",
        f"Dot plot of {comparison.metric} on unseen rows for {len(scored)} models; the highest mean is "
        f"{score_text(best.interval)} for {best.name}.",
        svg_of(
            lambda ax: FoldScoresDisplay.from_comparison(comparison, ax=ax),
            height=1.1 + 0.34 * len(scored),
        ),
    )


def _predictions(comparison: Comparison) -> Iterator[Picture]:
    best, y, predicted = comparison.best, comparison.y, comparison.best.predictions
    if y is None or predicted is None:
        return
    r = float(np.corrcoef(predicted, y)[0, 1]) if np.ptp(predicted) > 0 else 0.0
    residuals = y - predicted
    yield Picture(
        f"Predicted and actual: {best.name}",
        "Every row is predicted by a model that has not seen it. Points on the line are exact.",
        f"Scatter plot of {y.size} actual values of {comparison.target or 'the target'} against predictions of "
        f"{best.name} for unseen rows; correlation {r:.2f}.",
        svg_of(lambda ax: ResidualsDisplay.from_predictions(y, predicted, kind="actual_vs_predicted", ax=ax)),
    )
    yield Picture(
        f"What is left over: {best.name}",
        "Actual minus predicted, for unseen rows. A bend or a funnel says that a straight line is not the whole story.",
        f"Scatter plot of residuals of {best.name} against predictions; their standard deviation is "
        f"{residuals.std():.4g}, the largest is {np.abs(residuals).max():.4g}.",
        svg_of(lambda ax: ResidualsDisplay.from_predictions(y, predicted, ax=ax)),
    )


def _neighbor_curve(comparison: Comparison) -> Iterator[Picture]:
    """How the best model on neighbors, if there is one, chose their number."""
    for one in _ranked(comparison):
        _, estimator = split_last(one.estimator)
        if hasattr(estimator, "candidates_"):
            words = f"{len(estimator.candidates_)} numbers of neighbors, from one search"
            yield Picture(
                f"How many neighbors: {one.name}",
                f"Every row predicted from the nearest others, for {words}.",
                f"Line plot of the score of left-out rows over {words}; the best is {estimator.n_neighbors_}.",
                svg_of(_draw(NeighborCurveDisplay.from_estimator, estimator)),
            )
            return


def _coefficients(comparison: Comparison) -> Iterator[Picture]:
    """The best model whose coefficients belong to columns of the data, and the one with confidence intervals."""
    linear = [one for one in _ranked(comparison) if hasattr(split_last(one.estimator)[1], "coef_") and _plain(one)]
    tested = [one for one in linear if _has_intervals(one)]
    shown = {one.name: one for one in (*tested[:1], *[one for one in linear if one not in tested][:1])}
    for one in shown.values():
        _, estimator = split_last(one.estimator)
        names = feature_names(one, comparison)
        size = min(estimator.coef_.size, 20)
        top = names[int(np.argmax(np.abs(np.ravel(estimator.coef_))))]
        scaled = " per standard deviation of its column" if isinstance(one.estimator, Pipeline) else ""
        if comparison.classes is not None:
            scaled = f" on the log-odds of {str(comparison.classes[-1])!r}{scaled}"
        if _has_intervals(one):
            caption = f"Effect of each column{scaled}, with 95 % confidence intervals of least squares."
            draw = _draw(CoefficientDisplay.from_estimator, estimator, names=names)
        else:
            folds = one.fold_coefficients
            caption = f"Effect of each column{scaled}; bars span the fits on the {comparison.n_splits} training parts."
            display = CoefficientDisplay(
                coef=np.ravel(estimator.coef_),
                names=names,
                low=None if folds is None else folds.min(axis=0),
                high=None if folds is None else folds.max(axis=0),
                interval_words="range over the folds",
            )
            draw = _draw(display.plot)
        yield Picture(
            f"Coefficients: {one.name}",
            caption,
            f"Coefficients of {one.name} as dots with bars, largest on top; the largest belongs to {top}.",
            svg_of(draw, height=max(1.1 + 0.26 * size, 2.2)),
        )


def _class_coefficients(comparison: Comparison) -> Iterator[Picture]:
    """The best model with one row of coefficients for each of several classes."""
    for one in _ranked(comparison):
        _, estimator = split_last(one.estimator)
        shape = np.shape(getattr(estimator, "coef_", ()))
        if len(shape) != 2 or shape[0] < 3 or _on_components(one):
            continue
        names = feature_names(one, comparison)
        largest = np.unravel_index(int(np.argmax(np.abs(estimator.coef_))), shape)
        scaled = ", per standard deviation of its column" if isinstance(one.estimator, Pipeline) else ""
        yield Picture(
            f"Coefficients: {one.name}",
            f"What each column adds to the score of each class{scaled}: blue speaks for the class, red against it.",
            f"Table of the coefficients of {one.name} for {shape[0]} classes and {min(shape[1], 20)} columns; the "
            f"largest belongs to {names[largest[1]]} and the class {str(estimator.classes_[largest[0]])!r}.",
            svg_of(
                _draw(ClassCoefficientsDisplay.from_estimator, estimator, names=names),
                height=max(1.1 + 0.26 * min(shape[1], 20), 2.6),
            ),
        )
        return


def _draw(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    return lambda ax: method(*args, ax=ax, **kwargs)


def _ranked(comparison: Comparison) -> list[Outcome]:
    return sorted(comparison.outcomes, key=lambda one: -one.interval.mean)


def _plain(one: Outcome) -> bool:
    """There is one coefficient for each column of the data."""
    shape = np.shape(split_last(one.estimator)[1].coef_)
    return (len(shape) == 1 or shape[0] == 1) and not _on_components(one)


def _on_components(one: Outcome) -> bool:
    return any(hasattr(step, "components_") for _, step in getattr(one.estimator, "steps", []))


def _has_intervals(one: Outcome) -> bool:
    """Does the fit have confidence intervals? `summary` refuses where the theory gives none."""
    _, estimator = split_last(one.estimator)
    if not hasattr(estimator, "summary"):
        return False
    try:
        estimator.summary()
    except SurefitError:
        return False
    return True


def feature_names(one: Outcome, comparison: Comparison) -> list[str]:
    before, _ = split_last(one.estimator)
    columns = [column["name"] for column in comparison.columns]
    if before is None:
        return columns
    names = [str(name) for name in before.get_feature_names_out()]
    return columns if names == [f"x{j}" for j in range(len(columns))] else names
