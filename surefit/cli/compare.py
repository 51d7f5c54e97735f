"""`surefit compare`: from a file to a table, a report and an exit code."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    from sklearn.model_selection import RepeatedKFold

    from surefit.model_selection import candidates_for, pipeline_for, prepare_table
    from surefit.model_selection import compare as compare_models
    from surefit.model_selection.compare import usual_repeats
    from surefit.model_selection.prepare import SCALED

    _refuse_early(request)
    if not 0 < request.level < 1:
        raise InvalidParameter(f"--level must be a number > 0 and < 1; got {request.level:g}")
    frame, name, target, notes = _data(request)
    table = prepare_table(frame, target, request.task, request.drop, where=name)
    if table.task == "classification":
        raise InvalidData(
            f"the target {target!r} has {frame[target].nunique()} classes, and compare has no classifier yet: "
            "--task clustering compares k-means and PCA of the other columns"
            + (", --task regression takes the classes as numbers" if _numeric(frame[target]) else "")
        )
    if table.n_rows < 2 * request.folds:
        raise InvalidData(f"{name} has {table.n_rows} rows: too few for {request.folds} folds; use --folds")
    if request.task == "regression" and table.y is None:
        raise InvalidParameter("--task regression needs --target COLUMN")
    if request.scoring and table.y is None:
        raise InvalidParameter("--scoring needs a target; clusterings are scored by the share of variance they explain")
    n_train = table.n_rows - -(-table.n_rows // request.folds)
    models = {
        label: pipeline_for(table, estimator)
        for label, estimator in candidates_for(table.task, n_train, table.n_columns).items()
    }
    repeats = request.repeats or usual_repeats(table.X)
    cv = RepeatedKFold(n_splits=request.folds, n_repeats=repeats, random_state=request.seed)
    with progress_bar(request.quiet or request.as_json) as tick:
        comparison = compare_models(
            models, table.X, table.y, cv=cv, scoring=request.scoring, level=request.level, on_progress=tick
        )
    comparison.target, comparison.data_name, comparison.command = table.target, name, _command(request, repeats)
    comparison.notes = [*notes, *table.notes, SCALED]
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


def _data(request: Request) -> tuple[Any, str, str | None, list[str]]:
    """(table, its name, target, notes): the file that was named, or data that comes along."""
    if request.data is not None and request.dataset is not None:
        raise InvalidParameter("give a file or --dataset, not both")
    if request.data is not None:
        from surefit.io import read_table

        return read_table(request.data), Path(request.data).name, request.target, []
    from surefit.cli.datasets import bundled

    name = request.dataset or "diabetes"
    frame, usual = bundled(name)
    if request.target is not None or request.task == "regression":
        return frame, name, request.target or usual, []
    if name == "diabetes" and request.task is None:
        return frame, name, usual, []
    notes = [f"the classes of {name} ({usual!r}) are left out: compare has no classifier yet, so columns are clustered"]
    return frame.drop(columns=[usual]), name, None, [] if name == "diabetes" else notes


def _numeric(values: Any) -> bool:
    return values.dtype.kind in "fiu"


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
