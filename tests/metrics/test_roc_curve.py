"""roc_curve: the arrays of scikit-learn's, and of counting by definition in fractions."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning

from surefit import _native
from surefit.metrics import roc_curve
from tests.reference import roc as reference

RNG = np.random.default_rng(0)
N = 700
Y = RNG.integers(0, 2, N)
S = RNG.normal(size=N) + Y
TINY = np.finfo(np.float64).smallest_subnormal
SCORES = {
    "float64": S,
    "float32": S.astype(np.float32),
    "float16": S.astype(np.float16),
    "ties": S.round(1),
    "few": np.sign(S),
    "constant": np.zeros(N),
    "zeros of both signs": np.where(S > 0, 0.0, -0.0),
    "wicked": RNG.choice([0.0, -0.0, TINY, -TINY, 1e308, -1e308, 1.0], N),
    "offset": 1e8 + S,
    "int64 beyond 2**53": 2**60 + (10 * S).astype(np.int64),
    "uint8": (60 * (S - S.min())).clip(0, 255).astype(np.uint8),
    "bool": S > 0,
    "long double": S.astype(np.longdouble),
    "list": S.tolist(),
    "strided": np.repeat(S, 2)[::2],
}
WEIGHTS = {"none": None, "weights": RNG.gamma(1.0, size=N) * (RNG.uniform(size=N) > 0.2)}


def same(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("drop", [True, False])
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_the_arrays_are_those_of_scikit_learn(score, drop, weight):
    options = {"drop_intermediate": drop, "sample_weight": weight}
    same(roc_curve(Y, score, **options), sklearn.metrics.roc_curve(Y, score, **options))


@pytest.mark.parametrize("score", [S[:40], S[:40].round(0)], ids=["distinct", "ties"])
def test_the_shares_are_those_counted_in_fractions(score):
    weight = WEIGHTS["weights"][:40]
    fpr, tpr, thresholds = roc_curve(Y[:40], score, sample_weight=weight, drop_intermediate=False)
    counted = weight > 0
    alarms, hits, values = reference.curve(Y[:40][counted] == 1, score[counted], weight[counted])
    np.testing.assert_allclose(fpr, [float(x) for x in alarms], rtol=1e-14)
    np.testing.assert_allclose(tpr, [float(x) for x in hits], rtol=1e-14)
    np.testing.assert_array_equal(thresholds, values)


@pytest.mark.parametrize(
    ("y", "pos_label"),
    [
        (2 * Y - 1, None),
        (Y.astype(bool), None),
        (Y.astype(float), None),
        (Y.astype(np.uint8), None),
        (Y + 1, 2),
        (Y + 1, 1),
        (np.where(Y, "yes", "no"), "yes"),
        (np.where(Y, "yes", "no").astype(object), "no"),
        (RNG.integers(0, 4, N), 2),
        (3 * Y, 3),
        (Y.tolist(), None),
        (Y[:, None], None),
    ],
    ids=str,
)
def test_labels_of_every_kind(y, pos_label):
    same(roc_curve(y, S, pos_label=pos_label), sklearn.metrics.roc_curve(y, S, pos_label=pos_label))


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    expected = sklearn.metrics.roc_curve(Y, S)
    same(roc_curve(pandas.Series(Y), pandas.Series(S)), expected)
    same(roc_curve(polars.Series(Y), polars.Series(S)), expected)


def test_bits_do_not_depend_on_threads():
    score, positive, weight = S, Y == 1, RNG.gamma(1.0, size=N)
    one = _native.roc_curve(score, positive, weight, True, 1)
    same(_native.roc_curve(score, positive, weight, True, 3), one)


def test_the_data_is_left_as_it_is():
    score, y = S.copy(), Y.copy()
    score.setflags(write=False)
    y.setflags(write=False)
    roc_curve(y, score)
    np.testing.assert_array_equal(score, S)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_warns_and_gives_nan(label):
    y = np.full(5, label)
    with pytest.warns(UndefinedMetricWarning) as ours:
        found = roc_curve(y, S[:5])
    with pytest.warns(UndefinedMetricWarning) as theirs:
        same(found, sklearn.metrics.roc_curve(y, S[:5]))
    assert [str(w.message) for w in ours] == [str(w.message) for w in theirs]


WRONG = {
    "nan score": (Y, np.where(np.arange(N) == 3, np.nan, S), {}),
    "infinite score": (Y, np.where(np.arange(N) == 3, np.inf, S), {}),
    "lengths": (Y, S[:-1], {}),
    "length of weights": (Y, S, {"sample_weight": [1.0]}),
    "nan weight": (Y, S, {"sample_weight": np.full(N, np.nan)}),
    "weights all zero": (Y, S, {"sample_weight": np.zeros(N)}),
    "three classes": (RNG.integers(0, 3, N), S, {}),
    "labels 1 and 2": (Y + 1, S, {}),
    "strings": (np.where(Y, "a", "b"), S, {}),
    "real labels": (S, S, {}),
    "two columns": (Y, np.column_stack([S, S]), {}),
    "several labels": (np.column_stack([Y, Y]), S, {}),
}


@pytest.mark.parametrize(("y", "score", "options"), WRONG.values(), ids=WRONG)
def test_refusals_are_those_of_scikit_learn(y, score, options):
    with pytest.raises(ValueError) as theirs:
        sklearn.metrics.roc_curve(y, score, **options)
    with pytest.raises(ValueError) as ours:
        roc_curve(y, score, **options)
    assert str(ours.value) == str(theirs.value)


def test_a_wrong_parameter_is_named():
    with pytest.raises(ValueError, match="drop_intermediate"):
        roc_curve(Y, S, drop_intermediate="yes")
