"""How good predictions are: receiver operating characteristics with intervals, costs, and scores by name."""

from __future__ import annotations

__all__: list[str] = []
