"""The empirical risk against hand-made means and scikit-learn's metrics."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, zero_one_loss

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.theory import empirical_risk

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("loss", "metric"),
    [("squared", mean_squared_error), ("absolute", mean_absolute_error), ("zero_one", zero_one_loss)],
)
def test_against_scikit_learn(loss, metric, weighted):
    y, p = RNG.integers(0, 3, 50), RNG.integers(0, 3, 50)
    w = RNG.random(50) if weighted else None
    assert empirical_risk(y, p, loss=loss, sample_weight=w) == pytest.approx(metric(y, p, sample_weight=w), rel=1e-12)


def test_weight_is_repetition():
    y, p, w = np.array([0, 1, 1]), np.array([1, 1, 0]), np.array([2, 3, 0])
    assert empirical_risk(y, p, sample_weight=w) == empirical_risk(np.repeat(y, w), np.repeat(p, w)) == 2 / 5


def test_own_loss():
    assert empirical_risk([1.0, -2.0], [0.0, 0.0], loss=lambda y, p: np.maximum(0, y - p)) == 0.5


@pytest.mark.parametrize(
    ("y", "p", "options", "words"),
    [
        ([], [], {}, "at least one row"),
        ([1, 2], [1], {}, "one length"),
        ([[1]], [[1]], {}, "columns"),
        ([1.0, np.nan], [1.0, 1.0], {}, "missing label in row 1"),
        ([1.0, np.inf], [1.0, 1.0], {"loss": "squared"}, "row 1"),
        (["a", "b"], ["a", "b"], {"loss": "squared"}, "numbers"),
        (["a", "b"], [0, 1], {}, "one kind"),
        ([1, 2], [1, 1], {"sample_weight": [0, 0]}, "not all zero"),
        ([1, 2], [1, 1], {"sample_weight": [1, -1]}, "≥ 0"),
        ([1, 2], [1, 1], {"sample_weight": [1, np.nan]}, "finite"),
        ([1, 2], [1, 1], {"loss": lambda y, p: 1.0}, "one number for each"),
    ],
)
def test_bad_input(y, p, options, words):
    with pytest.raises(InvalidData, match=words):
        empirical_risk(y, p, **options)


def test_unknown_loss():
    with pytest.raises(InvalidParameter, match="zero_one, squared"):
        empirical_risk([1], [1], loss="hinge")
