"""Ridge regression in the space of a kernel's features."""

from surefit.kernel_ridge.kernel_ridge import KernelRidge
from surefit.kernel_ridge.kernel_ridge_cv import KernelRidgeCV

__all__ = ["KernelRidge", "KernelRidgeCV"]
