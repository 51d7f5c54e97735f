"""A checker as one file that needs NumPy alone. Nothing here is needed to check a model."""

from __future__ import annotations

from surefit.certificates.standalone.one_file import OneFile, one_file

__all__ = ["OneFile", "one_file"]
