"""The checker of CrossValidatedEnsemble says no: to members that saw their test rows, and to every flattering score."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import sklearn.linear_model
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit
from sklearn.tree import DecisionTreeClassifier as TheirTree

import surefit
from surefit.linear_model import Ridge
from surefit.model_selection import CrossValidatedEnsemble
from surefit.naive_bayes import GaussianNB
from surefit.tree import DecisionTreeClassifier, DecisionTreeRegressor

D, t = load_diabetes(return_X_y=True)
X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("standardized", [False, True])
def test_bundled_data(load, standardized):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0) if standardized else X
    estimator = DecisionTreeClassifier(max_depth=3, random_state=0) if load is load_digits else GaussianNB()
    certificate = surefit.certify(CrossValidatedEnsemble(estimator, cv=3, random_state=0).fit(X, y), X, y)
    assert certificate.holds, str(certificate)
    assert all(claim.grade != "UNPROVED" for claim in certificate)


@pytest.mark.parametrize("estimator", [Ridge(), DecisionTreeRegressor(max_depth=3), sklearn.linear_model.Ridge()])
@pytest.mark.parametrize("weighted", [False, True])
def test_regressors(estimator, weighted):
    w = np.random.default_rng(0).integers(0, 3, len(t)).astype(float) if weighted else None
    model = CrossValidatedEnsemble(estimator, cv=3, random_state=0).fit(D, t, w)
    assert surefit.certify(model, D, t, w).holds, str(surefit.certify(model, D, t, w))
    assert not surefit.certify(model, D, t, None if weighted else np.arange(len(t)) % 3).holds
    both = CrossValidatedEnsemble(estimator, cv=3, random_state=0).fit(D, np.column_stack([t, t**2]))
    assert surefit.certify(both, D, np.column_stack([t, t**2])).holds


def test_splitters_votes_and_members_without_a_checker():
    split = CrossValidatedEnsemble(Ridge(), ShuffleSplit(3, random_state=0)).fit(D, t)
    certificate = surefit.certify(split, D, t)
    assert certificate.holds, str(certificate)
    assert "tests on" in str(certificate)  # and says how many rows were never tested on
    hard = CrossValidatedEnsemble(TheirTree(max_depth=2), cv=3, voting="hard", random_state=0).fit(X, y)
    assert surefit.certify(hard, X, y).holds
    lasso = CrossValidatedEnsemble(sklearn.linear_model.Lasso(alpha=0.1), cv=3).fit(D, t)
    certificate = surefit.certify(lasso, D, t)
    assert certificate.holds
    assert "members themselves were not checked" in next(c.sentence for c in certificate if c.name == "members")


def lies():
    """(what, model): each flatters, or hides which rows a member saw."""
    truth = CrossValidatedEnsemble(Ridge(alpha=1e-3), cv=3, random_state=0).fit(D, t)

    def lie(**attributes):
        model = copy.deepcopy(truth)
        for name, value in attributes.items():
            setattr(model, name, value)
        return model

    everywhere = Ridge(alpha=1e-3).fit(D, t)
    seen = everywhere.predict(D)
    yield "members fitted to all rows, answers of theirs", lie(
        estimators_=[everywhere] * 3, out_of_fold_=seen, oof_score_=r2_score(t, seen),
        fold_scores_=np.array([r2_score(t[test], seen[test]) for _, test in truth.folds_]),
    )  # fmt: skip
    yield "answers of the ensemble, whose members saw the row", lie(out_of_fold_=truth.predict(D))
    yield "a better score", lie(oof_score_=truth.oof_score_ + 1e-4)
    yield "a better fold", lie(fold_scores_=truth.fold_scores_ + 1e-4 * (np.arange(3) == 1))
    train, test = truth.folds_[0]
    yield "a training part with a test row", lie(folds_=[(np.append(train, test[0]), test), *truth.folds_[1:]])
    yield "a row that no fold tests on", lie(folds_=[(np.append(train, test[0]), test[1:]), *truth.folds_[1:]])
    yield "a row twice", lie(folds_=[(train, np.append(test, test[0])), *truth.folds_[1:]])
    yield "folds in another order", lie(folds_=truth.folds_[::-1])
    yield "folds that are none", lie(folds_=None)
    yield "rows beyond the data", lie(folds_=[(train + 442, test), *truth.folds_[1:]])
    yield "folds of another seed", lie(random_state=1)
    yield "another penalty asked for", lie(estimator=Ridge())
    yield "more folds asked for", lie(cv=4)
    yield "one answer moved", lie(out_of_fold_=truth.out_of_fold_ + 1e-3 * (np.arange(442) == 100))
    yield "no answer", lie(out_of_fold_=np.where(np.arange(442) == 100, np.nan, truth.out_of_fold_))


def test_lies_are_refused():
    told = list(lies())
    assert [what for what, model in told if surefit.certify(model, D, t).holds] == []
    assert len(told) == 15


def test_leaks_through_folds_without_a_seed():
    """Drawn from a stream the folds cannot be drawn again; that they are folds is still checked."""
    model = CrossValidatedEnsemble(Ridge(), cv=3, random_state=np.random.default_rng(0)).fit(D, t)
    assert surefit.certify(model, D, t).holds
    train, test = model.folds_[0]
    model.folds_[0] = (np.append(train, test[0]), test)
    assert not surefit.certify(model, D, t).holds


class Flattering(CrossValidatedEnsemble):
    """Predicts something else than its members say."""

    def predict(self, X):
        return super().predict(X) + 1.0


def test_a_derived_predict_is_refused():
    assert not surefit.certify(Flattering(Ridge(), cv=3, random_state=0).fit(D, t), D, t).holds
