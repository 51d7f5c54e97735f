"""Kernels from their formulas: within the stated rounding of long double, and the same as scikit-learn's."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.metrics.pairwise as pairwise

from surefit.certificates.attributes import Attributes
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import read_kernel
from surefit.kernels import Gaussian

LONG = np.longdouble


def reference(name, A, B, gamma, degree, coef0):
    """In long double, straight from the definitions; differences row by row."""
    A, B = A.astype(LONG), B.astype(LONG)
    difference = A[:, None, :] - B[None]
    if name == "rbf":
        return np.exp(-gamma * (difference**2).sum(axis=2))
    if name == "laplacian":
        return np.exp(-gamma * np.abs(difference).sum(axis=2))
    if name in ("chi2", "additive_chi2"):
        total = A[:, None, :] + B[None]
        chi = (difference**2 / np.where(total == 0, 1, total)).sum(axis=2)
        return -chi if name == "additive_chi2" else np.exp(-gamma * chi)
    inner = (A[:, None, :] * B[None]).sum(axis=2)
    if name == "cosine":
        length = np.sqrt((A**2).sum(axis=1)[:, None] * (B**2).sum(axis=1)[None])
        return inner / np.where(length > 0, length, 1)
    return {"linear": inner, "poly": (gamma * inner + coef0) ** degree, "sigmoid": np.tanh(gamma * inner + coef0)}[name]


NAMES = ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("gamma", [1e-3, 0.3, 20.0])
def test_entries_are_within_their_stated_rounding(name, offset, gamma):
    rng = np.random.default_rng(0)
    A = np.abs(rng.normal(size=(30, 7))) + offset
    B = np.vstack([A[:5], np.abs(rng.normal(size=(20, 7))) + offset])
    kernel = Kernel(name, gamma, 3, 0.5)
    value, error = kernel.block(A, B, np.arange(25))
    truth = reference(name, A, B, gamma, 3, LONG(0.5))
    assert (np.abs(value - truth) <= error).all()
    if name == "rbf":
        assert error.max() <= 1e-12  # offsets cost nothing: rows are centered first
        assert np.allclose(np.diag(value[:5, :5]), 1.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_kernels_as_scikit_learns(name):
    rng = np.random.default_rng(1)
    X = np.abs(rng.normal(size=(25, 4)))
    X[3] = 0.0
    model = SimpleNamespace(kernel=name, gamma=0.7, degree=2, coef0=0.1)
    kernel = read_kernel(Attributes(model, "kernel"), X, gamma=1.0, coef0=1.0)
    theirs = {"gamma": 0.7, "degree": 2, "coef0": 0.1}
    K = pairwise.pairwise_kernels(X, X, metric=name, filter_params=True, **theirs)
    value, error = kernel.block(X, X, np.arange(25))
    assert (np.abs(value - K) <= 4 * error + 1e-15).all()


def test_widths_by_name_are_scikit_learns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3)) * [1.0, 5.0, 0.1] + 1e5

    def width(gamma, **attributes):
        attrs = Attributes(SimpleNamespace(kernel="rbf", gamma=gamma, **attributes), "kernel")
        kernel = read_kernel(attrs, X, gamma="scale", coef0=0.0, counts=np.ones(40))
        return (kernel.gamma if kernel else None), attrs.faults

    assert width("scale")[0] == pytest.approx(1 / (3 * X.astype(LONG).var()), rel=1e-14)
    assert width("auto")[0] == 1 / 3
    assert width(None)[0] == width("scale")[0]
    assert width(0.25, gamma_=0.25) == (0.25, [])
    assert "gamma_ is 0.26" in width(0.25, gamma_=0.26)[1][0]
    for bad in ("wide", np.nan, [1.0]):
        assert width(bad)[1]


def test_what_is_positive_semi_definite_by_a_theorem():
    def positive(name, gamma=1.0, degree=3, coef0=0.0, call=None):
        return Kernel(name, gamma, degree, coef0, call=call).positive

    assert positive("linear") and positive("rbf") and positive("laplacian") and positive("chi2") and positive("poly")
    assert positive("poly", coef0=-1.0) is False
    assert positive("poly", degree=2.5) is False
    assert positive("sigmoid") is False
    assert positive("additive_chi2") is False
    assert positive("precomputed") is False
    assert positive("callable", call=Gaussian()) is False  # its own word is no theorem


def test_callables_by_matrices_and_by_rows():
    X = np.random.default_rng(3).normal(size=(6, 2))
    matrices = SimpleNamespace(kernel=lambda A, B: A @ B.T)
    rows = SimpleNamespace(kernel=lambda a, b, power: float(a @ b) ** power, kernel_params={"power": 2})
    for model, truth, by_rows in ((matrices, X @ X.T, False), (rows, (X @ X.T) ** 2, True)):
        attrs = Attributes(model, "kernel")
        kernel = read_kernel(attrs, X, gamma=1.0, coef0=1.0, counts=None if by_rows else np.ones(6))
        assert np.allclose(kernel.block(X, X, np.arange(6)).value, truth)
