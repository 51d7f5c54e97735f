"""The verdict in plain words: who cannot be told apart from the best, who is worse and by how much.

A model is called worse when its adjusted p-value is below 1 − level. Otherwise the folds cannot tell it from the best:
that is no proof of equality, unless the Bayesian test says that the two are equivalent with probability ≥ level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit.model_selection.significance.words import baseline_words, counted, in_a_row, is_simpler, phrase, plus_minus

NAMED = 3


def verdict(outcomes: Sequence[Any], best: Any, level: float, metric: str) -> str:
    """Plain words on every model against `best`, from `versus_best`, `p_adjusted` and `equivalent` of the outcomes.

    "A and B cannot be told apart; C is worse by 0.030 ± 0.010 and the baseline by 0.40 ± 0.05. A is named first for its
    mean alone: the highest of 4 is partly luck."
    """
    others = _others(outcomes, best)
    if not others:
        return f"{best.name} is the only model with a score: there is nothing to compare it with."
    if not _tested(others):
        return f"{best.name} has the highest {metric}; one fold cannot say how sure that is: use two or more."
    tied, worse = told_apart(others, level)
    sentences = [_standing(best, tied, worse, level)]
    baseline = _baseline(outcomes)
    if baseline is not None and (baseline is best or any(one is baseline for one in tied)):
        sentences.append("No model is shown to do better than the baseline, which does not look at the columns.")
    if tied:
        same = [one.name for one in tied if _equivalent(one, level)]
        if same:
            rope = next(one.equivalent.rope for one in tied if _equivalent(one, level))
            sentences.append(f"For practical purposes {in_a_row([best.name, *same])} are the same (within {rope:.3g}).")
        sentences.append(
            f"{best.name} is named first for its mean alone: the highest of {len(others) + 1} is partly luck."
        )
    return " ".join(sentences)


def opening(outcomes: Sequence[Any], best: Any, level: float, metric: str, target: str | None = None) -> str:
    """One sentence: what the best model does, what the baseline does, and how many simpler models do as well.

    "HistGradientBoosting predicts income with 85.1 % accuracy, the baseline 75.9 %; three simpler models cannot be told
    apart from it."
    """
    said, baseline = phrase(best.name, best.interval.mean, metric, target), _baseline(outcomes)
    if baseline is best:
        return f"{said}: it is the baseline, and no model does better."
    if baseline is not None:
        said += f", {baseline_words(baseline.interval.mean, metric)}"
    others = _others(outcomes, best)
    if not others or not _tested(others):
        return f"{said}."
    tied, _ = told_apart(others, level)
    if any(one is baseline for one in tied):
        return f"{said}; that it does better than the baseline is not shown."
    if not tied:
        return f"{said}; no other model does as well." if len(others) > 1 else f"{said}."
    simpler = [one for one in tied if is_simpler(one, best)]
    words = counted(len(simpler), "simpler model") if simpler else counted(len(tied), "other model")
    if all(_equivalent(one, level) for one in simpler or tied):
        return f"{said}; {words} {'does' if len(simpler or tied) == 1 else 'do'} as well."
    return f"{said}; {words} cannot be told apart from it."


def told_apart(others: Sequence[Any], level: float) -> tuple[list[Any], list[Any]]:
    """(not told apart from the best, worse than it)."""
    worse = [one for one in others if one.p_adjusted < 1 - level]
    return [one for one in others if one.p_adjusted >= 1 - level], worse


def _standing(best: Any, tied: list[Any], worse: list[Any], level: float) -> str:
    if tied:
        first = f"{in_a_row([best.name, *[one.name for one in tied]])} cannot be told apart"
    else:
        first = f"{best.name} is better than {'every other model' if len(worse) > 1 else worse[0].name}"
    if not worse:
        return f"{first}."
    shown = worse if len(worse) <= NAMED + 1 else worse[:NAMED]
    parts = [
        f"{one.name} {'is worse ' if place == 0 else ''}by {plus_minus(one.versus_best.mean, one.versus_best.half)}"
        f"{', too little to matter' if _equivalent(one, level) else ''}"
        for place, one in enumerate(shown)
    ]
    if len(shown) < len(worse):
        rest = [abs(one.versus_best.mean) for one in worse[NAMED:]]
        parts.append(f"{len(rest)} more by {min(rest):.2g} to {max(rest):.2g}")
    return f"{first}; {in_a_row(parts, len(parts))}."


def _others(outcomes: Sequence[Any], best: Any) -> list[Any]:
    tested = [one for one in outcomes if one is not best and one.versus_best is not None]
    return sorted(tested, key=lambda one: -one.interval.mean)


def _tested(others: list[Any]) -> bool:
    return all(one.p_adjusted is not None and not np.isnan(one.p_adjusted) for one in others)


def _baseline(outcomes: Sequence[Any]) -> Any | None:
    return next((one for one in outcomes if getattr(one, "is_baseline", False)), None)


def _equivalent(one: Any, level: float) -> bool:
    found = getattr(one, "equivalent", None)
    return found is not None and found.p_equivalent >= level
