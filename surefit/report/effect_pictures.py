"""What a model makes of each column: its coefficients, and for any model what shuffling a column costs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.pipeline import Pipeline

from surefit._core.errors import SurefitError
from surefit.model_selection.clusterings.explained_share import split_last
from surefit.model_selection.comparison import Comparison
from surefit.model_selection.outcome import Outcome
from surefit.plot import ClassCoefficientsDisplay, CoefficientDisplay, ImportancesDisplay, svg_of
from surefit.report.measured import importances_of, may_be_measured, scorer_of
from surefit.report.picture import Picture, drawing, ranked
from surefit.report.text import capital, decimals


def effect_pictures(comparison: Comparison) -> Iterator[Picture]:
    """All of them, in the order of the page."""
    if comparison.y is None:
        return
    yield from _importances(comparison)
    yield from _coefficients(comparison)
    if comparison.classes is not None:
        yield from _class_coefficients(comparison)


def _importances(comparison: Comparison) -> Iterator[Picture]:
    score = scorer_of(comparison)
    if score is None or not may_be_measured(comparison):
        return
    found = importances_of(comparison, score)
    if found is None:
        return
    names = [column["name"] for column in comparison.columns]
    display = ImportancesDisplay(importances=found, names=names, measure=f"{comparison.metric} lost", over="shuffles")
    mean = found.mean(axis=0)
    top = np.argsort(-mean, kind="stable")[:3]
    words = ", ".join(f"{names[j]} ({decimals(mean[j])})" for j in top)
    yield Picture(
        f"Which columns matter? {comparison.best.name}",
        f"{capital(comparison.metric)} that the model loses on unseen rows when one column is shuffled. Columns that "
        "say the same thing stand in for each other, and each looks less important than it is.",
        f"Bar chart of what shuffling each of {len(names)} columns costs; the largest are {words}.",
        svg_of(display.plot, height=max(1.1 + 0.26 * min(len(names), 20), 2.2)),
    )


def _coefficients(comparison: Comparison) -> Iterator[Picture]:
    """The best model whose coefficients belong to columns of the data, and the one with confidence intervals."""
    linear = [one for one in ranked(comparison) if hasattr(split_last(one.estimator)[1], "coef_") and _plain(one)]
    tested = [one for one in linear if _has_intervals(one)]
    shown = {one.name: one for one in (*tested[:1], *[one for one in linear if one not in tested][:1])}
    for one in shown.values():
        _, estimator = split_last(one.estimator)
        names = feature_names(one, comparison)
        size = min(estimator.coef_.size, 20)
        top = names[int(np.argmax(np.abs(np.ravel(estimator.coef_))))]
        scaled = unit_of(one, names, comparison)
        if comparison.classes is not None:
            scaled = f" on the score of {str(comparison.classes[-1])!r}{scaled}"
        if _has_intervals(one):
            caption = f"Effect of each column{scaled}, with 95 % confidence intervals of least squares."
            draw = drawing(CoefficientDisplay.from_estimator, estimator, names=names)
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
            draw = drawing(display.plot)
        yield Picture(
            f"Coefficients: {one.name}",
            caption,
            f"Coefficients of {one.name} as dots with bars, largest on top; the largest belongs to {top}.",
            svg_of(draw, height=max(1.1 + 0.26 * size, 2.2)),
        )


def _class_coefficients(comparison: Comparison) -> Iterator[Picture]:
    """The best model with one row of coefficients for each of several classes."""
    for one in ranked(comparison):
        _, estimator = split_last(one.estimator)
        shape = np.shape(getattr(estimator, "coef_", ()))
        if len(shape) != 2 or shape[0] < 3 or _on_components(one):
            continue
        names = feature_names(one, comparison)
        largest = np.unravel_index(int(np.argmax(np.abs(estimator.coef_))), shape)
        scaled = unit_of(one, names, comparison)
        yield Picture(
            f"Coefficients: {one.name}",
            f"What each column adds to the score of each class{scaled}: blue speaks for the class, red against it.",
            f"Table of the coefficients of {one.name} for {shape[0]} classes and {min(shape[1], 20)} columns; the "
            f"largest belongs to {names[largest[1]]} and the class {str(estimator.classes_[largest[0]])!r}.",
            svg_of(
                drawing(ClassCoefficientsDisplay.from_estimator, estimator, names=names),
                height=max(1.1 + 0.26 * min(shape[1], 20), 2.6),
            ),
        )
        return


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


def unit_of(one: Outcome, names: list[str], comparison: Comparison) -> str:
    """What a step of one means: a standard deviation of a number, or another level of a column of text."""
    if not isinstance(one.estimator, Pipeline):
        return ""
    columns = {column["name"] for column in comparison.columns}
    levels = [name for name in names if name not in columns]
    if not levels:
        return " per standard deviation of its column"
    first = "of a level (column_level) against the first level of its column"
    return f", {first}" if len(levels) == len(names) else f": per standard deviation of a number, {first}"
