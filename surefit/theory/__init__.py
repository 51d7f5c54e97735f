"""Statistical learning theory: risks, shattering, bounds that hold for every distribution, and simulations of them."""

from __future__ import annotations

__all__: list[str] = []
