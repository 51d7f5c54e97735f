"""Floor 2: where data comes from and who works on it. One protocol (map, combine, update), three sources."""

from surefit.engine.open import open_data

__all__ = ["open_data"]
