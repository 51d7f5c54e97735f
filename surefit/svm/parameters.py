"""Parameters that SVC and SVR share, with their rules and sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from surefit._core.params import Range

KernelName = Literal["linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian", "cosine", "chi2", "additive_chi2"]

KernelParameter = Annotated[
    KernelName | Callable,
    "A name, an expression of `surefit.kernels`, or a function of two lists of inputs that gives their Gram matrix; "
    "with 'precomputed' X is that matrix.",
]
Degree = Annotated[int, Range(0), "Degree of the polynomial kernel."]
Gamma = Annotated[
    Literal["scale", "auto"] | float,
    Range(0, open="high"),
    "γ of 'rbf', 'poly', 'sigmoid', 'laplacian' and 'chi2'; 'scale' is 1/(columns × variance of X), 'auto' 1/columns.",
]
Coef0 = Annotated[float, Range(open="both"), "The constant in the polynomial and the sigmoid kernel."]
Tolerance = Annotated[
    float,
    Range(0, open="low"),
    "The fit stops at a duality gap of at most `tol` / 1000 of the objective: 1e-6 by default.",
]
Cost = Annotated[
    float,
    Range(0, open="low"),
    "Price of a violation of the margin, for a row of weight one; infinity allows none.",
]
Shrinking = Annotated[
    bool, "For compatibility; every step works on the variables that violate their conditions most, and on no others."
]
CacheSize = Annotated[float, Range(0, open="low"), "Megabytes that rows of the Gram matrix may take, at most."]
Verbose = Annotated[bool | int, Range(0), "Above 0 prints iterations and gap of each program."]
MaxIter = Annotated[int, Range(-1), "Most iterations for each program; −1 for no limit."]
TimeBudget = Annotated[
    float | None,
    Range(0, open="low"),
    "Seconds after which the best answer so far is kept, with a warning that names its gap; None for no limit.",
]
