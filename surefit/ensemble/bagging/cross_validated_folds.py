"""The folds of a cross-validated ensemble.

With a whole number of folds they are drawn among the distinct examples (x, y) of positive weight: these stand in the
order of their class (regressors have one) and then of their hash mixed with the seed, and the example at place r goes
to fold r modulo `folds`. So each class is spread evenly, equal examples are tested on together (no model is asked about
a row it has seen), a weight of two is a row given twice, and shuffling the rows changes nothing. Rows of weight zero
are in the first test part, and in no training part that counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.ensemble.members import examples_of
from surefit.summaries.canonical import mixed

Split = tuple[np.ndarray, np.ndarray]


def is_count(cv: Any) -> bool:
    return isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)


def drawn_folds(X: Any, y: np.ndarray, w: np.ndarray | None, folds: int, seed: int, classifier: bool) -> list[Split]:
    """(train, test) of each of so many folds; every row is tested on once."""
    n_rows, examples = X.shape[0], examples_of(X, y, w)
    n_examples = len(examples.hashes)
    if n_examples < folds:
        raise InvalidData(
            f"cv={folds} folds need as many distinct rows of positive weight; got {n_examples} (n_samples = {n_rows}). "
            "Give more rows or fewer folds"
        )
    keys = mixed(examples.hashes ^ mixed(np.array([seed], dtype=np.uint64)))
    labels = y[examples.first_rows] if classifier else np.zeros(n_examples)
    of_example = np.empty(n_examples, dtype=np.intp)
    of_example[np.lexsort((keys, labels))] = np.arange(n_examples) % folds
    places = examples.places()
    numbers = np.where(places >= 0, of_example[places], 0)
    return [(np.flatnonzero(numbers != k), np.flatnonzero(numbers == k)) for k in range(folds)]


def given_folds(cv: Any, X: Any, y: np.ndarray, groups: Any, classifier: bool) -> list[Split]:
    """(train, test) of a splitter or a list; refused where a test part holds rows of its training part."""
    splits = []
    for number, (train, test) in enumerate(check_cv(cv, y, classifier=classifier).split(X, y, groups)):
        train, test = (np.flatnonzero(p) if p.dtype == bool else p for p in map(np.asarray, (train, test)))
        if np.intersect1d(train, test).size:
            raise InvalidData(f"fold {number} tests on rows it was trained on: out-of-fold answers would mean nothing")
        splits.append((train.astype(np.intp), test.astype(np.intp)))
    if len(splits) < 1:
        raise InvalidParameter("cv gives no folds")
    return splits
