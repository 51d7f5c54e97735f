"""LogisticRegression with L1 and elastic net: closed forms, scikit-learn's solvers, exact zeros, every source."""

from __future__ import annotations

import math
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from scipy.special import expit, log_softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import surefit
from surefit.engine.sources.source import MemorySource
from surefit.linear_model import LogisticRegression
from surefit.linear_model.summary import NoInference
from surefit.solvers.logistic.elastic_net import ElasticNetProblem
from surefit.solvers.logistic.elastic_net_models import working_hessian
from surefit.solvers.logistic.logistic import Penalty

IRIS = load_iris(return_X_y=True)
TWO = (IRIS[0], (IRIS[1] == 1).astype(int))


def objective(coef, intercept, X, y, C, ratio, w=None):
    """Σ ω ℓ + (1 − ρ)/2C ‖coef‖² + ρ/C ‖coef‖₁ in float64."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    Z = X @ coef.astype(np.float64).T + intercept
    Z = np.hstack([np.zeros_like(Z), Z]) if Z.shape[1] == 1 else Z
    loss = -log_softmax(Z, axis=1)[np.arange(len(X)), y]
    penalty = ((1 - ratio) / 2 * coef.astype(np.float64) ** 2 + ratio * np.abs(coef)).sum() / C
    return float((loss if w is None else w * loss).sum() + penalty)


def sparse(**parameters):
    return LogisticRegression(**{"solver": "saga", "l1_ratio": 1.0, **parameters})


class TestClosedForms:
    def test_two_by_two_table(self):
        """The penalty moves 1/C rows of class 1 from x = 1 to x = 0, where there are fewer of them."""
        X = np.repeat([0.0, 0.0, 1.0, 1.0], [30, 12, 9, 25])[:, None]
        y = np.repeat([0, 1, 0, 1], [30, 12, 9, 25])
        for C in (0.2, 1.0, 50.0):
            model = sparse(C=C).fit(X, y)
            at_zero = math.log((12 + 1 / C) / (30 - 1 / C))
            at_one = math.log((25 - 1 / C) / (9 + 1 / C))
            assert model.intercept_[0] == pytest.approx(at_zero, rel=1e-9)
            assert model.coef_[0, 0] == pytest.approx(at_one - at_zero, rel=1e-9)

    @pytest.mark.parametrize("ratio", [1.0, 0.4])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_the_first_coefficient_appears_where_theory_says(self, classes, ratio):
        """All are zero while ρ/C is at least the largest |Σ (share − e) x|."""
        X, y = IRIS if classes == 3 else TWO
        one_hot = np.eye(classes)[y]
        slopes = (one_hot.mean(axis=0) - one_hot).T @ X
        largest = np.abs(slopes if classes == 3 else slopes[1]).max()
        none = sparse(C=ratio / (largest * 1.0001), l1_ratio=ratio).fit(X, y)
        assert not none.coef_.any()
        np.testing.assert_allclose(none.predict_proba(X[:1])[0], one_hot.mean(axis=0), rtol=1e-8)
        assert np.count_nonzero(sparse(C=ratio / (largest * 0.9999), l1_ratio=ratio).fit(X, y).coef_) == 1


class TestAgainstScikitLearn:
    @pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0])
    def test_liblinear(self, C):
        X, y = load_breast_cancer(return_X_y=True)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        settings = {"solver": "liblinear", "l1_ratio": 1.0, "C": C, "intercept_scaling": 3.0}
        ours = LogisticRegression(**settings).fit(X, y)
        theirs = sklearn.linear_model.LogisticRegression(**settings, tol=1e-10, max_iter=5000).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5, atol=1e-6)
        assert np.array_equal(ours.coef_ == 0, theirs.coef_ == 0)

    @pytest.mark.parametrize("ratio", [0.1, 0.5, 1.0])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_saga(self, classes, ratio):
        X, y = IRIS if classes == 3 else TWO
        X = X - X.mean(axis=0)
        settings = {"solver": "saga", "l1_ratio": ratio, "C": 0.1}
        ours = LogisticRegression(**settings).fit(X, y)
        theirs = sklearn.linear_model.LogisticRegression(**settings, tol=1e-12, max_iter=20000, random_state=0)
        theirs.fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
        assert np.array_equal(ours.coef_ == 0, theirs.coef_ == 0)

    def test_words_for_solvers_without_it(self):
        for solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "sgd"):
            with pytest.raises(ValueError, match=f"Solver {solver} supports only 'l2' or None penalties, got l1"):
                sparse(solver=solver).fit(*TWO)
        with pytest.raises(ValueError, match="Only 'saga' solver supports elasticnet"):
            sparse(solver="liblinear", l1_ratio=0.5).fit(*TWO)


@pytest.mark.parametrize("ratio", [1.0, 0.7, 0.01])
@pytest.mark.parametrize(
    ("problem", "C"), [*product(["two", "three"], [0.003, 1.0, 1e4]), *product(["cancer"], [0.003, 1.0, 300.0])]
)
def test_the_gap_is_proved(problem, C, ratio):
    X, y = {"two": TWO, "three": IRIS, "cancer": load_breast_cancer(return_X_y=True)}[problem]
    model = sparse(C=C, l1_ratio=ratio).fit(X, y)
    assert model.rel_gap_ <= 1e-6
    assert surefit.certify(model, X, y).holds
    assert model.history_[-1] == pytest.approx(objective(model.coef_, model.intercept_, X, y, C, ratio), rel=1e-9)
    assert (np.diff(model.history_) <= 1e-12 * model.history_[0]).all()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("lie", ["move", "zero", "wake", "flip", "intercept", "C"])
def test_lies_are_rejected(classes, lie):
    X, y = IRIS if classes == 3 else TWO
    model = sparse(C=0.5).fit(X, y)
    assert surefit.certify(model, X, y).holds
    k, j = np.unravel_index(np.abs(model.coef_).argmax(), model.coef_.shape)
    asleep = tuple(np.argwhere(model.coef_ == 0)[0])
    if lie == "C":
        model.C = 0.6
    elif lie == "intercept":
        model.intercept_[0] += 0.05
    elif lie == "wake":
        model.coef_[asleep] = 0.05
    else:
        model.coef_[k, j] *= {"move": 1.05, "zero": 0.0, "flip": -1.0}[lie]
    assert not surefit.certify(model, X, y).holds


class TestContainers:
    @pytest.mark.parametrize("classes", [2, 10])
    @pytest.mark.parametrize("ratio", [1.0, 0.5])
    def test_csr_is_dense_and_float32_is_near(self, classes, ratio):
        X, y = load_digits(return_X_y=True)
        X, y = X[:400], y[:400] if classes == 10 else y[:400] % 2
        settings = {"C": 0.05, "l1_ratio": ratio}
        dense = sparse(**settings).fit(X, y)
        csr = sparse(**settings).fit(sp.csr_array(X), y)
        single = sparse(**settings).fit(X.astype(np.float32), y)
        np.testing.assert_allclose(csr.coef_, dense.coef_, atol=1e-8)
        assert np.array_equal(csr.coef_ == 0, dense.coef_ == 0)
        assert single.coef_.dtype == np.float32
        np.testing.assert_allclose(single.coef_, dense.coef_, atol=1e-5)
        assert surefit.certify(single, X.astype(np.float32), y).holds

    def test_weights_are_repetition(self):
        X, y = IRIS
        w = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
        for ratio in (1.0, 0.5):
            weighted = sparse(l1_ratio=ratio).fit(X, y, w)
            repeated = sparse(l1_ratio=ratio).fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
            np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)
            assert surefit.certify(weighted, X, y, w).holds

    def test_a_class_that_weighs_nothing(self):
        X, y = IRIS
        w = np.where(y == 2, 0.0, 1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = sparse(C=300.0).fit(X, y, w)
        assert model.rel_gap_ <= 1e-6 and surefit.certify(model, X, y, w).holds

    def test_streams_give_the_bits_of_memory(self, tmp_path):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(9000, 5))
        y = (X[:, 0] + rng.logistic(size=9000) > 0).astype(int) + (X[:, 1] > 1)
        frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
        frame.to_parquet(tmp_path / "rows.parquet", row_group_size=2500)
        dask = pytest.importorskip("dask.dataframe")
        memory = sparse(C=0.01).fit(frame[list("abcde")], y)
        stream = sparse(C=0.01).fit(str(tmp_path / "rows.parquet"), "y")
        lazy = dask.from_pandas(frame, npartitions=3)
        workers = sparse(C=0.01).fit(lazy[list("abcde")], lazy["y"])
        assert 0 < np.count_nonzero(memory.coef_) < memory.coef_.size
        for other in (stream, workers):
            assert other.coef_.tobytes() == memory.coef_.tobytes()
            assert other.intercept_.tobytes() == memory.intercept_.tobytes()

    def test_the_number_of_threads_changes_no_bit(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(20000, 12))
        y = (X[:, :3].sum(axis=1) + rng.logistic(size=20000) > 0).astype(int)
        one, four = (sparse(C=0.01, n_jobs=n).fit(X, y) for n in (1, 4))
        assert one.coef_.tobytes() == four.coef_.tobytes()


class TestWide:
    @staticmethod
    def data(csr, classes=2):
        rng = np.random.default_rng(0)
        X = sp.random_array((400, 3200), density=0.02, format="csr", rng=rng) if csr else rng.normal(size=(200, 1300))
        scores = X[:, :12] @ rng.normal(size=(12, classes)) * (6.0 if csr else 1.0)
        return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)

    @pytest.mark.parametrize("csr", [False, True])
    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("ratio", [1.0, 0.6])
    def test_working_sets(self, csr, classes, ratio):
        X, y = self.data(csr, classes)
        model = sparse(C=0.5, l1_ratio=ratio).fit(X, y)
        assert model.rel_gap_ <= 1e-6
        assert 0 < np.count_nonzero(model.coef_) < model.coef_.size / 2
        assert surefit.certify(model, X, y).holds

    @pytest.mark.parametrize("csr", [False, True])
    def test_the_second_derivative_of_a_working_set(self, csr):
        """Σ ω p (1 − p) x̃ x̃ᵀ with x̃ = (x, 1), by its definition, in the solver's coordinates."""
        X, y = self.data(csr)
        w = np.random.default_rng(3).random(len(y))
        problem = ElasticNetProblem(MemorySource(X, y.astype(float), w), 2, None, Penalty(0.5, 1.0), True)
        u = problem.inner(np.random.default_rng(4).normal(size=(1, X.shape[1])) / 50, np.array([0.3]))
        columns = np.array([3, 40, 41, 1200])
        H = working_hessian(problem, u, np.append(columns, X.shape[1]))
        rows = X.toarray() if csr else X
        point = problem.point(u)
        p = expit(rows @ point.coef[0] + point.intercept[0])
        moved = np.column_stack([(rows - problem.center)[:, columns] * problem.scale[columns], np.ones(len(y))])
        expected = moved.T @ (moved * (w * p * (1 - p))[:, None])
        expected[np.arange(4), np.arange(4)] += 0.5 * problem.scale[columns] ** 2
        np.testing.assert_allclose(H, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())

    def test_more_coefficients_than_one_working_set(self):
        rng = np.random.default_rng(2)
        X = sp.random_array((3000, 4000), density=0.003, format="csr", rng=rng)
        y = (X @ rng.normal(size=4000) + 0.1 * rng.normal(size=3000) > 0).astype(int)
        model = sparse(C=1.0, l1_ratio=0.2).fit(X, y)
        assert np.count_nonzero(model.coef_) > 1200
        assert model.rel_gap_ <= 1e-6 and surefit.certify(model, X, y).holds


@parametrize_with_checks([sparse(), sparse(l1_ratio=0.5), sparse(solver="liblinear")])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


class TestEdges:
    def test_stopping_early_says_what_is_missing(self):
        with pytest.warns(ConvergenceWarning, match=r"did not converge.*after 2 iterations at a relative gap of \d"):
            model = sparse(max_iter=2, C=10.0).fit(*IRIS)
        assert model.n_iter_[0] == 2 and model.rel_gap_ > 1e-6

    def test_no_iterations(self):
        with pytest.warns(ConvergenceWarning):
            model = sparse(max_iter=0).fit(*IRIS)
        assert not model.coef_.any() and model.n_iter_[0] == 0

    def test_warm_start_begins_where_the_last_fit_ended(self):
        model = sparse(warm_start=True).fit(*IRIS)
        first, coef = model.n_iter_[0], model.coef_.copy()
        assert model.fit(*IRIS).n_iter_[0] < first
        np.testing.assert_allclose(model.coef_, coef, atol=1e-8)

    def test_offsets_units_and_constant_columns_cost_nothing(self):
        X, y = TWO
        plain = sparse(C=1.0).fit(X, y)
        padded = np.column_stack([X + 1e6, np.full(len(X), 7.0), np.zeros(len(X))])
        shifted = sparse(C=1.0).fit(padded, y)
        np.testing.assert_allclose(shifted.coef_[:, :4], plain.coef_, atol=1e-5)
        assert shifted.rel_gap_ <= 1e-6
        assert not shifted.coef_[:, 4:].any()

    @pytest.mark.parametrize("ratio", [1.0, 0.5])
    def test_columns_of_any_size(self, ratio):
        """Tiny columns cannot pay for a coefficient; huge ones hide the penalty behind rounding, which is said."""
        X, y = TWO
        assert not sparse(l1_ratio=ratio).fit(X * 1e-150, y).coef_.any()
        with pytest.warns(ConvergenceWarning, match="rounding hides what is left") as caught:
            model = sparse(l1_ratio=ratio).fit(X * 1e150, y)
        assert len(caught) == 1 and np.isfinite(model.coef_).all() and model.rel_gap_ > 1e-6

    def test_repeated_columns(self):
        X, y = TWO
        model = sparse(C=1.0).fit(np.hstack([X, X]), y)
        plain = sparse(C=1.0).fit(X, y)
        assert model.history_[-1] == pytest.approx(plain.history_[-1], rel=1e-9)
        assert surefit.certify(model, np.hstack([X, X]), y).holds

    def test_separated_classes_have_a_minimum(self):
        X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = sparse(C=100.0).fit(X, y)
        assert model.separation_ is None and model.rel_gap_ <= 1e-6

    def test_no_standard_errors(self):
        with pytest.raises(NoInference, match="penalty"):
            sparse().fit(*TWO).summary()

    def test_without_an_intercept(self):
        X, y = TWO
        model = sparse(C=0.3, fit_intercept=False).fit(X, y)
        theirs = sklearn.linear_model.LogisticRegression(
            solver="liblinear", l1_ratio=1.0, C=0.3, fit_intercept=False, tol=1e-10, max_iter=5000
        ).fit(X, y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-6)
        assert model.intercept_.tolist() == [0.0]
