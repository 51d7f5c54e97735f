"""Numbers that functions are given: shares, whole numbers, arrays; or the error that says what was expected."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def take_whole(value: Any, name: str, least: int = 1) -> int:
    """`value` as an int, at least `least`.

    >>> take_whole(3, "n")
    3
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidParameter(f"{name} must be a whole number ≥ {least}; got {value!r}")
    return int(value)


def take_numbers(value: Any, name: str) -> NDArray[np.float64]:
    """`value` as an array of floats.

    >>> take_numbers([1, 2], "means")
    array([1., 2.])
    """
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as fault:
        raise InvalidParameter(
            f"{name} must be numbers in a dense array; got {type(value).__name__}: {fault}"
        ) from fault
