"""`open_data`: the one door through which data enters a fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from surefit._core.data.intake import NotFinite, take_rows, take_targets, take_weights
from surefit._core.errors import CannotStream, InvalidData
from surefit.engine.labels import memory_codes
from surefit.engine.sources.scan import Scan
from surefit.engine.sources.source import MemorySource, Source

Kind = Literal["memory", "parquet", "dask"]


def kind_of(X: Any) -> Kind:
    """Which source `X` is: rows in memory, a Parquet scan, or a Dask collection."""
    if isinstance(X, (str, Path, Scan)):
        return "parquet"
    if hasattr(X, "__dask_graph__"):
        return "dask"
    if isinstance(X, Iterator):
        raise InvalidData(
            "X is a one-shot iterator, and a fit passes over its rows more than once. Collect it into an array, or "
            "write it to Parquet and pass the path."
        )
    return "memory"


def need_memory(estimator: Any, X: Any, instead: str = "") -> None:
    """Refuse rows that are not in memory; `instead` names an estimator that takes them."""
    kind = kind_of(X)
    if kind != "memory":
        raise CannotStream(
            f"{type(estimator).__name__} with these parameters needs its rows in memory; got a {kind} source"
            f"{f' ({X})' if isinstance(X, (str, Path)) else ''}. Load it first (for example with pyarrow or "
            f".compute()){f', or use {instead}, which reads it block by block' if instead else ''}."
        )


def open_data(
    estimator: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    target: bool | Literal["classes"] = False,
    classes: np.ndarray | None = None,
    sparse: bool = True,
    min_rows: int = 1,
    stream: bool = True,
    instead: str = "",
    n_jobs: int | None = None,
    not_finite: NotFinite = "refuse",
    integers: bool = False,
    any_sign: bool = False,
) -> Source:
    """Open training data and learn from it `n_features_in_` and `feature_names_in_`.

    X may be an array, a dataframe, CSR, a path to Parquet files (or `surefit.scan(path, …)`), or a Dask array or
    dataframe. With a path, `y` and `sample_weight` are column names. `target`: y is needed; with "classes" it holds
    labels, and the source has `classes` (sorted, or those given) and codes in the place of y. `stream`: this estimator
    can work on data that does not fit in memory; where it cannot, `instead` names one that can. `not_finite`,
    `integers`: as in `take_rows`; rows that are not in memory are always looked at, and become floats. `any_sign`: as
    in `take_weights`, for rows in memory.
    """
    kind = kind_of(X)
    if kind == "memory":
        rows = take_rows(
            estimator, X, reset=True, sparse=sparse, min_rows=min_rows, not_finite=not_finite, integers=integers
        )
        targets: np.ndarray | None
        if target == "classes":
            classes, targets = memory_codes(estimator, y, rows.shape[0], classes)
        else:
            targets = take_targets(estimator, y, rows.shape[0]) if target else None
        weights = take_weights(sample_weight, rows.shape[0], any_sign=any_sign)
        source: Source = MemorySource(rows, targets, weights, getattr(estimator, "feature_names_in_", None), n_jobs)
        source.classes = classes
        return source
    if not stream:
        need_memory(estimator, X, instead)
    if target and y is None and not (isinstance(X, Scan) and X.target):
        raise InvalidData(f"{type(estimator).__name__} needs a target: pass y (for Parquet the name of a column)")
    if kind == "parquet":
        from surefit.engine.sources.parquet import open_parquet, parquet_labels

        if target == "classes":
            X, classes, y = parquet_labels(X, y, sample_weight, classes)
        source = open_parquet(X, y, sample_weight, target=bool(target), n_jobs=n_jobs, missing=not_finite == "NaN")
    else:
        from surefit.engine.sources.dask import dask_labels, open_dask

        if target == "classes":
            X, classes, y = dask_labels(X, y, classes)
        source = open_dask(X, y, sample_weight, target=bool(target), missing=not_finite == "NaN")
    source.classes = classes
    if source.is_sparse and not sparse:
        raise InvalidData(f"{type(estimator).__name__} does not take sparse rows; make the blocks dense first")
    if source.n_rows < min_rows:
        raise InvalidData(f"Found {source.n_rows} row(s); at least {min_rows} are needed")
    estimator.n_features_in_ = source.n_features
    if source.feature_names is None:
        estimator.__dict__.pop("feature_names_in_", None)
    else:
        estimator.feature_names_in_ = source.feature_names
    return source
