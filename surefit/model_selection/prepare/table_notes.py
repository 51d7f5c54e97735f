"""What was done to a table, in few lines: what is missing first, then what is left out, then how columns are read."""

from __future__ import annotations

from typing import Any

from surefit.model_selection.prepare.levels import MAX_LEVELS

WHY = {"identifier": "names the rows", "empty": "empty", "constant": "one value only"}
NAMED = 4


def notes_on(table: Any, without_target: int) -> list[str]:
    notes = []
    if without_target:
        notes.append(
            f"{counted(without_target, 'row')} without a value of {table.target!r} {_are(without_target)} left out"
        )
    if table.task == "clustering" and table.target:
        notes.append(f"the column {table.target!r} is left out: clustering has no target")
    if table.left_out:
        notes.append(_left_out(table.left_out))
    if table.has_missing:
        rows = int(table.X[table.numbers].isna().any(axis=1).sum())
        notes.append(
            f"{rows} of {table.n_rows} rows have missing numbers: medians of the training rows stand in for them "
            "(trees take them as they are)"
        )
    if table.dates:
        some = named(table.dates)
        notes.append(f"{_columns(table.dates)} {some} {_are(len(table.dates))} read as year, month, weekday and days")
    if table.categories:
        notes += _encoded(table)
    return notes


def named(names: list[str]) -> str:
    """
    >>> named(["a"]), named(["a", "b", "c", "d", "e", "f"])
    ("'a'", "'a', 'b', 'c', 'd' and 2 more")
    """
    shown = ", ".join(repr(name) for name in names[:NAMED])
    return shown + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _left_out(reasons: dict[str, str]) -> str:
    """One line for all of them, grouped by reason."""
    parts = []
    for kind, words in WHY.items():
        names = [name for name, why in reasons.items() if why == kind]
        if names:
            parts.append(f"{named(names)} ({words if len(names) == 1 else words.replace('names', 'name')})")
    return f"{_columns(list(reasons))} left out: {', '.join(parts)}"


def _encoded(table: Any) -> list[str]:
    levels = {name: int(table.X[name].nunique()) for name in table.categories}
    width = sum(min(n, MAX_LEVELS) - 1 for n in levels.values())
    if len(levels) == 1:
        name, n = next(iter(levels.items()))
        notes = [f"the column {name!r} has {n} levels: encoded as {counted(width, 'column')}"]
    else:
        notes = [f"{len(levels)} columns of text are encoded as {counted(width, 'column')}"]
    many = [name for name, n in levels.items() if n > MAX_LEVELS]
    if many:
        some = ", ".join(f"{name!r} ({levels[name]} levels)" for name in many[:NAMED])
        more = f" and {len(many) - NAMED} more" if len(many) > NAMED else ""
        notes[0] += f"; of {some}{more} the {MAX_LEVELS - 1} most frequent levels of the training rows are kept"
    return notes


def _columns(names: list[str]) -> str:
    return "the column" if len(names) == 1 else "the columns"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"
