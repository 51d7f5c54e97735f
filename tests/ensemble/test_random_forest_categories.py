"""Forests on columns of categories: sets against all sets there are, frames, weights, files, values never seen."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.ensemble import RandomForestClassifier, RandomForestRegressor
from surefit.solvers.growing.forest import BinnedExamples, TreeRules, grow_binned
from surefit.solvers.growing.tree import NO_CHILD
from surefit.summaries.bins import Bins
from tests.reference.forest import weighted_impurity

ARRAYS = ("children_left", "feature", "threshold", "missing_go_to_left", "value", "n_node_samples", "categories")
SETTINGS = {"n_estimators": 4, "random_state": 0, "categorical_features": [1, 2]}


def same_trees(one, other, arrays=ARRAYS) -> None:
    for left, right in zip(one.estimators_, other.estimators_, strict=True):
        for name in arrays:
            np.testing.assert_array_equal(getattr(left.tree_, name), getattr(right.tree_, name))


def table(n: int = 300, seed: int = 0, n_classes: int = 0):
    """A number, a category of 7, one of 30, missing values, weights."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 7, n), rng.integers(0, 30, n)])
    signal = X[:, 0] + 2 * rng.normal(size=30)[X[:, 2].astype(int)] + np.where(np.isin(X[:, 1], [1, 4, 6]), 2.0, 0.0)
    X[rng.random(n) < 0.05, 1] = np.nan
    y = signal + rng.normal(0, 0.3, n)
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    return X, y, rng.integers(0, 4, n).astype(float)


@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [("squared_error", 0), ("poisson", 0), ("gini", 2), ("entropy", 2), ("gini", 4), ("entropy", 3)],
)
@pytest.mark.parametrize("missing", [False, True])
def test_the_set_is_the_best_of_all_sets(criterion, n_classes, missing):
    """Every way to part up to seven categories (and what is missing) is tried."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 7, 60)
        y = rng.integers(0, n_classes, 60) if n_classes else rng.gamma(1.0 + codes % 3)
        bins = np.where(rng.random(60) < 0.15, 255, codes).astype(np.uint8)[:, None] if missing else codes[:, None]
        examples = BinnedExamples(bins.astype(np.uint8), Bins([np.empty(0)], np.array([True])), y, n_classes)
        counts = rng.integers(0, 3, (1, 60)).astype(np.int32)
        (tree,), _ = grow_binned(examples, TreeRules(criterion, 1, max_depth=1), [seed], counts)
        w, column = counts[0].astype(float), bins[:, 0]

        def decrease(left, y=y, w=w):
            parts = [
                weighted_impurity(y[s], w[s], criterion, n_classes) for s in (w > 0, left & (w > 0), ~left & (w > 0))
            ]
            return parts[0] - parts[1] - parts[2]

        there = np.unique(column[w > 0])
        sides = [s for r in range(1, len(there)) for s in combinations(there.tolist(), r)]
        best = max(decrease(np.isin(column, s)) for s in sides)
        word = tree.categories[tree.category_row[0]][0]
        left = ((int(word) >> np.minimum(column, 63).astype(int)) & 1 == 1) & (column != 255)
        left |= (column == 255) & bool(tree.missing_go_to_left[0])
        assert decrease(left) == pytest.approx(best, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_bins_and_exact_trees_find_the_same_sets(n_classes):
    X, y, w = table(n_classes=n_classes)
    forest = RandomForestClassifier if n_classes else RandomForestRegressor
    binned = forest(**SETTINGS).fit(X, y, w)
    exact = forest(**SETTINGS, max_bins=None).fit(X, y, w)
    assert sum((m.tree_.category_row >= 0).sum() for m in binned.estimators_) > 20
    same_trees(binned, exact, ("children_left", "feature", "categories", "missing_go_to_left", "n_node_samples"))


@pytest.mark.parametrize("settings", [{}, {"max_bins": None}, {"min_samples_leaf": 4}, {"bootstrap": False}])
def test_weights_are_repetitions_and_order_does_not_matter(settings):
    for forest, n_classes in ((RandomForestClassifier, 3), (RandomForestRegressor, 0)):
        X, y, w = table(n_classes=n_classes)
        rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), w.astype(int)))
        weighted = forest(**SETTINGS, **settings).fit(X, y, w)
        same_trees(weighted, forest(**SETTINGS, **settings).fit(X[rows], y[rows]))


def frames():
    X, y, _ = table(n_classes=2)
    pd = pytest.importorskip("pandas")
    words = np.array(list("gfedcba"))
    kind = np.where(np.isnan(X[:, 1]), None, words[np.nan_to_num(X[:, 1]).astype(int)])
    frame = pd.DataFrame({"a": X[:, 0], "kind": kind, "place": X[:, 2]})
    return X, y, frame, words


@pytest.mark.parametrize("max_bins", [255, None])
def test_frames_and_numbers_give_the_same_trees(max_bins):
    X, y, frame, words = frames()
    sorted_codes = X.copy()
    sorted_codes[:, 1] = 6 - X[:, 1]  # the places of the letters among the sorted ones
    numbers = RandomForestClassifier(**SETTINGS, max_bins=max_bins).fit(sorted_codes, y)
    settings = {**SETTINGS, "max_bins": max_bins}
    declared = frame.astype({"kind": "category", "place": "category"})
    polars = pytest.importorskip("polars")
    by_name = {**settings, "categorical_features": ["kind", "place"]}
    models = [
        RandomForestClassifier(**{**settings, "categorical_features": "from_dtype"}).fit(declared, y),
        RandomForestClassifier(**by_name).fit(frame, y),
        RandomForestClassifier(**by_name).fit(polars.from_pandas(frame), y),
    ]
    for model, rows in zip(models, (declared, frame, polars.from_pandas(frame)), strict=True):
        same_trees(numbers, model)
        assert model.is_categorical_.tolist() == [False, True, True] and model.categories_[0] is None
        np.testing.assert_array_equal(model.categories_[1], np.sort(words))
        assert model.feature_names_in_.tolist() == ["a", "kind", "place"]
        np.testing.assert_array_equal(model.predict_proba(rows), numbers.predict_proba(sorted_codes))
        np.testing.assert_array_equal(model.apply(rows), numbers.apply(sorted_codes))


@pytest.mark.parametrize("max_bins", [255, None])
def test_categories_not_seen_go_where_missing_values_go(max_bins):
    X, y, _ = table(n_classes=2)
    X = X[X[:, 2] != 11], y[X[:, 2] != 11]
    model = RandomForestClassifier(**SETTINGS, max_bins=max_bins).fit(*X)
    ask = np.repeat(X[0][:50], 5, axis=0)
    ask[:, 2] = np.tile([np.nan, 11, 200, 1e6, -3], 50)
    answers = model.predict_proba(ask).reshape(50, 5, 2)
    np.testing.assert_array_equal(answers, np.repeat(answers[:, :1], 5, axis=1))
    for member in model.estimators_:  # a tree alone says the same
        leaves = member.apply(ask[:, :]).reshape(50, 5)[:, :4]
        np.testing.assert_array_equal(leaves, np.repeat(leaves[:, :1], 4, axis=1))


def test_parquet_and_dask_give_the_same_bits(tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y, w = table(1500)
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y, w=w)
    frame.iloc[:900].to_parquet(tmp_path / "0.parquet")
    frame.iloc[900:].to_parquet(tmp_path / "1.parquet")
    settings = {**SETTINGS, "n_estimators": 2, "categorical_features": ["b", "c"], "max_depth": 6}
    memory = RandomForestRegressor(**settings).fit(frame[list("abc")], frame.y, frame.w)
    for other in (str(tmp_path), dd.read_parquet(tmp_path)):
        model = RandomForestRegressor(**settings).fit(other, "y", "w")
        same_trees(memory, model)
        assert model.is_categorical_.tolist() == [False, True, True] and model.categories_ is None
        assert model.certify(frame[list("abc")], frame.y, frame.w).holds


def test_out_of_bag_rows_walk_by_sets():
    X, y, _ = table(n_classes=2)
    model = RandomForestClassifier(30, random_state=0, categorical_features=[1, 2], oob_score=True).fit(X, y)
    votes, n_trees = np.zeros((len(y), 2)), np.zeros(len(y))
    for member, drawn in zip(model.estimators_, model.estimators_samples_, strict=True):
        outside = np.setdiff1d(np.arange(len(y)), drawn)
        votes[outside] += member.tree_.predict(X[outside])
        n_trees[outside] += 1
    np.testing.assert_allclose(model.oob_decision_function_, votes / n_trees[:, None], atol=1e-15)


def test_sets_split_what_thresholds_cannot():
    """Even and odd codes: one set does it, thresholds need a leaf for every code."""
    codes = np.arange(2000) % 20
    y = (codes % 2).astype(float)
    by_sets = RandomForestRegressor(5, random_state=0, categorical_features=[0]).fit(codes[:, None], y)
    assert by_sets.score(codes[:, None], y) == 1.0
    assert max(np.count_nonzero(m.tree_.children_left == NO_CHILD) for m in by_sets.estimators_) == 2


def test_what_is_refused():
    X, y, _ = table(n_classes=2)
    many = np.column_stack([np.arange(300.0), X[:, 1]])
    with pytest.raises(InvalidData, match="cardinality of 300"):
        RandomForestClassifier(categorical_features=[0]).fit(many, y)
    with pytest.raises(InvalidParameter, match="in \\[0, n_features - 1\\]"):
        RandomForestClassifier(categorical_features=[7]).fit(X, y)
    with pytest.raises(InvalidParameter, match="monotonic"):
        RandomForestClassifier(categorical_features=[1], monotonic_cst=[0, 1, 0]).fit(X, y)
    model = RandomForestClassifier(2, categorical_features=[1, 2], random_state=0, warm_start=True).fit(X, y)
    with pytest.raises(InvalidData, match="other categories"):
        model.set_params(n_estimators=4).fit(X[X[:, 2] < 29], y[X[:, 2] < 29])
    with pytest.raises(InvalidData, match="infinity"):
        model.predict(np.array([[np.inf, 1.0, 2.0]]))
