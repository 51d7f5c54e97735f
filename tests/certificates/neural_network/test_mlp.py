"""The checker of networks recomputes loss, gradient and answers from the weights, and says no to lies about them."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.neural_network

from surefit.certificates import Grade
from surefit.certificates.neural_network import network
from surefit.neural_network import MLPClassifier, MLPRegressor
from tests.certificates.bench import altered, certify, failing
from tests.certificates.test_totality import wicked

rng = np.random.default_rng(8)
X = rng.normal(size=(80, 3))
NUMBERS = np.sin(X[:, 0]) + X[:, 1]
CODES = np.digitize(NUMBERS, [-0.7, 0.7])
CASES = {"classes": (MLPClassifier, CODES), "two": (MLPClassifier, CODES > 0), "numbers": (MLPRegressor, NUMBERS)}


def fitted(cls: Any, y: Any, **settings: Any) -> Any:
    settings = {"hidden_layer_sizes": (4, 3), "activation": "tanh", "max_iter": 20, "random_state": 0, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(**settings).fit(X, y)


def codes(y: np.ndarray) -> np.ndarray:
    return y.astype(int) if y.dtype.kind == "b" else y


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_fits_hold(case, solver, activation):
    cls, y = CASES[case]
    c = certify(fitted(cls, codes(y), solver=solver, activation=activation), X, codes(y))
    assert c.holds, str(c)


@pytest.mark.parametrize("case", CASES)
def test_scikit_learns_fits_hold(case):
    cls, y = CASES[case]
    theirs = getattr(sklearn.neural_network, cls.__name__)
    c = certify(fitted(theirs, codes(y), solver="lbfgs"), X, codes(y))
    assert c.holds, str(c)


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic"])
def test_another_gradient_is_refused(activation, monkeypatch):
    """Were the chain rule written wrongly, differences of the loss would show it."""
    model, right = fitted(MLPRegressor, NUMBERS, activation=activation), network._slope
    assert certify(model, X, NUMBERS)["gradient"].grade is Grade.EXACT
    monkeypatch.setattr(network, "_slope", lambda kind, z: 1.02 * right(kind, z))
    assert "gradient" in failing(certify(model, X, NUMBERS))


def test_what_is_not_stationary_says_how_far_it_is():
    claim = certify(fitted(MLPRegressor, NUMBERS), X, NUMBERS)["stationary"]
    assert claim.holds and claim.grade is Grade.UNPROVED
    assert "after 20 rounds, stopped by max_iter" in claim.sentence
    assert claim.detail["largest"] > 1e-4 and claim.detail["share"] > 0


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_a_small_gradient_is_stationary_whoever_found_it(solver):
    model = fitted(MLPRegressor, np.zeros(80), solver=solver, max_iter=500)
    assert certify(altered(model, tol=0.1), X, np.zeros(80))["stationary"].grade is Grade.STATIONARY


def test_a_converged_fit_is_stationary():
    model = fitted(MLPRegressor, NUMBERS, solver="lbfgs", alpha=1.0, max_iter=5000, tol=1e-3)
    claim = next(c for c in certify(model, X, NUMBERS) if c.name == "stationary")
    assert claim.grade is Grade.STATIONARY and claim.value <= 1e-3


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["coefs_", "intercepts_"])
@pytest.mark.parametrize("layer", [0, 1, 2])
def test_a_changed_layer_is_refused(case, name, layer):
    cls, y = CASES[case]
    model = fitted(cls, codes(y))
    lie = copy.deepcopy(getattr(model, name))
    lie[layer].flat[0] += 0.05
    assert "trace" in failing(certify(altered(model, **{name: lie}), X, codes(y)))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["loss_", "final_loss_", "best_loss_", "n_layers_", "n_outputs_"])
def test_every_number_may_be_anything(case, name):
    cls, y = CASES[case]
    model = fitted(cls, codes(y))
    for i, lie in enumerate(wicked(getattr(model, name))):
        optional = i == 0 and name in ("final_loss_", "best_loss_")  # None: not told
        same = i == 12 and getattr(model, name) == 1  # True is one
        if not (optional or same):
            assert not certify(altered(model, **{name: lie}), X, codes(y)).holds, (name, lie)


@pytest.mark.parametrize("name", ["coefs_", "intercepts_", "out_activation_", "loss_curve_"])
def test_layers_may_be_anything(name):
    model = fitted(MLPRegressor, NUMBERS)
    for lie in (None, np.nan, "text", {}, [], [np.nan], [None], [[1.0], [1.0, 2.0]], object(), 1j, np.zeros((3, 3, 3))):
        assert not certify(altered(model, **{name: lie}), X, NUMBERS).holds, (name, lie)


def test_parameters_may_be_anything():
    model = fitted(MLPRegressor, NUMBERS)
    for name in ("hidden_layer_sizes", "activation", "alpha", "solver", "tol"):
        for lie in (None, np.nan, "text", [], {}, object(), -1, 1e308, [1.0, "a"]):
            assert len(certify(altered(model, **{name: lie}), X, NUMBERS)) > 0


def test_roundings_far_from_zero_excuse_no_other_loss() -> None:
    """The weights of a fit to half the rows, in float32 a million deviations from zero: the loss is another."""
    A = (X + 1e6).astype(np.float32)
    settings = {"hidden_layer_sizes": (5,), "solver": "lbfgs", "max_iter": 200, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MLPRegressor(**settings).fit(A, NUMBERS)
    for size in (1.1, 2.0):
        trace = certify(altered(model, loss_=model.loss_ * size, best_loss_=model.loss_ * size), A, NUMBERS)["trace"]
        assert not trace.holds and trace.excuse <= 0.01, str(trace)
