"""Squared distances as an operator, and places from landmarks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from surefit.solvers.embedding.landmarks import Triangulation, farthest_first
from surefit.solvers.embedding.squared_distances import CenteredSquares, negative_share


def centered(D):
    J = np.eye(len(D)) - 1.0 / len(D)
    return -0.5 * J @ D**2 @ J


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e150])
def test_products_with_inner_products(scale):
    X = np.random.default_rng(0).normal(size=(700, 4))
    D = cdist(X, X)
    squares = CenteredSquares(D * scale)
    ratio = (scale / squares.unit) ** 2
    V = np.random.default_rng(1).normal(size=(700, 3))
    np.testing.assert_allclose(squares.apply(V), centered(D) @ V * ratio, atol=1e-9 * ratio)
    np.testing.assert_allclose(squares.formed(), centered(D) * ratio, atol=1e-11 * ratio)
    np.testing.assert_allclose(squares.trace, np.trace(centered(D)) * ratio, rtol=1e-12)


def test_share_of_negative_eigenvalues():
    D = cdist(X := np.random.default_rng(0).normal(size=(300, 6)), X, "cityblock")
    values = np.linalg.eigvalsh(centered(D))
    np.testing.assert_allclose(
        negative_share(CenteredSquares(D)), -values[values < 0].sum() / np.abs(values).sum(), rtol=1e-9
    )


def test_the_share_of_many_rows_is_not_guessed():
    x = np.arange(1600.0)
    assert negative_share(CenteredSquares(np.sqrt(np.abs(x[:, None] - x)))) is None


def test_landmarks_place_points_of_the_plane_exactly():
    X = np.random.default_rng(0).normal(size=(200, 2))
    chosen, table = farthest_first(lambda i: cdist(X[i : i + 1], X)[0], 200, 12)
    assert len(set(chosen.tolist())) == 12
    np.testing.assert_array_equal(table, cdist(X[chosen], X))
    squares = CenteredSquares(table[:, chosen])
    values, vectors = np.linalg.eigh(squares.formed())
    places = Triangulation(values[-2:], vectors[:, -2:], squares.mean_sq).place(table.T)
    np.testing.assert_allclose(cdist(places, places), cdist(X, X), atol=1e-9)


def test_landmarks_are_far_from_each_other():
    """Greedy choice covers the rows within twice the best radius (Gonzalez, 1985): a grid's corners first."""
    X = np.array([[i, j] for i in range(5) for j in range(5)], dtype=float)
    chosen, _ = farthest_first(lambda i: cdist(X[i : i + 1], X)[0], 25, 4)
    assert {tuple(row) for row in X[chosen].tolist()} == {(0, 0), (0, 4), (4, 0), (4, 4)}
