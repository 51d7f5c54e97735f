"""Kernel expressions, read by class names and parameters: are they positive semi-definite, and what are they at rows.

Sums and multiples c ≥ 0 at once; products by Schur; so powers, polynomials with coefficients ≥ 0, and exp, their limit;
f(x) k(x, x') f(x') is Σ(cᵢfᵢ)(cⱼfⱼ)kᵢⱼ; k(φ(x), φ(x')) is k at other points, k on some columns too; k divided by
√(k(x, x) k(x', x')) is an f·k·f. Inner products of features, and ∫p(x|z)p(x'|z)p(z)dz, are limits of sums of f(x)f(x').
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import real
from surefit.certificates.blocks import F64
from surefit.certificates.theorems.kernel_machine.kernels import Entries, Kernel

ATOMS = {"Linear": "linear", "Gaussian": "rbf", "Laplacian": "laplacian", "Chi2": "chi2", "Polynomial": "poly",
         "AdditiveChi2": "additive_chi2", "Cosine": "cosine", "Sigmoid": "sigmoid"}  # fmt: skip
FEATURES = {
    "SetIntersection": "2^|A∩B| counts common subsets, an inner product of indicators",
    "Spectrum": "an inner product of counts of pieces",
    "Subsequence": "an inner product of weighted counts of subsequences",
    "DensityProduct": "p(x)p(x') is an inner product of one feature",
    "MixtureDensity": "Σp(x|i)p(x'|i)p(i) is a sum of f(x)f(x') with weights ≥ 0",
    "GaussianLatent": "∫p(x|z)p(x'|z)p(z)dz is a limit of sums of f(x)f(x')",
    "HiddenMarkov": "Σp(x|z)p(x'|z)p(z) is a sum of f(x)f(x') with weights ≥ 0",
}
KEEPS = ("Power", "Exp", "Weighted", "Mapped", "OnColumns", "Normalized")


def atom(kernel: Any) -> Kernel | None:
    """A formula of `kernels`."""
    name = ATOMS.get(type(kernel).__name__)
    gamma, degree, coef0 = (real(getattr(kernel, key, 1.0)) for key in ("gamma", "degree", "coef0"))
    known = name is not None and bool(np.isfinite([gamma, degree, coef0]).all())
    return Kernel(str(name), gamma, degree, coef0) if known else None


def proved(kernel: Any) -> str:
    """Why the expression is positive semi-definite; empty where no rule says so."""
    name, inner = type(kernel).__name__, proved(kernel.kernel) if hasattr(kernel, "kernel") else ""
    if name in ATOMS:
        found = atom(kernel)
        return f"{name} is, for these parameters" if found is not None and found.positive else ""
    if name in FEATURES:
        return FEATURES[name]
    if name in ("Sum", "Product"):
        left, right = proved(kernel.left), proved(kernel.right)
        return f"{'sums' if name == 'Sum' else 'products'} of such are ({left}; {right})" if left and right else ""
    if name == "Constant":
        return "a constant ≥ 0 is" if real(kernel.value) >= 0 else ""
    if name == "InverseMultiquadric":
        return "1/√(c² + r²) is a mixture of Gaussians" if real(kernel.c) != 0 else ""
    if name == "Bilinear":
        A = np.asarray(kernel.A, dtype=np.float64)
        least = np.linalg.eigvalsh((A + A.T) / 2).min(initial=0.0)
        return "xᵀAx' is, for this A" if least >= -1e-12 * np.abs(A).max(initial=0.0) else ""
    if name == "Scaled":
        factor = real(kernel.factor)
        return "zero is" if factor == 0 else f"multiples c ≥ 0 of such are ({inner})" if inner and factor > 0 else ""
    if name == "PolynomialOf":
        plain = all(real(c) >= 0 for c in kernel.coefficients)
        return f"polynomials of such with coefficients ≥ 0 are ({inner})" if inner and plain else ""
    if name == "Power" and real(kernel.exponent) == 0:
        return "one is"
    return f"{name} of such is ({inner})" if inner and name in KEEPS else ""


def entries(kernel: Any, X: Any) -> Entries | None:
    """All k(xᵢ, xⱼ) for rows of numbers in long double, with bounds; None for parts without a formula."""
    rows = X.toarray() if hasattr(X, "toarray") else X
    rows = rows if isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "biuf" else None
    return None if rows is None else _of(kernel, rows.astype(np.float64))


def _of(kernel: Any, X: F64) -> Entries | None:
    name, A = type(kernel).__name__, X.astype(np.longdouble)
    u, found = float(np.finfo(np.longdouble).eps) / 2, atom(kernel)
    if found is not None:
        return found.block(A, A, np.arange(len(A)))
    if name == "Constant":
        K = np.full((len(X), len(X)), np.longdouble(kernel.value))
        return Entries(K, 0 * K)
    if name in ("Sum", "Product"):
        a, b = _of(kernel.left, X), _of(kernel.right, X)
        if a is None or b is None:
            return None
        if name == "Sum":
            return Entries(a.value + b.value, a.error + b.error + u * (np.abs(a.value) + np.abs(b.value)))
        error = np.abs(a.value) * b.error + np.abs(b.value) * a.error + a.error * b.error
        return Entries(a.value * b.value, error + u * np.abs(a.value * b.value))
    if name in ("Mapped", "OnColumns"):
        Z = kernel.function(X) if name == "Mapped" else X[:, np.atleast_1d(kernel.columns)]
        return entries(kernel.kernel, Z)
    k = _of(kernel.kernel, X) if hasattr(kernel, "kernel") else None
    return None if k is None else _changed(kernel, name, k, X)


def _changed(kernel: Any, name: str, k: Entries, X: F64) -> Entries | None:
    """What becomes of the entries of the inner kernel."""
    u, far = float(np.finfo(np.longdouble).eps) / 2, np.abs(k.value) + k.error
    if name == "Scaled":
        return Entries(kernel.factor * k.value, abs(kernel.factor) * (k.error + u * far))
    if name in ("Power", "PolynomialOf"):
        terms = {int(kernel.exponent): 1.0} if name == "Power" else dict(enumerate(kernel.coefficients))
        value = sum(c * k.value**n for n, c in terms.items()) + 0 * k.value
        slope = sum(abs(c) * n * far ** max(n - 1, 0) for n, c in terms.items())
        size = sum(abs(c) * far**n for n, c in terms.items())
        return Entries(value, slope * k.error + 8 * (len(terms) + 4) * u * size)
    if name == "Exp":
        return Entries(np.exp(k.value), np.exp(k.value) * np.expm1(k.error + 8 * u * (1 + far)))
    if name == "Weighted":
        f = np.asarray(kernel.function(X), dtype=np.longdouble)
        both = np.outer(f, f)
        return Entries(both * k.value, np.abs(both) * (k.error + 4 * u * far))
    return None
