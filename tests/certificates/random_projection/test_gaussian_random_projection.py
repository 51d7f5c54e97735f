"""The checker of random projections: the change of distances it prints is no smaller than the true one."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.random_projection import GaussianRandomProjection as SklearnProjection

import surefit
from surefit.random_projection import GaussianRandomProjection


def true_change(A, X):
    """In long double, from the difference of each pair itself."""
    A, X = A.astype(np.longdouble), X.astype(np.longdouble)
    worst = np.longdouble(0)
    for i in range(len(X) - 1):
        D = X[i + 1 :] - X[i]
        before, after = (D * D).sum(axis=1), ((D @ A.T) ** 2).sum(axis=1)
        worst = max(worst, np.abs(after[before > 0] / before[before > 0] - 1).max(initial=0))
    return worst


def rows(offset, spread=1.0, n=40, d=30, seed=0):
    """Some rows are near each other, and two are equal."""
    rng = np.random.default_rng(seed)
    X = offset + spread * rng.normal(size=(n, d))
    X[1] = X[0] + 1e-7 * spread * rng.normal(size=d)
    X[3] = X[2]
    return X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0, 30, 3000, 1e6, -1e9])
@pytest.mark.parametrize("Model", [GaussianRandomProjection, SklearnProjection])
def test_the_printed_change_bounds_the_true_one(Model, offset, dtype):
    X = rows(offset).astype(dtype)
    model = Model(5, random_state=0).fit(X)
    certificate = surefit.certify(model, X)
    assert certificate.holds, certificate
    truth, printed = true_change(model.components_, X), certificate["distances"].value
    assert truth <= printed <= truth * (1 + 1e-5)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_the_change_does_not_feel_the_unit(scale):
    X = rows(0.0)
    model = GaussianRandomProjection(5, random_state=0).fit(X)
    plain, scaled = (surefit.certify(model, Y)["distances"].value for Y in (X, X * scale))
    assert scaled == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("offset", [0, 3000, 1e6])
def test_a_change_beyond_eps_is_refused_at_any_offset(offset):
    X = rows(offset, n=20, d=400)
    model = GaussianRandomProjection(eps=0.5, random_state=1).fit(X)
    assert surefit.certify(model, X).holds
    lie = copy.deepcopy(model)
    lie.random_state = None
    lie.components_ = model.components_ * 1.3
    refused = surefit.certify(lie, X)["distances"]
    assert not refused.holds and refused.value >= true_change(lie.components_, X) > 0.5


@pytest.mark.parametrize("relative", [1e-9, 1e-6, 1e-3, 1e-1])
@pytest.mark.parametrize("Model", [GaussianRandomProjection, SklearnProjection])
def test_entries_that_were_not_drawn_are_refused(Model, relative):
    X = rows(0.0)
    model = Model(5, random_state=0).fit(X)
    rng = np.random.default_rng(1)
    lies = [
        model.components_ * (1 + relative),
        model.components_ * (1 + relative * rng.normal(size=model.components_.shape)),
        model.components_[:, ::-1].copy(),
        model.components_[::-1].copy(),
    ]
    for components in lies:
        lie = copy.deepcopy(model)
        lie.components_ = components
        assert not surefit.certify(lie, X).holds


def test_without_a_seed_entries_of_another_law_are_refused():
    X = np.random.default_rng(0).normal(size=(50, 200))
    model = GaussianRandomProjection(40).fit(X)
    assert surefit.certify(model, X).holds
    A = model.components_
    for components in (A * 1.2, np.sign(A) / np.sqrt(len(A)), np.zeros_like(A), np.abs(A), A + 0.1):
        model.components_ = components
        assert not surefit.certify(model, X).holds


@pytest.mark.parametrize("Model", [GaussianRandomProjection, SklearnProjection])
def test_entries_in_order_do_not_keep_distances(Model):
    """The same normal entries, sorted: the rows of the matrix are nearly one row, and no draw."""
    X = np.random.default_rng(0).normal(size=(200, 64)) + 1.0
    model = Model(50).fit(X)
    assert surefit.certify(model, X).holds
    lie = copy.deepcopy(model)
    lie.components_ = np.sort(model.components_.ravel()).reshape(model.components_.shape)
    assert [claim.name for claim in surefit.certify(lie, X).failures] == ["distances"]
