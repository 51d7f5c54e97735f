"""`compare` for classifiers, against scikit-learn on the same folds, and its refusals."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, cross_val_predict, cross_val_score
from sklearn.model_selection import StratifiedKFold as Stratified

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.linear_model import LogisticRegression, Ridge
from surefit.model_selection import compare
from surefit.model_selection.entrants import task_of
from surefit.model_selection.scoring import log_loss, probabilities_of

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
CV = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=3)
TWIN = SklearnLogisticRegression(tol=1e-8, max_iter=10_000)


class Liar(SklearnLogisticRegression):
    """Changes its mind after the fit."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = self.coef_ + 1.0
        return self


class Picky(ClassifierMixin, BaseEstimator):
    """Refuses every table."""

    def fit(self, X, y):
        raise ValueError("this table\nis not for me")


@pytest.fixture(scope="module")
def result():
    models = {"logistic": LogisticRegression(), "ridge": RidgeClassifier(), "prior": DummyClassifier(strategy="prior")}
    return compare(models, X, Y, cv=CV)


@pytest.mark.parametrize(
    ("name", "twin"), [("logistic", TWIN), ("ridge", RidgeClassifier()), ("prior", DummyClassifier(strategy="prior"))]
)
def test_scores_are_those_of_scikit_learn_on_the_same_folds(result, name, twin):
    assert result.task == "classification" and result.metric == "accuracy"
    np.testing.assert_allclose(result[name].scores, cross_val_score(twin, X, Y, cv=CV), rtol=1e-12)


@pytest.mark.parametrize(("name", "twin"), [("logistic", TWIN), ("prior", DummyClassifier(strategy="prior"))])
def test_the_log_loss_is_that_of_scikit_learn(result, name, twin):
    expected = -cross_val_score(twin, X, Y, cv=CV, scoring="neg_log_loss").mean()
    assert result[name].extra["log-loss"] == pytest.approx(expected, rel=1e-5)
    assert result["ridge"].extra == {} and result["ridge"].probabilities is None


def test_predictions_and_probabilities_are_of_rows_not_seen():
    cv = Stratified(5, shuffle=True, random_state=0)
    found = compare([LogisticRegression()], X, Y, cv=cv)
    assert found.best.predictions.tolist() == cross_val_predict(TWIN, X, Y, cv=cv).tolist()
    expected = cross_val_predict(TWIN, X, Y, cv=cv, method="predict_proba")
    np.testing.assert_allclose(found.best.probabilities, expected, atol=1e-4)
    assert found.classes.tolist() == ["setosa", "versicolor", "virginica"]


def test_folds_that_do_not_cover_every_row_give_no_predictions():
    found = compare([LogisticRegression()], X, Y, cv=[(np.arange(0, 150, 2), np.arange(1, 149, 2))])
    assert found.best.predictions is None and found.best.probabilities is None
    assert found.best.extra["log-loss"] > 0


def test_a_class_the_training_part_lacks_has_probability_zero():
    P = probabilities_of(TWIN.fit(X[50:], Y[50:]), X[:3], np.unique(Y))
    assert P.shape == (3, 3) and not P[:, 0].any()
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    found = compare([SklearnLogisticRegression()], X, Y, cv=KFold(3))  # every fold tests on the class it has not met
    assert found.best.interval.mean == 0.0 and found.best.extra["log-loss"] == pytest.approx(-np.log(2.0**-52))


def test_log_loss_against_scikit_learn_with_zeros_and_in_float32():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), size=50)
    P[0], codes = [0.0, 1.0, 0.0], rng.integers(0, 3, 50)
    codes[0] = 0
    assert log_loss(P, codes) == pytest.approx(sklearn.metrics.log_loss(codes, P), rel=1e-12)
    small = P.astype(np.float32)
    assert log_loss(small, codes) == pytest.approx(sklearn.metrics.log_loss(codes, small), rel=1e-6)


def test_where_scores_tie_the_lower_log_loss_is_best():
    found = compare({"flat": LogisticRegression(C=0.1), "steep": LogisticRegression(C=1.0)}, X[:100], Y[:100], cv=3)
    assert [one.interval.mean for one in found.outcomes] == [1.0, 1.0]
    assert found.best.name == "steep" and found.outcomes[0] is found.best and found.best.versus_best is None


@pytest.mark.parametrize(
    "y", [CODES, CODES.astype(float), CODES == 1, Y, pd.Series(Y), pd.Series(Y, dtype="category"), list(Y)]
)
def test_labels_of_any_kind(y):
    found = compare(None, X[::2], np.asarray(y)[::2], cv=Stratified(2, shuffle=True, random_state=0))
    assert found.task == "classification" and found.holds
    assert found.best.interval.mean > 0.7
    assert len(json.loads(found.to_json())["classes"]) == len(set(np.asarray(y).tolist()))


def test_candidates_take_a_table_with_words_and_gaps():
    frame = load_breast_cancer(as_frame=True).data.iloc[:, :8]
    frame["size"] = np.where(frame["mean radius"] > 14, "large", "small")
    frame.loc[:5, "mean texture"] = np.nan
    found = compare(None, frame, load_breast_cancer().target, cv=Stratified(2))
    assert found.holds and found.best.interval.mean > 0.9
    assert found["majority (baseline)"].interval.mean == pytest.approx(357 / 569, abs=2e-3)
    assert any("'size' has 2 levels" in note for note in found.notes)


def test_a_rare_class_is_told():
    rows = np.r_[:50, 50:53, 100:150]
    found = compare([LogisticRegression()], X[rows], Y[rows], cv=5)
    assert any("'versicolor' has fewer rows than there are folds" in note for note in found.notes)


def test_a_model_that_cannot_be_fitted_is_left_out_or_raises():
    models = {"picky": Picky(), "logistic": LogisticRegression()}
    found = compare(models, X, Y, cv=3, failing="leave out")
    assert [one.name for one in found.outcomes] == ["logistic"]
    assert found.left_out == [("picky", "this table is not for me")]
    with pytest.raises(ValueError, match="not for me"):
        compare(models, X, Y, cv=3)
    with pytest.raises(InvalidData, match="no model could be compared: picky is left out"):
        compare({"picky": Picky()}, X, Y, cv=3, failing="leave out")


def test_a_fit_that_lies_is_found_out():
    found = compare({"liar": Liar(), "honest": LogisticRegression()}, X, Y, cv=3)
    assert found["liar"].holds is False and found["honest"].holds is True and not found.holds


def test_other_scorers():
    found = compare([LogisticRegression()], X, Y, cv=Stratified(3), scoring="neg_log_loss")
    np.testing.assert_allclose(
        found.best.scores, cross_val_score(TWIN, X, Y, cv=Stratified(3), scoring="neg_log_loss"), rtol=1e-5
    )
    assert found.metric == "−log-loss"


def test_a_task_can_be_asked_for():
    assert compare([Ridge()], X, CODES, task="regression", cv=KFold(3, shuffle=True, random_state=0)).metric == "R²"
    assert task_of(None, None, np.arange(150) % 50) == "regression"
    assert task_of("regression", None, CODES) == "regression"
    with pytest.raises(InvalidParameter, match="a classification was asked for"):
        compare([Ridge()], X, CODES, task="classification")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: compare([LogisticRegression()], X), InvalidParameter, "needs y"),
        (lambda: compare([LogisticRegression(), Ridge()], X, CODES), InvalidParameter, "cannot be compared"),
        (lambda: compare([LogisticRegression()], X, CODES, task="regression"), InvalidParameter, "a regression"),
        (lambda: compare(None, X, task="classification"), InvalidParameter, "needs y"),
        (lambda: compare(None, X, Y, task="clustering"), InvalidParameter, "leave y out"),
        (lambda: compare([LogisticRegression()], X, X[:, 0]), InvalidData, "whole numbers"),
        (lambda: compare([LogisticRegression()], X, np.zeros(150)), InvalidData, "one class only"),
        (lambda: compare([LogisticRegression()], X, np.arange(150)), InvalidData, "target of a regression"),
        (lambda: compare([LogisticRegression()], X, [None, *Y[1:]]), InvalidData, "1 missing"),
        (lambda: compare([LogisticRegression()], X, np.where(CODES == 1, np.nan, CODES)), InvalidData, "row 50"),
        (lambda: compare([LogisticRegression()], X, Y, cv=60), InvalidParameter, "no class has more than 50 rows"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
