"""Tables as people keep them: kinds of columns, missing values, and nothing learnt from test rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from surefit._core.errors import InvalidData
from surefit.linear_model import LinearRegression
from surefit.model_selection import (
    CANDIDATES,
    Shape,
    candidates_for,
    certify_steps,
    compare,
    pipeline_for,
    prepare_table,
)
from surefit.model_selection.prepare.table_target import task_of
from surefit.naive_bayes import MixedNB


@pytest.fixture
def houses():
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame(
        {
            "size": rng.normal(80, 20, n),
            "city": rng.choice(["Bonn", "Kiel", "Ulm"], n),
            "garden": rng.random(n) < 0.4,
            "age": rng.integers(0, 90, n).astype(float),
        }
    )
    frame["price"] = 3 * frame["size"] + 40 * (frame["city"] == "Ulm") - frame["age"] + rng.normal(0, 5, n)
    return frame


def test_kinds_of_columns(houses):
    table = prepare_table(houses, "price")
    assert table.task == "regression"
    assert table.numbers == ["size", "garden", "age"] and table.categories == ["city"]
    assert table.n_columns == 5  # three numbers, two of three levels
    fitted = pipeline_for(table, LinearRegression()).fit(table.X, table.y)
    assert list(fitted[:-1].get_feature_names_out()) == ["size", "garden", "age", "city_Kiel", "city_Ulm"]
    assert any("'city' has 3 levels" in note for note in table.notes)


def test_medians_come_from_training_rows_only(houses):
    houses.loc[:9, "age"] = np.nan
    table = prepare_table(houses, "price")
    assert table.has_missing and any("10 of 120 rows" in note for note in table.notes)
    half = table.X.iloc[60:]
    fitted = pipeline_for(table, LinearRegression()).fit(half, table.y[60:])
    imputer = fitted[0].named_transformers_["numbers"][0]
    np.testing.assert_allclose(imputer.statistics_, np.median(half[table.numbers], axis=0))
    result = compare({"ols": pipeline_for(table, LinearRegression())}, table.X, table.y, cv=3)
    assert result.best.interval.mean > 0.9 and result.holds


def test_a_missing_category_is_a_level_of_its_own(houses):
    houses.loc[:4, "city"] = None
    table = prepare_table(houses, "price")
    assert set(table.X["city"]) == {"Bonn", "Kiel", "Ulm", "(missing)"}


def test_rows_without_a_target_and_empty_columns_are_left_out(houses):
    houses.loc[3, "price"] = np.nan
    houses["nothing"], houses["same"] = np.nan, "x"
    table = prepare_table(houses, "price")
    assert table.n_rows == 119
    assert "nothing" not in table.X and "same" not in table.X
    assert "1 row without a value of 'price' is left out" in table.notes
    assert "the columns left out: 'nothing' (empty), 'same' (one value only)" in table.notes


def test_text_that_is_numbers_is_numbers(houses):
    houses["size"] = houses["size"].round(3).astype(str)
    table = prepare_table(houses, "price")
    assert "size" in table.numbers
    np.testing.assert_allclose(table.X["size"], houses["size"].astype(float))


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"] * 20, "classification"),
        ([True, False] * 20, "classification"),
        ([0, 1, 2, 1] * 10, "classification"),
        (list(range(40)), "regression"),
        ([0.5, 1.5] * 20, "regression"),
        ([1, 2, 3], "regression"),
    ],
)
def test_the_task_follows_the_target(values, task):
    assert task_of(pd.Series(values)) == task


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(["a", "b"], "U"), ([True, False], "b"), ([0, 1], "i"), ([0.0, 1.0], "i"), (pd.Categorical(["a", "b"]), "U")],
)
def test_labels_of_any_kind(houses, labels, kind):
    houses["label"] = list(labels) * 60
    table = prepare_table(houses, "label", "classification")
    assert table.task == "classification" and table.y.dtype.kind == kind
    assert table.y.tolist() == list(labels) * 60


def test_rows_without_a_label_are_left_out(houses):
    houses["label"] = ["a", "b", None] * 40
    table = prepare_table(houses, "label")
    assert table.n_rows == 80 and set(table.y) == {"a", "b"}
    assert "label" not in table.X


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["a"] * 120, "one class only"),
        (np.arange(120) // 1.1 // 1, "different numbers in 120 rows, .* once only: that is a target of a regression"),
        (["a"] * 60 + ["b"] * 59 + ["c"], "the class 'c' of the target 'label' has one row only: "),
        ([f"name {i}" for i in range(120)], "and 119 more like it"),
        ([0.5] * 60 + [1.0] * 60, "holds 0.5 in row 0"),
    ],
)
def test_labels_that_cannot_be_learnt_are_refused(houses, labels, words):
    houses["label"] = labels
    with pytest.raises(InvalidData, match=words):
        prepare_table(houses, "label", "classification")


def test_a_task_can_be_asked_for(houses):
    assert prepare_table(houses, "price", "clustering").y is None
    assert "price" not in prepare_table(houses, "price", "clustering").X
    assert prepare_table(houses).task == "clustering"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.assign(rooms=[[1, 2]] * len(f)), "'rooms' holds lists .row 0: .1, 2.."),
        (lambda f: f.assign(rooms=[{"kitchen": 1}] * len(f)), "'rooms' holds records"),
        (lambda f: f.assign(rooms=[b"x"] * len(f)), "'rooms' holds bytes"),
        (lambda f: f.assign(price=7.5), "'price' is 7.5 in every row: there is nothing to predict"),
        (lambda f: f.assign(price=pd.date_range("2020", periods=len(f))), "'price' holds dates"),
        (lambda f: f.assign(age=np.where(np.arange(len(f)) == 7, np.inf, f["age"])), "infinite number in row 7"),
        (lambda f: f.assign(size=f["size"] * 1j), "complex"),
        (lambda f: f[:0], "no rows"),
        (lambda f: f[["price"]], "no column to learn from"),
        (lambda f: f.drop(columns="price"), "no column 'price'"),
        (lambda f: f.assign(price=np.nan), "missing in every row"),
        (lambda f: pd.concat([f, f[["age"]]], axis=1), "more than one column 'age'"),
    ],
)
def test_what_cannot_be_used_is_named(houses, change, words):
    with pytest.raises(InvalidData, match=words):
        prepare_table(change(houses), "price")


def test_a_numeric_column_with_one_word_in_it_is_named_with_its_row(houses):
    houses["size"] = houses["size"].astype(object)
    houses.loc[7, "size"] = "n/a?"
    with pytest.raises(InvalidData, match="row 7 holds 'n/a\\?'"):
        prepare_table(houses, "price")


def test_naive_bayes_of_mixed_columns_gets_flags_and_codes_as_they_are(houses):
    houses["dear"] = np.where(houses["price"] > houses["price"].median(), "yes", "no")
    houses.loc[:4, "city"] = None
    houses.loc[5:9, "size"] = np.nan
    houses["always"] = 1.0
    table = prepare_table(houses.drop(columns="price"), "dear")
    assert table.flags == ["garden"] and table.mixed
    fitted = pipeline_for(table, MixedNB()).fit(table.X, table.y)
    seen = fitted[:-1].transform(table.X)
    assert list(fitted[:-1].get_feature_names_out()) == ["size", "age", "always", "garden", "city"]
    assert [(kind, list(columns)) for kind, columns in fitted[-1].parts_] == [
        ("gaussian", [0, 1, 2]),
        ("bernoulli", [3]),
        ("categorical", [4]),
    ]
    np.testing.assert_array_equal(seen[:, 3], houses["garden"])
    order = ["(missing)", "Bonn", "Kiel", "Ulm"]
    assert [order[int(code)] for code in seen[:, 4]] == list(houses["city"].fillna("(missing)"))
    few = table.X["city"] != "Ulm"  # a level that the training rows lack counts as their most frequent one
    part = pipeline_for(table, MixedNB()).fit(table.X[few], table.y[few])
    assert part[-1].feature_log_prob_categorical_[0].shape == (2, 3)
    usual = table.X["city"][few].mode()[0]
    renamed = table.X.assign(city=table.X["city"].astype(str).replace("Ulm", usual))
    np.testing.assert_array_equal(part.predict_proba(table.X), part.predict_proba(renamed))
    assert certify_steps(fitted, table.X, table.y)["MixedNB"].holds


def test_trees_get_numbers_with_gaps_and_codes_of_categories(houses):
    """An estimator that takes missing values sees them; one with `categorical_features` sees codes."""
    from surefit.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from surefit.linear_model import Ridge

    houses.loc[:9, "age"] = np.nan
    table = prepare_table(houses, "price")
    seen = {}
    for model in (RandomForestRegressor(3, random_state=0), HistGradientBoostingRegressor(max_iter=2)):
        fitted = pipeline_for(table, model).fit(table.X, table.y)
        seen[type(model).__name__] = (fitted, fitted[:-1].transform(table.X))
    numbers = table.X[table.numbers].to_numpy(dtype=float)
    for fitted, X in seen.values():
        np.testing.assert_array_equal(X[:, : len(table.numbers)].astype(float), numbers)
        assert np.isnan(numbers).any() and np.isfinite(fitted.predict(table.X)).all()
        assert X.shape[1] == len(table.numbers) + len(table.categories)
        np.testing.assert_array_equal(
            np.flatnonzero(fitted[-1].is_categorical_), np.arange(len(table.numbers), X.shape[1])
        )
    flags = pipeline_for(table, Ridge()).fit(table.X, table.y)[:-1].transform(table.X)
    assert flags.shape[1] > len(table.numbers) + len(table.categories)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_candidates_are_distinct_and_buildable(task):
    rows = candidates_for(task, Shape(300, 10, (150, 150), mixed=True))
    listed = {one.name: len(one.grid) for one in CANDIDATES if one.task == task and one.name != "GaussianNB"}
    assert len(rows) == sum(listed.values())  # naive Bayes of mixed columns stands in for the Gaussian one
    assert rows.unsuited == []
    assert all(hasattr(one, "fit") for one in rows.values())


def test_candidates_suit_the_shape():
    three = candidates_for("classification", Shape(30, 12, (10, 10, 10)))
    assert "GaussianNB" in three and "MixedNB" not in three
    assert ("HistGradientBoosting", "it needs 40 training rows or more") in three.unsuited
    large = candidates_for("regression", Shape(100_000, 12))
    assert "SVR" not in large and "HistGradientBoosting" in large
    assert dict(large.unsuited)["SVR"].startswith("tried up to 2,000 training rows")
    with pytest.raises(ValueError, match="task must be one of"):
        candidates_for("ranking", Shape(10, 5))
