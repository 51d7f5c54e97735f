"""`surefit fit`, `certify` and `predict`: one model, one table."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.certificates import Certificate
from surefit.cli.estimators import estimator_from
from surefit.cli.run import CERTIFICATE_FAILS
from surefit.cli.screen import note, print_json
from surefit.cli.tables import Rows, features_for, open_rows
from surefit.io import load, save, write_table
from surefit.model_selection import certify_steps


def fit_command(
    estimator: str,
    data: str,
    target: str | None,
    out: Path | None,
    settings: list[str],
    drop: tuple[str, ...],
    stream: bool,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    from sklearn.base import is_classifier, is_regressor

    model = estimator_from(estimator, settings)
    if out is not None and not out.parent.is_dir():
        raise InvalidData(f"no folder {str(out.parent)!r} to write the model to")
    needs = is_regressor(model) or is_classifier(model)
    if needs and target is None:
        raise InvalidParameter(f"{estimator} needs a target: --target COLUMN")
    rows = open_rows(data, target, drop=drop, stream=stream, classes=is_classifier(model))
    note(rows.how, quiet or as_json)
    start = time.perf_counter()
    model.fit(rows.X, rows.y if needs else None)
    seconds = time.perf_counter() - start
    certificates = certify_steps(model, rows.X, rows.y if needs else None)
    if out is not None:
        save(model, out)
    payload = {
        "estimator": type(model).__name__,
        "parameters": {name: _plain(value) for name, value in model.get_params().items()},
        "data": data,
        "target": target,
        "n_features": int(model.n_features_in_),
        "read": rows.how,
        "fit_seconds": seconds,
        "model": None if out is None else str(out),
    }
    return _conclude(certificates, payload, None if out is None else f"Model: {out}", as_json, quiet)


def certify_command(
    path: Path, data: str, target: str | None, *, trust: bool, stream: bool, as_json: bool, quiet: bool
) -> int:
    from sklearn.base import is_classifier, is_regressor

    model = load(path, trust=trust)
    needs = is_regressor(model) or is_classifier(model)
    if needs and target is None:
        raise InvalidParameter(f"{type(model).__name__} was fitted to a target: --target COLUMN")
    rows = open_rows(data, target, stream=stream and _streams(model), model=model, classes=is_classifier(model))
    note(rows.how, quiet or as_json)
    certificates = certify_steps(model, rows.X, rows.y if needs else None)
    if not certificates:
        raise InvalidParameter(f"there is no checker for {type(model).__name__}, so nothing can be certified")
    return _conclude(certificates, {"model": str(path), "data": data, "target": target, "read": rows.how}, None,
                     as_json, quiet)  # fmt: skip


def predict_command(
    path: Path, data: str, out: str | None, *, trust: bool, stream: bool, as_json: bool, quiet: bool
) -> int:
    model = load(path, trust=trust)
    rows = features_for(model, data, stream=stream and _streams(model))
    note(rows.how, quiet or as_json)
    columns = _outputs(model, rows)
    n_rows = len(next(iter(columns.values())))
    if as_json and out is None:
        print_json({"model": str(path), "data": data, "n_rows": n_rows,
                    "columns": {name: values.tolist() for name, values in columns.items()}})  # fmt: skip
        return 0
    text = write_table(columns, out)
    if text is not None:
        sys.stdout.write(text)
    elif as_json:
        print_json({"model": str(path), "data": data, "n_rows": n_rows, "out": out, "columns": list(columns)})
    else:
        note(f"{n_rows} rows: {out}", quiet)
    return 0


def _outputs(model: Any, rows: Rows) -> dict[str, np.ndarray]:
    """The columns a model gives: predictions, or the transformed rows where it does not predict."""
    method = "predict" if hasattr(model, "predict") else "transform"
    if not hasattr(model, method):
        raise InvalidParameter(f"{type(model).__name__} can neither predict nor transform")
    values = np.asarray(getattr(model, method)(rows.X))
    if values.ndim == 1:
        return {"prediction": values}
    names = [f"prediction{j}" for j in range(values.shape[1])]
    if method == "transform" and hasattr(model, "get_feature_names_out"):
        names = [str(name) for name in model.get_feature_names_out()]
    return dict(zip(names, values.T, strict=True))


def _conclude(
    certificates: dict[str, Certificate], payload: dict[str, Any], last: str | None, as_json: bool, quiet: bool
) -> int:
    holds = all(one.holds for one in certificates.values())
    if as_json:
        print_json(payload | {"holds": holds, "certificates": {n: c.to_dict() for n, c in certificates.items()}})
    else:
        for certificate in certificates.values():
            print(certificate)
        if last is not None:
            note(last, quiet)
    return 0 if holds else CERTIFICATE_FAILS


def _streams(model: Any) -> bool:
    """A pipeline passes its rows through steps of other libraries, which need them in memory."""
    return not hasattr(model, "steps")


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return np.asarray(value).tolist() if isinstance(value, (list, tuple, np.ndarray)) else str(value)
