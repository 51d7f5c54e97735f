"""LogisticRegression: closed forms, proven gaps, separation, every source, and the words it uses."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from scipy.optimize import linprog, minimize
from scipy.special import log_softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from surefit.linear_model import LogisticRegression
from surefit.linear_model.summary import NoInference

# counts[x][class]: a table whose maximum-likelihood fit is known in closed form
TABLE = np.array([[30, 12], [9, 25]])


def from_table(table):
    X, y = [], []
    for x, row in enumerate(table):
        for label, count in enumerate(row):
            X += [[float(x)]] * count
            y += [label] * count
    return np.array(X), np.array(y)


def objective(model, X, y, C=1.0, w=None):
    """Σ ω ℓ + ‖coef‖² / 2C in float64."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    codes = np.searchsorted(model.classes_, y)
    Z = X @ model.coef_.astype(np.float64).T + model.intercept_
    if Z.shape[1] == 1:
        Z = np.hstack([np.zeros_like(Z), Z])
    loss = -log_softmax(Z, axis=1)[np.arange(len(X)), codes]
    penalty = 0.0 if math.isinf(C) else (model.coef_.astype(np.float64) ** 2).sum() / (2 * C)
    return float((loss if w is None else w * loss).sum() + penalty)


def data(n=300, d=6, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + rng.normal(size=d)
    Z = X @ (rng.normal(size=(d, classes)) / np.arange(1, d + 1)[:, None])
    return X, (Z + rng.gumbel(size=Z.shape)).argmax(axis=1)


class TestClosedForms:
    def test_two_by_two_table(self):
        """Intercept = log odds at x = 0, slope = log odds ratio; variances are sums of reciprocal counts."""
        X, y = from_table(TABLE)
        model = LogisticRegression(C=np.inf).fit(X, y)
        a, b, c, d = TABLE[0, 1], TABLE[0, 0], TABLE[1, 1], TABLE[1, 0]
        assert model.intercept_[0] == pytest.approx(math.log(a / b), rel=1e-10)
        assert model.coef_[0, 0] == pytest.approx(math.log(c / d) - math.log(a / b), rel=1e-10)
        summary = model.summary()
        np.testing.assert_allclose(
            summary.standard_error[0], [math.sqrt(1 / a + 1 / b), math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)], rtol=1e-8
        )
        likelihood = a * math.log(a / (a + b)) + b * math.log(b / (a + b))
        likelihood += c * math.log(c / (c + d)) + d * math.log(d / (c + d))
        assert summary.log_likelihood == pytest.approx(likelihood, rel=1e-12)
        assert "log-likelihood" in str(summary) and "<table>" in summary._repr_html_()
        assert summary.to_dict()["n_observations"] == TABLE.sum()

    def test_softmax_table(self):
        """Three classes, two values of x: the fitted probabilities are the frequencies."""
        table = np.array([[10, 20, 5], [7, 3, 16]])
        X, y = from_table(table)
        model = LogisticRegression(C=np.inf).fit(X, y)
        np.testing.assert_allclose(
            model.predict_proba([[0.0], [1.0]]), table / table.sum(axis=1, keepdims=True), rtol=1e-9
        )
        np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-10)
        np.testing.assert_allclose(model.intercept_.sum(), 0, atol=1e-10)
        # contrasts of centered log counts at x = 0: var(b_k) = Σ_j c_j² / count_j with c the centering row
        errors = model.summary().standard_error[:, 0]
        centering = np.eye(3) - 1 / 3
        np.testing.assert_allclose(errors, np.sqrt((centering**2 / table[0]).sum(axis=1)), rtol=1e-8)

    def test_intercept_alone(self):
        y = np.array([0] * 30 + [1] * 10)
        model = LogisticRegression().fit(np.zeros((40, 2)), y)
        assert model.intercept_[0] == pytest.approx(math.log(10 / 30), rel=1e-12)
        np.testing.assert_array_equal(model.coef_, 0)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits, load_iris])
def test_defaults_reach_the_optimum_on_raw_data(load):
    """The minimum of the penalised likelihood as another method finds it: SciPy's trust region on scaled columns."""
    X, y = load(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression().fit(X, y)
    assert 0 <= model.rel_gap_ <= 1e-6
    reference = LogisticRegression(tol=1e-10).fit(X, y)
    # the penalised gradient at the reference bounds how far it is from the optimum: ‖g‖² / 2λ (intercept stationary)
    Z = X @ reference.coef_.T + reference.intercept_
    codes = y
    if Z.shape[1] == 1:
        R = 1 / (1 + np.exp(-Z)) - codes[:, None]
    else:
        R = np.exp(log_softmax(Z, axis=1)) - np.eye(Z.shape[1])[codes]
    centered = X - X.mean(axis=0)
    gradient = R.T @ centered + reference.coef_
    best = objective(reference, X, y)
    assert np.abs(R.sum(axis=0)).max() < 1e-7
    assert (gradient**2).sum() / 2 < 1e-9 * best
    value = objective(model, X, y)
    assert best * (1 - 1e-9) <= value <= best * (1 + 1e-6)
    assert (value - best) / value <= model.rel_gap_ + 1e-9


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_scipy_finds_the_same(classes, fit_intercept, C):
    X, y = data(classes=classes)
    m, d = 1 if classes == 2 else classes, X.shape[1]

    def value(theta):
        theta = theta.reshape(m, d + 1)
        Z = X @ theta[:, :d].T + theta[:, d] * fit_intercept
        Z = np.hstack([np.zeros_like(Z), Z]) if m == 1 else Z
        return -C * log_softmax(Z, axis=1)[np.arange(len(X)), y].sum() + 0.5 * (theta[:, :d] ** 2).sum()

    found = minimize(value, np.zeros(m * (d + 1)), method="BFGS", options={"gtol": 1e-6, "maxiter": 3000})
    model = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, found.x.reshape(m, d + 1)[:, :d], atol=1e-4)
    assert C * objective(model, X, y, C) <= found.fun * (1 + 1e-12)


def test_every_solver_name_gives_the_exact_answer():
    X, y = data()
    reference = LogisticRegression(tol=1e-8).fit(X, y)
    for solver in ("newton-cg", "newton-cholesky", "sag", "saga"):
        model = LogisticRegression(solver=solver, tol=1e-8).fit(X, y)
        np.testing.assert_array_equal(model.coef_, reference.coef_)
    theirs = sklearn.linear_model.LogisticRegression(solver="liblinear", tol=1e-10, max_iter=1000, C=0.5)
    ours = LogisticRegression(solver="liblinear", tol=1e-8, C=0.5).fit(X, y)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)  # liblinear penalises the intercept, and so do we
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


class TestSeparation:
    def test_complete(self):
        X = np.array([[1.0, 0.0], [2.0, 1.0], [-1.0, 0.0], [-2.0, 1.0]])
        y = np.array(["no", "no", "yes", "yes"])
        with pytest.warns(ConvergenceWarning, match="can be separated"):
            model = LogisticRegression(C=np.inf).fit(X, y)
        leads = np.where(y == "yes", 1, -1) * (X @ model.separation_[0, :2] + model.separation_[0, 2])
        assert leads.min() > 0
        assert math.isnan(model.rel_gap_)
        assert np.isfinite(model.coef_).all() and model.score(X, y) == 1
        with pytest.raises(NoInference, match="separated"):
            model.summary()

    def test_quasi_complete(self):
        """x = 0 has both classes, x = 1 only one: integers, so products are exact."""
        X, y = from_table(np.array([[5, 7], [0, 9]]))
        with pytest.warns(ConvergenceWarning, match="no maximum"):
            model = LogisticRegression(C=np.inf).fit(X, y)
        v = model.separation_[0]
        leads = np.where(y == 1, 1, -1) * (X[:, 0] * v[0] + v[1])
        assert leads.min() >= -1e-12 and leads.max() > 0.1

    def test_quasi_complete_of_three_classes(self):
        X, y = load_iris(return_X_y=True)
        with pytest.warns(ConvergenceWarning, match="can be separated"):
            model = LogisticRegression(C=np.inf).fit(X, y)
        Z = X @ model.separation_[:, :4].T + model.separation_[:, 4]
        leads = Z[np.arange(150), y][:, None] - Z
        assert leads.min() >= -1e-10 and leads.max() > 1e-3

    def test_a_penalty_or_overlap_has_a_maximum(self):
        X, y = from_table(TABLE)
        assert LogisticRegression(C=np.inf).fit(X, y).separation_ is None
        separated = np.array([[0.0], [1.0], [2.0], [3.0]])
        model = LogisticRegression().fit(separated, [0, 0, 1, 1])
        assert model.separation_ is None and model.rel_gap_ <= 1e-6

    def test_dependent_columns_give_the_shortest_answer(self):
        X, y = data(d=3)
        twice = np.hstack([X, X])
        model, single = (LogisticRegression(C=np.inf, tol=1e-8).fit(rows, y) for rows in (twice, X))
        np.testing.assert_allclose(model.coef_, np.hstack([single.coef_, single.coef_]) / 2, rtol=1e-5)
        with pytest.raises(NoInference, match="depend"):
            model.summary()


class TestSources:
    @pytest.mark.parametrize("classes", [2, 3])
    def test_parquet_and_dask_give_the_bits_of_memory(self, classes, tmp_path):
        dask_array = pytest.importorskip("dask.array")
        X, y = data(n=9000, classes=classes)
        labels = np.array(["ash", "birch", "cedar"])[y]
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(tree=labels)
        frame.to_parquet(tmp_path / "rows.parquet", row_group_size=2500)
        memory = LogisticRegression().fit(X, labels)
        streamed = LogisticRegression().fit(str(tmp_path / "rows.parquet"), "tree")
        lazy = LogisticRegression().fit(dask_array.from_array(X, chunks=(3000, -1)), dask_array.from_array(y, 3000))
        assert list(streamed.classes_) == list(memory.classes_)
        assert streamed.coef_.tobytes() == memory.coef_.tobytes() == lazy.coef_.tobytes()
        np.testing.assert_array_equal(streamed.predict(str(tmp_path / "rows.parquet")), memory.predict(X))
        chunks = lazy.predict_proba(dask_array.from_array(X, chunks=(3000, -1)))
        np.testing.assert_allclose(np.asarray(chunks), memory.predict_proba(X), rtol=1e-12)

    @pytest.mark.parametrize("classes", [2, 4])
    def test_sparse_is_dense(self, classes):
        X, y = data(classes=classes)
        X = np.where(np.abs(X) < 1, 0.0, X)
        dense = LogisticRegression(tol=1e-8).fit(X, y)
        sparse = LogisticRegression(tol=1e-8).fit(sp.csr_array(X), y)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-9)

    def test_wide_sparse_rows(self):
        """More columns than a square matrix may have: the proof still comes from the penalty."""
        rng = np.random.default_rng(0)
        X = sp.random_array((400, 5000), density=0.01, rng=rng, format="csr")
        y = (np.asarray(X[:, :50].sum(axis=1)) > 0.25).astype(int)
        model = LogisticRegression().fit(X, y)
        assert model.rel_gap_ <= 1e-6
        theirs = sklearn.linear_model.LogisticRegression(tol=1e-10, max_iter=5000).fit(X, y)
        assert objective(model, X, y) <= objective(theirs, X, y) * (1 + 1e-6)

    def test_many_parameters_of_softmax(self):
        """Too many for a whole second derivative: the KroneckerMetric metric, single precision first."""
        rng = np.random.default_rng(1)
        X = (rng.normal(size=(3000, 150)) * np.exp(rng.normal(size=150))).astype(np.float32)
        y = (X @ rng.normal(size=(150, 9)) * 0.2 + rng.gumbel(size=(3000, 9))).argmax(axis=1)
        model = LogisticRegression().fit(X, y)
        assert model.coef_.dtype == np.float32 and model.rel_gap_ <= 1e-6
        exact = LogisticRegression(tol=1e-7).fit(X.astype(np.float64), y)
        assert objective(model, X, y) <= objective(exact, X, y) * (1 + 1e-6)


class TestWeights:
    def test_class_weight_is_a_sample_weight(self):
        X, y = data(classes=3)
        w = np.array([1.0, 3.0, 0.5])
        by_class = LogisticRegression(class_weight={0: 1.0, 1: 3.0, 2: 0.5}, tol=1e-8).fit(X, y)
        by_row = LogisticRegression(tol=1e-8).fit(X, y, sample_weight=w[y])
        np.testing.assert_allclose(by_class.coef_, by_row.coef_, rtol=1e-8, atol=1e-10)

    def test_balanced(self):
        X, y = data(n=200)
        w = np.linspace(0, 2, 200)
        totals = np.bincount(y, w)
        model = LogisticRegression(class_weight="balanced", tol=1e-8).fit(X, y, w)
        manual = LogisticRegression(tol=1e-8).fit(X, y, w * (w.sum() / (2 * totals))[y])
        np.testing.assert_allclose(model.coef_, manual.coef_, rtol=1e-8)

    def test_balanced_where_a_class_weighs_nothing(self):
        X, y = data(classes=3)
        w = np.where(y == 2, 0.0, 1.0)
        model = LogisticRegression(class_weight="balanced", tol=1e-8).fit(X, y, w)
        share = w.sum() / 3 / np.bincount(y)[:2]
        manual = LogisticRegression(tol=1e-8).fit(X, y, w * np.append(share, 0.0)[y])
        np.testing.assert_allclose(model.coef_, manual.coef_, rtol=1e-6, atol=1e-9)


class TestWords:
    def test_stopping_early_says_what_is_missing(self):
        X, y = load_breast_cancer(return_X_y=True)
        with pytest.warns(ConvergenceWarning, match=r"after 2 iterations at a relative gap of \d.*\(tol 1e-06\)"):
            model = LogisticRegression(max_iter=2).fit(X, y)
        assert model.n_iter_[0] == 2 and model.rel_gap_ > 1e-6
        assert len(model.history_) == 3 and (np.diff(model.history_) < 0).all()

    def test_summary_is_of_a_fit_without_penalty(self):
        with pytest.raises(NoInference, match="penalty"):
            LogisticRegression().fit(*data()).summary()
        with pytest.raises(ValueError, match="level"):
            LogisticRegression(C=np.inf).fit(*data()).summary(level=2)

    def test_one_class(self):
        with pytest.raises(ValueError, match="only one class"):
            LogisticRegression().fit(np.ones((3, 1)), [1, 1, 1])

    @pytest.mark.parametrize("solver", ["liblinear", "sag", "saga"])
    def test_wide_indices_are_refused_where_another_name_takes_them(self, solver):
        X = sp.random_array((20, 10), density=0.5, format="csr", rng=np.random.default_rng(0))
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        y = np.arange(20) % 2
        with pytest.raises(ValueError, match=r"32-bit integer indices .* Use solver='lbfgs'"):
            LogisticRegression(solver=solver).fit(X, y)
        exact = LogisticRegression(tol=1e-8).fit(X, y)
        np.testing.assert_allclose(exact.coef_, LogisticRegression(tol=1e-8).fit(X.toarray(), y).coef_, rtol=1e-6)
        if solver != "sag":  # L1 has no other solver
            assert LogisticRegression(solver=solver, l1_ratio=1.0).fit(X, y).coef_.shape == (1, 10)

    def test_verbose_prints_the_objective(self, capsys):
        LogisticRegression(verbose=1).fit(*data())
        assert "iteration 1: objective" in capsys.readouterr().out


def test_probabilities_far_out():
    model = LogisticRegression().fit([[-1.0], [1.0]], [0, 1])
    far = model.predict_log_proba([[1e4]])
    assert np.isfinite(far).all() and far[0, 0] < -700
    assert model.predict_proba([[1e4]])[0, 1] == 1


def test_warm_start_begins_where_the_last_fit_ended():
    X, y = data(n=2000)
    model = LogisticRegression(warm_start=True, tol=1e-8).fit(X, y)
    first, coef = model.n_iter_[0], model.coef_.copy()
    assert model.fit(X, y).n_iter_[0] < first
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-8)


@pytest.mark.parametrize("classes", [2, 3])
def test_stochastic_gradient_ascent_comes_near(classes):
    X, y = data(n=400, classes=classes)
    with pytest.warns(ConvergenceWarning, match="sgd failed to converge"):
        model = LogisticRegression(solver="sgd", max_iter=30, random_state=0).fit(X, y)
    best = LogisticRegression().fit(X, y)
    assert objective(model, X, y) <= 1.01 * objective(best, X, y)
    assert model.history_[-1] < model.history_[0]
    again = LogisticRegression(solver="sgd", max_iter=30, random_state=0)
    with pytest.warns(ConvergenceWarning):
        again.fit(X, y)
    assert again.coef_.tobytes() == model.coef_.tobytes()


def stochastic(X, y, **weights):
    with pytest.warns(ConvergenceWarning):
        return LogisticRegression(solver="sgd", max_iter=3, random_state=3).fit(X, y, **weights)


@pytest.mark.parametrize("classes", [2, 3])
def test_stochastic_gradient_ascent_from_parquet_and_with_shuffled_rows(classes, tmp_path):
    X, y = data(n=700, classes=classes)
    pq = pytest.importorskip("pyarrow.parquet")
    table = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    pq.write_table(pytest.importorskip("pyarrow").table(table), tmp_path / "rows.parquet", row_group_size=90)
    memory = stochastic(X, y)
    assert stochastic(str(tmp_path / "rows.parquet"), "y").coef_.tobytes() == memory.coef_.tobytes()
    turn = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_allclose(stochastic(X[turn], y[turn]).coef_, memory.coef_, rtol=1e-9)


def test_stochastic_gradient_ascent_takes_weights_as_repetition():
    X, y = data(n=300)
    w = np.random.default_rng(1).integers(0, 4, 300)
    weighted = stochastic(X, y, sample_weight=w.astype(float))
    repeated = stochastic(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1e-6, 1e6, 1e100])
def test_units_do_not_matter_without_a_penalty(scale):
    X, y = data()
    plain = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    scaled = LogisticRegression(C=np.inf, tol=1e-8).fit(X * scale, y)
    np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-7)


def test_offsets_do_not_matter():
    X, y = data()
    plain = LogisticRegression(tol=1e-8).fit(X, y)
    moved = LogisticRegression(tol=1e-8).fit(X + 1e6, y)
    np.testing.assert_allclose(moved.coef_, plain.coef_, rtol=1e-6)


class Recorder:
    """A callback of scikit-learn's protocol that keeps the slopes at both ends of every iteration."""

    def __init__(self):
        self.slopes = []

    def setup(self, estimator, context):
        """Nothing to prepare."""

    def teardown(self, estimator, context):
        """Nothing to put away."""

    def on_fit_task_begin(self, estimator, context, *, fitted_estimator=None):
        if context.task_name == "iteration":
            self.slopes.append([fitted_estimator.coef_.tolist(), None])

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        if context.task_name == "iteration" and fitted_estimator is not None:
            self.slopes[-1][1] = fitted_estimator.coef_.tolist()


def test_callbacks_are_told_before_and_after_each_iteration():
    recorder = Recorder()
    model = LogisticRegression().set_callbacks(recorder).fit(*data())
    begins, ends = zip(*recorder.slopes, strict=True)
    assert len(begins) == model.n_iter_[0] + 1 and not np.any(begins[0])
    assert list(begins[1:]) == list(ends[:-1]) and ends[-1] is None
    assert ends[-2] == model.coef_.tolist()


@pytest.mark.filterwarnings("ignore:the classes can be separated")
def test_coefficients_of_separated_classes_separate_them():
    """Breast cancer is separable (a linear program says so); one direction alone leaves some of its rows tied."""
    X, y = load_breast_cancer(return_X_y=True)
    sign = np.where(y == 1, 1.0, -1.0)[:, None] * np.hstack([X / X.max(axis=0), np.ones((len(X), 1))])
    assert linprog(np.zeros(31), A_ub=-sign, b_ub=-np.ones(len(X)), bounds=(None, None)).status == 0
    model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.score(X, y) == 1.0 and model.certify(X, y).grade == "NO_SOLUTION"


@pytest.mark.filterwarnings("ignore:the classes can be separated")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_an_indicator_of_one_class_alone_leaves_the_other_columns_what_they_are(n_classes, container):
    """Where it is one, the loss goes to zero along its column; the others have the maximum of the rest of the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) * [1.0, 100.0, 1e-3] + [0.0, 30.0, 0.0]
    y = np.digitize(X[:, 0] + rng.normal(size=300), [0.0, 0.8][: n_classes - 1])
    indicator = rng.random(300) < 0.05
    y[indicator] = n_classes - 1
    rows = container(np.column_stack([X, indicator]))
    model = LogisticRegression(C=np.inf).fit(rows, y)
    scale = X.std(axis=0)
    rest = sklearn.linear_model.LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12)
    rest.fit(((X - X.mean(axis=0)) / scale)[~indicator], y[~indicator])
    coef = model.coef_ - (model.coef_.mean(axis=0) if n_classes > 2 else 0.0)
    np.testing.assert_allclose(coef[:, :3] * scale, rest.coef_, rtol=1e-5, atol=1e-7)
    direction = model.separation_[:, :-1]
    assert not direction[:, :3].any() and direction[-1, 3] > 0
    assert (model.predict(rows)[indicator] == n_classes - 1).all()
    assert model.certify(rows, y).grade == "NO_SOLUTION"
