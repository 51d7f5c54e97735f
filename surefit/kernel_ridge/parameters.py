"""Parameters that kernel regressors share, declared once: scikit-learn's names, rules and meanings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from surefit._core.params import Range

KernelName = Annotated[
    Literal[
        "linear",
        "poly",
        "polynomial",
        "rbf",
        "sigmoid",
        "laplacian",
        "cosine",
        "chi2",
        "additive_chi2",
        "precomputed",
    ]
    | Callable,
    "A name, a surefit.kernels expression, or a function of two rows that gives a number.",
]
Gamma = Annotated[
    float | None,
    Range(0, open="high"),
    "gamma of rbf, laplacian, poly, sigmoid and chi2; None is 1 / n_features (1 for chi2).",
]
Degree = Annotated[float, Range(0), "Degree of the polynomial kernel."]
Coef0 = Annotated[float, Range(open="both"), "Constant of the polynomial and sigmoid kernels."]
KernelParams = Annotated[dict | None, "Further arguments of a kernel that is a function."]
