"""Numbers with a bound of their errors, as kernels give them block by block."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from numpy.typing import NDArray

from surefit.certificates.blocks import F64


class Entries(NamedTuple):
    """|exact − value| ≤ error, entry by entry."""

    value: F64
    error: F64


class InBlocks(Protocol):
    """k(a, b) for all rows a of A and b of B; `places` are the row numbers of B in the data."""

    def block(self, A: F64, B: F64, places: NDArray) -> Entries: ...
