"""What people see: tables on stdout, progress and notes on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from surefit.certificates.presentation import OPEN, OPEN_WORDS
from surefit.cli.columns import Column, columns_of, gap, that_fit, with_short_names
from surefit.model_selection.clusterings.indices import SILHOUETTE
from surefit.model_selection.comparison import Comparison, Outcome

MOST_NOTES, MOST_REASONS = 6, 4
Tick = Callable[[int, int, str, float | None], None]


def note(line: str, quiet: bool) -> None:
    if not quiet:
        print(line, file=sys.stderr)


def print_json(payload: dict[str, Any]) -> None:
    print(json.dumps(payload, ensure_ascii=False, allow_nan=False, indent=2))
    sys.stdout.flush()


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Tick | None]:
    """A callback (done, total, name, seconds left) that moves a bar on stderr; None when nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description:<24.24}"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[left]:>10}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("fitting", total=None, left="")

        def tick(done: int, total: int, name: str, left: float | None) -> None:
            bar.update(task, completed=done, total=total, description=name, left=left_text(left))

        yield tick


def left_text(seconds: float | None) -> str:
    """
    >>> left_text(None), left_text(7.2), left_text(95)
    ('', '8 s left', '1:35 left')
    """
    if seconds is None:
        return ""
    whole = int(-(-seconds // 1))
    return f"{whole} s left" if whole < 60 else f"{whole // 60}:{whole % 60:02d} left"


def print_comparison(comparison: Comparison, quiet: bool = False, width: int | None = None) -> None:
    """Opening sentence, table, verdict, then what else there is to say."""
    from rich.console import Console
    from rich.text import Text

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    console = Screen(width=width, highlight=False)
    if comparison.opening:
        console.print(Text(comparison.opening, "bold"))
    console.print(Text(comparison.headline, "dim" if comparison.opening else "bold"))
    console.print()
    columns = with_short_names(columns_of(comparison), console.width)
    console.print(_table(comparison, that_fit(columns, console.width), gap(console.width)))
    console.print()
    for line in closing_lines(comparison, quiet):
        console.print(Text(line), soft_wrap=False)
    sys.stdout.flush()


def _table(comparison: Comparison, columns: list[Column], blanks: int) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False, padding=(0, 1, 0, blanks - 2)
    )
    for column in columns:
        table.add_column(column.head, justify="right" if column.right else "left", no_wrap="\n" not in column.head)
    for place, one in enumerate(comparison.outcomes):
        weight = "bold" if one is comparison.best else "dim" if one.is_baseline else ""
        cells = [
            Text(column.cells[place], _verdict_tone(one) if column.tone == "verdict" else column.tone or weight)
            for column in columns
        ]
        table.add_row(*cells)
    return table


def _verdict_tone(one: Outcome) -> str:
    return "yellow" if one.is_open else {True: "green", False: "bold red", None: "dim"}[one.holds]


def closing_lines(comparison: Comparison, quiet: bool = False) -> list[str]:
    """The verdict; what fails; leaks; then notes, what was left out and why, and warnings of fits."""
    lines = [comparison.verdict or _plain_verdict(comparison)]
    for one in comparison.outcomes:
        for certificate in one.certificates.values():
            lines += [f"✗ {one.name}: {claim.name}: {claim.sentence}" for claim in certificate.failures]
    if any(one.is_open for one in comparison.outcomes):
        lines.append(f"{OPEN} {OPEN_WORDS}.")
    lines += [f"Warning: {leak}." for leak in comparison.leaks]
    if comparison.interrupted:
        lines.append("Interrupted: the models below were not finished and are not compared.")
    if quiet:
        return lines
    lines += _few([f"Note: {line}." for line in comparison.notes], "notes")
    lines += _left_out(comparison.left_out)
    lines += [f"Not certified: {one.name}: {one.not_certified}." for one in comparison.outcomes if one.not_certified]
    return lines + _few([f"Warning from {line}" for line in comparison.warnings()], "warnings")


def _plain_verdict(comparison: Comparison) -> str:
    best = comparison.best
    if comparison.task == "clustering":
        why = "the highest silhouette" if SILHOUETTE in best.extra else "the highest share explained"
        return f"Best: {best.name}, {why}."
    return f"Best: {best.name}."


def _left_out(models: list[tuple[str, str]]) -> list[str]:
    """Every model by name; the reasons of the first ones, models with the same reason on one line."""
    reasons: dict[str, list[str]] = {}
    for name, why in models:
        reasons.setdefault(why.rstrip("."), []).append(name)
    told = [f"Left out: {', '.join(names)}: {why}." for why, names in reasons.items()]
    rest = [name for names in list(reasons.values())[MOST_REASONS:] for name in names]
    return told[:MOST_REASONS] + ([f"Left out too: {', '.join(rest)} (the report says why)."] if rest else [])


def _few(lines: list[str], what: str) -> list[str]:
    more = len(lines) - MOST_NOTES
    return lines if more <= 0 else [*lines[:MOST_NOTES], f"… and {more} more {what} (see --json or the report)."]
