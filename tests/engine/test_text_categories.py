"""A model of a dataframe's texts is certified on that dataframe."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import surefit
from surefit._core.errors import InvalidData
from surefit.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from surefit.tree import DecisionTreeClassifier, DecisionTreeRegressor

MODELS = [
    DecisionTreeClassifier(max_depth=3, categorical_features="from_dtype"),
    DecisionTreeRegressor(max_depth=3, categorical_features="from_dtype"),
    RandomForestClassifier(5, max_depth=3, categorical_features="from_dtype", random_state=0),
    RandomForestRegressor(5, max_depth=3, categorical_features="from_dtype", random_state=0),
    HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype"),
    HistGradientBoostingRegressor(max_iter=5, categorical_features="from_dtype"),
]


def people(missing):
    rng = np.random.default_rng(0)
    town = rng.choice(["Ulm", "Aachen", "Köln", "Bern"], 200).astype(object)
    age = rng.normal(40, 10, 200)
    y = (np.isin(town, ["Ulm", "Bern"]) ^ (age > 45)).astype(int)
    if missing:
        town[::17] = None
    return pd.DataFrame({"age": age, "town": pd.Categorical(town)}), y


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_texts_are_certified_as_they_stand(model, missing):
    X, y = people(missing)
    model.fit(X, y)
    texts = np.array(model.categories_["town"] if isinstance(model.categories_, dict) else model.categories_[1])
    certificate = surefit.certify(model, X, y)
    assert certificate.holds, str(certificate)
    assert texts.tolist() == ["Aachen", "Bern", "Köln", "Ulm"]  # the model itself is left as it was
    assert model.predict(X).shape == y.shape


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_other_texts_are_refused(model):
    X, y = people(missing=False)
    model.fit(X, y)
    names = {"Ulm": "Aachen", "Aachen": "Ulm", "Bern": "Bern", "Köln": "Köln"}
    swapped = X.assign(town=X["town"].map(names))
    swapped.loc[:99, "town"] = X.loc[:99, "town"]
    assert not surefit.certify(model, swapped, y).holds
    with pytest.raises(InvalidData, match="'Bonn', 'Köln'"):
        surefit.certify(model, X.assign(town=X["town"].cat.rename_categories({"Köln": "Bonn"})), y)
