"""The one door to matplotlib: axes to draw on, and the small things that all pictures share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit._core.optional import require

RASTER_ROWS = 800
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
    size = float(np.clip(6000 / max(n, 1), 7, 26))
    return {
        "s": size,
        "alpha": float(np.clip(900 / max(n, 1), 0.4, 0.75)),
        "linewidths": 0,
        "rasterized": n > RASTER_ROWS,
    }


def class_legend(ax: Any, points: np.ndarray, **options: Any) -> Any:
    """A legend whose marks show the colors of the classes, however small and faint the points are."""
    legend = ax.legend(**({"frameon": False, "fontsize": 9, "loc": emptiest_corner(points)} | options))
    for mark in legend.legend_handles:
        mark.set(alpha=1.0, sizes=[30.0])
    return legend


def emptiest_corner(points: np.ndarray) -> str:
    """Where a legend hides the fewest points.

    >>> emptiest_corner(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.4, 0.4]]))
    'upper right'
    """
    low, span = points.min(axis=0), np.maximum(np.ptp(points, axis=0), np.finfo(float).tiny)
    x, y = ((points - low) / span).T
    sides = {"upper right": (x > 0.6) & (y > 0.6), "upper left": (x < 0.4) & (y > 0.6),
             "lower right": (x > 0.6) & (y < 0.4), "lower left": (x < 0.4) & (y < 0.4)}  # fmt: skip
    return min(sides, key=lambda side: int(sides[side].sum()))


def shorten(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def distinct(names: Sequence[str], most: int = 24) -> list[str]:
    """Short names that can still be told apart: of those that begin alike, what differs is kept.

    >>> distinct(["age", "status_married-to-a-civilian", "status_married-to-nobody-at-all"], most=18)
    ['age', 'status_…a-civilian', 'status_…nobody-at…']
    """
    short = [shorten(name, most) for name in names]
    for text in {one for one in short if short.count(one) > 1}:
        places = [place for place, one in enumerate(short) if one == text]
        start = shared_start([names[place] for place in places])
        head = names[places[0]][: most // 3 + 1]
        for place in places:
            tail = names[place][max(start, len(head)) :]
            short[place] = f"{head}…{shorten(tail, most - len(head) - 1)}" if tail else short[place]
    for place, one in enumerate(short):
        number = 2
        while short[place] in short[:place]:
            short[place] = f"{one} ({number})"
            number += 1
    return short


def shared_start(names: Sequence[str]) -> int:
    """How many letters all names begin with.

    >>> shared_start(["brown", "bread"])
    2
    """
    first, last = min(names), max(names)
    return next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
