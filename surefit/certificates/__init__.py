"""Certificates: what a fit claims, recomputed from the data and the public fitted attributes alone.

NumPy and the standard library only. Checkers do not know the solvers.
"""

from __future__ import annotations

from .blocks import ArrayBlocks, Blocks, Rows
from .certificate import Certificate, CertificateError
from .claim import Claim, Grade
from .registry import CHECKERS, check

__all__ = [
    "CHECKERS",
    "ArrayBlocks",
    "Blocks",
    "Certificate",
    "CertificateError",
    "Claim",
    "Grade",
    "Rows",
    "check",
]
