"""Bad input gets a clear error and loses nothing: the estimator is as it was, and the message helps."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.base
from sklearn.utils import get_tags

from surefit._core.params import parameters
from tests.laws.registry import (
    answer,
    ends_with_samples,
    fit,
    instances,
    numbers_groups,
    sample,
    scaled,
    suited,
    takes_infinities,
    takes_negative_weights,
    takes_weights,
    target,
    transductive,
    unit_free,
)

MODELS = pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)


def with_value(X, row, column, value):
    X = X.copy()
    X[row, column] = value
    return X


def broken(rows, part, value):
    """Sparse rows whose fifth number in `part` (an index, a pointer, an offset, a list of columns) is `value`."""
    getattr(rows, part)[4] = value
    return rows


def shortened(rows, part):
    """Sparse rows that have lost the last entries of `part`."""
    setattr(rows, part, getattr(rows, part)[:-2])
    return rows


X, Y, W = sample()
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
CASES = {
    "NaN": (with_value(X, 7, 2, np.nan), r"Input X contains NaN[\s\S]*column 2, row 7"),
    "infinity": (with_value(X, 7, 2, -np.inf), r"Input X contains infinity[\s\S]*column 2, row 7"),
    "NaN in a frame": (FRAME.mask(np.arange(90)[:, None] * np.ones(4) == 11), r"contains NaN[\s\S]*column 'a', row 11"),
    "NaN in CSR": (sp.csr_array(with_value(X, 7, 2, np.nan)), r"contains NaN[\s\S]*column 2, row 7"),
    "CSR with a column that is not there": (broken(sp.csr_array(X), "indices", 10**8), r"not a well-formed sparse"),
    "CSC with a row that is not there": (broken(sp.csc_array(X), "indices", -1), r"not a well-formed sparse"),
    "CSR whose rows overlap": (broken(sp.csr_array(X), "indptr", 1), r"not a well-formed sparse"),
    "COO with a row that is not there": (broken(sp.coo_matrix(X), "row", 10**7), r"not a well-formed sparse"),
    "COO with a column that is not there": (broken(sp.coo_matrix(X), "col", -3), r"not a well-formed sparse"),
    "COO with too few columns": (shortened(sp.coo_matrix(X), "col"), r"not a well-formed sparse"),
    "BSR with a block that is not there": (
        broken(sp.bsr_array(X, blocksize=(2, 2)), "indices", 10**6),
        r"not a well-formed",
    ),
    "BSR with too few blocks": (shortened(sp.bsr_array(X, blocksize=(2, 2)), "data"), r"not a well-formed sparse"),
    "DIA with a diagonal that is not there": (broken(sp.dia_array(X), "offsets", 10**6), r"not a well-formed sparse"),
    "DIA with too few diagonals": (shortened(sp.dia_array(X), "data"), r"not a well-formed sparse"),
    "LIL with a column that is not there": (
        broken(sp.lil_array(X), "rows", [0, 1, 2, 400]),
        r"not a well-formed sparse",
    ),
    "whole numbers beyond floating point": ([[10**400, 1, 2, 3]] * 90, r"too large|beyond floating point"),
    "text": (FRAME.assign(c=["red"] * 90), r"[Cc]olumn 'c'.*'red'"),
    "no rows": (X[:0], r"0 sample|no rows"),
    "no columns": (X[:, :0], r"0 feature"),
    "one dimension": (X[:, 0], r"2D array"),
    "three dimensions": (X[None], r"dim 3"),
    "complex": (X + 1j, r"[Cc]omplex"),
    "iterator": (iter(X), r"one-shot iterator"),
    "None": (None, r"None|NoneType"),
    "a frame without columns": (FRAME[[]], r"0 feature"),
    "an empty frame": (pd.DataFrame(), r"0 feature|0 sample|no rows"),
    "a dict": ({"a": list(X[:, 0])}, r"dict"),
    "rows of several lengths": ([*X.tolist()[:-1], [1.0]], r"row 0 has 4 values, row 89 has one value"),
    "string": ("no-such-file.parquet", r"no-such-file"),
}


@MODELS
@pytest.mark.parametrize("case", CASES)
def test_bad_rows(model, case):
    data, words = CASES[case]
    if case.startswith("NaN") and get_tags(model).input_tags.allow_nan:
        pytest.skip("takes missing values")
    if case == "infinity" and takes_infinities(model):
        pytest.skip("takes infinite values, as scikit-learn's class")
    y = target(model, Y)
    fitted = fit(model, suited(model, X), y)
    before = dict(vars(fitted))
    with pytest.raises((ValueError, TypeError), match=words):
        fitted.fit(data, "y" if case == "string" else y)
    assert vars(fitted) == before


@MODELS
@pytest.mark.parametrize(
    ("w", "words"),
    [
        (np.zeros(90), r"weight.*zero"),
        (-W, r"[Nn]egative.*weight"),
        (W[:-1], r"sample_weight.*shape"),
        (W[:, None], r"weight.*1D"),
        (np.where(np.arange(90) == 5, np.nan, W), r"sample_weight contains NaN[\s\S]*row 5"),
    ],
    ids=["all zero", "negative", "too short", "two dimensions", "NaN"],
)
def test_bad_weights(model, w, words):
    if not takes_weights(model):
        pytest.skip("takes no weights, as scikit-learn's class")
    if takes_negative_weights(model) and "egative" in words:
        pytest.skip("takes negative weights, as scikit-learn's class")
    with pytest.raises(ValueError, match=words):
        fit(model, suited(model, X), target(model, Y), w)


@MODELS
def test_bad_target(model):
    if not sklearn.base.is_regressor(model):
        pytest.skip("needs no target")
    for y, words in [
        (None, "y"),
        (Y[:-1], "inconsistent"),
        (np.where(np.arange(90) == 5, np.nan, Y), r"Input y contains NaN[\s\S]*row 5"),
        (np.array(["a"] * 90), "float|numeric|string"),
        (Y.reshape(9, 10, 1), "dim"),
    ]:
        with pytest.raises((ValueError, TypeError), match=words):
            fit(model, suited(model, X), y)


@MODELS
def test_whole_numbers_beyond_floating_point(model):
    for y, w in [([10**400] * 90, None), (target(model, Y), [10**400] * 90)]:
        if not (sklearn.base.is_regressor(model) if w is None else takes_weights(model)):
            continue
        with pytest.raises(ValueError, match="too large"):
            fit(model, suited(model, X), y, w)


@MODELS
def test_no_labels(model):
    if sklearn.base.is_classifier(model):
        with pytest.raises(ValueError, match="inconsistent"):
            fit(model, suited(model, X), [])


LABELS = np.where(np.arange(90) % 2, "no", "yes").astype(object)
NOT_LABELS = {
    "None": (np.where(np.arange(90) == 5, None, LABELS), r"Input y contains NaN or None: 1 row .*row 5"),
    "NaN among texts": (pd.Series(LABELS).mask(np.arange(90) > 6), r"Input y contains NaN or None: 83 rows .*row 7"),
    "NA": (pd.Series(LABELS, dtype="string").mask(np.arange(90) == 5), r"Input y contains NaN or None: 1 row .*row 5"),
    "NA among numbers": (
        pd.Series(Y > 0, dtype="boolean").mask(np.arange(90) == 5),
        r"Input y contains NaN[\s\S]*row 5",
    ),
    "texts and numbers": (np.where(np.arange(90) == 5, 1, LABELS), r"several kinds \(text, int\).*row 5 holds 1"),
    "the name of a column": ("label", r"name of a column \('label'\)"),
}


@MODELS
@pytest.mark.parametrize("case", NOT_LABELS)
def test_labels_that_are_none(model, case):
    if not sklearn.base.is_classifier(model):
        pytest.skip("takes no labels")
    y, words = NOT_LABELS[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=words):
            sklearn.base.clone(model).fit(suited(model, X), y)


@MODELS
@pytest.mark.parametrize("size", [1e150, 1e300, 1.7e308])
def test_answers_beyond_floating_point_are_told(model, size):
    """Rows that are far beyond those fitted: finite answers, an error, or a warning."""
    fitted = fit(model, suited(model, X), target(model, Y))
    far = suited(model, X) / np.abs(X).max() * size
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform"):
        if not hasattr(fitted, method):
            continue
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                values = np.asarray(getattr(fitted, method)(far))
            except (ValueError, MemoryError):
                continue
        assert told or values.dtype.kind != "f" or (values < np.inf).all(), method


@MODELS
def test_wrong_width_later(model):
    if transductive(model):
        pytest.skip("no rows come later")
    with pytest.raises(ValueError, match=r"has 3 features, but .* is expecting 4 features"):
        answer(fit(model, suited(model, X), target(model, Y)), suited(model, X)[:, :3])


@MODELS
def test_every_bad_parameter_is_named(model):
    """A value of a type no parameter takes is refused by name, all of them at once."""

    class Nothing:
        def __repr__(self):
            return "Nothing"

    declared = [p for p in parameters(type(model)) if p.fault(Nothing()) is not None]
    assert declared, "parameters are declared with rules"
    assert all(p.sentence for p in parameters(type(model))), "every parameter has its sentence"
    bad = sklearn.base.clone(model).set_params(**{p.name: Nothing() for p in declared})
    with pytest.raises(ValueError) as error:
        bad.fit(suited(model, X), target(model, Y))
    for parameter in declared:
        assert f"({parameter.name}=…) must be" in str(error.value)


@MODELS
@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_huge_and_tiny_scales_are_no_silent_nonsense(model, scale):
    """Either the answer scales with the data, or the fit says clearly that it cannot."""
    rows = suited(model, X)
    try:
        fitted = fit(scaled(model, scale), rows * scale, target(model, Y))
    except (ValueError, FloatingPointError) as error:
        assert len(str(error)) > 20
        return
    values = answer(fitted, rows * scale)
    assert np.isfinite(values).all()
    reference = answer(fit(model, rows, target(model, Y)), rows)
    if ends_with_samples(model):
        inertia, before = fitted.inertia_ / scale / scale, fit(model, rows, target(model, Y)).inertia_
        assert 0.8 < inertia / before < 1.25
        return
    if sklearn.base.is_clusterer(model) and transductive(model):  # which rows are in one cluster
        np.testing.assert_array_equal(values, reference)
        return
    if numbers_groups(model):  # which cluster gets which number is free
        values, reference = np.sort(values, axis=1), np.sort(reference, axis=1)
    if hasattr(fitted, "weights_"):  # columns of length one, whatever the size of the rows
        np.testing.assert_allclose(np.abs(values), np.abs(reference), rtol=1e-6, atol=1e-6)
        return
    if sklearn.base.is_regressor(model) or sklearn.base.is_classifier(model):
        if type(model).__name__ == "LinearRegression":
            np.testing.assert_allclose(values, reference, rtol=1e-6)
    else:
        unit = 1.0 if unit_free(model) else scale
        np.testing.assert_allclose(np.abs(values) / unit, np.abs(reference), rtol=1e-6, atol=1e-9)


@MODELS
@pytest.mark.parametrize("kind", ["constant column", "all rows equal", "duplicate columns", "two rows", "wide"])
def test_degenerate_data(model, kind):
    """Degenerate but legal data gives finite answers or a clear error."""
    data = suited(model, X).copy()
    y = target(model, Y)
    if kind == "constant column":
        data[:, 1] = 5.0
    elif kind == "all rows equal":
        data[:] = data[0]
    elif kind == "duplicate columns":
        data[:, 1] = data[:, 0]
    elif kind == "two rows":
        data, y = data[:2], y[:2]
    else:
        data, y = np.hstack([data] * 50)[:20], y[:20]
    try:
        fitted = fit(model, data, y)
    except ValueError as error:
        few = ("n_clusters", "class", "n_neighbors", "n_components", "folds")
        assert kind == "two rows" and any(word in str(error) for word in few)
        return
    assert np.isfinite(answer(fitted, data)).all()
