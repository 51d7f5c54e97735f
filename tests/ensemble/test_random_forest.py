"""Random forests: against scikit-learn's, their definition, and themselves from other sources."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_friedman1
from sklearn.ensemble import RandomForestClassifier as ScikitClassifier
from sklearn.ensemble import RandomForestRegressor as ScikitRegressor
from sklearn.inspection import permutation_importance
from sklearn.metrics import balanced_accuracy_score, r2_score

from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit.ensemble.forests.random_forest import feature_count, sample_count
from surefit.ensemble.forests.random_forest_classifier import RandomForestClassifier
from surefit.ensemble.forests.random_forest_regressor import RandomForestRegressor
from surefit.summaries.resample import bootstrap_counts, distinct_examples, member_seeds

ARRAYS = ("children_left", "feature", "threshold", "missing_go_to_left", "value", "impurity", "n_node_samples")


def same_trees(one, other, arrays=ARRAYS) -> None:
    for left, right in zip(one.estimators_, other.estimators_, strict=True):
        for name in arrays:
            np.testing.assert_array_equal(getattr(left.tree_, name), getattr(right.tree_, name))


def table(n: int = 400, seed: int = 0):
    """Numbers, repeated values, missing ones, repeated rows, weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 1] = X[:, 1].round()
    X[rng.random(X.shape) < 0.05] = np.nan
    X[: n // 10] = X[n // 10 : 2 * (n // 10)]
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) + rng.normal(0, 0.5, n) > 0).astype(int)
    y[: n // 10] = y[n // 10 : 2 * (n // 10)]
    return X, y, rng.integers(0, 4, n).astype(float)


@pytest.mark.parametrize(("load", "noise"), [(load_iris, 0.03), (load_wine, 0.03), (load_breast_cancer, 0.02)])
def test_accuracy_out_of_bag_is_that_of_scikit_learn(load, noise):
    X, y = load(return_X_y=True)
    ours = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    theirs = ScikitClassifier(60, oob_score=True, random_state=0).fit(X, y)
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=noise)
    assert ours.score(X, y) > 0.99


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_regression_out_of_bag_is_that_of_scikit_learn(criterion):
    X, y = make_friedman1(400, noise=1.0, random_state=0)
    settings = {"criterion": criterion, "max_features": 0.5, "oob_score": True, "random_state": 0}
    ours = RandomForestRegressor(50, **settings).fit(X, y)
    theirs = ScikitRegressor(50, **settings).fit(X, y)
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=0.04)
    assert ours.oob_score_ == pytest.approx(r2_score(y, ours.oob_prediction_))


def test_bags_are_drawn_from_the_seeds():
    X, y, w = table()
    model = RandomForestClassifier(5, random_state=7, max_samples=0.6).fit(X, y, w)
    examples = distinct_examples(X, y, w)
    np.testing.assert_array_equal([m.random_state for m in model.estimators_], member_seeds(7, 5))
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        counts = bootstrap_counts(member.random_state, examples.weights, round(0.6 * w.sum()))
        assert len(rows) == round(0.6 * w.sum()) and w[rows].min() > 0
        np.testing.assert_array_equal(np.bincount(examples.places()[rows], minlength=len(counts)), counts)
        assert member.tree_.weighted_n_node_samples[0] == counts.sum()


@pytest.mark.parametrize("max_bins", [255, None])
def test_rows_out_of_the_bag_are_judged_by_the_other_trees(max_bins):
    X, y, w = table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RandomForestClassifier(6, random_state=1, oob_score=True, max_bins=max_bins).fit(X, y, w)
    examples = distinct_examples(X, y, w)
    total, n_trees = np.zeros((len(y), 2)), np.zeros(len(y))
    for member in model.estimators_:
        counts = bootstrap_counts(member.random_state, examples.weights, round(w.sum()))
        outside = ~examples.in_bag(counts)
        total[outside] += member.tree_.predict(X[outside])
        n_trees += outside
    known = n_trees > 0
    assert 0 < (~known).sum() < 200 and np.isnan(model.oob_decision_function_[~known]).all()
    shares = total[known] / n_trees[known, None]
    np.testing.assert_allclose(model.oob_decision_function_[known], shares, atol=1e-15)
    assert model.oob_score_ == pytest.approx(np.average(shares.argmax(axis=1) == y[known], weights=w[known]))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_bins": None},
        {"min_samples_leaf": 5, "criterion": "entropy"},
        {"min_samples_leaf": 0.02, "min_samples_split": 0.1},
        {"bootstrap": False},
        {"class_weight": "balanced"},
        {"class_weight": "balanced_subsample", "max_samples": 0.5},
        {"class_weight": {0: 1, 1: 3}, "max_bins": 16},
    ],
)
def test_weights_are_repetitions_and_order_does_not_matter(settings):
    X, y, w = table()
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), w.astype(int)))
    weighted = RandomForestClassifier(4, random_state=3, **settings).fit(X, y, w)
    repeated = RandomForestClassifier(4, random_state=3, **settings).fit(X[rows], y[rows])
    same_trees(weighted, repeated)
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_classes_of_equal_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] + rng.normal(size=600) > 2).astype(int)
    scores = {}
    for name in (None, "balanced", "balanced_subsample"):
        model = RandomForestClassifier(30, class_weight=name, min_samples_leaf=10, random_state=0).fit(X[:400], y[:400])
        scores[name] = balanced_accuracy_score(y[400:], model.predict(X[400:]))
        if name == "balanced_subsample":
            shares = np.array([member.tree_.value[0, 0] for member in model.estimators_])
            np.testing.assert_allclose(shares, 0.5, atol=1e-12)
    assert min(scores["balanced"], scores["balanced_subsample"]) > scores[None] + 0.05


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_parquet_and_dask_give_the_same_bits(forest, tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y, w = table(3000)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y.astype(float), w=w)
    for part in range(3):
        frame.iloc[part * 1000 : (part + 1) * 1000].to_parquet(tmp_path / f"{part}.parquet")
    settings = {"n_estimators": 3, "random_state": 0, "oob_score": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory = forest(**settings).fit(frame[list("abcde")], frame.y, frame.w)
        parquet = forest(**settings, n_jobs=1).fit(str(tmp_path), "y", "w")
        dask = forest(**settings).fit(dd.read_parquet(tmp_path), "y", "w")
    for other in (parquet, dask):
        same_trees(memory, other)
        assert other.oob_score_ == memory.oob_score_
    np.testing.assert_array_equal(memory.predict(frame[list("abcde")]), parquet.predict(str(tmp_path / "*.parquet")))
    with pytest.raises(CannotStream, match="max_bins=255"):
        forest(max_bins=None).fit(str(tmp_path), "y", "w")


def test_bins_beyond_memory_are_kept_in_a_file(tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    X, y, _ = table(2000)
    pd.DataFrame(X, columns=list("abcde")).assign(y=y).to_parquet(tmp_path / "rows.parquet")
    usual = RandomForestClassifier(2, random_state=0).fit(str(tmp_path), "y")
    monkeypatch.setattr("surefit.ensemble.forests.random_forest_examples.available_bytes", lambda: 1)
    same_trees(usual, RandomForestClassifier(2, random_state=0).fit(str(tmp_path), "y"))


def test_sparse_rows_and_any_number_of_threads():
    X, y, _ = table()
    X = np.where(X > 0, X, 0.0)
    dense = RandomForestClassifier(4, random_state=0).fit(X, y)
    for csr in (sp.csr_matrix(X), sp.csc_array(X)):
        sparse = RandomForestClassifier(4, random_state=0, n_jobs=1).fit(csr, y)
        same_trees(dense, sparse)
        np.testing.assert_array_equal(sparse.predict_proba(csr.tocsr()), dense.predict_proba(X))
        np.testing.assert_array_equal(sparse.apply(csr.tocsr()), dense.apply(X))


def test_exact_thresholds_and_bins_agree_on_few_distinct_values():
    """Where a column has no more values than bins the splits are the same; thresholds lie between the same values."""
    X, y, _ = table(200)
    binned = RandomForestClassifier(3, random_state=0).fit(X, y)
    exact = RandomForestClassifier(3, random_state=0, max_bins=None).fit(X, y)
    same_trees(binned, exact, ("children_left", "feature", "value"))
    for t, rows in enumerate(binned.estimators_samples_):
        np.testing.assert_array_equal(binned.apply(X[rows])[:, t], exact.apply(X[rows])[:, t])
    assert exact.bin_thresholds_ is None
    for member in binned.estimators_:
        tree = member.tree_
        for j, t in zip(tree.feature, tree.threshold, strict=True):
            assert j < 0 or t == np.inf or t in binned.bin_thresholds_[j]


@pytest.mark.parametrize("settings", [{"max_leaf_nodes": 12}, {"monotonic_cst": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]}])
def test_what_bins_do_not_offer_is_grown_by_exact_thresholds(settings):
    X, y = make_friedman1(200, noise=0.5, random_state=1)
    ours = RandomForestRegressor(15, random_state=0, max_features=0.5, **settings).fit(X, y)
    theirs = ScikitRegressor(15, random_state=0, max_features=0.5, **settings).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.05)
    if "max_leaf_nodes" in settings:
        assert max(member.tree_.n_leaves for member in ours.estimators_) == 12
    else:
        lower, upper = X.copy(), X.copy()
        lower[:, 0], upper[:, 0] = 0.2, 0.8
        assert (ours.predict(upper) >= ours.predict(lower) - 1e-12).all()


def test_several_outputs():
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, 100 * X[:, 2]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RandomForestRegressor(10, oob_score=True, random_state=0).fit(X[:200], Y[:200])
    assert model.predict(X).shape == Y.shape and model.oob_prediction_.shape == (200, 2)
    labels = np.column_stack([np.where(y > 140, "high", "low"), np.digitize(X[:, 2], [-0.05, 0, 0.05]).astype(str)])
    many = RandomForestClassifier(10, random_state=0).fit(X[:200], labels[:200])
    shares = many.predict_proba(X)
    assert [s.shape[1] for s in shares] == [2, 4]
    np.testing.assert_array_equal(many.predict(X)[:, 1], many.classes_[1][shares[1].argmax(axis=1)])
    np.testing.assert_allclose(shares[1].sum(axis=1), 1)


def test_trees_are_added_by_warm_start():
    X, y, _ = table()
    at_once = RandomForestClassifier(8, random_state=5, oob_score=True).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grown = RandomForestClassifier(3, random_state=5, oob_score=True, warm_start=True).fit(X, y)
        grown.set_params(n_estimators=8).fit(X, y)
    same_trees(at_once, grown)
    np.testing.assert_allclose(grown.oob_decision_function_, at_once.oob_decision_function_, atol=1e-15)
    with pytest.raises(InvalidData, match="n_estimators=2 must be larger"):
        grown.set_params(n_estimators=2).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        grown.set_params(n_estimators=8).fit(X, y)


def test_pruned_trees_are_smaller():
    X, y, _ = table()
    full = RandomForestClassifier(4, random_state=0).fit(X, y)
    pruned = RandomForestClassifier(4, random_state=0, ccp_alpha=0.01).fit(X, y)
    for before, after in zip(full.estimators_, pruned.estimators_, strict=True):
        assert 1 < after.tree_.node_count < before.tree_.node_count / 2


def test_importances_paths_and_leaves():
    X, y, _ = table()
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert set(np.argsort(model.feature_importances_)[-2:]) == {0, 1}
    found = permutation_importance(model, X, y, n_repeats=2, random_state=0)
    assert set(np.argsort(found.importances_mean)[-2:]) == {0, 1}
    paths, ends = model.decision_path(X)
    leaves = model.apply(X)
    assert leaves.shape == (len(y), 20) and ends[-1] == paths.shape[1]
    for t in range(20):
        assert (paths[np.arange(len(y)), ends[t] + leaves[:, t]] == 1).all()


def test_missing_values_find_their_side():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    X[rng.random(500) < 0.3, 0] = np.nan
    y = np.isnan(X[:, 0]).astype(int)
    model = RandomForestClassifier(10, random_state=0, max_features=None).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) == 1.0


def test_pickles_hold_no_rows_and_answer_alike():
    X, y = make_friedman1(2000, random_state=0)
    model = RandomForestRegressor(5, random_state=0, min_samples_leaf=50).fit(X, y)
    data = pickle.dumps(model)
    assert len(data) < X.nbytes / 3
    np.testing.assert_array_equal(pickle.loads(data).predict(X), model.predict(X))


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_estimators": 0},
        {"max_features": "third"},
        {"max_features": 0.0},
        {"min_samples_leaf": 0},
        {"min_samples_split": 1},
        {"max_samples": 0.0},
        {"max_bins": 256},
        {"bootstrap": False, "oob_score": True},
        {"bootstrap": False, "max_samples": 0.5},
    ],
)
def test_wrong_parameters_are_refused(wrong):
    X, y, _ = table(50)
    with pytest.raises(InvalidParameter):
        RandomForestClassifier(**wrong).fit(X, y)


def test_wrong_targets_are_refused():
    X, y, _ = table(50)
    with pytest.raises(InvalidData, match="negative"):
        RandomForestRegressor(criterion="poisson").fit(X, y - 1.0)
    with pytest.raises(InvalidData, match="strictly positive"):
        RandomForestRegressor(criterion="poisson").fit(X, np.zeros(50))
    with pytest.raises(InvalidData, match="inconsistent"):
        RandomForestClassifier().fit(X, y[:-1])


def test_counts_of_features_and_rows():
    assert [feature_count(m, 20) for m in ("sqrt", "log2", None, 3, 50, 0.5, 0.01)] == [4, 4, 20, 3, 20, 10, 1]
    assert [sample_count(a, 100, least=2) for a in (2, 7, 0.001, 0.055)] == [2, 7, 2, 6]


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 10), (2, 20)])
def test_verbose_tells_how_far_it_is(capsys, verbose, lines):
    RandomForestRegressor(20, verbose=verbose, random_state=0).fit(np.arange(30.0)[:, None], np.arange(30.0))
    told = capsys.readouterr().out.splitlines()
    assert len(told) == lines
    assert told[-1:] == (["building tree 20 of 20"] if lines else [])
