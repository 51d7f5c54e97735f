"""Parameters that both classes share, with their rules and sentences."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from surefit._core.params import Range, Rule


def _numbers(value: Any) -> bool:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return array.ndim == 1 and array.size > 0 and bool(np.isfinite(array).all())


Shrinkage = Annotated[
    Literal["auto"] | float | None,
    Range(0, 1),
    "How far covariances are drawn towards a multiple of the identity; 'auto' is Ledoit and Wolf's amount.",
]
Priors = Annotated[
    np.ndarray | None,
    Rule(_numbers, "of numbers, one for each class"),
    "Probabilities of the classes; None takes their shares of the weight.",
]
CAN_FIT = Rule(lambda value: value is None or hasattr(value, "fit"), "an object with a fit method or None")
