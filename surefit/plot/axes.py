"""The one door to matplotlib: axes to draw on, and the small things that all pictures share."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.optional import require

RASTER_ROWS = 2000
"""Beyond so many points a scatter is kept as pixels inside the vector picture."""


def require_drawing() -> None:
    """Say at once if matplotlib is missing."""
    require("matplotlib", extra="plot", purpose="Drawing")


def axes_of(ax: Any, figsize: tuple[float, float] = (6.4, 4.2)) -> tuple[Any, Any]:
    """(axes, figure): the caller's, or new ones."""
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="plot", purpose="Drawing")
        _, ax = pyplot.subplots(figsize=figsize, layout="constrained")
    return ax, ax.figure


def tidy(ax: Any, grid: str = "both") -> None:
    """Open frame, quiet grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(True, axis=grid, linewidth=0.6, alpha=0.25)


def scatter_options(n: int) -> dict[str, Any]:
    """Marks that stay readable from ten points to a million."""
    size = float(np.clip(6000 / max(n, 1), 4, 26))
    return {
        "s": size,
        "alpha": float(np.clip(300 / max(n, 1), 0.25, 0.75)),
        "linewidths": 0,
        "rasterized": n > RASTER_ROWS,
    }


def shorten(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
