"""The commands and their options. Nothing heavy is imported here: `surefit --help` answers at once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from surefit import __version__
from surefit.cli.run import guarded

EXIT_CODES = "Exit codes: 0 all is well, 1 a certificate fails, 2 bad input (one line on stderr), 130 interrupted."
app = typer.Typer(
    name="surefit",
    help="Classical machine learning that proves its answers.",
    epilog=EXIT_CODES,
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


KINDS = "A table: CSV, TSV, TXT, JSON, JSON lines, Excel, Parquet or Feather; also .gz and .zip."
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout, nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")]
Target = Annotated[str | None, typer.Option("--target", "-y", metavar="COLUMN", help="The column to predict.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="COLUMN", help="A column to leave out; repeatable.")]
Data = Annotated[str, typer.Argument(metavar="DATA", help=KINDS)]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file (.skops; .joblib and .pkl with --trust).")]
Trust = Annotated[bool, typer.Option("--trust", help="Read model files that can run code when they are read.")]
Stream = Annotated[bool, typer.Option("--stream", help="Read Parquet block by block even if it fits in memory.")]
Sep = Annotated[str | None, typer.Option(help="What separates cells of text (, ; tab bar blank); found out.")]
Encoding = Annotated[str | None, typer.Option(help="How letters of text are encoded (utf-8, latin-1 …); found out.")]
Decimal = Annotated[str | None, typer.Option(help="The decimal mark of text, a comma or a point; found out.")]


def command() -> Any:
    """What parses the arguments and calls the functions below."""
    return typer.main.get_command(app)


def _version(asked: bool) -> None:
    if asked:
        print(f"surefit {__version__}")
        raise typer.Exit()


@app.callback(epilog=EXIT_CODES)
def _surefit(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


@app.command(epilog=EXIT_CODES)
def compare(
    data: Annotated[str | None, typer.Argument(metavar="[DATA]", help=KINDS)] = None,
    target: Target = None,
    dataset: Annotated[Dataset | None, typer.Option(help="Data that comes along, instead of a file.")] = None,
    task: Annotated[TaskName, typer.Option(help="What to do with the target; auto looks at it.")] = TaskName.auto,
    drop: Drop = None,
    groups: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Who a row belongs to: its rows stay in one fold.")
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="When a row was observed: later rows are tested on.")
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts the rows are split into.")] = 5,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="How often they are split anew; default 5, for large tables 1.")
    ] = None,
    scoring: Annotated[
        str | None,
        typer.Option("--scoring", "--metric", metavar="NAME", help="Such as roc_auc; default R² or accuracy."),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    rope: Annotated[
        float | None, typer.Option(help="The largest difference of scores that does not matter in practice.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the splits.")] = 0,
    time_budget: Annotated[float, typer.Option(metavar="SECONDS", help="All models share it; 0 for no limit.")] = 120.0,
    jobs: Annotated[int | None, typer.Option(help="Processes that share the folds; -1 for all processors.")] = None,
    report: Annotated[Path, typer.Option(help="Where the HTML report goes.")] = Path("surefit-report.html"),
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    out: Annotated[Path | None, typer.Option(help="Where the best model goes, with its preparation (.skops).")] = None,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Cross-validate and certify what suits the data; write a report."""

    def body() -> int:
        from surefit.cli.compare import Request, compare_command
        from surefit.cli.sources import Source

        return compare_command(
            Request(
                source=None if data is None else Source(data, sep, encoding, decimal),
                target=target,
                dataset=None if dataset is None else dataset.value,
                task=None if task is TaskName.auto else task.value,
                drop=tuple(drop or ()),
                groups=groups,
                time=time,
                folds=folds,
                repeats=repeats,
                scoring=scoring,
                level=level,
                rope=rope,
                seed=seed,
                time_budget=time_budget,
                jobs=jobs,
                report=None if no_report else report,
                out=out,
                as_json=as_json,
                quiet=quiet,
            )
        )

    raise typer.Exit(guarded(body))


@app.command(epilog=EXIT_CODES)
def fit(
    estimator: Annotated[str, typer.Argument(metavar="ESTIMATOR", help="For example Ridge, PCA or KMeans.")],
    data: Data,
    target: Target = None,
    out: Annotated[Path | None, typer.Option(help="Where the model goes (.skops, .joblib, .pkl).")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter; repeatable.")
    ] = None,
    drop: Drop = None,
    prepare: Annotated[
        bool | None,
        typer.Option(
            "--prepare/--no-prepare",
            help="Encode, fill and scale columns as compare does; default where text, dates or gaps ask for it.",
        ),
    ] = None,
    stream: Stream = False,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit one estimator on a table and print its certificate."""

    def body() -> int:
        from surefit.cli.models import fit_command
        from surefit.cli.sources import Source

        source, columns = Source(data, sep, encoding, decimal, stream), tuple(drop or ())
        return fit_command(
            estimator, source, target, out, settings or [], columns, prepare=prepare, as_json=as_json, quiet=quiet
        )

    raise typer.Exit(guarded(body))


@app.command(epilog=EXIT_CODES)
def certify(
    model: Model,
    data: Data,
    target: Target = None,
    trust: Trust = False,
    stream: Stream = False,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check a saved model against the data it was fitted on."""

    def body() -> int:
        from surefit.cli.models import certify_command
        from surefit.cli.sources import Source

        source = Source(data, sep, encoding, decimal, stream)
        return certify_command(model, source, target, trust=trust, as_json=as_json, quiet=quiet)

    raise typer.Exit(guarded(body))


@app.command(epilog=EXIT_CODES)
def predict(
    model: Model,
    data: Data,
    out: Annotated[str | None, typer.Option(help="Where predictions go; default stdout, as CSV.")] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="The probability of each class beside the prediction.")
    ] = False,
    trust: Trust = False,
    stream: Stream = False,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Predict (or transform) the rows of a table with a saved model."""

    def body() -> int:
        from surefit.cli.models import predict_command
        from surefit.cli.sources import Source

        source = Source(data, sep, encoding, decimal, stream)
        return predict_command(model, source, out, proba=proba, trust=trust, as_json=as_json, quiet=quiet)

    raise typer.Exit(guarded(body))


@app.command(epilog=EXIT_CODES)
def checker(
    names: Annotated[
        list[str],
        typer.Argument(metavar="CLASS...", help="For example Ridge; an ensemble with the class of its members."),
    ],
    out: Annotated[Path | None, typer.Option(help="Where the file goes; default stdout.")] = None,
) -> None:
    """Print all that a certificate of a class rests on, as one file that needs NumPy alone."""

    def body() -> int:
        from surefit.cli.checker import checker_command

        return checker_command(names, out)

    raise typer.Exit(guarded(body))
