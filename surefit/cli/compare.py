"""`surefit compare`: from a file to a table, a report, a model and an exit code."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.optional import require
from surefit.cli.contest_data import ContestData, contest_data
from surefit.cli.run import CERTIFICATE_FAILS, INTERRUPTED, silence_stdout
from surefit.cli.screen import note, print_comparison, print_json, progress_bar
from surefit.cli.sources import Source
from surefit.io import save
from surefit.io.models import writable_model
from surefit.io.outputs import refuse_unwritable


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    source: Source | None
    target: str | None
    dataset: str | None
    task: Any
    drop: tuple[str, ...]
    groups: str | None
    time: str | None
    folds: int
    repeats: int | None
    scoring: str | None
    level: float
    rope: float | None
    seed: int
    time_budget: float
    jobs: int | None
    report: Path | None
    out: Path | None
    as_json: bool
    quiet: bool


def compare_command(request: Request) -> int:
    _refuse_early(request)
    data = contest_data(request)
    comparison = _compared(request, data)
    comparison.data_name, comparison.command = data.name, _command(request)
    comparison.notes = [*data.notes, *comparison.notes]
    _show(request, comparison)
    if request.report is not None:
        comparison.report(request.report)
        note(f"Report: {request.report}", request.quiet or request.as_json)
    if request.out is not None:
        _keep_best(request.out, data, comparison)
        note(f"Model: {request.out} ({comparison.best.name})", request.quiet or request.as_json)
    if comparison.interrupted:
        return INTERRUPTED
    return 0 if comparison.holds else CERTIFICATE_FAILS


def _compared(request: Request, data: ContestData) -> Any:
    from surefit.model_selection import compare as compare_models
    from surefit.model_selection.validation.folds import repeated_folds

    cv: Any = request.folds
    if request.repeats is not None:
        labels = data.y if data.task == "classification" else None
        cv = repeated_folds(request.folds, request.repeats, request.seed, labels)
    with progress_bar(request.quiet or request.as_json) as tick:
        return compare_models(
            None,
            data.X,
            data.y,
            task=data.task,
            cv=cv,
            scoring=request.scoring,
            level=request.level,
            rope=request.rope,
            random_state=request.seed,
            groups=data.groups,
            time=data.time,
            time_budget=request.time_budget or None,
            n_jobs=request.jobs,
            on_progress=tick,
            target=data.target,
        )


def _show(request: Request, comparison: Any) -> None:
    """The table, before anything is written; a reader who leaves does not keep the files from being written."""
    try:
        if request.as_json:
            files = {"report": request.report, "model": request.out}
            print_json(comparison.to_dict() | {name: path and str(path) for name, path in files.items()})
        else:
            print_comparison(comparison, request.quiet)
    except BrokenPipeError:
        silence_stdout()


def _keep_best(path: Path, data: ContestData, comparison: Any) -> None:
    """The best model behind the steps that read and prepare a file like this one."""
    from surefit.model_selection.prepare.reader import with_reader

    save(with_reader(data.table, comparison.best.estimator), path)


def _refuse_early(request: Request) -> None:
    """What would fail after all the work is refused before it."""
    if not request.as_json:
        require("rich", extra="cli", purpose="Printing a table")
    if not 0 < request.level < 1:
        raise InvalidParameter(f"--level must be a number > 0 and < 1; got {request.level:g}")
    if request.rope is not None and not request.rope >= 0:
        raise InvalidParameter(f"--rope must be a number ≥ 0; got {request.rope:g}")
    if not 0 <= request.time_budget < float("inf"):
        raise InvalidParameter(f"--time-budget must be seconds ≥ 0 (0 for no limit); got {request.time_budget:g}")
    if request.jobs is not None and (request.jobs == 0 or request.jobs < -1):
        raise InvalidParameter(f"--jobs must be a number ≥ 1, or -1 for all processors; got {request.jobs}")
    if request.repeats is not None and (request.groups or request.time):
        raise InvalidParameter("--repeats draws rows anew; --groups and --time fix the folds: leave one out")
    if request.out is not None:
        writable_model(request.out)
    if request.report is None:
        return
    if request.report.suffix.lower() not in (".html", ".htm"):
        raise InvalidParameter(f"a report ends in .html; got {request.report.name!r}")
    if request.out is not None and request.out.resolve() == request.report.resolve():
        raise InvalidData(f"the report and the model cannot both be {str(request.out)!r}")
    refuse_unwritable(request.report, "the report")
    from surefit.plot.axes import require_drawing

    require_drawing()


def _command(request: Request) -> str:
    """The command line that gives the same comparison, without what only changes the output."""
    words = ["surefit", "compare"]
    source = request.source
    words += ["--dataset", request.dataset or "diabetes"] if source is None else [source.path]
    options = {
        "--target": request.target,
        "--task": request.task,
        "--groups": request.groups,
        "--time": request.time,
        "--scoring": request.scoring,
        "--rope": request.rope,
        "--repeats": request.repeats,
        "--sep": source and source.sep,
        "--encoding": source and source.encoding,
        "--decimal": source and source.decimal,
    }
    for option, value in options.items():
        if value is not None:
            words += [option, f"{value:g}" if isinstance(value, float) else str(value)]
    for column in request.drop:
        words += ["--drop", column]
    words += ["--folds", str(request.folds), "--seed", str(request.seed)]
    if request.level != 0.95:
        words += ["--level", f"{request.level:g}"]
    return shlex.join([*words, "--time-budget", f"{request.time_budget:g}"])
