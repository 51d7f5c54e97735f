"""Estimating numbers from a sample: moments, likelihood, risk by simulation, bootstrap intervals."""

from __future__ import annotations

__all__: list[str] = []
