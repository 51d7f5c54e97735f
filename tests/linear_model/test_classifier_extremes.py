"""Linear classifiers at the ends of floating point, and with classes that have no weight."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

import surefit
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from surefit.linear_model import BatchPerceptron, LinearProgramClassifier, LogisticRegression, Perceptron

SQUARE = np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0], [3.0, 2.0]])
SIDES = np.array(["left", "left", "right", "right"])


@pytest.mark.parametrize("scale", [1e300, 1e200, 1e155, 1e-155, 1e-200])
@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_widest_margin_in_any_unit(scale, wrap):
    """Two sides of a rectangle of width 3: the margin is 1.5 units, whatever the unit."""
    rows = wrap(SQUARE * scale)
    model = LinearProgramClassifier().fit(rows, SIDES)
    assert model.separable_
    np.testing.assert_allclose(model.margin_ / scale, 1.5, rtol=1e-12)
    assert surefit.certify(model, rows, SIDES).holds


@pytest.mark.parametrize("cls", [BatchPerceptron, LinearProgramClassifier])
def test_certificate_of_rows_without_any_entry(cls):
    """All rows are the origin, in both classes: nothing separates them, and that is proved."""
    rows = sp.csr_array((4, 2))
    with pytest.warns(UserWarning, match="not linearly separable"):
        model = cls().fit(rows, SIDES)
    assert model.separable_ is False
    assert surefit.certify(model, rows, SIDES).holds


@pytest.mark.parametrize("cls", [BatchPerceptron, LinearProgramClassifier])
def test_one_class_alone_has_weight(cls):
    with pytest.raises(InvalidData, match=r"only rows of one class have a weight: .*right"):
        cls().fit(SQUARE, SIDES, sample_weight=[0, 0, 1, 1])


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_scores_beyond_floating_point_have_their_sign(wrap):
    """Updates by rows of 1e200 give coefficients of that size, and scores that no float64 holds."""
    rows = wrap((SQUARE - [1.0, 1.0]) * 1e200)
    model = BatchPerceptron().fit(rows, SIDES)
    assert model.predict(rows).tolist() == SIDES.tolist()
    assert not np.isnan(model.decision_function(rows)).any()
    certificate = surefit.certify(model, rows, SIDES)
    assert certificate.claims[0].name == "separates" and certificate.claims[0].holds


@pytest.mark.parametrize("cls", [BatchPerceptron, LinearProgramClassifier, Perceptron])
@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_scores_beyond_single_precision(cls, wrap):
    """Products of 1e30 and coefficients of that size are no float32; labels are those of the fit all the same."""
    rows = wrap((SQUARE * 1e30).astype(np.float32))
    model = cls().fit(rows, SIDES)
    assert model.predict(rows).tolist() == SIDES.tolist()
    assert np.isfinite(model.decision_function(rows)).all()
    assert surefit.certify(model, rows, SIDES).holds


@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_a_class_without_weight_is_not_there(cls):
    """Rows of weight zero are as if they were not given, to the fit and to its certificate."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    rows, w = rng.normal(size=(90, 3)) + y[:, None], np.where(y == 1, 0.0, 1.0)
    model, without = cls().fit(rows, y, sample_weight=w), cls().fit(rows[y != 1], y[y != 1])
    assert model.classes_.tolist() == [0, 2]
    np.testing.assert_allclose(model.means_, without.means_, rtol=1e-12)
    assert surefit.certify(model, rows, y, w).holds
    assert not surefit.certify(model, rows, y).holds


def test_labels_in_another_container():
    """Whole numbers in a column of objects are the labels that the model knows, 10 after 9."""
    y = np.array([9, 9, 10, 10])
    model = LogisticRegression().fit(SQUARE, y)
    assert surefit.certify(model, SQUARE, y.astype(object)).holds
    assert not surefit.certify(model, SQUARE, y[::-1].astype(object)).holds


def separable(signed):
    """Whether some θ has signed · θ ≥ 1, by SciPy's simplex."""
    answer = linprog(np.zeros(signed.shape[1]), A_ub=-signed, b_ub=-np.ones(len(signed)), bounds=(None, None))
    return answer.status == 0


@pytest.mark.filterwarnings("ignore:the classes are not linearly separable")
@pytest.mark.parametrize("cls", [BatchPerceptron, LinearProgramClassifier])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_proofs_on_small_whole_numbers(cls, fit_intercept):
    """Many rows on the same hyperplanes: vertices of the dual coincide, and what is left of them is rounding."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows, y = rng.integers(-2, 3, (30, 6 + seed % 8)).astype(float), rng.integers(0, 2, 30)
        rows = rows[rng.integers(0, 30, 30)] if seed % 2 else rows
        model = cls(fit_intercept=fit_intercept).fit(rows, y)
        points = np.hstack([rows, np.ones((30, 1))]) if fit_intercept else rows
        assert model.separable_ is separable(np.where(y, 1.0, -1.0)[:, None] * points), seed
        assert surefit.certify(model, rows, y).holds, seed


@pytest.mark.filterwarnings("ignore:the classes are so close")
def test_nothing_is_said_where_nothing_is_proved():
    """The classes touch within rounding of a column that hardly varies: not separable is said with a proof only."""
    rng = np.random.default_rng(1)
    for offset in (1e9, 1e12, 1e15):
        rows = np.column_stack([offset + rng.normal(size=40), 1e-4 * rng.normal(size=40) + 100])
        y = (rows @ [1.0, 3e3] > np.median(rows @ [1.0, 3e3])).astype(int)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LinearProgramClassifier(fit_intercept=False).fit(rows, y)
        if model.separable_ is False:
            phi = [Fraction(v) for v in model.farkas_]
            for column in rows.T:
                terms = [p * Fraction(float(x)) for p, x in zip(phi, column, strict=True)]
                signed = sum(t if side else -t for t, side in zip(terms, y, strict=True))
                assert abs(signed) <= Fraction(1, 10**8) * sum(abs(t) for t in terms)
        else:
            assert model.separable_ is None or (model.predict(rows) == y).all()


@pytest.mark.parametrize("cls", [LogisticRegression, Perceptron])
@pytest.mark.parametrize("factor", [np.nan, -1.0, np.inf])
def test_class_weights_are_numbers(cls, factor):
    with pytest.raises(InvalidParameter, match="class_weight must hold finite numbers"):
        cls(class_weight={"left": factor}).fit(SQUARE, SIDES)
    with pytest.raises(InvalidParameter, match="not all of them zero"):
        cls(class_weight={"left": 0.0, "right": 0.0}).fit(SQUARE, SIDES)


def overlapping(scale):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    return (rng.normal(size=(120, 4)) * [1, 2, 3, 4] + 3 * rng.normal(size=(3, 4))[y]) * scale, y


@pytest.mark.parametrize("scale", [1e10, 1e12, 1e15])
def test_a_logistic_fit_without_a_proof_says_so(scale):
    """Columns of 1e10 and more leave a penalty of C = 1 no say: what rounding hides is told, not passed over."""
    rows, y = overlapping(scale)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = LogisticRegression().fit(rows, y)
    assert surefit.certify(model, rows, y).holds or any(t.category is ConvergenceWarning for t in told)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3, 1e6])
def test_a_logistic_fit_with_a_proof_is_silent(scale):
    rows, y = overlapping(scale)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression().fit(rows, y)
    assert surefit.certify(model, rows, y).holds


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_a_minimum_that_is_tiny_is_a_minimum(C):
    """Two rows far apart: little is lost with tiny coefficients, and the least of that little is found all the same."""
    rows = np.array([[1e5, 2e5, 1.0], [-2e5, 1e5, 3.0]])
    model = LogisticRegression(C=C).fit(rows, ["a", "b"])
    assert surefit.certify(model, rows, ["a", "b"]).holds
    assert model.rel_gap_ < 1e-6
