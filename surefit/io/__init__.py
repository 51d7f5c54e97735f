"""Files: models kept and read back, tables of every common format.

`SKOPS_TRUSTED` lists the types of surefit that a skops file may hold, for `skops.io.load(path, trusted=SKOPS_TRUSTED)`.
"""

from __future__ import annotations

from typing import Any

from surefit.io.estimators import estimator_classes, trusted_types
from surefit.io.models import load, save
from surefit.io.tables import READABLE, read_table, write_table

__all__ = ["READABLE", "SKOPS_TRUSTED", "estimator_classes", "load", "read_table", "save", "write_table"]


def __getattr__(name: str) -> Any:
    """The list is made when it is asked for: it takes every family of estimators to know them all."""
    if name == "SKOPS_TRUSTED":
        return trusted_types()
    raise AttributeError(f"module 'surefit.io' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
