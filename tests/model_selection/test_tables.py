"""Tables as people send them: many levels, dates, identifiers, odd types; few notes; new rows read in the same way."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.preprocessing import OneHotEncoder

from surefit._core.errors import InvalidData
from surefit.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from surefit.linear_model import LogisticRegression
from surefit.model_selection import certify_steps, pipeline_for, prepare_table
from surefit.model_selection.prepare.levels import LevelEncoder
from surefit.model_selection.prepare.reader import TableReader
from surefit.model_selection.prepare.table import table_of_array
from surefit.model_selection.prepare.target import labels_of
from surefit.naive_bayes import MixedNB


def people(n=400, n_countries=42, seed=0):
    """Like the census: a country with 42 levels, most rows in the first of them."""
    rng = np.random.default_rng(seed)
    countries = np.array([f"country {i:02d}" for i in range(n_countries)])
    share = 1.0 / np.arange(1, n_countries + 1) ** 1.2
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 90, n).astype(float),
            "native-country": rng.choice(countries, n, p=share / share.sum()),
            "work": rng.choice(["private", "state", "self"], n),
        }
    )
    rich = frame["age"] + 20 * (frame["work"] == "self") + rng.normal(0, 10, n) > 60
    return frame.assign(income=np.where(rich, ">50K", "<=50K"))


MODELS = [
    LogisticRegression(),
    MixedNB(),
    RandomForestClassifier(3, random_state=0),
    HistGradientBoostingClassifier(max_iter=3),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_text_with_42_levels_works_and_unseen_levels_count_as_the_rare_ones(model):
    frame = people()
    table = prepare_table(frame, "income")
    assert table.categories == ["native-country", "work"] and table.n_columns == 1 + 19 + 2
    train = np.arange(table.n_rows) % 4 != 0
    fitted = pipeline_for(table, clone(model)).fit(table.X[train], table.y[train])
    rows = table.X[~train].astype({"native-country": object})
    assert fitted.score(rows, table.y[~train]) > 0.6
    levels = fitted[0].named_transformers_["categories"].levels_[0]
    seen = set(frame["native-country"][train])
    if hasattr(model, "categorical_features"):  # native categories: all that the training rows have
        assert levels.tolist() == sorted(seen)
        unseen_as = frame["native-country"][train].mode()[0]
    else:
        usual = frame["native-country"][train].value_counts()
        assert levels[-1] == "(other)" and len(levels) == 20
        assert set(levels[:-1]) <= set(usual.index[usual >= usual.iloc[18]])
        unseen_as = usual.index[-1]  # the rarest level: one of the others
    new, known = (rows.assign(**{"native-country": one}) for one in ("Atlantis", unseen_as))
    np.testing.assert_array_equal(fitted.predict_proba(new), fitted.predict_proba(known))
    certificates = certify_steps(fitted, table.X[train], table.y[train])
    assert certificates[type(model).__name__].holds


def test_levels_are_those_of_the_training_rows_and_codes_agree_with_scikit_learn():
    rng = np.random.default_rng(1)
    X = rng.choice([f"level {i}" for i in range(8)], (200, 2)).astype(object)
    own = LevelEncoder().fit(X)
    theirs = OneHotEncoder(drop="first", sparse_output=False).fit(X)
    np.testing.assert_array_equal(own.transform(X), theirs.transform(X))
    assert own.get_feature_names_out(["a", "b"]).tolist() == theirs.get_feature_names_out(["a", "b"]).tolist()
    whole = LevelEncoder(coding="indicator").fit(X).transform(X)
    np.testing.assert_array_equal(whole, OneHotEncoder(sparse_output=False).fit_transform(X))
    codes = LevelEncoder(coding="code").fit(X).transform(X)
    np.testing.assert_array_equal(codes, np.stack([np.unique(X[:, j], return_inverse=True)[1] for j in (0, 1)], 1))


def test_the_most_frequent_levels_are_kept_as_by_scikit_learn():
    rng = np.random.default_rng(2)
    X = np.minimum(rng.geometric(0.15, 500), 30).astype(str).astype(object)[:, None]
    counts = pd.Series(X[:, 0]).value_counts()
    theirs = OneHotEncoder(max_categories=6, sparse_output=False, handle_unknown="infrequent_if_exist").fit(X)
    own = LevelEncoder(6, "indicator").fit(X)
    assert counts.iloc[4] > counts.iloc[5]  # no tie at the edge
    np.testing.assert_array_equal(own.transform(X), theirs.transform(X))


@pytest.mark.parametrize("kind", ["object", "category", "string"])
def test_the_container_of_the_text_does_not_matter(kind):
    values = pd.Series(["b", "a", None, "b", "c"])
    X = pd.DataFrame({"c": values.astype(kind)})
    found = LevelEncoder().fit(X)
    assert found.levels_[0].tolist() == ["(missing)", "a", "b", "c"]
    np.testing.assert_array_equal(found.transform(X), LevelEncoder().fit_transform(values.to_numpy(object)[:, None]))


def test_a_hundred_thousand_categories():
    frame = people(n=1000).assign(word=[f"w{i // 2}" for i in range(1000)], label=[f"row {i}" for i in range(1000)])
    table = prepare_table(frame, "income")
    assert "word" in table.categories and table.left_out == {"label": "identifier"}
    assert table.n_columns == 1 + 19 + 2 + 19
    n = 101_000
    many = pd.DataFrame({"x": np.arange(n) % 7 * 1.0, "word": [f"w{i % 100_000}" for i in range(n)]})
    table = prepare_table(many)
    assert table.left_out == {"word": "identifier"}  # 99 in 100 are different


def test_identifiers_are_left_out_by_name_with_one_note():
    frame = people().assign(
        row=np.arange(400) + 1,
        customer_id=np.random.default_rng(0).permutation(400) + 5000,
        name=[f"person {i}" for i in range(400)],
        number_of_children=np.arange(400) % 5,
        hash=[2**60 + 7 * i**2 for i in range(400)],
    )
    table = prepare_table(frame, "income")
    assert set(table.left_out) == {"row", "customer_id", "name", "hash"}
    assert "the columns left out: 'row', 'customer_id', 'name', 'hash' (name the rows)" in table.notes
    assert "number_of_children" in table.numbers


def test_dates_become_numbers_in_the_file_and_in_new_rows():
    days = pd.date_range("2023-12-30", periods=400, freq="D")
    frame = people().assign(when=days, text=days.strftime("%Y-%m-%d"), python=[day.date() for day in days])
    table = prepare_table(frame, "income")
    assert table.dates == ["when", "text", "python"]
    expected = [[day.year, day.month, day.weekday(), (day - datetime.datetime(1970, 1, 1)).days] for day in days]
    for name in table.dates:
        found = table.X[[f"{name} {part}" for part in ("year", "month", "weekday", "days")]]
        np.testing.assert_array_equal(found, expected)
    assert sum("read as year, month, weekday and days" in note for note in table.notes) == 1
    pd.testing.assert_frame_equal(
        TableReader.of(table).transform(frame.iloc[5:9]), table.X.iloc[5:9], check_categorical=False
    )


def test_new_rows_are_read_as_the_table_was():
    frame = people()
    frame["age"] = frame["age"].astype(str)
    table = prepare_table(frame, "income")
    fitted = pipeline_for(table, LogisticRegression()).fit(table.X, table.y)
    reader = TableReader.of(table)
    new = pd.DataFrame({"native-country": [None], "work": ["state"], "age": ["31"], "more": [1]})
    assert fitted.predict(reader.transform(new)).shape == (1,)
    with pytest.raises(InvalidData, match="no column 'work'"):
        reader.transform(new.drop(columns="work"))
    with pytest.raises(InvalidData, match="'age' holds text"):
        reader.transform(new.assign(age="old"))


def test_mixed_types_booleans_and_gaps():
    n = 40
    frame = pd.DataFrame(
        {
            "odd": [1, "a", True, None] * 10,
            "maybe": pd.array([True, False, None, True] * 10, dtype="boolean"),
            "whole": pd.array([1, 2, None, 4] * 10, dtype="Int64"),
            "huge": [10**30 + i for i in range(0, n * 10**28, 10**28)],
            "span": pd.to_timedelta(np.arange(n) % 7, unit="s"),
            "empty": [None] * n,
        }
    )
    table = prepare_table(frame)
    assert table.categories == ["odd"] and set(table.X["odd"]) == {"1", "a", "True", "(missing)"}
    assert table.numbers == ["maybe", "whole", "span"] and table.has_missing
    assert table.left_out == {"huge": "identifier", "empty": "empty"}
    np.testing.assert_array_equal(table.X["maybe"].iloc[:4], [1.0, 0.0, np.nan, 1.0])
    np.testing.assert_array_equal(table.X["span"], np.arange(n) % 7)


def test_a_column_without_a_value_in_the_training_part_keeps_its_place():
    frame = people(80)
    frame.loc[:59, "age"] = np.nan
    table = prepare_table(frame, "income")
    fitted = pipeline_for(table, LogisticRegression()).fit(table.X.iloc[:60], table.y[:60])
    assert np.isfinite(fitted.predict_proba(table.X)).all()


def test_notes_are_few():
    frame = people().assign(**{f"text {i}": people(seed=i)["work"] for i in range(12)})
    table = prepare_table(frame, "income")
    assert table.notes == [
        "14 columns of text are encoded as 45 columns; of 'native-country' "
        f"({frame['native-country'].nunique()} levels) the 19 most frequent levels of the training rows are kept"
    ]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.random.default_rng(0).integers(0, 300, 200), "that is a target of a regression, not of classes"),
        (np.linspace(0, 1, 200), "for other numbers take regressions"),
        (np.repeat(np.arange(1500), 2), "1500 classes, at most 1000 are taken"),
    ],
)
def test_a_target_of_a_regression_is_refused_by_classifications(y, words):
    with pytest.raises(InvalidData, match=words):
        labels_of(y, y.size)


def test_an_array_is_a_table_of_numbers():
    X = np.column_stack([np.arange(30.0), np.arange(30) % 2])
    table = table_of_array(X, "classification", np.arange(30) % 3)
    assert table.flags == [1] and table.n_columns == 2 and not table.has_missing
    frame = pd.DataFrame(X, columns=["a", "b"])
    for model in MODELS:
        one = pipeline_for(table, model).fit(X, table.y).predict_proba(X)
        other = pipeline_for(prepare_table(frame), model).fit(frame, table.y).predict_proba(frame)
        np.testing.assert_array_equal(one, other)


def test_a_prepared_model_can_be_kept_as_skops(tmp_path):
    from surefit.io import load, save

    table = prepare_table(people(100), "income")
    fitted = pipeline_for(table, LogisticRegression()).fit(table.X, table.y)
    again = load(save(fitted, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict_proba(table.X), fitted.predict_proba(table.X))
