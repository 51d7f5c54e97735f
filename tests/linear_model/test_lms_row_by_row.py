"""LMSRegressor row by row, against scikit-learn's stochastic descent and NumPy's least squares."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit.linear_model import LMSRegressor
from tests.linear_model.test_lms_regressor import data, least_sum, quietly, total


def stochastic(**settings):
    return LMSRegressor(**({"method": "stochastic", "random_state": 0} | settings))


def plain_stochastic(**settings):
    """Widrow and Hoff's rule as it stands: no scaling, no averaging, rows in their order."""
    return stochastic(scale_columns=False, average=False, shuffle=False, n_iter_no_change=10**6, **settings)


def certified_distance(model, X, y):
    """The certificate's distance from the least squares, after a look at NumPy's: `tol` decides what is near."""
    claim = model.certify(X, y)["optimal"]
    least = least_sum(X, y)
    assert claim.value == pytest.approx(total(model, X, y) / least - 1, rel=1e-6)
    assert claim.holds == (claim.value <= 1e-6) and model.certify(X, y, tol=1.001 * claim.value).holds
    return claim.value


class TestStochastic:
    @pytest.mark.parametrize("rate", ["constant", "invscaling"])
    @pytest.mark.parametrize("intercept", [True, False])
    def test_updates_are_those_of_scikit_learn(self, rate, intercept):
        X, y = data(n=50, d=3)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        settings = {"learning_rate": rate, "eta0": 0.02, "power_t": 0.3, "max_iter": 3, "fit_intercept": intercept}
        theirs = SGDRegressor(penalty=None, shuffle=False, tol=None, **settings).fit(X, y)
        ours = quietly(plain_stochastic(tol=0.0, **settings), X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_[0] if intercept else 0.0, rtol=1e-10)
        assert ours.t_ == theirs.t_ - 1 == 150

    def test_partial_fit_is_that_of_scikit_learn(self):
        X, y = data(n=60, d=3)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        settings = {"learning_rate": "invscaling", "eta0": 0.05, "shuffle": False}
        theirs = SGDRegressor(penalty=None, **settings)
        ours = LMSRegressor(scale_columns=False, average=False, **settings)
        for rows in (slice(0, 20), slice(20, 21), slice(21, 60)):
            theirs.partial_fit(X[rows], y[rows])
            ours.partial_fit(X[rows], y[rows])
            np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_[0], rtol=1e-10)
        assert ours.t_ == 60 and len(ours.history_) == 1

    @pytest.mark.parametrize("settings", [{}, {"average": False}, {"learning_rate": "harmonic"}])
    def test_comes_near(self, settings):
        X, y = data(n=2000, noise=1.0)
        model = stochastic(**settings).fit(X, y)
        excess, start = total(model, X, y) - least_sum(X, y), float(y @ y) - least_sum(X, y)
        assert excess <= 1e-3 * start
        assert certified_distance(model, X, y) <= 1e-2
        assert model.t_ == 2000 * model.n_iter_ and len(model.history_) == model.n_iter_

    @pytest.mark.parametrize("load", [load_diabetes, load_breast_cancer])
    @pytest.mark.parametrize("seed", range(3))
    def test_real_data_comes_near(self, load, seed):
        X, y = load(return_X_y=True)
        assert certified_distance(stochastic(random_state=seed).fit(X, y), X, y) <= 0.05

    def test_every_target_comes_near(self):
        """Large and small targets, without noise and nothing but noise."""
        X, y = data(n=1500)
        Y = np.column_stack([1e6 * y, 1e-6 * np.random.default_rng(3).normal(size=1500), X[:, 0]])
        model = stochastic().fit(X, Y)
        for k in range(3):
            least = least_sum(X, Y[:, k])
            excess = float(((Y[:, k] - model.predict(X)[:, k]) ** 2).sum()) - least
            assert excess <= 1e-2 * (float(Y[:, k] @ Y[:, k]) - least)

    def test_heavy_tails_do_not_diverge(self):
        rng = np.random.default_rng(0)
        X = rng.standard_cauchy(size=(500, 4))
        y = X @ np.ones(4) + rng.normal(size=500)
        assert certified_distance(stochastic().fit(X, y), X, y) <= 0.05

    def test_a_constant_rate_does_not_stand_still_but_its_mean_does(self):
        X, y = data(n=3000, noise=3.0)
        excess = {}
        for average in (True, False):
            settings = {"learning_rate": "constant", "eta0": 0.02, "max_iter": 5, "n_iter_no_change": 10}
            model = quietly(stochastic(average=average, **settings), X, y)
            excess[average] = total(model, X, y) - least_sum(X, y)
        assert 0 <= excess[True] < excess[False] / 5

    def test_divergence_names_eta0(self):
        X, y = data()
        with pytest.raises(ValueError, match=r"diverges: LMSRegressor\(eta0=…\) must be smaller.*got 3"):
            stochastic(learning_rate="constant", eta0=3.0).fit(X, y)
        with pytest.raises(ValueError, match="eta0"):
            stochastic(scale_columns=False, eta0=1.0).fit(1e3 * X, y)
        model = LMSRegressor(eta0=50.0)
        with pytest.raises(ValueError, match="eta0"):
            for _ in range(50):
                model.partial_fit(X, y)

    def test_weights_are_repetitions(self):
        X, y = data(n=120)
        w = np.random.default_rng(1).integers(0, 4, 120)
        for settings in ({}, {"learning_rate": "invscaling"}, {"learning_rate": "harmonic", "average": False}):
            weighted = stochastic(**settings).fit(X, y, w.astype(float))
            repeated = stochastic(**settings).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
            np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
            assert weighted.t_ == repeated.t_ and weighted.n_iter_ == repeated.n_iter_

    def test_order_of_rows_does_not_matter(self):
        X, y = data(n=300)
        shuffled = np.random.default_rng(1).permutation(300)
        np.testing.assert_allclose(
            stochastic().fit(X[shuffled], y[shuffled]).coef_, stochastic().fit(X, y).coef_, rtol=1e-8
        )

    def test_sparse_is_dense(self):
        X, y = data(n=300)
        X[np.random.default_rng(1).random(X.shape) < 0.7] = 0.0
        for settings in ({}, {"fit_intercept": False}, {"scale_columns": False, "eta0": 1e-5, "max_iter": 5}):
            dense, sparse = (quietly(stochastic(**settings), rows, y) for rows in (X, sp.csr_array(X)))
            np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-7, atol=1e-9)

    def test_seeds(self):
        X, y = data(n=300)
        same = [stochastic(random_state=3, max_iter=2, tol=0.0) for _ in range(2)]
        first, second = (quietly(model, X, y).coef_ for model in same)
        np.testing.assert_array_equal(first, second)
        other = quietly(stochastic(random_state=4, max_iter=2, tol=0.0), X, y).coef_
        assert (first != other).all()

    def test_warns_when_stopped_early(self):
        X, y = data()
        with pytest.warns(
            ConvergenceWarning, match=r"stopped after 2 passes, .* still changed .* \(tol 1e-06\)"
        ) as told:
            stochastic(max_iter=2).fit(X, y)
        assert told[0].filename == __file__

    def test_warm_start_is_kept_when_nothing_is_better(self):
        X, y = data()
        best = LMSRegressor(tol=0.0).fit(X, y)
        model = stochastic(warm_start=True)
        model.fit(X, y)
        model.coef_, model.intercept_ = best.coef_, best.intercept_
        model.fit(X, y)
        np.testing.assert_allclose(model.coef_, best.coef_, rtol=1e-6)


class TestPartialFit:
    def test_follows_a_stream(self):
        X, y = data(n=20_000, noise=0.5)
        model = LMSRegressor(random_state=0)
        for start in range(0, 20_000, 500):
            model.partial_fit(X[start : start + 500], y[start : start + 500])
        excess, start = total(model, X, y) - least_sum(X, y), float(y @ y) - least_sum(X, y)
        assert excess <= 1e-2 * start and model.t_ == 20_000
        assert certified_distance(model, X, y) <= 0.05

    def test_follows_data_that_changes(self):
        X, y = data(n=4000, noise=0.1)
        model = LMSRegressor(random_state=0).partial_fit(X, y)
        for _ in range(5):
            model.partial_fit(X, -y)
        assert np.mean((model.predict(X) + y) ** 2) < 0.05 * y.var()

    def test_goes_on_after_fit(self):
        X, y = data()
        model = LMSRegressor(random_state=0).fit(X, y)
        best = total(model, X, y)
        model.partial_fit(X, y)
        assert total(model, X, y) <= 1.2 * best

    def test_harmonic_rates_fall_from_call_to_call(self):
        """One column through the origin, always the same row: the distance is multiplied by 1 − η₀ x²/(1 + t/2)."""
        model = LMSRegressor(
            learning_rate="harmonic", eta0=0.1, scale_columns=False, average=False, fit_intercept=False, shuffle=False
        )
        left = 1.0
        for call in range(4):
            model.partial_fit(np.array([[1.0], [1.0]]), np.array([3.0, 3.0]))
            left *= (1 - 0.1 / (1 + call)) * (1 - 0.1 / (1 + call + 0.5))
            np.testing.assert_allclose(model.coef_, [3 - 3 * left], rtol=1e-13)

    def test_refusals_change_nothing(self):
        X, y = data()
        model = LMSRegressor(random_state=0).partial_fit(X, y)
        before = dict(vars(model))
        for rows, targets, words in [
            (X[:, :2], y, "2 features"),
            (X, np.column_stack([y, y]), "2 target"),
            (X, y[:-1], "inconsistent"),
            ("rows.parquet", "y", "partial_fit takes rows in memory"),
        ]:
            with pytest.raises(ValueError, match=words):
                model.partial_fit(rows, targets)
            assert vars(model) == before


LONG_FIT = """
import os, signal, threading
import numpy as np
from surefit.linear_model import LMSRegressor
X = np.random.default_rng(0).normal(size=(300_000, 40))
y = X[:, 0] + np.random.default_rng(1).normal(size=300_000)
model = LMSRegressor(method="stochastic", tol=0.0, n_iter_no_change=10**6, max_iter=10**6).partial_fit(X[:50], y[:50])
before = dict(vars(model))
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", vars(model) == before)
"""


def test_interrupt_of_a_row_by_row_fit():
    run = subprocess.run([sys.executable, "-c", LONG_FIT], capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout.strip() == "interrupted True", run.stdout + run.stderr


@parametrize_with_checks([LMSRegressor(method="stochastic", random_state=0)])
def test_scikit_learn_checks_row_by_row(estimator, check):
    check(estimator)
