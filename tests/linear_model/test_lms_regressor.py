"""LMSRegressor on all rows at once, against closed forms, exact fractions and NumPy's least squares."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning

import surefit
from surefit.linear_model import LMSRegressor
from surefit.solvers.descent import squared_surface
from surefit.summaries import visits

ROWS, TARGETS = np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0], [-2.0, 0.0]]), np.array([3.0, 1.0, -2.0, 4.0])


def data(n=400, d=6, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-2, 2, d) + rng.normal(size=d)
    return X, X / X.std(axis=0) @ rng.normal(size=d) + 3 + noise * rng.normal(size=n)


def least_sum(X, y, w=None):
    """The least Σ ω r² there is, by NumPy's lstsq on centered and scaled columns."""
    w = np.ones(len(y)) if w is None else w
    A = X - np.average(X, axis=0, weights=w)
    size = np.sqrt((A**2).mean(axis=0))
    A = np.column_stack([A / np.where(size > 0, size, 1.0), np.ones(len(y))]) * np.sqrt(w)[:, None]
    r = np.sqrt(w) * y - A @ np.linalg.lstsq(A, np.sqrt(w) * y, rcond=None)[0]
    return float(r @ r)


def total(model, X, y, w=None):
    return float(np.sum((1.0 if w is None else w) * (y - model.predict(X)) ** 2))


def quietly(model, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*arguments)


class TestBatch:
    def test_steps_by_hand(self):
        """Three steps of size 1/8 of the mean of r (x, 1), in fractions."""
        eta = Fraction(1, 8)
        w, b = [Fraction(0), Fraction(0)], Fraction(0)
        errors = []
        for _ in range(3):
            residuals = [
                Fraction(t) - sum(a * Fraction(v) for a, v in zip(w, x, strict=True)) - b
                for x, t in zip(ROWS.tolist(), TARGETS.tolist(), strict=True)
            ]
            w = [
                a + eta * sum(r * Fraction(x[j]) for r, x in zip(residuals, ROWS.tolist(), strict=True)) / 4
                for j, a in enumerate(w)
            ]
            b += eta * sum(residuals) / 4
            errors.append(sum(r * r for r in residuals) / 4)
        model = LMSRegressor(learning_rate="constant", eta0=1 / 8, scale_columns=False, max_iter=3)
        with pytest.warns(ConvergenceWarning, match="stopped after 3 steps at a relative gap of"):
            model.fit(ROWS, TARGETS)
        np.testing.assert_allclose(model.coef_, [float(a) for a in w], rtol=1e-14)
        assert model.intercept_ == pytest.approx(float(b), rel=1e-14)
        np.testing.assert_allclose(model.history_[:2], [float(e) for e in errors[1:]], rtol=1e-13)
        assert model.n_iter_ == model.t_ == 3

    @pytest.mark.parametrize(("rate", "power"), [("invscaling", 0.5), ("harmonic", 1.0)])
    def test_schedules(self, rate, power):
        """With one column through the origin, 1 − ηₜ mean(x²) of the distance is left after each step."""
        x, y = np.array([[1.0], [2.0], [3.0]]), np.array([2.0, 4.0, 6.0])
        eta = 0.15
        left = np.prod([1 - eta / t**power * 14 / 3 for t in range(1, 6)])
        settings = {"learning_rate": rate, "eta0": eta, "power_t": 0.5, "fit_intercept": False, "max_iter": 5}
        model = quietly(LMSRegressor(scale_columns=False, **settings), x, y)
        assert model.coef_[0] == pytest.approx(2 - 2 * left, rel=1e-13)

    @pytest.mark.parametrize("load", [load_diabetes, load_breast_cancer])
    def test_real_data_is_certified(self, load):
        X, y = load(return_X_y=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = LMSRegressor().fit(X, y)
        best = least_sum(X, y)
        assert total(model, X, y) <= best * (1 + 1e-6)
        certificate = model.certify(X, y)
        assert certificate.holds and "optimal" in certificate
        assert (np.diff(model.history_) <= 1e-12 * model.history_[0]).all()
        assert model.history_[-1] * len(y) == pytest.approx(total(model, X, y), rel=1e-9)

    @pytest.mark.parametrize("square", [1024, 0], ids=["products", "passes"])
    def test_highly_correlated_columns(self, square, monkeypatch):
        """Singular values of the scaled columns over four decades, raw sizes from 1e-3 to 1e3."""
        monkeypatch.setattr(squared_surface, "SQUARE", square)
        rng = np.random.default_rng(2)
        U, V = np.linalg.qr(rng.normal(size=(1500, 30)))[0], np.linalg.qr(rng.normal(size=(30, 30)))[0]
        X = (U * np.logspace(0, -4, 30)) @ V
        y = 100 * X @ rng.normal(size=30) + 0.01 * rng.normal(size=1500)
        X *= np.logspace(-3, 3, 30)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = LMSRegressor().fit(X, y)
        assert total(model, X, y) <= least_sum(X, y) * (1 + 1e-6)

    def test_passes_and_products_take_the_same_steps(self, monkeypatch):
        X, y = data()
        for settings in ({}, {"learning_rate": "constant", "max_iter": 20}, {"scale_columns": False, "max_iter": 4}):
            first = quietly(LMSRegressor(tol=0.01, **settings), X, y)
            with monkeypatch.context() as patch:
                patch.setattr(squared_surface, "SQUARE", 0)
                if settings.get("learning_rate"):  # the best rate is known only with the products
                    settings["eta0"] = 2 / np.linalg.eigvalsh(np.corrcoef(X.T))[[0, -1]].sum()
                second = quietly(LMSRegressor(tol=0.01, **settings), X, y)
            steps = min(first.n_iter_, second.n_iter_)
            np.testing.assert_allclose(first.history_[:steps], second.history_[:steps], rtol=1e-9)

    def test_a_constant_rate_is_chosen_well(self):
        """With 2/(λmax + λmin) the distance falls at least by ((κ − 1)/(κ + 1))² a step."""
        X, y = data(noise=2.0)
        model = LMSRegressor(learning_rate="constant").fit(X, y)
        best = least_sum(X, y) / len(y)
        curvatures = np.linalg.eigvalsh(np.corrcoef(X.T))
        kappa = curvatures[-1] / curvatures[0]
        gaps = np.append(y.var(), model.history_) - best
        steps = np.arange(len(gaps))
        assert (gaps <= gaps[0] * ((kappa - 1) / (kappa + 1)) ** (2 * steps) * (1 + 1e-6) + 1e-12).all()

    def test_divergence_names_the_largest_rate(self):
        X, y = data()
        most = 2 / np.linalg.eigvalsh(np.corrcoef(X.T))[-1]
        with pytest.raises(ValueError, match=rf"eta0=….*below 2/λ = {most:.3g}.*got 5"):
            LMSRegressor(learning_rate="constant", eta0=5.0).fit(X, y)
        quietly(LMSRegressor(learning_rate="constant", eta0=0.95 * most), X, y)

    def test_dependent_and_wide_columns(self):
        """The answer from zero is the shortest in scaled coordinates."""
        X, y = data(d=3)
        twice = LMSRegressor(tol=0.0).fit(np.hstack([X, X]), y)
        once = LMSRegressor(tol=0.0).fit(X, y)
        np.testing.assert_allclose(twice.coef_, np.tile(once.coef_ / 2, 2), rtol=1e-9)
        rng = np.random.default_rng(5)
        wide, z = rng.normal(size=(15, 40)), rng.normal(size=15)
        model = LMSRegressor(tol=0.0).fit(wide, z)
        centered = (wide - wide.mean(axis=0)) / wide.std(axis=0)
        shortest = np.linalg.lstsq(centered, z - z.mean(), rcond=None)[0] / wide.std(axis=0)
        np.testing.assert_allclose(model.coef_, shortest, rtol=1e-8, atol=1e-10)

    def test_wide_sparse_rows(self):
        rng = np.random.default_rng(1)
        X = sp.random(900, 1200, 0.02, "csr", rng=rng)
        y = X @ rng.normal(size=1200) + 0.1 * rng.normal(size=900)
        model = LMSRegressor().fit(X, y)
        assert model.certify(X, y).holds

    def test_sparse_rows_with_large_offsets(self):
        """Products of CSR entries cancel there; passes do not."""
        X, y = data(d=3)
        X = X / X.std(axis=0) + 1e5
        dense, sparse = LMSRegressor(tol=1e-9).fit(X, y), LMSRegressor(tol=1e-9).fit(sp.csr_array(X), y)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-4)
        assert total(sparse, X, y) <= least_sum(X, y) * (1 + 1e-6)

    def test_says_where_rounding_hides_the_rest(self):
        """Offsets that no intercept takes away: columns alike to ten digits."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100, 20)) + 1e6
        y = X @ rng.normal(size=20)
        with pytest.warns(ConvergenceWarning, match="rounding hides the rest"):
            LMSRegressor(fit_intercept=False).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = LMSRegressor(tol=1e-8).fit(X, y)  # without noise there is a share of almost nothing to leave
        assert model.certify(X, y).holds

    def test_constant_columns_get_nothing(self):
        X, y = data()
        X[:, 2] = 7.3
        for rows in (X, sp.csr_array(X)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                model = LMSRegressor().fit(rows, y)
            assert model.coef_[2] == 0.0 and model.certify(rows, y).holds

    def test_many_targets_are_many_fits(self):
        X, y = data()
        Y = np.column_stack([y, y**2, np.full(len(y), 4.0)])
        together = LMSRegressor(tol=1e-12).fit(X, Y)
        assert together.coef_.shape == (3, 6) and together.intercept_.shape == (3,)
        for k in range(3):
            alone = LMSRegressor(tol=1e-12).fit(X, Y[:, k])
            np.testing.assert_allclose(together.coef_[k], alone.coef_, rtol=1e-6, atol=1e-9)
        assert together.certify(X, Y).holds

    def test_no_intercept(self):
        X, y = data()
        model = LMSRegressor(fit_intercept=False, tol=0.0).fit(X, y)
        np.testing.assert_allclose(model.coef_, np.linalg.lstsq(X, y, rcond=None)[0], rtol=1e-8)
        assert model.intercept_ == 0.0

    def test_warm_start_goes_on(self):
        X, y = data()
        model = quietly(LMSRegressor(learning_rate="constant", max_iter=2, tol=0.0, warm_start=True), X, y)
        quietly(model, X, y)
        whole = quietly(LMSRegressor(learning_rate="constant", max_iter=4, tol=0.0), X, y)
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-10)
        with pytest.raises(ValueError, match="warm_start goes on from coefficients of shape"):
            model.fit(X[:, :3], y)


@pytest.mark.parametrize("method", ["batch", "stochastic"])
@pytest.mark.parametrize("window", [2**26, 1], ids=["one window", "three windows"])
def test_files_and_dask_have_the_bits_of_memory(method, window, tmp_path, monkeypatch):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    da = pytest.importorskip("dask.array")
    monkeypatch.setattr(visits, "WINDOW_BYTES", window)
    X, y = data(n=10_007, d=5)
    w = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    table = pa.table({f"x{j}": X[:, j] for j in range(5)} | {"y": y, "w": w})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=3000)
    settings = {"method": method, "random_state": 0, "max_iter": 6}
    memory = quietly(LMSRegressor(**settings), X, y, w)
    chunks = (da.from_array(X, (2500, 5)), da.from_array(y, 2500), da.from_array(w, 2500))
    with surefit.config(n_threads=1):
        others = [
            quietly(LMSRegressor(**settings), str(tmp_path / "rows.parquet"), "y", "w"),
            quietly(LMSRegressor(**settings), *chunks),
            quietly(LMSRegressor(**settings), X, y, w),
        ]
    for other in others:
        assert other.coef_.tobytes() == memory.coef_.tobytes()
        assert other.intercept_ == memory.intercept_ and other.t_ == memory.t_
        np.testing.assert_array_equal(other.history_, memory.history_)


def test_verbose_prints_each_pass(capsys):
    X, y = data()
    model = LMSRegressor(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[0] == f"pass 1: mean squared error {model.history_[0]:.9g}"


@pytest.mark.parametrize("method", ["batch", "stochastic"])
def test_numbers_out_of_range_are_refused(method):
    X, y = data()
    for rows, targets, words in [(X * 1e160, y, "column . of X is too large"), (X, y * 1e160, "target is too large")]:
        with pytest.raises(ValueError, match=words):
            LMSRegressor(method=method).fit(rows, targets)
    with pytest.raises(ValueError, match="too small"):
        LMSRegressor(method=method).fit(X * 1e-160, y)
