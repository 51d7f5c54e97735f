"""The checker of selection by penalized risk accepts what was chosen rightly, and refuses every lie about it."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import surefit
from surefit.linear_model import LogisticRegression
from surefit.theory import DictionarySelection, HalfSpaces
from surefit.tree import DecisionTreeClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5000, 2))
Y = np.where(X[:, 0] + X[:, 1] + 0.3 * RNG.normal(size=5000) > 0, "up", "down")
MODELS = [("line", LogisticRegression()), ("stump", DecisionTreeClassifier(max_depth=1))]
FIT = DictionarySelection(MODELS, [HalfSpaces(2), 3]).fit(X, Y)


def test_accepted():
    certificate = surefit.certify(FIT, X, Y)
    assert certificate.holds and certificate.grade == "STATISTICAL" and certificate.not_checked == ("oracle_terms_",)
    claim = certificate["risk"]
    assert claim.grade == "STATISTICAL" and claim.detail["high"] == FIT.risk_interval_.high
    assert "independent draws" in claim.sentence


def lie(**changes):
    model = copy.copy(FIT)
    for name, value in changes.items():
        setattr(model, name, value)
    return model


LIES = {
    "empirical_risks_": lie(empirical_risks_=FIT.empirical_risks_ - 1 / 5000),
    "penalties_": lie(penalties_=FIT.penalties_ * 0.99),
    "log_shattering_": lie(log_shattering_=FIT.log_shattering_ * 0.5),
    "both": lie(penalties_=FIT.penalties_ / 2, log_shattering_=FIT.log_shattering_ / 4),
    "dictionaries_": lie(dictionaries_=[HalfSpaces(2), 1]),
    "no dictionaries": lie(dictionaries_=[HalfSpaces(2), -1]),
    "few labelings": lie(dictionaries_=[3]),
    "selected_": lie(selected_=1, selected_estimator_=FIT.estimators_[1], selected_name_="stump"),
    "name": lie(selected_name_="stump"),
    "selected nowhere": lie(selected_=7),
    "selected_estimator_": lie(selected_estimator_=FIT.estimators_[1]),
    "interval": lie(risk_interval_=replace(FIT.risk_interval_, high=FIT.risk_interval_.high - 1e-3)),
    "no interval": lie(risk_interval_=None),
    "remainder": lie(remainder_=FIT.remainder_ / 2),
    "confidence": lie(confidence=0.99),
    "nonsense": lie(confidence="high"),
    "NaN": lie(penalties_=np.array([np.nan, 1.0])),
    "swapped models": lie(estimators_=FIT.estimators_[::-1], selected_estimator_=FIT.estimators_[1]),
    "classes": lie(classes_=np.array(["down"])),
}


@pytest.mark.parametrize("name", LIES)
def test_refused(name):
    assert not surefit.certify(LIES[name], X, Y).holds


def test_other_answers_and_other_data_are_refused():
    class Liar(DictionarySelection):
        def predict(self, X):
            return np.full(len(X), "up")

    liar = lie()
    liar.__class__ = Liar
    assert not surefit.certify(liar, X, Y)["predict"].holds
    assert not surefit.certify(FIT, X, Y[::-1]).holds
    assert not surefit.certify(FIT, X, Y, np.ones(5000)).holds


def test_models_and_dictionaries_that_were_not_asked_for_are_refused():
    deep = DecisionTreeClassifier(max_depth=6).fit(X, Y)
    other = DictionarySelection([MODELS[0], ("stump", deep)], [HalfSpaces(2), 3]).fit(X, Y)
    other.models = MODELS
    assert not surefit.certify(other, X, Y).holds
    small = copy.copy(FIT)
    small.dictionaries = [HalfSpaces(2), 30]
    assert not surefit.certify(small, X, Y).holds
