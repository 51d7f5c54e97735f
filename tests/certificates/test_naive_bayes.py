"""Checkers of naive Bayes: scikit-learn's fits, exact fractions, weights as repetitions, missing entries, mutations."""

from __future__ import annotations

import warnings
from fractions import Fraction
from math import log
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

import surefit
import surefit.naive_bayes
from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(29)
N = 240
Y = rng.integers(0, 3, N)
X = rng.normal(size=(N, 4)) * np.array([1.0, 5.0, 0.1, 1.0]) + Y[:, None]
COUNTS = rng.poisson(1.0 + (Y[:, None] == np.arange(5)) * 2.0).astype(float)
W = rng.integers(0, 4, N).astype(float)


class MixedNB(SimpleNamespace):
    """A fitted model by its public attributes alone."""


def mixed(A: np.ndarray, y: np.ndarray, w: np.ndarray | None = None) -> MixedNB:
    """Columns 0 and 3 Gaussian, 1 Bernoulli, 2 (and any more) categorical, from scikit-learn's models of each."""
    gauss, other = np.array([0, 3]), np.array([2, *range(4, A.shape[1])])
    times = np.ones(len(y), dtype=int) if w is None else w.astype(int)  # scikit-learn's epsilon_ has no weights
    g = GaussianNB().fit(np.repeat(A[:, gauss], times, axis=0), np.repeat(y, times))
    b = BernoulliNB().fit(A[:, [1]], y, w)
    c = CategoricalNB().fit(A[:, other], y, w)
    return MixedNB(
        parts_=[("gaussian", gauss), ("bernoulli", np.array([1])), ("categorical", other)], classes_=g.classes_,
        theta_=g.theta_, var_=g.var_, epsilon_=g.epsilon_, class_prior_=g.class_prior_, class_count_=g.class_count_,
        class_log_prior_=b.class_log_prior_, feature_log_prob_bernoulli_=b.feature_log_prob_,
        feature_log_prob_categorical_=c.feature_log_prob_, n_categories_=c.n_categories_,
    )  # fmt: skip


GOOD: dict[str, tuple[Any, Any]] = {
    "gaussian": (GaussianNB(), X),
    "gaussian, offset": (GaussianNB(), X + 1e5),
    "gaussian, single precision": (GaussianNB(), (X + 100).astype(np.float32)),
    "gaussian, no smoothing": (GaussianNB(var_smoothing=0.0), X),
    "gaussian, priors": (GaussianNB(priors=[0.2, 0.3, 0.5], var_smoothing=0.1), X),
    "gaussian, constant column": (GaussianNB(), np.hstack([X, np.ones((N, 1))])),
    "multinomial": (MultinomialNB(), COUNTS),
    "multinomial, sparse": (MultinomialNB(), sp.csr_array(COUNTS)),
    "multinomial, alphas": (MultinomialNB(alpha=[0.1, 0.2, 0.3, 0.4, 0.5]), COUNTS),
    "multinomial, tiny alpha": (MultinomialNB(alpha=0.0, force_alpha=False), COUNTS),
    "multinomial, uniform prior": (MultinomialNB(fit_prior=False), COUNTS),
    "multinomial, priors": (MultinomialNB(class_prior=[0.5, 0.25, 0.25]), COUNTS.astype(np.float32)),
    "multinomial, a word never used": (
        surefit.naive_bayes.MultinomialNB(alpha=0.0),
        np.hstack([COUNTS, np.zeros((N, 1))]),
    ),
    "bernoulli": (BernoulliNB(), X),
    "bernoulli, threshold": (BernoulliNB(binarize=1.5, alpha=0.3), X),
    "bernoulli, sparse": (BernoulliNB(binarize=1.5), sp.csr_array(COUNTS)),
    "bernoulli, zeros and ones": (BernoulliNB(binarize=None), (COUNTS > 1).astype(float)),
    "complement": (ComplementNB(), COUNTS),
    "complement, normed": (ComplementNB(norm=True, alpha=0.2), sp.csr_array(COUNTS)),
    "categorical": (CategoricalNB(), COUNTS),
    "categorical, more categories": (CategoricalNB(min_categories=30, alpha=0.5), COUNTS),
    "categorical, some more": (CategoricalNB(min_categories=[3, 20, 3, 3, 3]), COUNTS),
}


@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str, weights: Any) -> None:
    model, A = GOOD[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(A, Y, weights)
    c = certify(model, A, Y, weights)
    # a mean of 100 with a deviation of 0.1: ten roundings of it in single precision are 6e-4 deviations
    grade = Grade.BOUNDED if name == "gaussian, single precision" else Grade.EXACT
    assert c.holds and c.grade is grade and not c.not_checked, f"\n{c}"


@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
def test_accepts_mixed_columns(weights: Any) -> None:
    c = certify(mixed(COUNTS, Y, weights), COUNTS, Y, weights)
    assert c.holds and c.grade is Grade.EXACT, f"\n{c}"


@pytest.mark.parametrize("name", ["gaussian", "multinomial", "bernoulli", "complement", "categorical"])
def test_weights_are_repetitions(name: str) -> None:
    """A fit to repeated rows is certified against the weighted ones."""
    model, A = GOOD[name]
    times = W.astype(int)
    model.fit(np.repeat(A, times, axis=0), np.repeat(Y, times))
    assert certify(model, A, Y, W).holds
    assert not certify(model, A, Y).holds


@pytest.mark.parametrize("name", ["gaussian", "multinomial", "bernoulli", "complement", "categorical"])
def test_one_class_alone(name: str) -> None:
    model, A = GOOD[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(A, np.zeros(N, dtype=int))
    assert certify(model, A, np.zeros(N)).holds


def test_a_class_that_was_announced_and_never_came() -> None:
    keep = Y < 2
    for model, A in ((GaussianNB(), X), (MultinomialNB(), COUNTS)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.partial_fit(A[keep], Y[keep], classes=[0, 1, 2])
        assert certify(model, A[keep], Y[keep]).holds


# --- by hand ----------------------------------------------------------------------------------------------------


def test_fractions() -> None:
    """Four messages, two words (sun, rain): counts 3 and 1 in class 0, 1 and 4 in class 1; α = 1."""
    messages, y = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0], [1.0, 1.0]]), np.array([0, 0, 1, 1])
    words = [[Fraction(4, 6), Fraction(2, 6)], [Fraction(2, 7), Fraction(5, 7)]]
    there = [[Fraction(3, 4), Fraction(2, 4)], [Fraction(2, 4), Fraction(3, 4)]]
    for model, table in ((MultinomialNB().fit(messages, y), words), (BernoulliNB().fit(messages, y), there)):
        truth = np.array([[log(f) for f in row] for row in table])
        assert certify(altered(model, feature_log_prob_=truth), messages, y).holds
        wrong = changed(truth, (0, 0), 2e-6)
        assert "feature_log_prob_" in failing(certify(altered(model, feature_log_prob_=wrong), messages, y))


def test_fractions_of_mixed_columns() -> None:
    """Two rows of each class: a number, a flag, a category."""
    A, y = np.array([[1.0, 1.0, 0.0], [3.0, 0.0, 1.0], [5.0, 1.0, 2.0], [9.0, 1.0, 2.0]]), np.array(list("aabb"))
    half = np.log([0.5, 0.5])
    model = MixedNB(
        parts_=[("gaussian", [0]), ("bernoulli", [1]), ("categorical", [2])], classes_=np.array(["a", "b"]),
        theta_=np.array([[2.0], [7.0]]), var_=np.array([[1.0], [4.0]]), var_smoothing=0.0, epsilon_=0.0,
        class_prior_=np.array([0.5, 0.5]), class_log_prior_=half, class_count_=np.array([2.0, 2.0]),
        feature_log_prob_bernoulli_=np.log([[2 / 4], [3 / 4]]),
        feature_log_prob_categorical_=[np.log([[2 / 5, 2 / 5, 1 / 5], [1 / 5, 1 / 5, 3 / 5]])], n_categories_=[3],
    )  # fmt: skip
    assert certify(model, A, y).holds, f"\n{certify(model, A, y)}"
    for change in (
        {"parts_": [("gaussian", [0]), ("bernoulli", [2]), ("categorical", [1])]},
        {"parts_": [("gaussian", [0]), ("bernoulli", [1])]},
        {"parts_": [("gaussian", [0, 0]), ("bernoulli", [1]), ("categorical", [2])]},
        {"parts_": [("poisson", [0]), ("bernoulli", [1]), ("categorical", [2])]},
        {"theta_": np.array([[2.0], [7.1]])},
        {"var_": np.array([[1.0], [4.1]])},
        {"feature_log_prob_bernoulli_": np.log([[2 / 4], [2 / 4]])},
        {"feature_log_prob_categorical_": [np.log([[2 / 5, 2 / 5, 1 / 5], [1 / 5, 3 / 5, 1 / 5]])]},
        {"feature_log_prob_categorical_": [np.log([[1 / 2, 1 / 2], [1 / 4, 3 / 4]])]},
        {"n_categories_": np.array([4])},
        {"class_prior_": np.array([0.4, 0.6])},
        {"bernoulli": [2]},
        {"categorical": None},
        {"alpha": 2.0},
        {"var_smoothing": 0.1},
    ):
        assert not certify(altered(model, **change), A, y).holds, change


def test_predictions_that_are_no_numbers_are_refused() -> None:
    """0 log 0 is 0, which scikit-learn's sums make NaN: a word, or a flag, that a class never or always has."""
    flags = np.hstack([COUNTS > 1, (Y == 1)[:, None], np.ones((N, 1))])
    for theirs, ours, A in (
        (MultinomialNB(alpha=0.0), surefit.naive_bayes.MultinomialNB(alpha=0.0), np.hstack([COUNTS, np.zeros((N, 1))])),
        (BernoulliNB(alpha=0.0), surefit.naive_bayes.BernoulliNB(alpha=0.0), flags),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert (
                np.isnan(theirs.fit(A, Y).predict_proba(A)).all()
                and not np.isnan(ours.fit(A, Y).predict_proba(A)).any()
            )
        assert "predict_proba" in failing(certify(theirs, A, Y)), f"\n{certify(theirs, A, Y)}"
        assert certify(ours, A, Y).holds, f"\n{certify(ours, A, Y)}"


def test_counts_are_no_flags() -> None:
    """binarize=None says that X is zeros and ones; scikit-learn takes counts, whose shares are no probabilities."""
    assert not certify(BernoulliNB(binarize=None).fit(COUNTS, Y), COUNTS, Y).holds


def test_flags_of_mixed_columns_have_their_threshold() -> None:
    """As scikit-learn's BernoulliNB of the same column and threshold."""
    flags = COUNTS[:, [1]]
    model = surefit.naive_bayes.MixedNB(bernoulli=[1], binarize=1.0).fit(COUNTS, Y)
    alone = BernoulliNB(binarize=1.0).fit(flags, Y)
    np.testing.assert_allclose(model.feature_log_prob_bernoulli_, alone.feature_log_prob_, rtol=1e-12)
    assert certify(model, COUNTS, Y).holds, f"\n{certify(model, COUNTS, Y)}"
    assert not certify(altered(model, binarize=0.0), COUNTS, Y).holds
    lie = altered(model, predict_joint_log_proba=lambda A: model.predict_joint_log_proba(A) + 1.0)
    assert failing(certify(lie, COUNTS, Y)) == {"predict_joint_log_proba"}


def test_missing_entries_are_left_out_column_by_column() -> None:
    """Means and variances of the entries that are there, from NumPy's functions for NaN."""
    A = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    smoothing = 1e-9 * np.nanvar(A, axis=0).max()
    model = surefit.naive_bayes.GaussianNB(missing="ignore").fit(X, Y)
    model.theta_ = np.stack([np.nanmean(A[Y == k], axis=0) for k in range(3)])
    model.var_ = np.stack([np.nanvar(A[Y == k], axis=0) for k in range(3)]) + smoothing
    model.epsilon_ = smoothing
    assert certify(model, A, Y).holds, f"\n{certify(model, A, Y)}"
    assert not certify(model, X, Y).holds
    assert failing(certify(altered(model, missing="error"), A, Y)) == {"data"}


def test_missing_entries_reach_the_checker() -> None:
    """`surefit.certify` lets NaN through to a model that takes it, and refuses it for any other."""
    A = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = surefit.naive_bayes.GaussianNB(missing="ignore").fit(A, Y, sample_weight=W)
    assert surefit.certify(model, A, Y, W).holds
    assert not surefit.certify(model, X, Y, W).holds
    with pytest.raises(ValueError, match="NaN"):
        surefit.certify(GaussianNB().fit(X, Y), A, Y)


# --- mutations --------------------------------------------------------------------------------------------------


def lies(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [[lie, *value[1:]] for lie in lies(value[0])] + [value[::-1], value[:-1]]
    a = np.asarray(value, dtype=float)
    small = 1e-5 * max(1.0, float(np.abs(a[np.isfinite(a)]).max(initial=0.0)))
    out = [changed(a, (-1,) * a.ndim, small), a + small, a * np.nan, -a - 1.0, np.zeros_like(a)]
    if a.ndim:
        out += [a[..., :-1], a[::-1].copy()]
    return [lie for lie in out if lie.shape != a.shape or not np.array_equal(lie, a)]


@pytest.mark.parametrize(
    "name", ["gaussian", "multinomial", "bernoulli", "complement", "complement, normed", "categorical", "mixed"]
)
def test_rejects_mutations(name: str) -> None:
    A = COUNTS if name == "mixed" else GOOD[name][1]
    model = mixed(A, Y, W) if name == "mixed" else GOOD[name][0].fit(A, Y, W)
    assert certify(model, A, Y, W).holds
    tried = 0
    for attribute, value in vars(model).items():
        if not attribute.endswith("_") or attribute in ("classes_", "n_features_in_", "parts_", "epsilon_"):
            continue
        for lie in lies(value):
            assert not certify(altered(model, **{attribute: lie}), A, Y, W).holds, f"{attribute} = {lie}"
            tried += 1
    assert tried >= 20


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("gaussian", {"var_smoothing": 1e-3}),
        ("gaussian", {"priors": [0.3, 0.3, 0.4]}),
        ("multinomial", {"alpha": 2.0}),
        ("multinomial", {"fit_prior": False}),
        ("multinomial", {"class_prior": [0.3, 0.3, 0.4]}),
        ("bernoulli", {"binarize": 1.0}),
        ("complement", {"norm": True}),
        ("categorical", {"min_categories": 40}),
    ],
)
def test_rejects_other_parameters(name: str, change: dict[str, Any]) -> None:
    model, A = GOOD[name]
    model.fit(A, Y)
    assert certify(model, A, Y).holds
    assert not certify(altered(model, **change), A, Y).holds


@pytest.mark.parametrize("name", ["gaussian", "multinomial", "bernoulli", "complement", "categorical"])
def test_rejects_other_data(name: str) -> None:
    model, A = GOOD[name]
    model.fit(A, Y)
    assert not certify(model, A[1:], Y[1:]).holds
    assert not certify(model, A, Y, W).holds
    assert not certify(model, A, np.where(np.arange(N) == 3, (Y + 1) % 3, Y)).holds
    assert "not in classes_" in certify(model, A, np.where(Y == 2, -1, Y)).failures[0].sentence


def test_negative_counts_are_not_counts() -> None:
    model = MultinomialNB().fit(COUNTS, Y)
    assert "negative" in certify(model, changed(COUNTS, (0, 0), -9.0), Y).failures[0].sentence


def test_a_later_batch_does_not_set_the_smoothing() -> None:
    """scikit-learn's partial_fit takes epsilon_ from its last batch alone: refused where that is felt."""
    A, y = load_iris(return_X_y=True)
    model = GaussianNB(var_smoothing=1e-2).partial_fit(A[:75], y[:75], classes=[0, 1, 2]).partial_fit(A[75:], y[75:])
    assert "epsilon_" in failing(certify(model, A, y))
    assert certify(GaussianNB(var_smoothing=1e-2).fit(A, y), A, y).holds
    model = GaussianNB().partial_fit(A[:75], y[:75], classes=[0, 1, 2]).partial_fit(A[75:], y[75:])
    assert certify(model, A, y).holds
