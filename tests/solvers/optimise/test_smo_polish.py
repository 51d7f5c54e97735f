"""The equations of the free variables: against a solution by hand and against the interior-point method."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.optimise.smo_gap import Box, duality_gap
from surefit.solvers.optimise.smo_polish import free_minimum
from surefit.solvers.optimise.smo_state import Limits
from surefit.solvers.optimise.smo_whole import LAST_DIGITS, compiled_turns, solve_dense
from tests.reference.quadratic_program import interior_point


def box_of(q, low, high):
    q = np.asarray(q, float)
    return Box(np.arange(len(q)), q, np.full(len(q), float(low)), np.full(len(q), float(high)))


def test_the_minimum_by_hand():
    """½ (β₁² + β₂² + β₃²) + q·β with Σ β = 0 is least at β = mean(q) − q."""
    q = np.array([0.3, -0.5, 0.1])
    box, places = box_of(q, -1, 1), np.arange(3)
    found = free_minimum(np.eye(3), box, places, np.zeros(3), q)
    np.testing.assert_allclose(found, q.mean() - q, atol=1e-15)


def test_a_move_ends_at_the_first_bound_and_the_rest_goes_on():
    """β₂ wants 1.2 and is held at 1; the others share −1 with q₁ + β₁ = q₃ + β₃."""
    q = np.array([1.0, -1.3, 0.0])
    found = free_minimum(np.eye(3), box_of(q, -1, 1), np.arange(3), np.zeros(3), q)
    np.testing.assert_allclose(found, [-1.0, 1.0, 0.0], atol=1e-14)


def test_a_flat_direction_is_followed_to_its_bound():
    """K does not notice β₁ − β₂, along which q falls by one."""
    q = np.array([-1.0, 0.0])
    found = free_minimum(np.ones((2, 2)), box_of(q, -2, 2), np.arange(2), np.zeros(2), q)
    np.testing.assert_allclose(found, [2.0, -2.0])


@pytest.mark.parametrize("rank", [3, 40])
@pytest.mark.parametrize("high", [0.1, 10.0])
def test_the_whole_matrix_against_the_interior_point(rank, high):
    rng = np.random.default_rng(rank)
    A = rng.normal(size=(40, rank))
    K, q = A @ A.T / rank, rng.normal(size=40)
    box = box_of(q, -high, high)
    found = solve_dense(K, box, np.zeros(40), Limits(1e-10))
    beta, _ = interior_point(K, q, box.low, box.high)
    assert found.status == "converged"
    assert 0.5 * found.beta @ K @ found.beta + q @ found.beta == pytest.approx(
        0.5 * beta @ K @ beta + q @ beta, rel=1e-8
    )


@pytest.mark.parametrize("high", [0.1, 10.0])
def test_compiled_turns_against_the_interior_point(high):
    rng = np.random.default_rng(5)
    A = rng.normal(size=(60, 60))
    K, q = A @ A.T / 60 + np.eye(60), rng.normal(size=60)
    box = box_of(q, -high, high)
    found = compiled_turns(K, box, Limits(1e-10))
    beta, _ = interior_point(K, q, box.low, box.high)
    assert found.gap.rel_gap <= LAST_DIGITS
    np.testing.assert_allclose(found.beta, beta, atol=1e-6 * high)
    assert abs(found.beta.sum()) < 1e-13 * high
    np.testing.assert_allclose(found.F, K @ found.beta + q, atol=1e-12)
    assert found.gap.gap == pytest.approx(duality_gap(box, found.beta, found.F).gap, abs=1e-12)


def test_compiled_turns_leave_singular_problems_to_the_rest():
    """Rows that are there twice: no factor, and the answer is found all the same."""
    A = np.repeat(np.random.default_rng(6).normal(size=(20, 2)), 2, axis=0)
    K, q = A @ A.T, np.tile([1.0, -1.0], 20)
    box = box_of(q, -1, 1)
    start = compiled_turns(K, box, Limits(1e-9))
    assert start.gap.gap >= 0
    found = solve_dense(K, box, start.beta, Limits(1e-9))
    beta, _ = interior_point(K, q, box.low, box.high)
    assert found.gap.value == pytest.approx(0.5 * beta @ K @ beta + q @ beta, rel=1e-7)
