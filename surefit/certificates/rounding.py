"""Bounds for rounding: the checker's own, and what a solver in a given precision cannot avoid."""

from surefit.certificates.claim import UNIT, epsilon, gamma

__all__ = ["UNIT", "epsilon", "gamma"]
