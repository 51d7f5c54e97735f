"""Coordinate descent over sparse columns: conditions of a minimum by dense algebra, weird columns, refused calls."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from tests.reference.lasso_columns import Model


def problem(dtype, index, intercept, ridge, seed=0, n=120, d=40, offset=0.0):
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.2, rng=rng, dtype=np.float64).toarray()
    X[:, 3] += offset  # a column without zeros
    X[:, 5] = 0.0
    X = X.astype(dtype)
    columns = sp.csc_array(X)
    parts = columns.data, columns.indices.astype(index), columns.indptr.astype(index)
    chosen = np.sort(rng.choice(d, 25, replace=False)).astype(np.int64)
    chosen[:2] = 3, 5
    chosen.sort()
    chosen = np.unique(chosen)
    D, p = rng.random(n) + 0.1, len(chosen) + intercept
    frame = 2.0 ** rng.integers(-2, 3, len(chosen)), X[:, chosen].mean(axis=0, dtype=np.float64)
    threshold, start = np.full(p, 0.6), rng.normal(size=p) * (rng.random(p) < 0.5)
    ridges = np.full(p, ridge)
    if intercept:
        threshold[-1] = ridges[-1] = 0.0
    terms = rng.normal(size=p) * 3, ridges, threshold, start
    return parts, D, chosen, frame, terms, Model(X[:, chosen].astype(np.float64), D, *frame, *terms)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_the_conditions_of_a_minimum_hold(dtype, index, intercept, ridge):
    parts, D, chosen, frame, terms, model = problem(dtype, index, intercept, ridge)
    v = np.zeros(len(terms[0]))
    worst = _native.lasso_columns(*parts, D, chosen, frame, terms, 1e-10, 20000, v)
    assert worst <= 1e-10
    curved = np.diagonal(model.H) > 0
    assert model.breaches(v)[curved].max() <= 1e-9
    assert not (terms[3] + v)[~curved].any()  # no row notices these: zero is best
    assert 0 < np.count_nonzero(terms[3] + v) < len(v)


def test_every_sweep_lowers_the_model_and_goes_on_from_where_it_was():
    parts, D, chosen, frame, terms, model = problem(np.float64, np.int32, True, 0.0, offset=30.0)
    v, before = np.zeros(len(terms[0])), np.inf
    for _ in range(6):
        _native.lasso_columns(*parts, D, chosen, frame, terms, 0.0, 1, v)
        assert model.value(v) <= before + 1e-12 * abs(before if np.isfinite(before) else 0.0)
        before = model.value(v)
    assert before < model.value(np.zeros(len(v)))


def test_bad_calls_are_refused():
    parts, D, chosen, frame, terms, _ = problem(np.float64, np.int32, False, 0.0)
    v = np.zeros(len(chosen))
    for bad in (
        (*parts, D, chosen + 40, frame, terms, 0.0, 1, v),
        (*parts, D, chosen, frame, terms, 0.0, 1, v[:-1].copy()),
        (*parts, D[:10].copy(), chosen, frame, terms, 0.0, 1, v),
        (*parts, D, chosen, (frame[0][1:].copy(), frame[1]), terms, 0.0, 1, v),
    ):
        with pytest.raises(ValueError):
            _native.lasso_columns(*bad)
