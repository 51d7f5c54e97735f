"""The models of cross-validation kept: folds, out-of-fold answers against real fits, votes and means."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GroupKFold, RepeatedKFold, ShuffleSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit.kernel_ridge import KernelRidge
from surefit.linear_model import Ridge
from surefit.model_selection import CrossValidatedEnsemble
from surefit.naive_bayes import GaussianNB
from surefit.neighbors import KNeighborsClassifier

X, y = load_iris(return_X_y=True)
D, t = load_diabetes(return_X_y=True)


@parametrize_with_checks([CrossValidatedEnsemble(Ridge(), cv=3, random_state=0)])
def test_scikit_learns_checks_of_regressors(estimator, check):
    """Those of classifiers run among the laws."""
    check(estimator)


def test_out_of_fold_is_what_real_fits_answer():
    model = CrossValidatedEnsemble(Ridge(), cv=4, random_state=1).fit(D, t)
    np.testing.assert_allclose(model.out_of_fold_, cross_val_predict(Ridge(), D, t, cv=model.folds_), rtol=1e-12)
    assert model.oof_score_ == pytest.approx(r2_score(t, model.out_of_fold_), rel=1e-12)
    parts = [r2_score(t[test], model.out_of_fold_[test]) for _, test in model.folds_]
    np.testing.assert_allclose(model.fold_scores_, parts, rtol=1e-12)
    mean = np.mean([clone(Ridge()).fit(D[train], t[train]).predict(D) for train, _ in model.folds_], axis=0)
    np.testing.assert_allclose(model.predict(D), mean, rtol=1e-12)
    assert is_regressor(model)
    assert not hasattr(model, "predict_proba")


def test_classifiers_average_probabilities_or_vote():
    soft = CrossValidatedEnsemble(GaussianNB(), cv=5, random_state=0).fit(X, y)
    expected = cross_val_predict(GaussianNB(), X, y, cv=soft.folds_, method="predict_proba")
    np.testing.assert_allclose(soft.out_of_fold_, expected, atol=1e-12)
    assert soft.oof_score_ == accuracy_score(y, expected.argmax(axis=1))
    members = [GaussianNB().fit(X[train], y[train]) for train, _ in soft.folds_]
    np.testing.assert_allclose(soft.predict_proba(X), np.mean([m.predict_proba(X) for m in members], axis=0))
    hard = CrossValidatedEnsemble(GaussianNB(), cv=5, voting="hard", random_state=0).fit(X, y)
    votes = np.mean([np.eye(3)[m.predict(X)] for m in members], axis=0)
    np.testing.assert_allclose(hard.predict_proba(X), votes)
    np.testing.assert_array_equal(hard.predict(X), votes.argmax(axis=1))
    assert is_classifier(hard)
    without = CrossValidatedEnsemble(SVC(), cv=3, random_state=0).fit(X, y)  # has no probabilities: votes
    assert set(np.unique(without.out_of_fold_)) == {0.0, 1.0}
    assert without.score(X, y) > 0.9


def test_folds_are_even_and_keep_equal_rows_together():
    rows, labels = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    model = CrossValidatedEnsemble(GaussianNB(), cv=5, random_state=3).fit(rows, labels)
    _, example = np.unique(np.column_stack([rows, labels]), axis=0, return_inverse=True)
    for train, test in model.folds_:
        assert not set(example[train]) & set(example[test])
        assert np.ptp(np.bincount(labels[test])) <= 4  # two rows for each example, at most one example more
    np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in model.folds_])), np.arange(300))


@pytest.mark.parametrize("seed", range(3))
def test_a_weight_of_two_is_a_row_given_twice(seed):
    rng = np.random.default_rng(seed)
    w, order = rng.integers(0, 3, len(t)), rng.permutation(len(t))
    weighted = CrossValidatedEnsemble(Ridge(), cv=3, random_state=seed).fit(D, t, w.astype(float))
    shuffled = CrossValidatedEnsemble(Ridge(), cv=3, random_state=seed).fit(D[order], t[order], w[order].astype(float))
    repeated = CrossValidatedEnsemble(Ridge(), cv=3, random_state=seed).fit(np.repeat(D, w, axis=0), np.repeat(t, w))
    np.testing.assert_allclose(weighted.predict(D), repeated.predict(D), rtol=1e-10)
    np.testing.assert_allclose(weighted.predict(D), shuffled.predict(D), rtol=1e-10)
    np.testing.assert_allclose(np.repeat(weighted.out_of_fold_, w), repeated.out_of_fold_, rtol=1e-10)
    assert weighted.oof_score_ == pytest.approx(repeated.oof_score_, rel=1e-10)
    np.testing.assert_allclose(weighted.fold_scores_, repeated.fold_scores_, rtol=1e-9)


def test_splitters_and_groups():
    twice = CrossValidatedEnsemble(Ridge(), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)).fit(D, t)
    parts = list(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(D))
    answers = [cross_val_predict(Ridge(), D, t, cv=parts[i : i + 3]) for i in (0, 3)]
    np.testing.assert_allclose(twice.out_of_fold_, np.mean(answers, axis=0), rtol=1e-12)
    some = CrossValidatedEnsemble(Ridge(), ShuffleSplit(2, test_size=0.1, random_state=0)).fit(D, t)
    tested = np.isin(np.arange(len(t)), np.concatenate([test for _, test in some.folds_]))
    np.testing.assert_array_equal(np.isnan(some.out_of_fold_), ~tested)
    groups = np.arange(len(t)) % 7
    apart = CrossValidatedEnsemble(Ridge(), GroupKFold(3)).fit(D, t, groups=groups)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in apart.folds_)


def test_members_get_dataframes_as_they_are():
    frame = pd.DataFrame({"length": X[:, 0], "kind": np.where(X[:, 1] > 3, "wide", "narrow")})
    pipeline = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough"),
        sklearn.linear_model.LogisticRegression(),
    )
    model = CrossValidatedEnsemble(pipeline, cv=3, random_state=0).fit(frame, y)
    expected = cross_val_predict(pipeline, frame, y, cv=model.folds_, method="predict_proba")
    np.testing.assert_allclose(model.out_of_fold_, expected, rtol=1e-12)
    assert model.predict(frame).shape == (150,)


def test_same_bits_for_any_number_of_jobs():
    one, two = (CrossValidatedEnsemble(Ridge(), cv=4, random_state=0, n_jobs=n).fit(D, t) for n in (1, 2))
    assert one.out_of_fold_.tobytes() == two.out_of_fold_.tobytes()
    assert one.predict(D).tobytes() == two.predict(D).tobytes()


def test_refusals():
    with pytest.raises(ValueError, match="fold 0 tests on rows it was trained on"):
        CrossValidatedEnsemble(Ridge(), [(np.arange(300), np.arange(200, 442))]).fit(D, t)
    with pytest.raises(ValueError, match="KMeans is neither"):
        CrossValidatedEnsemble(KMeans()).fit(X, y)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no weights"):
        CrossValidatedEnsemble(KNeighborsClassifier()).fit(X, y, np.ones(150))
    with pytest.raises(ValueError, match="precomputed"):
        CrossValidatedEnsemble(KernelRidge(kernel="precomputed")).fit(D @ D.T, t)
    with pytest.raises(ValueError, match="5 folds need as many distinct rows"):
        CrossValidatedEnsemble(Ridge()).fit(np.ones((20, 2)), np.ones(20))
    with pytest.raises(ValueError, match="≥ 2"):
        CrossValidatedEnsemble(Ridge(), cv=1).fit(D, t)
