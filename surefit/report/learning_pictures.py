"""How models came to be as they are: more rows, stronger penalties, more neighbors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefit.kernel_ridge import KernelRidgeCV
from surefit.linear_model import Ridge, RidgeCV
from surefit.model_selection.clusterings.explained_share import prepared, split_last
from surefit.model_selection.comparison import Comparison
from surefit.plot import LearningCurveDisplay, NeighborCurveDisplay, PenaltyCurveDisplay, svg_of
from surefit.report.measured import Learning, learning_of, may_be_measured, scorer_of
from surefit.report.picture import Picture, drawing, ranked
from surefit.report.text import capital, decimals, number

MOST_CELLS = 2_000_000
"""The errors of left-out rows are recomputed for tables of so many numbers at most."""
PENALTIES = np.logspace(-2, 4, 25)


def learning_pictures(comparison: Comparison) -> Iterator[Picture]:
    """All of them, in the order of the page."""
    score = scorer_of(comparison)
    if score is not None and may_be_measured(comparison):
        found = learning_of(comparison, score)
        if found is not None:
            yield _learning_curve(comparison, found)
    yield from _penalty_curve(comparison)
    yield from _neighbor_curve(comparison)


def _learning_curve(comparison: Comparison, found: Learning) -> Picture:
    name = comparison.best.name
    display = LearningCurveDisplay(
        train_sizes=found.sizes, train_scores=found.seen, test_scores=found.unseen, score_name=comparison.metric
    )
    unseen, seen = found.unseen.mean(axis=1), found.seen.mean(axis=1)
    return Picture(
        f"Would more rows help? {name}",
        f"{capital(comparison.metric)} as the training part grows; bands are one standard deviation over "
        f"{found.unseen.shape[1]} random splits. {_reading(found)}",
        f"Learning curve of {name}: with {found.sizes[0]:,} to {found.sizes[-1]:,} training rows, {comparison.metric} "
        f"on unseen rows goes from {decimals(unseen[0])} to {decimals(unseen[-1])}, on its own rows from "
        f"{decimals(seen[0])} to {decimals(seen[-1])}.",
        svg_of(display.plot),
    )


def _reading(found: Learning) -> str:
    """One sentence: is the curve still rising, by more than the splits differ?"""
    step = found.unseen[-1] - found.unseen[-2]
    error = step.std(ddof=1) / np.sqrt(step.size) if step.size > 1 else np.inf
    gap = found.seen[-1].mean() - found.unseen[-1].mean()
    if step.mean() > 2 * error:
        return "The score of unseen rows still rises at the right end: more rows should help."
    if gap > 3 * found.unseen[-1].std():
        return (
            "The score of unseen rows is flat at the right end, and far below that of its own rows: a simpler model or "
            "a stronger penalty may do as well."
        )
    return "The score of unseen rows is flat at the right end: more rows of the same kind would change little."


def _penalty_curve(comparison: Comparison) -> Iterator[Picture]:
    """The best model with a ridge penalty: the error of every row left out in turn, in closed form."""
    if comparison.task != "regression" or comparison.y is None:
        return
    for one in ranked(comparison):
        _, last = split_last(one.estimator)
        if isinstance(last, KernelRidgeCV) and not last.alpha_per_target:
            display = PenaltyCurveDisplay(alphas=last.alphas, scores=last.path_scores_, gammas=last.gammas)
            yield _along_penalties(one.name, display, "")
            return
        if isinstance(last, (Ridge, RidgeCV)):
            Z = prepared(one.estimator, comparison.X)
            if Z.size <= MOST_CELLS:
                curve = RidgeCV(PENALTIES, store_cv_results=True, fit_intercept=last.fit_intercept)
                curve.fit(Z, comparison.y)
                errors = np.asarray(curve.cv_results_, dtype=float).mean(axis=0)
                used = float(last.alpha_ if isinstance(last, RidgeCV) else last.alpha)
                display = PenaltyCurveDisplay(alphas=PENALTIES, scores=-errors)
                yield _along_penalties(one.name, display, f" The model uses α = {number(used)}.")
            return


def _along_penalties(name: str, display: PenaltyCurveDisplay, used: str) -> Picture:
    errors = -display.scores
    least = float(display.alphas[int(np.argmin(errors.min(axis=0)))])
    return Picture(
        f"How strong a penalty? {name}",
        "The mean squared error of every row predicted without it (leave-one-out, in closed form), along the "
        f"penalty.{used}",
        f"Line plot of the leave-one-out error of {name} over {display.alphas.size} penalties; it is least, "
        f"{number(errors.min())}, at {number(least)}, and {number(errors.max())} at most.",
        svg_of(display.plot),
    )


def _neighbor_curve(comparison: Comparison) -> Iterator[Picture]:
    """How the best model on neighbors, if there is one, chose their number."""
    for one in ranked(comparison):
        _, estimator = split_last(one.estimator)
        if hasattr(estimator, "candidates_") and hasattr(estimator, "n_neighbors_"):
            words = f"{len(estimator.candidates_)} numbers of neighbors, from one search"
            yield Picture(
                f"How many neighbors: {one.name}",
                f"Every row predicted from the nearest others, for {words}.",
                f"Line plot of the score of left-out rows over {words}; the best is {estimator.n_neighbors_}.",
                svg_of(drawing(NeighborCurveDisplay.from_estimator, estimator)),
            )
            return
