"""`surefit fit`, `certify` and `predict`: one model, one table."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.certificates import Certificate
from surefit.cli.estimators import estimator_from
from surefit.cli.run import CERTIFICATE_FAILS, warn
from surefit.cli.screen import note, print_json
from surefit.cli.sources import Source
from surefit.cli.tables import Rows, Task, rows_for, rows_to_fit
from surefit.io import load, save, write_table
from surefit.io.models import writable_model
from surefit.io.tables import writable_table
from surefit.model_selection import certify_steps, pipeline_for
from surefit.model_selection.prepare.reader import with_reader


def fit_command(
    estimator: str,
    source: Source,
    target: str | None,
    out: Path | None,
    settings: list[str],
    drop: tuple[str, ...],
    *,
    prepare: bool | None,
    as_json: bool,
    quiet: bool,
) -> int:
    model = estimator_from(estimator, settings)
    if out is not None:
        out = writable_model(out)
    task = _task(model)
    if task and target is None:
        raise InvalidParameter(f"{estimator} needs a target: --target COLUMN")
    rows = rows_to_fit(source, target, drop, task, prepare)
    silent = quiet or as_json
    _tell(rows, silent)
    y, start = rows.y if task else None, time.perf_counter()
    parameters = {name: _plain(value) for name, value in model.get_params().items()}
    if rows.table is not None:
        own = pipeline_for(replace(rows.table, has_missing=True), model).fit(rows.X, y)  # new rows may have gaps
        model = with_reader(rows.table, own)
        note("Prepared as `surefit compare` does; --no-prepare takes numbers as they are.", silent)
    else:
        own = model.fit(rows.X, y)
    seconds = time.perf_counter() - start
    certificates = certify_steps(own, rows.X, y)
    payload = {
        "estimator": estimator,
        "parameters": parameters,
        "data": source.path,
        "target": target,
        "n_features": int(model.n_features_in_),
        "read": rows.how,
        "prepared": rows.table is not None,
        "notes": rows.notes,
        "leaks": rows.leaks,
        "fit_seconds": seconds,
        "model": None if out is None else str(out),
    }
    code = _conclude(certificates, payload, as_json)
    if out is not None:
        save(model, out)
        note(f"Model: {out}", silent)
    return code


def certify_command(path: Path, source: Source, target: str | None, *, trust: bool, as_json: bool, quiet: bool) -> int:
    model = load(path, trust=trust)
    task = _task(model)
    if task and target is None:
        raise InvalidParameter(f"{_name(model)} was fitted to a target: --target COLUMN")
    rows = rows_for(model, source, target, task)
    _tell(rows, quiet or as_json)
    certificates = certify_steps(model, rows.X, rows.y if task else None)
    if not certificates:
        raise InvalidParameter(f"there is no checker for {_name(model)}, so nothing can be certified")
    return _conclude(
        certificates, {"model": str(path), "data": source.path, "target": target, "read": rows.how}, as_json
    )


def predict_command(
    path: Path, source: Source, out: str | None, *, proba: bool, trust: bool, as_json: bool, quiet: bool
) -> int:
    model = load(path, trust=trust)
    if proba and not hasattr(model, "predict_proba"):
        raise InvalidParameter(f"{_name(model)} gives no probabilities: leave out --proba")
    if out is not None:
        out = str(writable_table(out))
    rows = rows_for(model, source)
    _tell(rows, quiet or as_json)
    columns = _outputs(model, rows, source, proba)
    n_rows = len(next(iter(columns.values())))
    if as_json and out is None:
        print_json({"model": str(path), "data": source.path, "n_rows": n_rows,
                    "columns": {name: values.tolist() for name, values in columns.items()}})  # fmt: skip
        return 0
    text = write_table(columns, out)
    if text is not None:
        sys.stdout.write(text)
    elif as_json:
        print_json({"model": str(path), "data": source.path, "n_rows": n_rows, "out": out, "columns": list(columns)})
    else:
        note(f"{n_rows} rows: {out}", quiet)
    return 0


def _outputs(model: Any, rows: Rows, source: Source, proba: bool) -> dict[str, np.ndarray]:
    """The columns a model gives: predictions, or the transformed rows where it does not predict."""
    method = "predict" if hasattr(model, "predict") else "transform"
    if not hasattr(model, method):
        raise InvalidParameter(f"{_name(model)} can neither predict nor transform")
    try:
        values = np.asarray(getattr(model, method)(rows.X))
        P = np.asarray(model.predict_proba(rows.X)) if proba else None
    except ValueError as error:
        _refuse_new_gaps(rows.X, source, error)
        raise
    if P is not None:
        return {"prediction": values} | {f"p_{label}": P[:, k] for k, label in enumerate(model.classes_)}
    if values.ndim == 1:
        return {"prediction": values}
    names = [f"prediction{j}" for j in range(values.shape[1])]
    if method == "transform" and hasattr(model, "get_feature_names_out"):
        names = [str(name) for name in model.get_feature_names_out()]
    return dict(zip(names, values.T, strict=True))


def _refuse_new_gaps(X: Any, source: Source, error: ValueError) -> None:
    """Of a model that takes no missing values: which column has them."""
    if "NaN" not in str(error) or not hasattr(X, "isna"):
        return
    for name in X.columns:
        gone = np.flatnonzero(X[name].isna().to_numpy())
        if gone.size:
            raise InvalidData(
                f"column {name!r} of {source.path} has a missing value in row {int(gone[0])}; the rows the model was "
                "fitted on had none: fill it"
            ) from error


def _conclude(certificates: dict[str, Certificate], payload: dict[str, Any], as_json: bool) -> int:
    holds = all(one.holds for one in certificates.values())
    if as_json:
        print_json(payload | {"holds": holds, "certificates": {n: c.to_dict() for n, c in certificates.items()}})
    else:
        for certificate in certificates.values():
            print(certificate)
    return 0 if holds else CERTIFICATE_FAILS


def _tell(rows: Rows, silent: bool) -> None:
    note(rows.how, silent)
    for line in rows.notes:
        note(f"Note: {line}.", silent)
    if not silent:
        for line in rows.leaks:
            warn(line)


def _task(model: Any) -> Task:
    from sklearn.base import is_classifier, is_regressor

    return "classification" if is_classifier(model) else "regression" if is_regressor(model) else None


def _name(model: Any) -> str:
    """The class of the model; of a pipeline, of its last step."""
    return type(model.steps[-1][1] if hasattr(model, "steps") else model).__name__


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return np.asarray(value).tolist() if isinstance(value, (list, tuple, np.ndarray)) else str(value)
