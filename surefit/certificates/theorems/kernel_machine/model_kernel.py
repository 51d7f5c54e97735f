"""The kernel of a model, read from its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import Blocks, dense
from surefit.certificates.theorems.kernel_machine.kernels import BY_DISTANCE, COLUMNS, Kernel

NAMES = {"polynomial": "poly", "gaussian": "rbf"}


def read_kernel(
    attrs: Attributes, blocks: Blocks, *, gamma: Any, coef0: float, words: Callable[[str], float] | None = None
) -> Kernel | None:
    """The kernel of the model's parameters; None with the fault noted.

    gamma   what the class takes where its `gamma` is None; `gamma_`, where the model has it, must be that number
    words   the number that "scale" and "auto" stand for, where the class knows these; then callables take two matrices
            (SVC, SVR), else two rows (KernelRidge, KernelPCA)
    """
    given = attrs.parameter("kernel", "rbf")
    d, name = blocks.n_features, "callable" if callable(given) else NAMES.get(str(given), str(given))
    wide = name in (*BY_DISTANCE, "poly", "sigmoid")
    asked = attrs.parameter("gamma", 1.0 if name == "chi2" else gamma)
    width = real(words(asked) if words is not None and isinstance(asked, str) else asked) if wide else 1.0
    degree, c = real(attrs.parameter("degree", 3)), real(attrs.parameter("coef0", coef0))
    known = {"linear", "poly", "rbf", "sigmoid", "cosine", "precomputed", "callable", *COLUMNS}
    if name not in known or not (np.isfinite([width, degree, c]).all() and degree >= 0):
        attrs.faults.append("kernel is not known, or gamma, degree or coef0 are not numbers it can have")
        return None
    if name == "precomputed" and blocks.n_rows != d:
        attrs.faults.append(f"the precomputed kernel has the shape {(blocks.n_rows, d)}")
        return None
    stated = real(attrs.parameter("gamma_", width))
    if wide and not abs(stated - width) <= 1e-9 * abs(width):
        attrs.faults.append(f"gamma_ is {stated}, recomputed as {width}")
    center = dense(next(iter(blocks))[0][:1000]).mean(axis=0) if name == "rbf" else np.zeros(d)
    rows = words is None and callable(given) and not hasattr(given, "positive_definite")
    settings = attrs.parameter("kernel_params", {}) if rows else {}
    call = (lambda A, B: [[given(a, b, **settings) for b in B] for a in A]) if rows else given
    return Kernel(name, stated if wide else 1.0, degree, c, center, call if callable(given) else None)
