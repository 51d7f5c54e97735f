"""What clusterings of the same rows say together, in words.

agreement     the adjusted Rand index of the labels of two methods: 1 the same clusters, 0 no more than by chance
silhouette    above 0.7 strong, above 0.5 reasonable, above 0.25 weak, else none (Kaufman and Rousseeuw 1990)
stability     above 0.9 stable, above 0.75 fairly stable, else it changes with the rows
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from surefit.model_selection.clusterings.indices import CLUSTERS, MOST_ROWS, NOISE, SILHOUETTE, rows_spread
from surefit.model_selection.outcome import Outcome
from surefit.model_selection.significance.words import SMALL, in_a_row

STABILITY, AGREEMENT = "stability", "ARI to best"
AGREE, STABLE, FAIRLY = 0.9, 0.9, 0.75
STRUCTURES = ((0.7, "strong"), (0.5, "reasonable"), (0.25, "weak"))
STABILITY_WORDS = (
    "The score is the stability: the rows are cut into two halves at random, ten times, each half is clustered by "
    "itself, and the number is how far the two then agree about a common sample of rows (mean adjusted Rand index: 1 "
    "the same clusters, 0 chance); ± is what other draws of the halves would change. The silhouette (of at most 2,000 "
    "rows) is near 1 where rows are much nearer to their own cluster than to the next; noise counts as 0. "
    "Davies–Bouldin (lower is better) and Calinski–Harabasz (higher is better) leave noise out. The best is that with "
    "the highest product of silhouette and stability. Parameters below a name were chosen by the silhouette, those of "
    "mixtures by the Bayesian information criterion, of spectral clustering by the eigengap, and ε at the knee of the "
    "distances to the neighbors."
)


def merit(one: Outcome) -> float:
    """What clusterings are ranked by: silhouette × stability, the silhouette alone where halves say nothing."""
    value = one.extra.get(SILHOUETTE, -np.inf)
    return value * max(one.interval.mean, 0.0) if one.scored and value > 0 else value


def agreement(one: Outcome, other: Outcome) -> float:
    """The adjusted Rand index of two labellings, of at most 20,000 rows; noise is a group of its own."""
    if one.predictions is None or other.predictions is None:
        return float("nan")
    rows = rows_spread(one.predictions.size, MOST_ROWS)
    return float(adjusted_rand_score(one.predictions[rows], other.predictions[rows]))


def opening_words(best: Outcome) -> str:
    """One sentence: how many clusters, by whom, how well they hold together."""
    k = int(best.extra[CLUSTERS])
    if SILHOUETTE not in best.extra:
        return f"No clusters: {best.name} finds {_clusters(k)} and nothing to compare it with."
    value = best.extra[SILHOUETTE]
    kind = next((word for limit, word in STRUCTURES if value > limit), None)
    if kind is None or (best.scored and best.interval.mean < 0.5):
        why = f"a silhouette of {value:.2f}" + (
            f", and halves of the rows agree by {best.interval.mean:.2f} only" if _changes(best) else ""
        )
        return f"No clear clusters: the best of them, {_clusters(k)} by {best.name}, have {why}."
    what = f"{_clusters(k, capital=True)} of {_sizes(best)} rows"
    return f"{what} by {best.name}: a {kind} structure (silhouette {value:.2f})."


def verdict_words(outcomes: Sequence[Outcome], best: Outcome) -> str:
    """Who agrees with the best one, whether its clusters come again, who is more stable, and who sees noise."""
    parts = [_agreeing(outcomes, best), _again(outcomes, best)]
    noisy = [one for one in outcomes if one.extra.get(NOISE, 0.0) > 0]
    calls = [f"{one.name} calls {one.extra_text(NOISE)} of the rows noise" for one in noisy]
    alone = [one.name for one in outcomes if one.extra.get(CLUSTERS) == 1]
    if alone:
        calls.append(f"{in_a_row(alone)} {'sees' if len(alone) == 1 else 'see'} one cluster only")
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in [*parts, "; ".join(calls)] if part)


def _agreeing(outcomes: Sequence[Outcome], best: Outcome) -> str:
    values = {one.name: agreement(one, best) for one in outcomes if one is not best and one.extra.get(CLUSTERS, 0) > 1}
    close = {name: value for name, value in values.items() if value >= AGREE}
    if close:
        least, most = min(close.values()), max(close.values())
        span = f"{least:.2f}" if least > most - 0.005 else f"{least:.2f} to {most:.2f}"
        all_agree = len(close) == len(outcomes) - 1 > 1
        return f"{f'all {len(outcomes)} methods' if all_agree else in_a_row([best.name, *close])} agree (ARI {span})"
    if not values:
        return ""
    name = max(values, key=lambda name: values[name])
    return f"no other method agrees with {best.name}; the nearest is {name} (ARI {values[name]:.2f})"


def _again(outcomes: Sequence[Outcome], best: Outcome) -> str:
    """Whether the clusters of the best one come again, and which other's do."""
    if not best.scored:
        return ""
    value, what = best.interval.mean, _clusters(int(best.extra[CLUSTERS]))
    if value >= STABLE:
        return f"{what} are stable: halves of the rows give the same ({value:.2f})"
    others = [one for one in outcomes if one is not best and one.scored and one.interval.mean >= STABLE]
    said = "are fairly stable" if value >= FAIRLY else "change with the rows"
    words = f"the {what} of {best.name} {said} ({value:.2f})"
    if others:
        one = max(others, key=lambda one: (one.interval.mean, one.extra.get(SILHOUETTE, -1.0)))
        words += f"; those of {one.name}, {_clusters(int(one.extra[CLUSTERS]))}, are stable ({one.interval.mean:.2f})"
    return words


def _changes(one: Outcome) -> bool:
    return one.scored and one.interval.mean < FAIRLY


def _clusters(k: int, capital: bool = False) -> str:
    word = SMALL[k] if k < len(SMALL) else str(k)
    return f"{word.capitalize() if capital else word} cluster{'' if k == 1 else 's'}"


def _sizes(one: Outcome) -> str:
    labels = one.predictions
    assert labels is not None
    sizes = np.sort(np.unique(labels[labels >= 0], return_counts=True)[1])[::-1]
    return in_a_row([f"{n:,}" for n in sizes], most=6)


def describe(found: Any) -> None:
    """The words of a comparison of clusterings, and how far each agrees with the best one."""
    best = max(found.outcomes, key=merit)
    for one in found.outcomes:
        if one is not best and {CLUSTERS} <= set(one.extra) and one.extra[CLUSTERS] > 1 and SILHOUETTE in best.extra:
            one.extra[AGREEMENT] = agreement(one, best)
    found.opening, found.verdict = opening_words(best), verdict_words(found.outcomes, best)
