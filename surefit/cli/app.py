"""The commands and their options. Nothing heavy is imported here: `surefit --help` answers at once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from surefit import __version__
from surefit.cli.run import guarded

app = typer.Typer(
    name="surefit",
    help="Classical machine learning that proves its answers.",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Dataset(StrEnum):
    diabetes = "diabetes"
    iris = "iris"
    wine = "wine"
    digits = "digits"
    breast_cancer = "breast_cancer"


class TaskName(StrEnum):
    auto = "auto"
    regression = "regression"
    classification = "classification"
    clustering = "clustering"


Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout, nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")]
Target = Annotated[str | None, typer.Option("--target", "-y", metavar="COLUMN", help="The column to predict.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="COLUMN", help="A column to leave out; repeatable.")]
Data = Annotated[str, typer.Argument(metavar="DATA", help="A table: CSV, TSV, Parquet, Feather or JSON lines.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file (.skops; .joblib and .pkl with --trust).")]
Trust = Annotated[bool, typer.Option("--trust", help="Read model files that can run code when they are read.")]
Stream = Annotated[bool, typer.Option("--stream", help="Read Parquet block by block even if it fits in memory.")]


def command() -> Any:
    """What parses the arguments and calls the functions below."""
    return typer.main.get_command(app)


def _version(asked: bool) -> None:
    if asked:
        print(f"surefit {__version__}")
        raise typer.Exit()


@app.callback()
def _surefit(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


@app.command()
def compare(
    data: Annotated[
        str | None, typer.Argument(metavar="[DATA]", help="A table (CSV, TSV, Parquet, Feather, JSON lines).")
    ] = None,
    target: Target = None,
    dataset: Annotated[Dataset | None, typer.Option(help="Data that comes along, instead of a file.")] = None,
    task: Annotated[TaskName, typer.Option(help="What to do with the target; auto looks at it.")] = TaskName.auto,
    drop: Drop = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts the rows are split into.")] = 5,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="How often they are split anew; default 5, for large tables 1.")
    ] = None,
    scoring: Annotated[str | None, typer.Option(help="A scorer of scikit-learn; default R² or accuracy.")] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the splits.")] = 0,
    report: Annotated[Path, typer.Option(help="Where the HTML report goes.")] = Path("surefit-report.html"),
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Cross-validate and certify what suits the data; write a report."""

    def body() -> int:
        from surefit.cli.compare import Request, compare_command

        return compare_command(
            Request(
                data=data,
                target=target,
                dataset=None if dataset is None else dataset.value,
                task=None if task is TaskName.auto else task.value,
                drop=tuple(drop or ()),
                folds=folds,
                repeats=repeats,
                scoring=scoring,
                level=level,
                seed=seed,
                report=None if no_report else report,
                as_json=as_json,
                quiet=quiet,
            )
        )

    raise typer.Exit(guarded(body))


@app.command()
def fit(
    estimator: Annotated[str, typer.Argument(metavar="ESTIMATOR", help="For example Ridge, PCA or KMeans.")],
    data: Data,
    target: Target = None,
    out: Annotated[Path | None, typer.Option(help="Where the model goes (.skops, .joblib, .pkl).")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter; repeatable.")
    ] = None,
    drop: Drop = None,
    stream: Stream = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit one estimator on a table and print its certificate."""

    def body() -> int:
        from surefit.cli.models import fit_command

        columns = tuple(drop or ())
        return fit_command(estimator, data, target, out, settings or [], columns, stream, as_json=as_json, quiet=quiet)

    raise typer.Exit(guarded(body))


@app.command()
def certify(
    model: Model,
    data: Data,
    target: Target = None,
    trust: Trust = False,
    stream: Stream = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check a saved model against the data it was fitted on."""

    def body() -> int:
        from surefit.cli.models import certify_command

        return certify_command(model, data, target, trust=trust, stream=stream, as_json=as_json, quiet=quiet)

    raise typer.Exit(guarded(body))


@app.command()
def predict(
    model: Model,
    data: Data,
    out: Annotated[str | None, typer.Option(help="Where predictions go; default stdout, as CSV.")] = None,
    trust: Trust = False,
    stream: Stream = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Predict (or transform) the rows of a table with a saved model."""

    def body() -> int:
        from surefit.cli.models import predict_command

        return predict_command(model, data, out, trust=trust, stream=stream, as_json=as_json, quiet=quiet)

    raise typer.Exit(guarded(body))
