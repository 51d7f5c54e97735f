"""The frame around every checker: what cannot be computed is a claim that fails."""

from surefit.certificates.blocks import TOL, Findings, checker

__all__ = ["TOL", "Findings", "checker"]
