"""Files: models kept and read back, tables of every common format."""

from __future__ import annotations

from surefit.io.models import SKOPS_TRUSTED, load, save
from surefit.io.tables import READABLE, read_table, write_table

__all__ = ["READABLE", "SKOPS_TRUSTED", "load", "read_table", "save", "write_table"]
