"""Squared distances with a bound of their errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64


@dataclass(frozen=True)
class SquaredDistances:
    value: F64  # (n, n), symmetric
    relative: float  # |exact − value| ≤ relative · value + absolute, entry by entry
    absolute: float
    root_error: float  # a bound of ‖√exact − √value‖_F

    @property
    def norm_error(self) -> float:
        """A bound of ‖exact − value‖_F."""
        return self.relative * float(np.linalg.norm(self.value)) + self.absolute * len(self.value)
