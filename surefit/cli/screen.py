"""What people see: tables on stdout, progress and notes on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from surefit.model_selection.clusterings.indices import CLUSTERS, SILHOUETTE
from surefit.model_selection.comparison import Comparison, Outcome, score_text, seconds_text

WIDE = 104
"""From this width on the table has space for a picture of the intervals, or all indices of a clustering."""
NARROW = (CLUSTERS, SILHOUETTE)
"""Indices of a clustering on a narrow screen, in the place of the time of the fit."""


def note(line: str, quiet: bool) -> None:
    if not quiet:
        print(line, file=sys.stderr)


def print_json(payload: dict[str, Any]) -> None:
    print(json.dumps(payload, ensure_ascii=False, allow_nan=False, indent=2))


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[[int, int, str, float | None], None] | None]:
    """A callback (done, total, name, seconds left) that moves a bar on stderr; None when nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<20.20}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("fitting", total=None)
        yield lambda done, total, name, left: bar.update(task, completed=done, total=total, description=name)


def print_comparison(comparison: Comparison, quiet: bool = False, width: int | None = None) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=width, highlight=False)
    wide = console.width >= WIDE
    grouped = comparison.task == "clustering"  # a clustering is no better for explaining more
    tested = wide and not grouped
    extra = [name for name in comparison.extra_names if wide or not grouped or name in NARROW]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    table.add_column("model", no_wrap=True)
    table.add_column(f"{comparison.metric} ± {100 * comparison.level:g} %", justify="right", no_wrap=True)
    pictured = wide and not grouped
    if pictured:
        table.add_column("interval", no_wrap=True)
    if tested:
        table.add_column("against the best", justify="right", no_wrap=True)
    for name in extra:
        table.add_column(name.replace("–", "–\n"), justify="right")
    timed = wide or not grouped
    if timed:
        table.add_column("fit", justify="right", no_wrap=True)
    table.add_column("certificate", no_wrap=True)
    low, high = comparison.scale()
    for one in comparison.outcomes:
        best = one is comparison.best
        cells: list[Any] = [
            Text(one.name, "bold" if best else ""),
            Text(score_text(one.interval), "bold" if best else ""),
        ]
        if pictured:
            cells.append(Text(whisker(one, low, high), "cyan"))
        if tested:
            cells.append(Text(versus_text(one), "dim"))
        cells += [one.extra_text(name) for name in extra]
        if timed:
            cells.append(seconds_text(one.fit_seconds))
        tone = {True: "green", False: "bold red", None: "dim"}[one.holds]
        table.add_row(*cells, Text(one.verdict, tone))
    console.print(Text(comparison.headline, "bold"))
    console.print()
    console.print(table)
    console.print()
    for line in closing_lines(comparison, quiet):
        console.print(Text(line), soft_wrap=False)


def closing_lines(comparison: Comparison, quiet: bool = False) -> list[str]:
    best = comparison.best
    if comparison.task == "clustering":
        why = "the highest silhouette" if SILHOUETTE in best.extra else "the highest share explained"
        lines = [f"Best: {best.name}, {why}."]
    else:
        close = [one.name for one in comparison.outcomes if one.p_adjusted is not None and not one.p_adjusted < 0.05]
        lines = [
            f"Best: {best.name}" + (f"; not clearly ahead of {', '.join(close)}." if close else ", clearly ahead.")
        ]
    for one in comparison.outcomes:
        for certificate in one.certificates.values():
            lines += [f"✗ {one.name}: {claim.name}: {claim.sentence}" for claim in certificate.failures]
    lines += [f"Warning from {line}" for line in comparison.warnings()]
    return lines if quiet else lines + [f"Note: {line}." for line in comparison.notes]


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
        line[left], line[right] = "├", "┤"
    line[at(one.interval.mean)] = "●" if one.interval.mean >= low else "◂"
    return "".join(line)


def versus_text(one: Outcome) -> str:
    if one.versus_best is None:
        return "highest"
    p = one.p_adjusted
    words = "" if p is None or np.isnan(p) else (", p < 0.001" if p < 0.001 else f", p = {p:.2g}")
    return score_text(one.versus_best) + words
