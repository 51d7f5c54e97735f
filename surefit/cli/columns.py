"""Columns of the table of results: as many as the screen has room for, and never a digit less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.model_selection.clusterings.indices import CLUSTERS, SILHOUETTE
from surefit.model_selection.comparison import Comparison, Outcome, score_text, seconds_text

NARROW = 60
SHORTEST_NAME = 12
EARLY = {SILHOUETTE: 0, CLUSTERS: 1}
"""Ranks of the indices of a clustering; others come after the time of the fit."""


def gap(width: int) -> int:
    """Blanks between two columns on a screen so wide."""
    return 2 if width < NARROW else 3


@dataclass(frozen=True)
class Column:
    """One cell for each model; `rank` says how early it gets a place, those without one (0) always have it."""

    head: str
    cells: list[str]
    rank: int = 0
    right: bool = True
    tone: str = ""
    instead: str = ""
    """The head of a longer column that says the same: this one is shown where that one has no place."""

    @property
    def width(self) -> int:
        return max(len(line) for line in [*self.head.split("\n"), *self.cells])


def columns_of(comparison: Comparison) -> list[Column]:
    """All columns in the order of the table. Clusterings are judged by their silhouette, not by what they explain."""
    outcomes = comparison.outcomes
    ranked = SILHOUETTE not in comparison.extra_names
    marks = [one.verdict[:1] for one in outcomes]
    low, high = comparison.scale()
    head, scores = f"{comparison.metric} ± {100 * comparison.level:g} %", [score_text(one.interval) for one in outcomes]
    found = [
        Column("model", [one.name for one in outcomes], right=False),
        Column(head, scores, 0 if ranked else 3),
    ]
    if ranked:
        found += [
            Column("interval", [whisker(one, low, high) for one in outcomes], 7, False, "cyan"),
            Column("against the best", [versus_text(one) for one in outcomes], 6, tone="dim"),
        ]
    for name in comparison.extra_names:
        cells = [one.extra_text(name) for one in outcomes]
        found.append(Column(name.replace("–", "–\n"), cells, EARLY.get(name, 4)))
    settings = [settings_text(one) for one in outcomes]
    if any(settings):
        found.append(Column("settings", settings, 5, False, "dim"))
    found += [
        Column("fit", [seconds_text(one.fit_seconds) for one in outcomes], 3),
        Column("certificate", [one.verdict for one in outcomes], 2, False, "verdict"),
        Column("", marks, 2, False, "verdict", instead="certificate"),
    ]
    return found


def that_fit(columns: list[Column], width: int) -> list[Column]:
    """The columns with a place on a screen so wide: those of lower rank first, in the order of the table."""
    chosen = [column for column in columns if not column.rank]
    blanks = gap(width)
    room = width - sum(column.width for column in chosen) - blanks * (len(chosen) - 1)
    for column in sorted((one for one in columns if one.rank), key=lambda one: one.rank):
        told = column.instead and any(one.head == column.instead for one in chosen)
        if not told and column.width + blanks <= room:
            chosen.append(column)
            room -= column.width + blanks
    return [column for column in columns if column in chosen]


def with_short_names(columns: list[Column], width: int) -> list[Column]:
    """Names of models cut where even the score would not fit beside them."""
    first, rest = columns[0], columns[1:]
    room = max(width - sum(gap(width) + column.width for column in rest if not column.rank), SHORTEST_NAME)
    cells = [cell if len(cell) <= room else f"{cell[: room - 1]}…" for cell in first.cells]
    return [Column(first.head, cells, right=False), *rest]


def settings_text(one: Outcome) -> str:
    """What a search chose: "C=10, gamma=0.1"."""
    return ", ".join(f"{name}={_number(value)}" for name, value in one.parameters.items())


def _number(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, (float, np.floating)) else str(value)


def whisker(one: Outcome, low: float, high: float, cells: int = 21) -> str:
    """├──●──┤ on a scale that all rows share."""

    def at(value: float) -> int:
        share = (value - low) / (high - low) if high > low else 0.5
        return int(np.clip(round(share * (cells - 1)), 0, cells - 1))

    if not one.scored:
        return ""
    line = [" "] * cells
    if np.isfinite(one.interval.half):
        left, right = at(one.interval.low), at(one.interval.high)
        line[left : right + 1] = "─" * (right + 1 - left)
        line[left], line[right] = "├" if one.interval.low >= low else "─", "┤"
    if one.interval.high < low:  # the whole interval is off the edge
        return "◂" + " " * (cells - 1)
    line[at(one.interval.mean)] = "●" if one.interval.mean >= low else "◂"
    return "".join(line)


def versus_text(one: Outcome) -> str:
    if one.versus_best is None:
        return "highest" if one.scored else ""
    p = one.p_adjusted
    words = "" if p is None or np.isnan(p) else (", p < 0.001" if p < 0.001 else f", p = {p:.2g}")
    return score_text(one.versus_best) + words
