"""LinearSVC: liblinear's minimum, proved gaps, weights as repetition, every source, and the words it uses."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

import surefit
from surefit._core.errors import CannotStream, InvalidParameter
from surefit.svm.linear_svc import LinearSVC
from tests.reference.linear_svm import objective

OPTIONS = [
    {},
    {"loss": "hinge"},
    {"penalty": "l1"},
    {"C": 0.01, "intercept_scaling": 10.0},
    {"loss": "hinge", "fit_intercept": False},
    {"class_weight": "balanced", "C": 10.0},
]
every_option = pytest.mark.parametrize("options", OPTIONS, ids=str)


def data(n=200, d=5, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + rng.normal(size=d)
    Z = X @ (rng.normal(size=(d, classes)) / np.arange(1, d + 1)[:, None])
    return X, (Z + 2.0 * rng.gumbel(size=Z.shape)).argmax(axis=1), rng.integers(0, 4, n).astype(np.float64)


def wide():
    X = sp.random_array((150, 3000), density=0.02, rng=np.random.default_rng(0), format="csr")
    return X, (np.asarray(X[:, :50].sum(axis=1)).ravel() > X[:, :50].sum() / 150).astype(int)


def liblinear(X, y, w=None, **options):
    """scikit-learn's class, run to a tiny tolerance (with 1e-12 its L1 solver ends 3 % above the minimum of `wide`)."""
    dual = options.get("loss") == "hinge"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return sklearn.svm.LinearSVC(dual=dual, tol=1e-9, max_iter=200_000, random_state=0, **options).fit(X, y, w)


class TestMinimum:
    @every_option
    @pytest.mark.parametrize("classes", [2, 3])
    def test_liblinear_agrees(self, options, classes):
        X, y, w = data(classes=classes)
        X = (X - X.mean(axis=0)) / X.std(axis=0)  # else liblinear's hinge is 0.4 % above after 200,000 epochs
        mine, theirs = LinearSVC(**options).fit(X, y, w), liblinear(X, y, w, **options)
        assert mine.rel_gap_ <= 1e-6
        size = np.abs(theirs.coef_).max()
        np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=2e-6 * size)
        np.testing.assert_allclose(mine.intercept_, theirs.intercept_, atol=2e-5 * size)
        np.testing.assert_allclose(mine.decision_function(X), theirs.decision_function(X), atol=1e-4 * size)

    @pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
    @pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
    def test_raw_columns_are_no_obstacle(self, load, loss):
        """No warning, and never above scikit-learn's objective, class by class."""
        X, y = load(return_X_y=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            mine = LinearSVC(loss=loss).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            theirs = sklearn.svm.LinearSVC(loss=loss, random_state=0).fit(X, y)
        for k, (w, b, v, a) in enumerate(
            zip(mine.coef_, mine.intercept_, theirs.coef_, theirs.intercept_, strict=True)
        ):
            sign = np.where(y == (1 if len(mine.coef_) == 1 else k), 1.0, -1.0)
            ones = np.ones(len(y))
            at_mine, at_theirs = objective(X, sign, ones, w, b, 1.0, loss), objective(X, sign, ones, v, a, 1.0, loss)
            assert at_mine <= at_theirs * (1 + 1e-6)

    def test_class_weights_of_many_classes_are_liblinears(self):
        X, y, w = data(classes=3)
        weights = {0: 3.0, 2: 0.2}
        mine, theirs = LinearSVC(class_weight=weights).fit(X, y, w), liblinear(X, y, w, class_weight=weights)
        np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-6)

    def test_seed_and_dual_change_nothing(self):
        X, y, _ = data()
        first = LinearSVC(loss="squared_hinge", dual=True, random_state=0).fit(X, y)
        second = LinearSVC(loss="squared_hinge", dual=False, random_state=7).fit(X, y)
        assert first.coef_.tobytes() == second.coef_.tobytes()

    def test_crammer_singer(self):
        X, y, w = data(classes=3)
        mine = LinearSVC(multi_class="crammer_singer", C=0.1).fit(X, y, w)
        assert mine.rel_gap_ <= 1e-6 and mine.coef_.shape == (3, 5)
        theirs = sklearn.svm.LinearSVC(
            multi_class="crammer_singer", C=0.1, tol=1e-8, max_iter=10**6, random_state=0
        ).fit(X, y, w)
        np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=3e-3 * np.abs(theirs.coef_).max())

    def test_crammer_singer_of_two_classes_is_one_row(self):
        X, y, _ = data()
        model = LinearSVC(multi_class="crammer_singer").fit(X, y)
        assert model.coef_.shape == (1, 5) and model.intercept_.shape == (1,)
        theirs = sklearn.svm.LinearSVC(multi_class="crammer_singer", tol=1e-6, max_iter=10**6, random_state=0)
        np.testing.assert_allclose(model.coef_, theirs.fit(X, y).coef_, atol=1e-2 * np.abs(model.coef_).max())


class TestWeights:
    @every_option
    @pytest.mark.parametrize("sparse", [False, True])
    def test_weight_is_repetition(self, options, sparse):
        X, y, w = data(seed=1)
        rows = np.repeat(np.arange(len(y)), w.astype(int))
        weighted = LinearSVC(**options).fit(sp.csr_array(X) if sparse else X, y, w)
        repeated = LinearSVC(**options).fit(sp.csr_array(X[rows]) if sparse else X[rows], y[rows])
        atol = 1e-8 * np.abs(repeated.coef_).max()
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=atol)

    @every_option
    def test_order_of_rows_does_not_matter(self, options):
        X, y, w = data(seed=2)
        order = np.random.default_rng(0).permutation(len(y))
        straight, shuffled = LinearSVC(**options).fit(X, y, w), LinearSVC(**options).fit(X[order], y[order], w[order])
        atol = 1e-8 * np.abs(straight.coef_).max()
        np.testing.assert_allclose(straight.coef_, shuffled.coef_, rtol=1e-7, atol=atol)

    @every_option
    def test_sparse_is_dense(self, options):
        X, y, w = data(seed=3, classes=3)
        X[np.abs(X) < 1.0] = 0.0
        dense, sparse = LinearSVC(**options).fit(X, y, w), LinearSVC(**options).fit(sp.csr_array(X), y, w)
        atol = 1e-8 * np.abs(dense.coef_).max()
        np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-7, atol=atol)


class TestShapes:
    @pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
    @pytest.mark.parametrize("sparse", [False, True])
    def test_wide_rows(self, loss, sparse):
        """More than 1,200 columns: dual descent."""
        X, y = wide()
        model = LinearSVC(loss=loss).fit(X if sparse else X.toarray(), y)
        theirs = liblinear(X, y, loss=loss)
        assert model.rel_gap_ <= 1e-6
        sign, ones = np.where(y == 1, 1.0, -1.0), np.ones(len(y))
        mine, best = (objective(X, sign, ones, m.coef_[0], m.intercept_[0], 1.0, loss) for m in (model, theirs))
        assert best * (1 - 1e-9) <= mine <= best * (1 + 1e-6)

    def test_wide_lasso(self):
        X, y = wide()
        model, theirs = LinearSVC(penalty="l1").fit(X, y), liblinear(X, y, penalty="l1")
        sign, ones = np.where(y == 1, 1.0, -1.0), np.ones(len(y))
        mine, best = (
            objective(X, sign, ones, m.coef_[0], m.intercept_[0], 1.0, "squared_hinge", "l1") for m in (model, theirs)
        )
        assert best * (1 - 1e-9) <= mine <= best * (1 + 1e-6)
        assert np.count_nonzero(model.coef_) < 150

    def test_digits(self):
        X, y = load_digits(return_X_y=True)
        model = LinearSVC().fit(X, y)
        assert model.rel_gap_ <= 1e-6 and model.coef_.shape == (10, 64) and model.score(X, y) > 0.98

    def test_float32(self):
        X, y, w = data()
        single = LinearSVC().fit(X.astype(np.float32), y, w)
        assert single.coef_.dtype == np.float32 and single.decision_function(X.astype(np.float32)).dtype == np.float32
        double = LinearSVC().fit(X.astype(np.float32).astype(np.float64), y, w)
        np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-5, atol=1e-6)

    @every_option
    def test_threads_do_not_change_bits(self, options):
        X, y, w = data(n=9001, d=6)
        with surefit.config(n_threads=1):
            one = LinearSVC(**options).fit(X, y, w)
        with surefit.config(n_threads=3):
            three = LinearSVC(**options).fit(X, y, w)
        assert one.coef_.tobytes() == three.coef_.tobytes() and one.rel_gap_ == three.rel_gap_

    def test_constant_columns_and_no_rows_of_weight(self):
        X, y, w = data()
        X[:, 2] = 7.0
        model = LinearSVC().fit(X, y, w)
        assert model.rel_gap_ <= 1e-6
        nothing = LinearSVC().fit(X, y, np.where(y == 1, 0.0, 1.0))  # one class alone has weight
        assert np.isfinite(nothing.coef_).all() and nothing.rel_gap_ <= 1e-6


class TestSources:
    @pytest.mark.parametrize("options", [{}, {"penalty": "l1"}], ids=str)
    def test_parquet_and_dask_have_the_same_bits(self, options, tmp_path):
        dd = pytest.importorskip("dask.dataframe")
        X, y, w = data(n=9001, d=6)
        frame = pd.DataFrame(X, columns=list("abcdef"))
        memory = LinearSVC(**options).fit(frame, y, w)
        table = frame.assign(label=y, weight=w)
        table.to_parquet(tmp_path / "rows.parquet", row_group_size=2000)
        streamed = LinearSVC(**options).fit(tmp_path / "rows.parquet", "label", "weight")
        assert streamed.coef_.tobytes() == memory.coef_.tobytes()
        parts = dd.from_pandas(table, npartitions=3)
        dask = LinearSVC(**options).fit(parts[list("abcdef")], parts["label"], parts["weight"])
        assert dask.coef_.tobytes() == memory.coef_.tobytes()

    def test_hinge_needs_memory(self, tmp_path):
        X, y, _ = data()
        pd.DataFrame(X).add_prefix("x").assign(label=y).to_parquet(tmp_path / "rows.parquet")
        with pytest.raises(CannotStream, match="squared_hinge"):
            LinearSVC(loss="hinge").fit(tmp_path / "rows.parquet", "label")


class TestWords:
    def test_warns_with_the_gap(self):
        X, y, _ = data(classes=3)
        with pytest.warns(ConvergenceWarning, match="relative gap of"):
            model = LinearSVC(max_iter=1).fit(X, y)
        assert model.n_iter_ == 1 and model.rel_gap_ > 1e-6 and np.isfinite(model.coef_).all()

    def test_what_liblinear_refuses(self):
        X, y, _ = data()
        for options in (
            {"penalty": "l1", "loss": "hinge"},
            {"penalty": "l1", "dual": True},
            {"loss": "hinge", "dual": False},
        ):
            with pytest.raises(InvalidParameter, match="Unsupported set of arguments"):
                LinearSVC(**options).fit(X, y)

    def test_one_class(self):
        with pytest.raises(ValueError, match="at least 2 classes"):
            LinearSVC().fit(np.ones((5, 2)), np.zeros(5))

    def test_history_ends_at_the_objective(self):
        X, y, _ = data()
        model = LinearSVC(loss="hinge").fit(X, y)
        value = objective(
            X, np.where(y == 1, 1.0, -1.0), np.ones(len(y)), model.coef_[0], model.intercept_[0], 1.0, "hinge"
        )
        assert min(model.history_[0]) == pytest.approx(value, rel=1e-6)
        assert model.history_[0][0] == pytest.approx(len(y)) and len(model.history_[0]) == model.n_iter_ + 1

    def test_verbose(self, capsys):
        X, y, _ = data()
        LinearSVC(verbose=1).fit(X, y)
        assert "gap" in capsys.readouterr().out
