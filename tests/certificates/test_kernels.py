"""The checker of kernel expressions: entries against scikit-learn, eigenvalues against LAPACK, and lies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import pairwise_kernels

import surefit
from surefit.certificates import Grade
from surefit.certificates.theorems.kernel_machine.expressions import entries, proved
from surefit.kernels import (
    AdditiveChi2,
    Bilinear,
    Chi2,
    Constant,
    Cosine,
    Gaussian,
    InverseMultiquadric,
    Kernel,
    Laplacian,
    Linear,
    Multiquadric,
    Polynomial,
    SetIntersection,
    Sigmoid,
    Spectrum,
)
from tests.certificates.bench import failing

X = np.random.default_rng(0).normal(size=(60, 3))
KERNELS = [
    Gaussian(0.3) + 2 * Linear(),
    (Linear() + 1) ** 3,
    Gaussian(0.1).exp() * Cosine(),
    Laplacian(0.2).on([0, 2]),
    Gaussian(1.0).weighted(lambda x: x[:, 0]),
    Gaussian(0.1).polynomial([1, 0, 2]),
    Linear().mapped(np.sin),
    Bilinear(np.diag([1.0, 2.0, 0.0])),
    InverseMultiquadric(0.5),
    Polynomial(2, 0.5, 1.0),
    Constant(2.0) * Gaussian(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize(
    "data", [X, X + 1e5, X.astype(np.float32), np.vstack([X, X])], ids=["", "far", "single", "twice"]
)
def test_accepts(kernel: Kernel, data: np.ndarray) -> None:
    c = surefit.certify(kernel, data)
    assert c.holds and c["construction"].grade is Grade.EXACT, f"\n{c}"


@pytest.mark.parametrize("kernel", [Sigmoid(0.1, -1.0), Multiquadric(), AdditiveChi2()], ids=str)
def test_what_is_not_positive_is_said(kernel: Kernel) -> None:
    claim = surefit.certify(kernel, np.abs(X))["smallest_eigenvalue"]
    least = np.linalg.eigvalsh(kernel(np.abs(X)))[0]
    assert claim.informs and claim.detail["smallest_at_least"] <= least <= claim.detail["smallest_at_most"]
    assert claim.detail["smallest_at_least"] == pytest.approx(least, rel=1e-6) and not proved(kernel)


@pytest.mark.parametrize("gamma", [0.01, 1.0, 100.0])
def test_the_smallest_eigenvalue_lies_in_the_interval(gamma: float) -> None:
    claim = surefit.certify(Gaussian(gamma), X)["smallest_eigenvalue"]
    K = np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    least = np.linalg.eigvalsh(K)[0]
    assert claim.detail["smallest_at_least"] <= least + 1e-13 and least - 1e-13 <= claim.detail["smallest_at_most"]


def test_kernels_on_objects() -> None:
    assert surefit.certify(SetIntersection(), [{1, 2}, {2, 3}, {4}, {1, 2, 3}]).holds
    assert surefit.certify(Spectrum(2), ["banana", "bandana", "cab"]).holds


def test_kernels_of_scikit_learn() -> None:
    c = surefit.certify(RBF(0.7), X)
    assert c.holds and c["smallest_eigenvalue"].informs


NAMES = {"rbf": Gaussian(0.4), "laplacian": Laplacian(0.4), "cosine": Cosine(), "linear": Linear()}


@pytest.mark.parametrize("name", NAMES)
def test_entries_equal_those_of_scikit_learn(name: str) -> None:
    found = entries(NAMES[name], X)
    assert found is not None
    options = {"gamma": 0.4} if name in ("rbf", "laplacian") else {}
    np.testing.assert_allclose(
        found.value.astype(float), pairwise_kernels(X, metric=name, **options), rtol=1e-12, atol=1e-15
    )


class Skewed(Gaussian):
    def __call__(self, X: Any, Y: Any = None) -> Any:
        return super().__call__(X, Y) + np.triu(np.full((len(X), len(X)), 1e-3), 1)


class Wrong(Gaussian):
    def __call__(self, X: Any, Y: Any = None) -> Any:
        return super().__call__(X, Y) ** 1.001


class Boastful(Multiquadric):
    positive_definite = True  # type: ignore[assignment]


class LongDiagonal(Gaussian):
    def diagonal(self, X: Any) -> Any:
        return super().diagonal(X) * 1.001


class Modest(Gaussian):
    positive_definite = False  # type: ignore[assignment]


Wrong.__name__ = Skewed.__name__ = LongDiagonal.__name__ = Modest.__name__ = "Gaussian"


@pytest.mark.parametrize(
    ("kernel", "fails"),
    [
        (Skewed(0.3), "symmetric"),
        (Wrong(0.3), "entries"),
        (Boastful(1.0), "smallest_eigenvalue"),
        (Boastful(1.0), "construction"),
        (LongDiagonal(0.3), "diagonal"),
        (Modest(0.3), "construction"),
    ],
)
def test_lies_are_refused(kernel: Kernel, fails: str) -> None:
    assert fails in failing(surefit.certify(kernel, X))


def test_rules() -> None:
    assert not proved(-1 * Gaussian()) and not proved(Gaussian() + Multiquadric()) and not proved(Sigmoid() * Linear())
    assert not proved(Constant(-1.0)) and not proved(Polynomial(2.5)) and not proved(Polynomial(2, 1.0, -1.0))
    assert proved(Chi2(0.5)) and proved(0 * Linear()) and proved((Gaussian() + 1).exp())


def test_what_fails_on_its_inputs_is_refused() -> None:
    assert not surefit.certify(Bilinear(np.eye(2)), X).holds
    assert not surefit.certify(Polynomial(2.5), X).holds
