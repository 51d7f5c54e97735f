"""Certificates: what a fit claims, recomputed from the data and the public fitted attributes alone.

NumPy and the standard library only. Checkers do not know the solvers.
"""

from __future__ import annotations

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.blocks import Blocks, Rows
from surefit.certificates.certificate import Certificate
from surefit.certificates.claim import CertificateError, Claim, Grade
from surefit.certificates.registry import CHECKERS, check

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
