"""Parameters that several classes share, with their rules and sentences."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from surefit._core.params import Range

Alphas = Annotated[
    float | np.ndarray, Range(0, open="high"), "Smoothing: added to every count; an array gives each feature its own."
]
Alpha = Annotated[float, Range(0, open="high"), "Smoothing: added to every count."]
ForceAlpha = Annotated[bool, "Whether an alpha below 1e-10 is used as it is."]
FitPrior = Annotated[bool, "Whether the classes' shares of the rows are their prior; else it is uniform."]
ClassPrior = Annotated[np.ndarray | None, "Prior probabilities of the classes."]
