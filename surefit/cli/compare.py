"""`surefit compare`: from a file to a table, a report and an exit code."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.optional import require
from surefit.cli.run import CERTIFICATE_FAILS
from surefit.cli.screen import note, print_comparison, print_json, progress_bar


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    data: str | None
    target: str | None
    dataset: str | None
    task: Any
    drop: tuple[str, ...]
    folds: int
    repeats: int | None
    scoring: str | None
    level: float
    seed: int
    report: Path | None
    as_json: bool
    quiet: bool


def compare_command(request: Request) -> int:
    from surefit.model_selection import compare as compare_models
    from surefit.model_selection import prepare_table
    from surefit.model_selection.compare import suited_models
    from surefit.model_selection.prepare.steps import SCALED
    from surefit.model_selection.validation.folds import repeated_folds, usual_repeats

    _refuse_early(request)
    if not 0 < request.level < 1:
        raise InvalidParameter(f"--level must be a number > 0 and < 1; got {request.level:g}")
    frame, name, target = _data(request)
    table = prepare_table(frame, target, request.task, request.drop, where=name)
    if table.n_rows < 2 * request.folds:
        raise InvalidData(f"{name} has {table.n_rows} rows: too few for {request.folds} folds; use --folds")
    if request.task in ("regression", "classification") and table.y is None:
        raise InvalidParameter(f"--task {request.task} needs --target COLUMN")
    if request.scoring and table.y is None:
        raise InvalidParameter("--scoring needs a target; clusterings are scored by the share of variance they explain")
    models = suited_models(table, _training_shape(table, request.folds))
    repeats = request.repeats or usual_repeats(table.X)
    labels = table.y if table.task == "classification" else None
    cv = repeated_folds(request.folds, repeats, request.seed, labels)
    with progress_bar(request.quiet or request.as_json) as tick:
        comparison = compare_models(
            models,
            table.X,
            table.y,
            cv=cv,
            scoring=request.scoring,
            level=request.level,
            failing="leave out",
            on_progress=tick,
        )
    comparison.target, comparison.data_name, comparison.command = table.target, name, _command(request, repeats)
    comparison.notes = [*table.notes, SCALED, *comparison.notes]
    if request.report is not None:
        comparison.report(request.report)
    if request.as_json:
        print_json(comparison.to_dict() | {"report": None if request.report is None else str(request.report)})
    else:
        print_comparison(comparison, request.quiet)
        if request.report is not None:
            note(f"Report: {request.report}", request.quiet)
    return 0 if comparison.holds else CERTIFICATE_FAILS


def _refuse_early(request: Request) -> None:
    """What would fail after all the work is refused before it."""
    if not request.as_json:
        require("rich", extra="cli", purpose="Printing a table")
    if request.report is None:
        return
    if request.report.suffix.lower() not in (".html", ".htm"):
        raise InvalidParameter(f"a report ends in .html; got {request.report.name!r}")
    if not request.report.parent.is_dir():
        raise InvalidData(f"no folder {str(request.report.parent)!r} to write the report to")
    from surefit.plot.axes import require_drawing

    require_drawing()


def _training_shape(table: Any, folds: int) -> Any:
    """The smallest training part: each fold, and each class in it, is at most one row larger than the others."""
    from surefit.model_selection import Shape

    def left(n: int) -> int:
        return n - -(-n // folds)

    counts = np.unique(table.y, return_counts=True)[1] if table.task == "classification" else ()
    spread = float(np.std(table.y)) or 1.0 if table.task == "regression" else 1.0
    return Shape(left(table.n_rows), table.n_columns, tuple(left(int(n)) for n in counts), table.mixed, spread)


def _data(request: Request) -> tuple[Any, str, str | None]:
    """(table, its name, target): the file that was named, or data that comes along."""
    if request.data is not None and request.dataset is not None:
        raise InvalidParameter("give a file or --dataset, not both")
    if request.data is not None:
        from surefit.io import read_table

        return read_table(request.data), Path(request.data).name, request.target
    from surefit.cli.datasets import bundled

    name = request.dataset or "diabetes"
    frame, usual = bundled(name)
    return frame, name, request.target or usual


def _command(request: Request, repeats: int) -> str:
    """The command line that gives the same comparison, without what only changes the output."""
    words = ["surefit", "compare"]
    if request.data is not None:
        words.append(request.data)
    else:
        words += ["--dataset", request.dataset or "diabetes"]
    for option, value in (("--target", request.target), ("--task", request.task), ("--scoring", request.scoring)):
        if value is not None:
            words += [option, value]
    for column in request.drop:
        words += ["--drop", column]
    words += ["--folds", str(request.folds), "--repeats", str(repeats), "--seed", str(request.seed)]
    if request.level != 0.95:
        words += ["--level", f"{request.level:g}"]
    return shlex.join(words)
