"""Checker of kernel expressions: entries by their formulas, symmetry, the smallest eigenvalue, and what a theorem says.

`surefit.certify(kernel, X)` takes the Gram matrix of the inputs, or of a sample, from the kernel and looks at it from
outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import real
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import CertificateError, Claim, Grade, at_most, failed, refuted
from surefit.certificates.inputs import Inputs
from surefit.certificates.rounding import UNIT
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.kernel_machine.expressions import entries, proved
from surefit.certificates.theorems.spectral.definite import largest_at_most

ROUNDINGS = 10.0


@checker("positive_definite", any_input=True)
def check_kernel(kernel: Any, blocks: Blocks, tol: float) -> Findings:
    """One Gram matrix, its entries again, one Cholesky factor and one spectrum of it."""
    if not isinstance(blocks, Inputs):
        raise CertificateError("A kernel is checked on its inputs: surefit.certify(kernel, X).")
    X = blocks.sample()
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    try:
        given = np.asarray(kernel(X))
        ask = getattr(kernel, "diagonal", None) or getattr(kernel, "diag", None)
        diagonal = np.asarray(ask(X) if ask is not None else np.diagonal(given))
    except Exception as fault:
        return [refuted("values", f"The kernel fails on these inputs: {type(fault).__name__}: {fault}")], "nothing"
    K = given.astype(np.float64)
    if (
        K.shape != (n, n)
        or diagonal.shape != (n,)
        or not (np.isfinite(K).all() and np.isfinite(diagonal).all())
        or not n
    ):
        raise BadData(f"the kernel does not give finite numbers for all pairs of {n} inputs")
    eps = float(np.finfo(given.dtype).eps) if given.dtype.kind == "f" else 2 * UNIT
    some = f"{n} of {blocks.n_rows} inputs" if n < blocks.n_rows else f"{n} inputs"
    claims = [_symmetric(K, some, tol, eps), _diagonal(K, diagonal, tol, eps)]
    claims += [*_entries(kernel, X, K, tol, eps), _positive(kernel, K, some, tol, eps), _construction(kernel)]
    return claims, f"{n}² entries twice, a factor and at most one spectrum of that order"


def _sizes(K: F64) -> F64:
    """√(kᵢᵢ kⱼⱼ), which bounds an entry of a kernel; at least the entry."""
    d = np.sqrt(np.abs(np.diagonal(K)))
    return np.maximum(np.outer(d, d), np.maximum(np.abs(K), np.abs(K.T))) + 1e-300


def _symmetric(K: F64, some: str, tol: float, eps: float) -> Claim:
    off = float((np.abs(K - K.T) / _sizes(K)).max())
    sentence = f"k(x, x') = k(x', x) for all pairs of {some}; largest difference, relative to √(k(x, x) k(x', x'))."
    return at_most("symmetric", sentence, Grade.EXACT, off, min(tol, 1e3 * eps), error=4 * UNIT,
                   failure=f"k(x, x') and k(x', x) differ by a relative {off:.2g}: this is no kernel.")  # fmt: skip


def _diagonal(K: F64, diagonal: F64, tol: float, eps: float) -> Claim:
    own = np.diagonal(K)
    off = float((np.abs(own - diagonal) / np.maximum(np.abs(diagonal), np.abs(own).max() * eps + 1e-300)).max())
    sentence = "diagonal(X) is the diagonal of the Gram matrix; largest relative difference."
    failure = f"diagonal(X) is off by a relative {off:.2g}."
    return at_most("diagonal", sentence, Grade.EXACT, off, tol, excuse=ROUNDINGS * eps, failure=failure)


def _entries(kernel: Any, X: Any, K: F64, tol: float, eps: float) -> list[Claim]:
    """Against the formulas in plain NumPy, where all parts of the expression have one here."""
    found = entries(kernel, X)
    if found is None:
        sentence = (
            "Entries are not computed again: the expression has parts without a formula for rows of numbers here."
        )
        return [Claim("entries", sentence, Grade.UNPROVED, None, None, True)]
    size = _sizes(K)
    off, error = (np.abs(K - found.value) / size).astype(np.float64), (found.error / size).astype(np.float64)
    j = int(np.argmax(off + error))
    return [at_most(
        "entries", "Every entry is what the formula gives; largest difference, relative to √(k(x, x) k(x', x')).",
        Grade.EXACT, float(off.flat[j]), tol, error=float(error.flat[j]), excuse=ROUNDINGS * eps,
        failure=f"An entry is not what the formula gives: off by a relative {float(off.flat[j]):.2g}.",
    )]  # fmt: skip


def _positive(kernel: Any, K: F64, some: str, tol: float, eps: float) -> Claim:
    """−λ_min ≤ σ by a Cholesky factor of K + σI; a proposed direction shows how small λ_min is at least."""
    A = -(K + K.T) / 2
    scale = max(
        float(np.abs(np.diagonal(A)).sum()), 1e-300
    )  # the trace: at least the largest eigenvalue, at most n times
    z = largest_direction(A)
    below, rounding = float(z @ A @ z) / float(z @ z), 2 * (len(K) + 4) * UNIT * float(np.linalg.norm(K))
    steps = (below, *(max(below, 0.0) + share * scale for share in (1e-15, 1e-13, 1e-10, tol)))
    bound = next((b for b in (largest_at_most(A, s) for s in steps) if np.isfinite(b)), np.inf) + 2 * UNIT * scale
    detail = {"smallest_at_least": -bound, "smallest_at_most": -below + rounding, "trace": scale}
    known = getattr(kernel, "positive_definite", None)
    interval = f"The smallest eigenvalue of the Gram matrix of {some} lies in [{-bound:.3g}, {-below + rounding:.3g}]"
    if known is not True:
        says = "is positive semi-definite for all that is seen" if bound <= tol * scale else "has negative directions"
        sentence = (
            f"{interval}; the trace is {scale:.3g}: it {says}. The kernel does not claim to be positive definite."
        )
        return Claim("smallest_eigenvalue", sentence, Grade.BOUNDED, bound / scale, None, True, detail)
    return at_most(
        "smallest_eigenvalue", f"{interval}: how far it may be below zero, relative to the trace.", Grade.EXACT,
        max(0.0, bound / scale), tol, detail, excuse=ROUNDINGS * eps, lower=max(0.0, (below - rounding) / scale),
        failure=f"{interval}, although the kernel says that it is positive definite.",
    )  # fmt: skip


def _construction(kernel: Any) -> Claim:
    """positive_definite=True has to follow from the rules here; no claim is made for None and False."""
    known, reason = getattr(kernel, "positive_definite", None), proved(kernel)
    if reason:
        sentence = f"Positive semi-definite by construction: {reason}."
        if known is False:
            return refuted("construction", f"positive_definite is False, but it is by construction: {reason}.")
        return at_most("construction", sentence, Grade.EXACT, 0, 0)
    if known is True:
        return failed("construction", "positive_definite is True, and no rule here proves it from the expression.")
    sentence = "No rule proves that this expression is positive semi-definite, and it does not claim to be."
    return Claim("construction", sentence, Grade.UNPROVED, None, None, True, {"claimed": real(known)})
