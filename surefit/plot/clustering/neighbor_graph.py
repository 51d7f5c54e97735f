"""A graph of neighbors: rows in the plane, and a line between those that are joined."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.plot.axes import axes_of


class NeighborGraphDisplay:
    """Holds `points` (two columns) and `edges` (m, 2), the rows that are joined, each pair once."""

    def __init__(self, *, points: ArrayLike, edges: ArrayLike) -> None:
        self.points = np.asarray(points, dtype=float)
        self.edges = np.asarray(edges, dtype=int).reshape(-1, 2)
        if self.points.ndim != 2 or self.points.shape[1] != 2:
            raise InvalidData(f"points must have two columns; got shape {self.points.shape}")
        if self.edges.size and not 0 <= self.edges.min() <= self.edges.max() < len(self.points):
            raise InvalidData(f"edges must join rows 0 to {len(self.points) - 1}")

    @classmethod
    def from_graph(cls, graph: Any, X: ArrayLike, *, ax: Any = None, **kwargs: Any) -> NeighborGraphDisplay:
        """From a square sparse matrix, as of `kneighbors_graph()` or of `surefit.graphs`; X has two columns or more.

        The first two columns are drawn; i and j are joined where one of the two entries is stored.
        """
        entries = sp.coo_array(graph)
        if entries.shape[0] != entries.shape[1]:
            raise InvalidData(f"the graph must be square; got shape {entries.shape}")
        pairs = np.sort(np.column_stack([entries.row, entries.col]), axis=1)
        edges = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
        return cls(points=np.asarray(X, dtype=float)[:, :2], edges=edges).plot(ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        colors: Any = None,
        line_kwargs: dict[str, Any] | None = None,
        scatter_kwargs: dict[str, Any] | None = None,
    ) -> NeighborGraphDisplay:
        """`colors`: one for each row."""
        self.ax_, self.figure_ = axes_of(ax)
        lines = require("matplotlib.collections", extra="plot", purpose="Drawing").LineCollection
        self.lines_ = lines(self.points[self.edges], **({"colors": "0.6", "linewidths": 0.7} | (line_kwargs or {})))
        self.ax_.add_collection(self.lines_)
        options = {"s": 14, "zorder": 2, "c": "C0" if colors is None else colors} | (scatter_kwargs or {})
        self.points_ = self.ax_.scatter(*self.points.T, **options)
        self.ax_.set(xlabel="column 0", ylabel="column 1", aspect="equal")
        if name:
            self.ax_.set_title(name)
        return self
