"""A weight of two is a row repeated, a weight of zero is a row left out, and the order of rows does not matter."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from tests.laws.registry import (
    SAME_ANSWER,
    answer,
    fit,
    instances,
    sample,
    scikit_learn_class,
    some_rows,
    takes_weights,
    transductive,
)

MODELS = pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)


@MODELS
def test_weights_are_taken_where_scikit_learn_takes_them(model):
    cls = scikit_learn_class(model)
    if cls is None:
        pytest.skip("scikit-learn has no such class")
    assert takes_weights(model) or "sample_weight" not in inspect.signature(cls.fit).parameters


@MODELS
@pytest.mark.parametrize("seed", range(3))
def test_weight_is_repetition(model, seed):
    X, y, w = sample(model, seed=seed)
    if w is None:
        pytest.skip("takes no weights, as scikit-learn's class")
    if transductive(model):  # it says nothing of rows that are left out
        w = w + 1
    times = w.astype(int)
    weighted = fit(model, X, y, w)
    repeated = fit(model, np.repeat(X, times, axis=0), np.repeat(y, times))
    if transductive(model):
        pairs = np.repeat(np.repeat(answer(weighted, X), times, axis=0), times, axis=1)
        np.testing.assert_allclose(pairs, answer(repeated, X), rtol=1e-8, atol=1e-8)
        return
    np.testing.assert_allclose(answer(weighted, X), answer(repeated, X), rtol=1e-8, atol=1e-8)


@MODELS
def test_unit_weights_are_no_weights(model):
    X, y, w = sample(model)
    if w is None:
        pytest.skip("takes no weights, as scikit-learn's class")
    np.testing.assert_allclose(
        answer(fit(model, X, y, np.ones(len(X))), X), answer(fit(model, X, y), X), rtol=1e-10, atol=1e-10
    )


@MODELS
@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_does_not_matter(model, seed):
    X, y, w = sample(model, seed=seed)
    order = np.random.default_rng(seed).permutation(len(X))
    straight, shuffled = fit(model, X, y, w), fit(model, *some_rows(order, X, y, w))
    if transductive(model):
        pairs = answer(straight, X)[np.ix_(order, order)]
        allowed = SAME_ANSWER.get(type(model).__name__, 1e-8)
        np.testing.assert_allclose(pairs, answer(shuffled, X), rtol=allowed, atol=allowed)
        return
    np.testing.assert_allclose(answer(straight, X), answer(shuffled, X), rtol=1e-8, atol=1e-8)
