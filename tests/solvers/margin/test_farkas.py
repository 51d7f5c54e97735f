"""Proofs that no hyperplane separates."""

from __future__ import annotations

import numpy as np

from surefit.solvers.margin.farkas import farkas_vector
from surefit.solvers.margin.signed_rows import SignedRows

X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
SIGN = np.array([1.0, 1.0, -1.0, -1.0])


def test_a_balanced_dual_is_the_proof():
    phi = farkas_vector(np.full(4, 3.0), SignedRows(X, SIGN, True), np.ones(4))
    np.testing.assert_allclose(phi, 0.25, rtol=1e-14)


def test_numbers_that_are_rounding_are_left_out():
    dual = np.array([1.0, 1.0, 1.0, 1.0, 1e-14])
    rows = SignedRows(np.vstack([X, [[1e4, 0.0]]]), np.append(SIGN, 1.0), True)
    phi = farkas_vector(dual, rows, np.ones(5))
    np.testing.assert_allclose(phi, [0.25, 0.25, 0.25, 0.25, 0.0], rtol=1e-14)


def test_what_does_not_balance_proves_nothing():
    rows = SignedRows(X, SIGN, True)
    assert farkas_vector(np.array([1.0, 0.0, 1.0, 0.0]), rows, np.ones(4)) is None
    assert farkas_vector(np.zeros(4), rows, np.ones(4)) is None
