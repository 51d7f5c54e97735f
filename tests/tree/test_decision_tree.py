"""Decision trees: against scikit-learn where nothing ties, and what scikit-learn's do not have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.tree
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.inspection import partial_dependence

from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit.solvers.growing.penalty_choice import FOLDS
from surefit.summaries.canonical import example_hashes
from surefit.summaries.holdout import fold_numbers
from surefit.tree import DecisionTreeClassifier, DecisionTreeRegressor

IRIS = load_iris()


def classes(seed=0, n=200, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) / 2, [-0.5, 0.5])


def numbers(seed=0, n=200, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) / 2


@pytest.mark.parametrize("settings", [{"max_depth": 3}, {"min_samples_leaf": 8}, {"max_leaf_nodes": 9}], ids=str)
@pytest.mark.parametrize("criterion", ["squared_error", "friedman_mse"])
@pytest.mark.filterwarnings("ignore:.*friedman_mse:FutureWarning")
def test_regression_as_scikit_learns(criterion, settings):
    X, y = numbers()
    settings = {"min_samples_leaf": 5, "criterion": criterion} | settings  # in tiny nodes columns tie
    ours = DecisionTreeRegressor(**settings).fit(X, y)
    theirs = sklearn.tree.DecisionTreeRegressor(random_state=0, **settings).fit(X, y)
    assert np.array_equal(ours.tree_.children_left, theirs.tree_.children_left)
    assert np.array_equal(ours.apply(X), theirs.apply(X))
    assert np.allclose(ours.predict(X), theirs.predict(X), rtol=1e-12, atol=1e-12)
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-9)
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classification_as_scikit_learns(criterion):
    X, y = classes()
    w = np.random.default_rng(1).random(len(y))  # so that no splits tie
    settings = {"criterion": criterion, "min_samples_leaf": 8, "class_weight": {0: 2.0, 2: 0.5}}
    ours = DecisionTreeClassifier(**settings).fit(X, y, sample_weight=w)
    theirs = sklearn.tree.DecisionTreeClassifier(random_state=0, **settings).fit(X, y, sample_weight=w)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12, atol=1e-15)
    with np.errstate(divide="ignore"):
        assert np.allclose(ours.predict_log_proba(X), np.log(theirs.predict_proba(X)))


def test_rows_are_not_rounded_to_single_precision():
    X = 1 + np.arange(8.0).reshape(-1, 1) * 1e-12
    y = np.arange(8) % 2
    assert DecisionTreeClassifier().fit(X, y).score(X, y) == 1.0
    assert sklearn.tree.DecisionTreeClassifier().fit(X, y).score(X, y) == 0.5


def test_several_outputs():
    X, y = classes()
    Y = np.column_stack([y, np.where(X[:, 3] > 0, 7, 5)])
    ours = DecisionTreeClassifier(max_depth=5).fit(X, Y)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, Y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert ours.n_classes_.tolist() == [3, 2] and ours.classes_[1].tolist() == [5, 7]
    for mine, other in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        assert np.allclose(mine, other, atol=1e-15)
    assert [part.shape for part in ours.predict_log_proba(X)] == [(200, 3), (200, 2)]


@pytest.mark.parametrize("k", [1, 2, 5, 9])
def test_pruned_to_a_number_of_leaves(k):
    X, y = load_diabetes(return_X_y=True)
    full = DecisionTreeRegressor(min_samples_leaf=3).fit(X, y)
    smaller = full.prune(n_leaves=k)
    assert smaller.get_n_leaves() <= k < full.get_n_leaves()
    again = DecisionTreeRegressor(min_samples_leaf=3, ccp_alpha=smaller.ccp_alpha).fit(X, y)
    assert np.array_equal(again.predict(X), smaller.predict(X))
    assert smaller.certify(X, y).holds


def test_prune_asks_for_one_thing():
    model = DecisionTreeRegressor().fit(*numbers())
    with pytest.raises(InvalidParameter, match="either"):
        model.prune()
    with pytest.raises(InvalidParameter, match="≥ 1"):
        model.prune(n_leaves=0)
    assert model.prune(ccp_alpha=1e9).get_n_leaves() == 1
    assert model.prune(n_leaves=10**6).get_n_leaves() == model.get_n_leaves()


def test_the_path_starts_with_the_full_tree():
    X, y = load_breast_cancer(return_X_y=True)
    path = DecisionTreeClassifier(ccp_alpha=0.5).cost_complexity_pruning_path(X, y)
    shares = np.bincount(y) / len(y)
    assert path.ccp_alphas[0] == 0 and path.impurities[0] == pytest.approx(0, abs=1e-12)
    assert path.impurities[-1] == pytest.approx(1 - (shares**2).sum())


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (DecisionTreeClassifier(ccp_alpha="cv"), classes(n=120)),
        (DecisionTreeRegressor(ccp_alpha="cv"), numbers(n=80)),
        (DecisionTreeRegressor(ccp_alpha="cv", criterion="absolute_error", max_depth=5), numbers(n=60)),
    ],
    ids=["classes", "numbers", "medians"],
)
def test_the_penalty_chosen_is_that_of_fits_without_each_fold(model, data):
    """scikit-learn's way: one fit for each fold and penalty."""
    X, y = data
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model.fit(X, y, sample_weight=w)
    by_class = hasattr(model, "classes_")
    folds = fold_numbers(
        example_hashes(X, y.reshape(-1, 1).astype(float)), y if by_class else np.zeros(len(y)), w, FOLDS
    )
    assert set(folds) == set(range(FOLDS))
    places = np.unique(np.linspace(0, len(model.ccp_alphas_) - 1, 6).astype(int))
    for place in places:
        alpha, wrong = model.ccp_alphas_[place] * (1 + 1e-9), 0.0
        for fold in range(FOLDS):
            out = folds == fold
            part = type(model)(criterion=model.criterion, max_depth=model.max_depth, ccp_alpha=alpha)
            answer = part.fit(X[~out], y[~out], sample_weight=w[~out]).predict(X[out])
            size = np.abs(answer - y[out])
            loss = size != 0 if by_class else size if model.criterion == "absolute_error" else size**2
            wrong += w[out] @ loss
        score = 1 - wrong / w.sum() if by_class else -wrong / w.sum()
        assert model.cv_scores_[place] == pytest.approx(score, rel=1e-9)
    chosen = np.flatnonzero(model.ccp_alphas_ == model.ccp_alpha_)
    assert model.cv_scores_[chosen[0]] == pytest.approx(model.cv_scores_.max(), rel=1e-9)


@pytest.mark.parametrize("settings", [{"ccp_alpha": "cv"}, {"class_weight": "balanced", "max_depth": 4}], ids=str)
def test_a_weight_of_two_is_a_row_repeated(settings):
    X, y = classes()
    w = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = DecisionTreeClassifier(**settings).fit(X, y, sample_weight=w)
    order = np.random.default_rng(2).permutation(w.sum())
    repeated = DecisionTreeClassifier(**settings).fit(np.repeat(X, w, axis=0)[order], np.repeat(y, w)[order])
    assert np.array_equal(weighted.tree_.threshold, repeated.tree_.threshold)
    assert np.allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-14)


def test_seeds():
    X, y = numbers(d=6)
    plain = DecisionTreeRegressor(random_state=3).fit(X, y)
    assert not hasattr(plain, "seed_")
    drawn = [DecisionTreeRegressor(max_features=2, random_state=s).fit(X, y) for s in (None, 0, 1)]
    assert [model.seed_ for model in drawn] == [0, 0, 1]
    assert np.array_equal(drawn[0].tree_.threshold, drawn[1].tree_.threshold)
    assert not np.array_equal(drawn[0].tree_.threshold, drawn[2].tree_.threshold)
    stream = np.random.default_rng(0)
    seeds = {DecisionTreeRegressor(splitter="random", random_state=stream).fit(X, y).seed_ for _ in range(3)}
    assert len(seeds) == 3


@pytest.mark.parametrize("sign", [1, -1])
def test_monotonic(sign):
    X, y = numbers(n=300)
    rows = np.tile(X[:50], (2, 1))
    rows[50:, 0] += 1
    regressor = DecisionTreeRegressor(monotonic_cst=[sign, 0, 0, 0]).fit(X, y)
    classifier = DecisionTreeClassifier(monotonic_cst=[sign, 0, 0, 0]).fit(X, y > 0)
    for answer in (regressor.predict(rows), classifier.predict_proba(rows)[:, 1]):
        assert (sign * (answer[50:] - answer[:50]) >= 0).all()
        assert (answer[50:] != answer[:50]).any()


def test_monotonic_needs_one_number_for_each_column():
    X, y = numbers()
    with pytest.raises(InvalidData, match="4 features"):
        DecisionTreeRegressor(monotonic_cst=[1]).fit(X, y)
    with pytest.raises(InvalidParameter, match="-1, 0 or 1"):
        DecisionTreeRegressor(monotonic_cst=[2, 0, 0, 0]).fit(X, y)
    with pytest.raises(InvalidData, match="multiclass"):
        DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0]).fit(*classes())


def colors(n=120):
    rng = np.random.default_rng(0)
    color = rng.choice(["red", "green", "blue", "grey"], n)
    size = rng.normal(size=n)
    y = np.where(np.isin(color, ["red", "grey"]), 5.0, 0.0) + size
    return pd.DataFrame({"color": color, "size": size}), y


def test_codes_that_no_row_has_go_where_missing_values_go():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (200, 1)) * 2.0
    model = DecisionTreeRegressor(categorical_features=[0], max_depth=3).fit(X, np.sin(X[:, 0]))
    assert model.tree_.missing_go_to_left[model.tree_.category_row >= 0].any()
    assert len(set(model.predict([[1.0], [17.0], [99.0], [255.0], [np.nan]]).tolist())) == 1


@pytest.mark.parametrize("kind", ["pandas texts", "pandas categories", "polars", "numbers"])
def test_categories(kind):
    frame, y = colors()
    places = np.searchsorted(["blue", "green", "grey", "red"], frame["color"])
    X, wanted = frame, ["color"]
    if kind == "pandas categories":
        X, wanted = frame.astype({"color": "category"}), "from_dtype"
    if kind == "polars":
        X = pl.from_pandas(frame)
    if kind == "numbers":
        X, wanted = np.column_stack([places, frame["size"]]), [0]
    model = DecisionTreeRegressor(categorical_features=wanted, max_depth=1).fit(X, y)
    assert model.is_categorical_.tolist() == [True, False]
    low = [y[np.isin(places, [0, 1])].mean(), y[np.isin(places, [2, 3])].mean()]
    assert np.allclose(model.predict(X), np.where(places >= 2, low[1], low[0]))
    if kind != "numbers":
        assert "color in {blue, green}" in model.export_text()


def test_a_category_not_seen_is_missing():
    frame, y = colors()
    model = DecisionTreeRegressor(categorical_features=["color"], max_depth=1).fit(frame, y)
    strange = pd.DataFrame({"color": ["violet", None], "size": [0.0, 0.0]})
    assert len(set(model.predict(strange))) == 1


@pytest.mark.parametrize(
    ("wanted", "words"), [([5], "columns 0"), (["shape"], "no column"), ([True], "shape"), ("all", "from_dtype")]
)
def test_categories_that_are_not_there(wanted, words):
    with pytest.raises(ValueError, match=words):
        DecisionTreeRegressor(categorical_features=wanted).fit(*colors())


def test_text_and_rules():
    model = DecisionTreeClassifier(max_depth=2).fit(IRIS.data, IRIS.target)
    rules = model.rules(feature_names=IRIS.feature_names, class_names=IRIS.target_names)
    assert rules[0] == "if petal length (cm) ≤ 2.45 then setosa (50 rows, 100 %)"
    assert len(rules) == model.get_n_leaves()
    deep = DecisionTreeClassifier().fit(IRIS.data, IRIS.target)
    assert len(deep.export_text().splitlines()) == deep.tree_.node_count - 1
    assert all(line.count("x2 ≤") <= 1 and line.count("x2 >") <= 1 for line in deep.rules())
    assert DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "a"]).rules() == ["a (2 rows, 100 %)"]
    with pytest.raises(InvalidData, match="4 names"):
        model.export_text(feature_names=["a"])


def test_scikit_learns_views_take_it():
    pytest.importorskip("matplotlib").use("Agg")
    model = DecisionTreeClassifier(max_depth=2).fit(IRIS.data, IRIS.target)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(IRIS.data, IRIS.target)
    same = np.array_equal(model.tree_.feature, theirs.tree_.feature)
    assert sklearn.tree.export_graphviz(model, out_file=None).count("->") == 4
    assert (sklearn.tree.export_text(model) == sklearn.tree.export_text(theirs)) == same
    assert len(sklearn.tree.plot_tree(model)) >= model.tree_.node_count


@pytest.mark.parametrize("features", [(0,), (1, 2)])
def test_partial_dependence_as_scikit_learns(features):
    X, y = numbers()
    ours, theirs = DecisionTreeRegressor(max_depth=4), sklearn.tree.DecisionTreeRegressor(max_depth=4, random_state=0)
    mine, other = (partial_dependence(m.fit(X, y), X, features, grid_resolution=7)["average"] for m in (ours, theirs))
    assert np.allclose(mine, other, rtol=1e-6)


def test_rows_must_be_in_memory():
    with pytest.raises(CannotStream, match="HistGradientBoosting"):
        DecisionTreeClassifier().fit("rows.parquet", "y")


def test_answers_from_files_and_dask(tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    frame.to_parquet(tmp_path / "rows.parquet")
    lazy = dd.from_pandas(frame, npartitions=3)
    labels = np.where(frame["a"] > 0, "yes", "no")
    models = (DecisionTreeClassifier(max_depth=3).fit(frame, labels), DecisionTreeRegressor().fit(frame, frame["b"]))
    for model in models:
        for method in [name for name in ("predict", "predict_proba", "apply") if hasattr(model, name)]:
            expected = getattr(model, method)(frame)
            np.testing.assert_array_equal(getattr(model, method)(str(tmp_path / "rows.parquet")), expected)
            answers = getattr(model, method)(lazy)
            assert hasattr(answers, "__dask_graph__")
            np.testing.assert_array_equal(answers.compute(), expected)
        with pytest.raises(CannotStream, match="needs its rows in memory"):
            model.decision_path(lazy)
