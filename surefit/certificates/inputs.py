"""Data as they are, for checkers of models of any objects: of kernels, of a user's own model, of drawn numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from surefit.certificates.blocks import BlockOf

MOST_INPUTS = 1500


class Inputs:
    """Rows of numbers, or any objects; with targets for checkers that look at them."""

    def __init__(self, X: Any, y: Any = None) -> None:
        self.y = y
        self.all = X if hasattr(X, "shape") else list(X)
        self.n_rows = int(X.shape[0]) if hasattr(X, "shape") else len(self.all)
        self.n_features = int(X.shape[1]) if len(getattr(X, "shape", ())) == 2 else 1

    def __iter__(self) -> Iterator[BlockOf]:
        yield BlockOf(np.asarray(self.all), None, None)

    def sample(self) -> Any:
        """All of them, or some spread evenly."""
        places = np.unique(np.linspace(0, self.n_rows - 1, min(MOST_INPUTS, self.n_rows)).astype(int))
        return self.all[places] if hasattr(self.all, "shape") else [self.all[i] for i in places]
