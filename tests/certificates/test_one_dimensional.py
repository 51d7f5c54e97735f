"""k-means on a line against all partitions, and the bound by few values below it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

from surefit.certificates.search.spectral.line_values import few_values
from surefit.certificates.theorems.spectral.one_dimensional import least_cost, moved


def brute(x: np.ndarray, w: np.ndarray, k: int) -> float:
    """The least cost over all ways to cut the sorted points into at most k intervals."""
    order = np.argsort(x)
    x, w, n = x[order], w[order], len(x)
    best = np.inf
    for parts in range(1, min(k, n) + 1):
        for cuts in combinations(range(1, n), parts - 1):
            ends = [0, *cuts, n]
            cost = 0.0
            for a, b in pairwise(ends):
                mean = np.average(x[a:b], weights=w[a:b])
                cost += float(w[a:b] @ (x[a:b] - mean) ** 2)
            best = min(best, cost)
    return best


def bound(x: np.ndarray, w: np.ndarray, k: int, values: np.ndarray) -> float:
    """By rows that are moved to the nearest of the values."""
    weight, loss = moved(x, w, values)
    return max(np.sqrt(least_cost(values, weight, k)) - np.sqrt(loss), 0.0) ** 2


def optimum(x: np.ndarray, w: np.ndarray, k: int) -> float:
    return bound(x, w, k, np.unique(x))


@pytest.mark.parametrize("seed", range(60))
def test_optimum_is_that_of_all_partitions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 12)), int(rng.integers(1, 6))
    x, w = rng.normal(size=n).round(int(rng.integers(0, 3))), rng.random(n) + 0.1
    truth = brute(x, w, k)
    assert truth - 1e-10 <= optimum(x, w, k) <= truth + 1e-15
    for count in (1, 3, 8):
        assert bound(x, w, k, np.sort(rng.normal(size=count))) <= truth + 1e-12


def test_moving_points_without_counting_it_would_lift_the_bound() -> None:
    """Two far points go to one value, each next to a heavy neighbour."""
    x, w = np.array([-1.1, -1.0, 1.0, 1.1]), np.array([100.0, 1.0, 1.0, 100.0])
    truth, values = brute(x, w, 2), np.array([-1.1, 0.0, 1.1])
    lifted = brute(values, np.array([100.0, 2.0, 100.0]), 2)
    middle = np.array([-1.1, 0.0, 0.0, 1.1])
    assert lifted > truth >= max(np.sqrt(lifted) - np.sqrt(w @ (x - middle) ** 2), 0.0) ** 2
    assert bound(x, w, 2, values) <= truth


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_few_values_come_close_for_many_points(k: int) -> None:
    x = np.random.default_rng(1).normal(size=2000)
    w = np.ones(2000)
    exact, values = optimum(x, w, k), few_values(x)
    assert len(values) < 800
    assert exact * (1 - 10 * k / 1000) <= bound(x, w, k, values) <= exact * (1 + 1e-10)


def test_two_clusters_of_a_gaussian_leave_one_minus_two_over_pi() -> None:
    """The least distortion of two points for a normal law is 1 − 2/π of the variance."""
    x = np.random.default_rng(2).normal(size=2000)
    share = optimum(x, np.ones(2000), 2) / (2000 * x.var())
    assert share == pytest.approx(1 - 2 / np.pi, abs=0.02)


def test_corner_cases() -> None:
    one = np.ones(3)
    assert optimum(np.zeros(3), one, 2) == 0.0
    assert optimum(np.array([0.0, 1.0, 5.0]), one, 3) == 0.0
    assert optimum(np.array([0.0, 1.0, 5.0]), np.zeros(3), 2) == 0.0
    assert optimum(np.array([0.0, 1.0, 5.0]), one, 1) == pytest.approx(14.0)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
def test_the_bound_is_below_the_optimum_in_fractions(offset: float) -> None:
    """Outliers and offsets make prefix sums cancel: what they lose is taken off."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        x = np.concatenate([rng.normal(size=8) + offset, [offset + 1e6]])
        exact = [Fraction(v) for v in np.sort(x)]
        truth = min(
            sum(sum((v - sum(part) / len(part)) ** 2 for v in part) for part in (exact[:a], exact[a:b], exact[b:]))
            for a in range(1, 8)
            for b in range(a + 1, 9)
        )
        assert Fraction(optimum(x, np.ones(9), 3)) <= truth
