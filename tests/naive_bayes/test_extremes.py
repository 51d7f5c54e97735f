"""Counts without smoothing, weights of all sizes, units at the ends of single precision."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import surefit
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MixedNB, MultinomialNB

X = np.array([[1.0, 0.0, 2.0], [2.0, 0.0, 1.0], [0.0, 3.0, 1.0], [0.0, 1.0, 0.0]])
Y = np.array(["a", "a", "b", "b"])


@pytest.mark.parametrize("cls", [BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB])
def test_without_smoothing_an_event_never_seen_is_impossible(cls):
    """Columns 0 and 1 are seen in one class only: every row has but one possible class."""
    model = cls(alpha=0.0, force_alpha=True).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), [[1, 0], [1, 0], [0, 1], [0, 1]])
    np.testing.assert_array_equal(model.predict_proba(sp.csr_array(X)), model.predict_proba(X))
    assert model.predict(X).tolist() == Y.tolist()


def test_without_smoothing_what_can_be_is_weighed():
    """Column 2 is seen in both classes: P(2 | a) = 3/6, P(2 | b) = 1/5, equal priors."""
    model = MultinomialNB(alpha=0.0, force_alpha=True).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba([[0.0, 0.0, 1.0]]), [[5 / 7, 2 / 7]], rtol=1e-14)


def test_bernoulli_counts_its_zeros():
    """10⁷ rows that all have the feature: P(x = 0) = α/(N + 2α) is far below what is left of one less P(x = 1)."""
    n, alpha = 10**7, 1e-10
    model = BernoulliNB(alpha=alpha).fit([[1.0], [0.0]], ["a", "b"], sample_weight=[n, n])
    none = Fraction(alpha) / (n + 2 * Fraction(alpha))
    np.testing.assert_allclose(model.predict_joint_log_proba([[0.0]])[0, 0], np.log(float(none) / 2), rtol=1e-14)
    assert model.predict([[0.0], [1.0]]).tolist() == ["b", "a"]


@pytest.mark.parametrize("weight", [1e20, 1e300])
def test_complement_adds_up_the_other_classes(weight):
    """The count of column 0 outside class a is 1, however much there is of it in class a."""
    rows, w = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 1.0]]), np.array([weight, 1.0, 1.0])
    model = ComplementNB(alpha=0.5).fit(rows, ["a", "b", "b"], w)
    np.testing.assert_allclose(model.feature_log_prob_[0], -np.log([2.5 / 6, 3.5 / 6]), rtol=1e-14)
    assert surefit.certify(model, rows, ["a", "b", "b"], w).holds


def test_bernoulli_without_a_threshold_takes_zeros_and_ones():
    with pytest.raises(InvalidData, match="zeros and ones"):
        BernoulliNB(binarize=None).fit(X, Y)


@pytest.mark.parametrize("cls", [GaussianNB, MixedNB])
@pytest.mark.parametrize("scale", [1e30, 1e20, 1e-20, 1e-30])
def test_single_precision_in_any_unit(cls, scale):
    """Variances that float32 cannot hold are held in float64: the answers do not depend on the unit."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    rows = rng.normal(size=(120, 3)) + 2.0 * y[:, None]
    small, there = (rows * scale).astype(np.float32), rows.astype(np.float32)
    model, plain = cls().fit(small, y), cls().fit(there, y)
    np.testing.assert_allclose(model.predict_proba(small), plain.predict_proba(there), rtol=1e-3, atol=1e-5)
    assert surefit.certify(model, small, y).holds
    assert plain.var_.dtype == np.float32


@pytest.mark.parametrize("cls", [GaussianNB, MixedNB])
@pytest.mark.parametrize("scale", [1e200, 1e300])
def test_variances_beyond_floating_point_are_refused(cls, scale):
    rows = np.array([[1.0, 1.0], [2.0, 0.0], [9.0, 2.0], [8.0, 5.0]])
    rows[:, 0] *= scale
    with pytest.raises(InvalidData, match="too large"):
        cls().fit(rows, Y)


def test_large_weights_of_single_rows_in_single_precision():
    rows = np.array([[1.0], [2.0], [9.0], [8.0]], dtype=np.float32)
    model = GaussianNB().fit(rows, Y, sample_weight=np.full(4, 1e300))
    np.testing.assert_array_equal(model.class_count_, [2e300, 2e300])
    np.testing.assert_array_equal(model.class_prior_, [0.5, 0.5])


@pytest.mark.parametrize("alpha", [np.inf, [1.0, 1.0, np.inf], [1.0, np.nan, 1.0], ["a", "b", "c"]])
@pytest.mark.parametrize("cls", [BernoulliNB, ComplementNB, MultinomialNB])
def test_smoothing_is_finite(cls, alpha):
    with pytest.raises(InvalidParameter, match=r"alpha.*finite"):
        cls(alpha=alpha).fit(X, Y)


@pytest.mark.parametrize("prior", [[-0.5, 1.5], [np.nan, 1.0], [np.inf, 1.0], [0.0, 0.0], ["a", "b"], [[0.5, 0.5]]])
def test_priors_are_probabilities(prior):
    with pytest.raises(InvalidParameter, match=r"prior|Prior"):
        MultinomialNB(class_prior=prior).fit(X, Y)
    with pytest.raises(InvalidParameter, match=r"prior|Prior"):
        GaussianNB(priors=prior).fit(X, Y)
