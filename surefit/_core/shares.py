"""Shares and levels: numbers between zero and one, or the error that says so."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from surefit._core.errors import InvalidParameter


def take_share(value: Any, name: str, *, ends: bool = False) -> float:
    """`value` as a float in (0, 1), or in [0, 1] with `ends`.

    >>> take_share(0.95, "level")
    0.95
    """
    number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    if number and (0 <= value <= 1 if ends else 0 < value < 1):
        return float(value)
    raise InvalidParameter(f"{name} must be a number {'from 0 to 1' if ends else 'between 0 and 1'}; got {value!r}")
