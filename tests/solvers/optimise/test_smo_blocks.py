"""Blocks of Gram rows: the same minimum as with the whole matrix, for any cache; adversarial problems end."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit.kernels import Gaussian, Linear, Sigmoid
from surefit.kernels.gram import GramRows
from surefit.solvers.optimise import smo_blocks
from surefit.solvers.optimise.row_cache import RowCache
from surefit.solvers.optimise.smo import solve_box_dual
from surefit.solvers.optimise.smo_blocks import exact_gradient, solve_in_blocks
from surefit.solvers.optimise.smo_gap import Box
from surefit.solvers.optimise.smo_state import Limits
from tests.reference.quadratic_program import primal_cost


@pytest.fixture
def small_sets(monkeypatch):
    """Working sets that are small against a few hundred rows."""
    monkeypatch.setattr(smo_blocks, "WORKING", 64)
    monkeypatch.setattr(smo_blocks, "FRESH", 32)


def classes(n, d, seed, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where((X[:, 0] + X[:, 1 % d] ** 2 > 0.7) ^ (rng.random(n) < noise), 1.0, -1.0)


def machine(y, C):
    return Box(np.arange(len(y)), -y, np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0))


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Linear()], ids=str)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_equals_the_whole_matrix(small_sets, kernel, C):
    X, y = classes(500, 4, 0)
    gram, n = GramRows(kernel, X), len(y)
    whole = solve_box_dual(gram, np.arange(n), y, -np.ones(n), np.full(n, C), tol=1e-8)
    for cache_bytes in (0, 4 * n * 100, 4 * n * n):
        point = solve_in_blocks(gram, machine(y, C), np.zeros(n), Limits(1e-5), cache_bytes)
        assert point.status == "converged" and point.gap.rel_gap <= 1e-5
        assert point.gap.value == pytest.approx(whole.value, rel=1e-5)
        K = gram.rows(np.arange(n))
        cost = primal_cost(K, y, -np.ones(n), np.full(n, C), point.beta, point.gap.bias)
        assert cost + point.gap.value == pytest.approx(point.gap.gap, abs=1e-9 * cost)


def test_regression_in_blocks(small_sets):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    t = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=300)
    gram, C = GramRows(Gaussian(1.0), X), 1.0
    index, signs = np.tile(np.arange(300), 2), np.repeat([1.0, -1.0], 300)
    linear = np.concatenate([0.1 - t, 0.1 + t])
    whole = solve_box_dual(gram, index, signs, linear, np.full(600, C), tol=1e-8)
    box = Box(index, signs * linear, np.where(signs > 0, 0.0, -C), np.where(signs > 0, C, 0.0))
    point = solve_in_blocks(gram, box, np.zeros(600), Limits(1e-6), 10**6)
    assert point.status == "converged"
    assert point.gap.value == pytest.approx(whole.value, rel=1e-6)


def test_no_round_raises_the_objective(small_sets):
    """The two variables of a row are in two places, and a working set may have them in any order."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    t = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=300)
    index, signs = np.tile(np.arange(300), 2), np.repeat([1.0, -1.0], 300)
    q = signs * np.concatenate([0.1 - t, 0.1 + t])
    box = Box(index, q, np.where(signs > 0, 0.0, -1.0), np.where(signs > 0, 1.0, 0.0))
    K = np.exp(-((X[:, None] - X) ** 2).sum(-1))
    descent = smo_blocks._Descent(GramRows(Gaussian(1.0), X), box, np.zeros(600), Limits(1e-6), 10**5)
    last = 0.0
    for _ in range(20):
        descent.round()
        coef = descent.beta[:300] + descent.beta[300:]
        value = 0.5 * coef @ K @ coef + q @ descent.beta
        assert value <= last + 1e-6 * abs(last)
        last = value
    assert last < 0


def test_same_bits_on_any_number_of_threads(small_sets):
    X, y = classes(600, 5, 3)
    gram = GramRows(Gaussian(0.2), X)
    answers = []
    for threads in (1, 2, 3):
        with surefit.config(n_threads=threads):
            answers.append(solve_in_blocks(gram, machine(y, 1.0), np.zeros(600), Limits(1e-6), 10**6).beta)
    assert (answers[0] == answers[1]).all() and (answers[0] == answers[2]).all()


def test_more_variables_than_the_matrix_has_place_for():
    X, y = classes(2600, 6, 4)
    answer = solve_box_dual(GramRows(Gaussian(0.1), X), np.arange(2600), y, -np.ones(2600), np.ones(2600))
    assert answer.status == "converged" and answer.rel_gap <= 1e-6
    again = solve_box_dual(
        GramRows(Gaussian(0.1), X), np.arange(2600), y, -np.ones(2600), np.ones(2600), start=answer.alpha
    )
    assert again.n_iter <= answer.n_iter / 10


def test_the_gradient_is_that_of_the_definition():
    X, y = classes(200, 3, 5)
    gram, rng = GramRows(Gaussian(0.5), X), np.random.default_rng(0)
    beta = rng.normal(size=200) * (rng.random(200) < 0.5)
    wanted = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1)) @ beta - y
    np.testing.assert_allclose(exact_gradient(gram, machine(y, 1.0), beta), wanted, atol=1e-12)


def test_the_cache_holds_what_it_says():
    rng = np.random.default_rng(0)
    gram = GramRows(Gaussian(0.5), rng.normal(size=(50, 2)))
    K = gram.rows(np.arange(50)).astype(np.float32)
    cache = RowCache(gram, 10 * 50 * 4, 5, np.float32)
    assert cache.held.nbytes <= 10 * 50 * 4
    for _ in range(40):
        rows = np.sort(rng.choice(50, 7, replace=False))
        assert (cache.held[cache.places(rows)] == K[rows]).all()
    before = cache.computed
    cache.places(rows)
    assert cache.computed == before


@pytest.mark.parametrize("scale", [1.0, 1e6])
@pytest.mark.parametrize("C", [1e-2, 1e6])
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Linear(), Sigmoid(0.1, -1.0)], ids=str)
@pytest.mark.parametrize("kind", ["one feature", "duplicates", "random labels", "constant"])
def test_adversarial_problems_end_with_a_stated_gap(kind, kernel, C, scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 1 if kind == "one feature" else 3))
    if kind == "duplicates":
        X = X[rng.integers(0, 4, 90)]
    if kind == "constant":
        X[:] = 1.0
    y = np.where(rng.random(90) < 0.4, 1.0, -1.0)
    gram = GramRows(kernel, scale * X)
    answer = solve_box_dual(gram, np.arange(90), y, -np.ones(90), np.full(90, C), time_budget=2.0)
    assert answer.status in ("converged", "rounding", "time_budget")
    assert np.isfinite(answer.alpha).all() and np.isfinite([answer.bias, answer.value, answer.gap]).all()
    assert (answer.alpha >= 0).all() and (answer.alpha <= C).all() and answer.gap >= 0
    K = gram.rows(np.arange(90))
    cost = primal_cost(K, y, -np.ones(90), np.full(90, C), answer.alpha * y, answer.bias)
    sizes = 0.5 * answer.alpha @ np.abs(K) @ answer.alpha + answer.alpha.sum() + abs(cost)
    assert cost + answer.value == pytest.approx(answer.gap, abs=1e-9 * sizes)
