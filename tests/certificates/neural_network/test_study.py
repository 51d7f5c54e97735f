"""A slice of the attacks on networks (`python -m tests.certificates.neural_network.study` runs the whole)."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit.neural_network import MLPRegressor
from tests.certificates.bench import altered, failing
from tests.certificates.neural_network import study


@pytest.mark.parametrize("attack", [study.classifier, study.regressor])
def test_lies_are_refused_and_numbers_bound_the_truth(attack):
    found = attack(8, bundled=False)
    assert not found.faults, "\n".join(found.faults)
    assert found.counts["accepted"] == found.counts["fits"] == 8
    assert found.counts["lies"] - found.counts["as good"] > 120


@pytest.mark.filterwarnings("ignore")
def test_a_small_loss_is_not_what_it_is_not():
    """Losses of 1e-9: loss_ ten times as large as the end of its curve is a difference of 1e-8."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = 1e-4 * X[:, 0]
    model = MLPRegressor(hidden_layer_sizes=(), solver="sgd", random_state=0, max_iter=50, learning_rate_init=0.1).fit(
        X, y
    )
    assert surefit.certify(model, X, y).holds
    assert failing(surefit.certify(altered(model, loss_=10 * model.loss_), X, y)) == {"trace"}
    assert failing(surefit.certify(altered(model, best_loss_=0.1 * model.best_loss_), X, y)) == {"trace"}
