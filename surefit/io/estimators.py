"""The public estimators of the package, found in the families it exports: a new one is known as soon as it is there."""

from __future__ import annotations

import importlib

import numpy as np
import scipy.sparse as sp

import surefit.kernels
from surefit import _FAMILIES
from surefit._core.base import Estimator
from surefit.search.metric import Metric
from surefit.solvers.embedding.landmarks import Triangulation
from surefit.solvers.embedding.neighborhoods import Neighborhoods
from surefit.solvers.growing.tree import Tree
from surefit.solvers.network.optimizers import SGD, Adam

PREPARATION = ("levels.LevelEncoder", "reader.TableReader", "scaling.UnitVariance")
"""What stands before an estimator that `compare` chose; by name, because judging is beside this floor, not below."""


def estimator_classes() -> dict[str, type]:
    """Every public estimator class of surefit, by name."""
    found: dict[str, type] = {}
    for family in _FAMILIES:
        module = importlib.import_module(f"surefit.{family}")
        for name in module.__all__:
            one = getattr(module, name)
            if isinstance(one, type) and issubclass(one, Estimator):
                found[name] = one
    return found


def trusted_types() -> list[str]:
    """The types that a skops file may hold, by their full names: estimators, and what they hold beside arrays."""
    kernels = [one for name in surefit.kernels.__all__ if isinstance(one := getattr(surefit.kernels, name), type)]
    ours = [
        *estimator_classes().values(),
        *kernels,
        Adam,
        Metric,
        Neighborhoods,
        SGD,
        Tree,
        Triangulation,
        np.dtype,
        sp.csr_array,
        sp.csr_matrix,
    ]
    names = {f"surefit.model_selection.prepare.{one}" for one in PREPARATION}
    return sorted(names | {f"{one.__module__}.{one.__qualname__}" for one in ours})
