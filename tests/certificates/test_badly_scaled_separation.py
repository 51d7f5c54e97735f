"""Classes that overlap, in badly scaled columns: what the checker says of the sum of violations is true.

The coefficients' sum of violations and a lower bound from the dual of the linear programme are computed in rational
numbers (floats are rational). No relative gap that the checker states is below the true one, and fits whose gap is
small are proved. Sixty problems; a thousand with SUREFIT_MANY=1.
"""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

import surefit
from surefit.linear_model import LinearProgramClassifier
from tests.certificates.test_random_problems import MANY


def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Columns in units from 1e-6 to 1e6, nearly dependent, far from zero."""
    n, d = int(rng.integers(12, 60)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + rng.uniform(0.3, 2) * rng.normal(size=n) > 0
    if d > 1 and rng.random() < 0.5:
        X[:, -1] = X[:, 0] * (1 + 10.0 ** rng.uniform(-8, -3) * rng.normal(size=n))
    if rng.random() < 0.6:
        X = X + rng.normal(size=d) * 10.0 ** rng.uniform(0, 9)
    y[:2] = [False, True]
    return X * 10.0 ** rng.uniform(-6, 6, size=d), y


def eliminated(M: list[list[Fraction]]) -> list[Fraction] | None:
    """The solution of the square system with the right-hand side in the last column."""
    size = len(M)
    for c in range(size):
        pivot = next((i for i in range(c, size) if M[i][c] != 0), None)
        if pivot is None:
            return None
        M[c], M[pivot] = M[pivot], M[c]
        M[c] = [v / M[c][c] for v in M[c]]
        for i in range(size):
            if i != c and M[i][c] != 0:
                M[i] = [a - M[i][c] * b for a, b in zip(M[i], M[c], strict=True)]
    return [row[-1] for row in M]


def true_gap(model: LinearProgramClassifier, X: np.ndarray, y: np.ndarray) -> float | None:
    """(P − D)/P with the dual point at the vertex that farkas_ shows; None where that is not one of the dual."""
    sign = np.where(y, 1, -1)
    A = [[Fraction(int(s)) * Fraction(v) for v in (*row, 1.0)] for s, row in zip(sign, X.tolist(), strict=True)]
    theta = [Fraction(v) for v in (*model.coef_[0].tolist(), float(model.intercept_[0]))]
    margins = [sum(a * t for a, t in zip(row, theta, strict=True)) for row in A]
    primal = sum(max(Fraction(0), 1 - m) for m in margins)
    a = model.farkas_ / model.farkas_.max()
    between = [i for i in range(len(A)) if 1e-9 < a[i] < 1 - 1e-9]
    above = [i for i in range(len(A)) if a[i] >= 1 - 1e-9]
    if len(between) != len(theta):
        return None
    duals = eliminated([[A[i][j] for i in between] + [-sum(A[i][j] for i in above)] for j in range(len(theta))])
    if duals is None or not all(0 <= v <= 1 for v in duals):
        return None
    return float((primal - len(above) - sum(duals)) / primal)


@pytest.mark.parametrize("seed", range(MANY))
def test_the_gap_that_is_stated_is_no_smaller_than_the_true_one(seed: int) -> None:
    X, y = table(np.random.default_rng(950_000 + seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = LinearProgramClassifier().fit(X, y)
    certificate = surefit.certify(model, X, y)
    if model.separable_ is not False:
        assert certificate.holds or model.separable_ is None
        return
    assert certificate["farkas"].holds, f"\n{certificate}"
    truth = true_gap(model, X, y)
    if truth is None:
        return
    claim = certificate["optimal"]
    assert claim.value >= truth * (1 - 1e-9)
    assert claim.holds or truth > 0.9 * claim.limit  # what is refused has such a gap


def test_rational_elimination() -> None:
    """x + 2y = 5, 3x + 4y = 11: x = 1, y = 2."""
    system = [[Fraction(1), Fraction(2), Fraction(5)], [Fraction(3), Fraction(4), Fraction(11)]]
    assert eliminated(system) == [1, 2]
