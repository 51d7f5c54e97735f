"""What the classifiers learn: closed forms, scikit-learn's classes, smoothing, priors, gaps, mixed columns."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes
from scipy.stats import norm

import surefit.naive_bayes
from surefit.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB

THEIRS = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]


def data(n=400, d=6, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return rng.poisson(1 + y[:, None], (n, d)).astype(np.float64), np.array(["a", "b", "c"])[y], rng.random(n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", THEIRS)
def test_scikit_learns_answers(name, weighted):
    X, y, w = data()
    w = w if weighted else None
    ours, theirs = getattr(surefit.naive_bayes, name)(), getattr(sklearn.naive_bayes, name)()
    ours.fit(X, y, w), theirs.fit(X, y, w)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-7)
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_prior_is_count_over_number_of_rows():
    X, y, _ = data()
    share = np.array([(y == label).sum() / len(y) for label in "abc"])
    np.testing.assert_allclose(GaussianNB().fit(X, y).class_prior_, share, rtol=1e-15)
    np.testing.assert_allclose(np.exp(MultinomialNB().fit(X, y).class_log_prior_), share, rtol=1e-14)


def test_laplace_smoothing_in_closed_form():
    X, y = [[1, 0, 2], [0, 0, 1], [3, 1, 0]], ["a", "a", "b"]
    np.testing.assert_allclose(np.exp(MultinomialNB().fit(X, y).feature_log_prob_[0]), np.array([2, 1, 4]) / 7)
    np.testing.assert_allclose(np.exp(BernoulliNB().fit(X, y).feature_log_prob_[0]), np.array([2, 1, 3]) / 4)
    tables = CategoricalNB().fit(X, y).feature_log_prob_
    np.testing.assert_allclose(np.exp(tables[0]), np.array([[2, 2, 1, 1], [1, 1, 1, 2]]) / [[6], [5]])


def test_gaps_are_left_out():
    """Each mean and variance is that of the values that are there; a gap in a row to predict says nothing."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 3)) + y[:, None]
    X[rng.random(X.shape) < 0.3] = np.nan
    model = GaussianNB(missing="ignore", var_smoothing=0.0).fit(X, y)
    for k in (0, 1):
        np.testing.assert_allclose(model.theta_[k], np.nanmean(X[y == k], axis=0), rtol=1e-13)
        np.testing.assert_allclose(model.var_[k], np.nanvar(X[y == k], axis=0), rtol=1e-12)
    row = np.array([[0.5, np.nan, np.nan]])
    want = [
        math.log(model.class_prior_[k]) + norm.logpdf(0.5, model.theta_[k, 0], math.sqrt(model.var_[k, 0]))
        for k in (0, 1)
    ]
    np.testing.assert_allclose(model.predict_joint_log_proba(row)[0], want, rtol=1e-13)
    assert np.isfinite(model.predict_proba(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        GaussianNB().fit(X, y)
    with pytest.raises(ValueError, match="infinity"):
        GaussianNB(missing="ignore").fit(np.where(np.isnan(X), np.inf, X), y)


def mixed(n=500, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "height": rng.normal(1.7 + 0.1 * y, 0.1, n),
            "member": rng.random(n) < 0.3 + 0.4 * y,
            "group": np.minimum(rng.poisson(1 + y), 4),
            "weight": rng.normal(70 + 5 * y, 10, n),
        }
    )
    return frame, y


def test_mixed_columns_are_the_sum_of_their_parts():
    frame, y = mixed()
    model = MixedNB().fit(frame, y)
    assert [(kind, columns.tolist()) for kind, columns in model.parts_] == [
        ("gaussian", [0, 3]),
        ("bernoulli", [1]),
        ("categorical", [2]),
    ]
    parts = [
        sklearn.naive_bayes.GaussianNB().fit(frame[["height", "weight"]], y),
        sklearn.naive_bayes.BernoulliNB().fit(frame[["member"]], y),
        sklearn.naive_bayes.CategoricalNB().fit(frame[["group"]], y),
    ]
    joint = sum(part.predict_joint_log_proba(frame[list(part.feature_names_in_)]) for part in parts)
    want = joint - 2 * np.log(np.bincount(y) / len(y))
    np.testing.assert_allclose(model.predict_joint_log_proba(frame), want, rtol=1e-10)
    np.testing.assert_array_equal(
        model.theta_, surefit.naive_bayes.GaussianNB().fit(frame[["height", "weight"]], y).theta_
    )


def test_mixed_columns_by_name_or_number():
    frame, y = mixed()
    by_type = MixedNB().fit(frame, y).predict_proba(frame)
    by_name = MixedNB(bernoulli=["member"], categorical=["group"]).fit(frame, y)
    by_number = MixedNB(bernoulli=[1], categorical=[-2]).fit(frame.to_numpy(dtype=float), y)
    np.testing.assert_array_equal(by_name.predict_proba(frame), by_type)
    np.testing.assert_array_equal(by_number.predict_proba(frame.to_numpy(dtype=float)), by_type)
    all_gaussian = MixedNB(bernoulli=None, categorical=None).fit(frame, y)
    assert [kind for kind, _ in all_gaussian.parts_] == ["gaussian"]
    for bad, words in [(["nobody"], "nobody"), ([9], "numbers of the 4 columns"), ([2.5], "2.5")]:
        with pytest.raises(ValueError, match=words):
            MixedNB(categorical=bad).fit(frame, y)
    with pytest.raises(ValueError, match="bernoulli and as categorical"):
        MixedNB(bernoulli=["member"], categorical=[1]).fit(frame, y)
    with pytest.raises(ValueError, match="Negative values"):
        MixedNB(categorical=["group"]).fit(frame.assign(group=-frame["group"]), y)


def test_a_category_never_seen_is_named():
    model = CategoricalNB().fit([[0, 1], [1, 2]], [0, 1])
    with pytest.raises(ValueError, match=r"column 1 has category 3 in row 0.*min_categories"):
        model.predict([[0, 3]])
    roomy = CategoricalNB(min_categories=4).fit([[0, 1], [1, 2]], [0, 1])
    np.testing.assert_allclose(roomy.predict_proba([[0, 3]]), [[2 / 3, 1 / 3]])


def test_negative_counts_are_named():
    with pytest.raises(
        ValueError, match=r"Negative values in data passed to MultinomialNB.*column 1 holds -2 in row 1"
    ):
        MultinomialNB().fit([[1, 0], [0, -2]], [0, 1])


def test_a_table_beyond_memory_is_refused():
    with pytest.raises(MemoryError, match="categories"):
        CategoricalNB().fit(np.array([[0.0], [3e10]]), [0, 1])
    with pytest.raises(ValueError, match="no category"):
        CategoricalNB().fit(np.array([[0.0], [3e30]]), [0, 1])


def test_classes_without_weight_and_constant_columns():
    X, y = np.ones((6, 2)), np.array([0, 0, 1, 1, 2, 2])
    model = GaussianNB().fit(X, y, np.array([1.0, 1, 2, 2, 0, 0]))
    np.testing.assert_allclose(model.class_prior_, [1 / 3, 2 / 3, 0])
    np.testing.assert_allclose(model.predict_proba(X), np.tile([1 / 3, 2 / 3, 0], (6, 1)))


def test_wide_text_like_rows():
    rng = np.random.default_rng(0)
    X = sp.random_array((600, 3000), density=0.01, format="csr", rng=rng)
    y = rng.integers(0, 4, 600)
    ours, theirs = MultinomialNB().fit(X, y), sklearn.naive_bayes.MultinomialNB().fit(X, y)
    np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-13)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
