"""Splitters, fingerprints, and folds that leak."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.model_selection
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import surefit.model_selection as ours
from surefit.linear_model import Ridge
from surefit.model_selection.validation.fingerprint import KeptFold
from surefit.naive_bayes import GaussianNB

X, y = load_iris(return_X_y=True)
NAMES = ("KFold", "StratifiedKFold", "RepeatedKFold", "RepeatedStratifiedKFold", "ShuffleSplit")


def splitter(library, name, seed):
    shuffled = {"shuffle": True} if name in ("KFold", "StratifiedKFold") else {}
    return getattr(library, name)(n_splits=4, random_state=seed, **shuffled)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_folds_as_scikit_learn(name):
    mine, theirs = splitter(ours, name, 3), splitter(sklearn.model_selection, name, 3)
    assert isinstance(mine, type(theirs))
    assert repr(mine) == repr(theirs)
    assert ours.folds_fingerprint(mine.split(X, y)) == ours.folds_fingerprint(theirs.split(X, y))
    assert mine.get_n_splits(X, y) == theirs.get_n_splits(X, y)


@pytest.mark.parametrize("name", NAMES)
def test_seeds_of_every_kind(name):
    sequence = np.random.SeedSequence(5)
    first, again = (ours.folds_fingerprint(splitter(ours, name, sequence).split(X, y)) for _ in range(2))
    assert first == again
    stream = splitter(ours, name, np.random.default_rng(5))
    assert ours.folds_fingerprint(stream.split(X, y)) != ours.folds_fingerprint(stream.split(X, y))


def test_a_validation_set():
    ((train, test),) = ours.HoldOut(test_size=0.2, random_state=0).split(X)
    assert len(test) == 30
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(150))
    assert repr(ours.HoldOut(random_state=0)) == "HoldOut(random_state=0, test_size=0.25, train_size=None)"
    assert len(ours.cross_val_score(GaussianNB(), X, y, cv=ours.HoldOut(random_state=0))) == 1


def test_fingerprints_tell_folds_from_each_other():
    folds = list(ours.KFold(3).split(X))
    same = [(np.asarray(train, dtype=np.int32), test) for train, test in folds]
    mask = np.zeros(150, dtype=bool)
    mask[folds[0][1]] = True
    assert ours.folds_fingerprint(folds) == ours.folds_fingerprint(same)
    assert ours.folds_fingerprint([(~mask, mask), *folds[1:]]) == ours.folds_fingerprint(folds)
    for other in (folds[::-1], folds[:-1], [(test, train) for train, test in folds]):
        assert ours.folds_fingerprint(other) != ours.folds_fingerprint(folds)


def test_scores_are_paired_by_their_folds():
    cv = ours.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    a, b = (ours.cross_validate(model, X, y, cv=cv) for model in (GaussianNB(), GaussianNB(var_smoothing=0.1)))
    np.testing.assert_array_equal(a.difference(b), a["test_score"] - b["test_score"])
    with pytest.raises(ValueError, match="not tested on the same folds"):
        a.difference(ours.cross_validate(GaussianNB(), X, y, cv=6))


def test_folds_that_leak_are_refused():
    leaking = [(np.arange(0, 100), np.arange(50, 150)), (np.arange(100), np.arange(100, 150))]
    with pytest.raises(ValueError, match="fold 0 tests on rows it was trained on"):
        ours.cross_validate(GaussianNB(), X, y, cv=leaking)


def test_same_bits_for_any_number_of_jobs():
    """Also for scikit-learn's estimators, whose products are BLAS's."""
    model = LogisticRegression(C=0.01)
    one, two = (ours.cross_validate(model, X, y, cv=2, scoring="neg_log_loss", n_jobs=n) for n in (1, 2))
    assert one["test_score"].tobytes() == two["test_score"].tobytes()


@pytest.mark.parametrize(
    "cv",
    [ours.KFold(4), ours.StratifiedKFold(3), ours.RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)],
    ids=lambda cv: type(cv).__name__,
)
def test_folds_are_certified_disjoint_and_covering(cv):
    scores = ours.cross_validate(GaussianNB(), X, y, cv=cv)
    for (train, test), (expected, tested) in zip(scores.folds, cv.split(X, y), strict=True):
        np.testing.assert_array_equal(train, expected)
        np.testing.assert_array_equal(test, tested)
    certificate = scores.certify(X, y)
    assert certificate.holds and certificate["covering"].limit == 0
    assert "tested on 2 times" in certificate["covering"].sentence or cv.get_n_splits(X, y) < 6


def test_a_validation_set_and_drawn_test_sets_cover_what_they_cover():
    for cv in (ours.HoldOut(test_size=0.2, random_state=0), ours.ShuffleSplit(2, test_size=0.1, random_state=0)):
        scores = ours.cross_validate(GaussianNB(), X, y, cv=cv)
        tested = np.unique(np.concatenate([test for _, test in cv.split(X)]))
        covering = scores.certify(X, y)["covering"]
        assert covering.holds and covering.limit is None and covering.value == 150 - len(tested)


def test_leave_one_out_is_certified_and_costs_one_fit(monkeypatch):
    fits, plain = [], Ridge.fit
    monkeypatch.setattr(Ridge, "fit", lambda self, *args, **kwargs: fits.append(1) or plain(self, *args, **kwargs))
    scores = ours.cross_validate(Ridge(), X, y, cv="loo")
    assert len(fits) == 1 and scores.closed_form and scores.certify(X, y).holds
    assert scores.fingerprint == ours.folds_fingerprint(ours.LeaveOneOut().split(X))
    assert len(ours.cross_val_score(Ridge(), X, y, cv="loo")) == 150 and len(fits) == 2


def test_folds_of_other_rows_are_refused():
    scores, other = (ours.cross_validate(GaussianNB(), X, y, cv=ours.KFold(k, shuffle=True)) for k in (3, 3))
    assert not scores.certify(X[:100], y[:100]).holds
    scores._fingerprint = other.fingerprint
    assert not scores.certify(X, y)["fingerprint"].holds
    scores._kept = tuple(KeptFold(150, np.arange(100), np.arange(50, 150)) for _ in range(3))
    assert not scores.certify(X, y)["disjoint"].holds
