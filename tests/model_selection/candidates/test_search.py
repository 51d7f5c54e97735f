"""The search inside the training part: as scikit-learn's on the same folds, and it never sees a test row."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit.linear_model import RidgeCV
from surefit.model_selection import compare
from surefit.model_selection.candidates.candidate import Candidate, Shape, settings
from surefit.model_selection.candidates.search import Searched, chosen_parameters, spread_rows, with_parameters

X, CODES = load_iris(return_X_y=True)
D, Y = load_diabetes(return_X_y=True)


def inner_splits(y, most, seed):
    """The inner folds written again: rows in the order of y, dealt out in turn to three hands."""
    rows = spread_rows(y, most, seed)
    hands = [rows[hand::3] for hand in range(3)]
    folds = [(np.setdiff1d(rows, hand), hand) for hand in hands]
    return folds[:1] if rows.size < y.size else folds


@pytest.mark.parametrize("most", [5000, 90])
@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_scores_and_choice_are_those_of_a_grid_search_on_the_same_folds(most, scoring):
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    grid = [5, 15, 40]
    ours = Searched(model, settings(n_neighbors=tuple(grid)), scoring, max_rows=most, random_state=4).fit(X, CODES)
    theirs = GridSearchCV(
        model, {"kneighborsclassifier__n_neighbors": grid}, scoring=scoring, cv=inner_splits(CODES, most, 4)
    ).fit(X, CODES)
    np.testing.assert_allclose(ours.cv_scores_, theirs.cv_results_["mean_test_score"], rtol=1e-12)
    assert ours.best_params_["n_neighbors"] == theirs.best_params_["kneighborsclassifier__n_neighbors"]
    assert ours.n_search_rows_ == min(most, 150)
    assert ours.best_estimator_[-1].n_samples_fit_ == 150  # the last fit has all rows
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_of_equal_scores_the_simplest_setting_is_taken():
    same = Searched(KNeighborsClassifier(), settings(leaf_size=(30, 10, 20))).fit(X, CODES)
    assert same.best_params_ == {"leaf_size": 30}


def test_a_setting_that_cannot_be_fitted_takes_no_part():
    doubled = np.column_stack([X, X[:, 0]])
    model = Searched(QuadraticDiscriminantAnalysis(), settings(reg_param=(0.0, 0.5)))
    found = model.fit(doubled, CODES)
    assert np.isnan(found.cv_scores_[0]) and found.best_params_ == {"reg_param": 0.5}
    with pytest.raises(ValueError, match="n_neighbors"):  # no setting works: the usual parameters have the last word
        Searched(KNeighborsClassifier(-1), settings(n_neighbors=(-1, -2))).fit(X, CODES)


@pytest.mark.parametrize("y", [CODES, Y])
def test_rows_are_spread_over_the_targets(y):
    rows = spread_rows(y, 60, seed=1)
    assert np.unique(rows).size == 60
    if y is CODES:
        assert np.bincount(y[rows]).tolist() == [20, 20, 20]
    else:
        np.testing.assert_allclose(np.quantile(y[rows], [0.1, 0.5, 0.9]), np.quantile(y, [0.1, 0.5, 0.9]), rtol=0.05)
    assert sorted(spread_rows(y, 10**6, seed=1)) == list(range(y.size))
    assert rows.tolist() != spread_rows(y, 60, seed=2).tolist()


def test_it_is_an_estimator_of_the_kind_it_searches():
    assert is_classifier(Searched(LogisticRegression())) and is_regressor(Searched(make_pipeline(Ridge())))
    copy = clone(Searched(Ridge(2.0), settings(alpha=(1.0, 2.0))))
    assert copy.estimator.alpha == 2.0 and copy.grid == ({"alpha": 1.0}, {"alpha": 2.0})
    assert with_parameters(make_pipeline(StandardScaler(), Ridge()), {"alpha": 7.0})[-1].alpha == 7.0


def test_what_a_model_chooses_by_itself_is_known():
    assert chosen_parameters(RidgeCV(alphas=[1.0]).fit(D, Y)) == {"alpha": 1.0}
    assert chosen_parameters(Ridge().fit(D, Y)) == {}
    grid = GridSearchCV(Ridge(), {"alpha": [0.1]}, cv=2).fit(D, Y)
    assert chosen_parameters(grid) == {"alpha": 0.1}


class Spy(RegressorMixin, BaseEstimator):
    """Remembers every row it is fitted to or asked about; the first column is the number of the row."""

    seen: ClassVar[list[set]] = []
    asked: ClassVar[list[tuple[set, set]]] = []

    def __init__(self, setting=0):
        self.setting = setting

    def fit(self, X, y):
        self.rows_ = set(X[:, 0].astype(int).tolist())
        Spy.seen.append(self.rows_)
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        Spy.seen.append(set(X[:, 0].astype(int).tolist()))
        Spy.asked.append((self.rows_, Spy.seen[-1]))
        return np.full(len(X), self.mean_ + self.setting)


def test_tuning_never_sees_a_row_that_is_tested_on():
    numbered = np.column_stack([np.arange(60), D[:60]])
    Spy.seen = []
    splits = list(KFold(3, shuffle=True, random_state=0).split(numbered))
    found = compare({"spy": Searched(Spy(), settings(setting=(1, 0)))}, numbered, Y[:60], cv=splits)
    assert found.best.fold_parameters == [{"setting": 0}] * 3 and found.best.parameters == {"setting": 0}
    each = 2 * 3 * 2 + 1  # two settings on three inner folds, each a fit and a score; then the fit
    for number, (train, test) in enumerate(splits):
        first = number * (each + 2)  # a score and the predictions follow
        for rows in Spy.seen[first : first + each]:
            assert rows <= set(train.tolist()) and not rows & set(test.tolist())
        assert Spy.seen[first + each - 1] == set(train.tolist())
        assert Spy.seen[first + each] == set(test.tolist())
    assert found.best.search_rows == 60


def inner_folds(**dependence):
    """(rows fitted to, rows scored) of one setting inside the training part."""
    numbered = np.column_stack([np.arange(60), D[:60]])
    Spy.asked = []
    Searched(Spy(), settings(setting=(0,))).fit(numbered, Y[:60], **dependence)
    return Spy.asked


def test_groups_stay_whole_inside_the_training_part():
    groups = np.array([f"patient {row // 4}" for row in range(60)])
    folds = inner_folds(groups=groups)
    assert len(folds) == 3 and set().union(*(tested for _, tested in folds)) == set(range(60))
    for fitted, tested in folds:
        assert fitted | tested == set(range(60))
        assert not {row // 4 for row in fitted} & {row // 4 for row in tested}


def test_two_groups_test_each_other_and_one_group_keeps_the_usual_settings():
    assert len(inner_folds(groups=np.arange(60) % 2)) == 2
    numbered = np.column_stack([np.arange(60), D[:60]])
    alone = Searched(Spy(7), settings(setting=(0, 1))).fit(numbered, Y[:60], groups=np.zeros(60))
    assert alone.best_params_ == {} and alone.best_estimator_.setting == 7


def test_a_search_looks_forward_in_time():
    when = np.random.default_rng(0).permutation(60)
    ((fitted, tested),) = inner_folds(time=when)
    assert {when[row] for row in tested} == set(range(40, 60)) and fitted | tested == set(range(60))


@pytest.mark.parametrize("name", ["groups", "time"])
def test_compare_hands_groups_and_time_to_its_searches(name):
    numbered, belongs = np.column_stack([np.arange(60), D[:60]]), np.arange(60) // 4
    Spy.asked = []
    compare({"spy": Searched(Spy(), settings(setting=(1, 0)))}, numbered, Y[:60], cv=3, **{name: belongs})
    inner = [(fitted, tested) for fitted, tested in Spy.asked if not fitted & tested]
    assert len(inner) >= 2 * 3
    for fitted, tested in inner:
        before, after = {row // 4 for row in fitted}, {row // 4 for row in tested}
        assert not before & after if name == "groups" else max(before) <= min(after)


def test_compare_searches_by_its_own_score_and_reports_one_row():
    model = Searched(KNeighborsRegressor(), settings(n_neighbors=(50, 5)))
    found = compare({"k": model}, D[:90], Y[:90], cv=KFold(3), scoring="neg_median_absolute_error")
    by_hand = clone(model).set_params(scoring="neg_median_absolute_error").fit(D[:90], Y[:90])
    assert [one.name for one in found.outcomes] == ["k"] and found.best.parameters == by_hand.best_params_
    assert isinstance(found.best.estimator, KNeighborsRegressor)
    assert found.to_dict()["models"][0]["parameters"] == by_hand.best_params_


def test_a_search_of_the_users_own_is_nested_too():
    grid = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=StratifiedKFold(2))
    found = compare({"grid": grid}, X, CODES, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    assert all(set(one) == {"C"} for one in found.best.fold_parameters) and set(found.best.parameters) == {"C"}
    assert list(found.best.certificates) == ["LogisticRegression"]


def test_parameters_in_units_of_the_data():
    one = Candidate(
        "ridge", "regression", "", lambda value, n: Ridge(2.0), in_spreads=("alpha",), search=settings(alpha=(1.0, 3.0))
    )
    model = one.rows(Shape(10, 4, spread=5.0))["ridge"]
    assert model.estimator.alpha == 10.0 and model.grid == ({"alpha": 5.0}, {"alpha": 15.0})
    per = Candidate("ridge", "regression", "", lambda value, n: Ridge(2.0), per_column=("alpha",))
    assert per.rows(Shape(10, 4))["ridge"].alpha == 0.5


class Picky(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("no")


def test_errors_of_other_kinds_are_not_swallowed():
    with pytest.raises(RuntimeError, match="no"):
        Searched(Picky(), ({},)).fit(X, CODES)
