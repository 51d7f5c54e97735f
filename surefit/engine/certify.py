"""`surefit.certify`: opens the data, wherever it is, and hands it block by block to the checker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import column_or_1d, get_tags

from surefit._core.base import Estimator
from surefit._core.errors import InvalidData
from surefit._core.threads import single_threaded_blas
from surefit.certificates import Certificate, CertificateError, Rows, check
from surefit.certificates.checker import TOL
from surefit.certificates.inputs import Inputs
from surefit.certificates.registry import checker_for
from surefit.engine.open import kind_of, open_data
from surefit.engine.parts import has_checker, is_composite, joined, parts_of
from surefit.engine.sources.block import Block
from surefit.engine.sources.scan import Scan
from surefit.engine.sources.source import Source
from surefit.engine.text_categories import in_codes


class _Reader(Estimator):
    """Stands in for the model while its data is opened, so that certifying never touches the model."""


class _SourceBlocks:
    """A source in the form checkers read: re-iterable blocks of (X, y, w), no longer than a few leaves, y as given."""

    def __init__(self, source: Source, labels: Callable[[Block, slice], np.ndarray] | None) -> None:
        self._source, self._labels = source, labels
        self.n_rows, self.n_features = source.n_rows, source.n_features

    def __iter__(self) -> Iterator[tuple[Any, np.ndarray | None, np.ndarray | None]]:
        first = 0
        for block in self._source.blocks():
            for leaf in block.leaves():
                X = leaf.X
                if sp.issparse(X):
                    X = Rows(X.data, X.indices, X.indptr, X.shape)
                rows = slice(first, first + X.shape[0])
                yield X, leaf.y if self._labels is None else self._labels(leaf, rows), leaf.w
                first = rows.stop


def certify(model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, tol: float = TOL) -> Certificate:
    """Prove (or refute) a fit from the data and the model's public attributes alone.

    `model` is a fitted estimator of surefit, or of scikit-learn with the same class name; or a fitted pipeline or
    search of such, whose certificate says which step each claim is of; or a kernel, on the inputs X; or EM or CAVI
    for a model of your own, on its data X. `X`, `y` and `sample_weight` are what it was fitted on, in any form
    `fit` takes: arrays, dataframes, Parquet paths, Dask collections. `tol` is the relative distance from the
    optimum that still counts as converged.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.cluster import KMeans
    >>> import surefit
    >>> X = load_iris().data
    >>> surefit.certify(KMeans(3, random_state=0).fit(X), X).holds
    True
    """
    if not is_composite(model) and getattr(checker_for(model), "any_input", False):  # rows, or any objects
        with single_threaded_blas():
            return check(model, Inputs(X, y), tol)
    if is_composite(model):
        parts = [(p, certify(p.model, p.X, y, sample_weight, tol=tol) if has_checker(p.model) else None)
                 for p in parts_of(model, X)]  # fmt: skip
        if any(certificate is not None for _, certificate in parts):
            return joined(model, parts)
        model = parts[-1][0].model
    checker_for(model)
    model, X = in_codes(model, X)
    needs_target = is_regressor(model) or is_classifier(model)
    if needs_target and y is None and not (isinstance(X, Scan) and X.target):
        raise InvalidData(f"certify needs the target y that this {type(model).__name__} was fitted on")
    reader = _Reader()
    labels = is_classifier(model)
    if labels and not hasattr(model, "classes_"):
        raise CertificateError(f"This {type(model).__name__} is not fitted: it has no classes_. Call fit first.")
    if labels and isinstance(model.classes_, list):
        raise CertificateError(
            f"This {type(model).__name__} has {len(model.classes_)} targets; certify takes one column of labels. "
            "Fit and certify one column at a time."
        )
    in_memory = labels and kind_of(X) == "memory"  # then the checker reads the labels as they are
    source = open_data(
        reader,
        X,
        None if in_memory else y,
        sample_weight,
        target=False if in_memory else "classes" if labels else needs_target,
        not_finite="NaN" if get_tags(model).input_tags.allow_nan else "refuse",
        any_sign=hasattr(model, "core_sample_indices_"),  # DBSCAN only adds weights up
    )
    fitted_names = getattr(model, "feature_names_in_", None)
    names = getattr(reader, "feature_names_in_", None)
    if fitted_names is not None and names is not None and list(names) != list(fitted_names):
        raise InvalidData(
            f"the columns of X are {list(names)[:5]}…, the model was fitted on {list(fitted_names)[:5]}…: "
            "pass the same columns in the same order"
        )
    width = getattr(model, "n_features_in_", source.n_features)
    if width != source.n_features:
        raise InvalidData(f"X has {source.n_features} columns, the model was fitted on {width}: pass the same columns")
    with single_threaded_blas():
        return check(model, _SourceBlocks(source, _labels_of(y, source, in_memory) if labels else None), tol)


def _labels_of(y: Any, source: Source, in_memory: bool) -> Callable[[Block, slice], np.ndarray]:
    """The labels of a leaf: the user's own where they are in memory, else those that its codes stand for."""
    if not in_memory:
        return lambda leaf, rows: source.classes[leaf.codes]
    given = column_or_1d(y)
    if len(given) != source.n_rows:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: X has {source.n_rows} rows, y {len(given)}"
        )
    return lambda leaf, rows: given[rows]
