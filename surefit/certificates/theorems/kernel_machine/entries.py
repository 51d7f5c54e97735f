"""Numbers with a bound of their errors, as kernels give them block by block."""

from __future__ import annotations

from typing import NamedTuple

from surefit.certificates.blocks import F64


class Entries(NamedTuple):
    """|exact − value| ≤ error, entry by entry."""

    value: F64
    error: F64
