"""The command line: `surefit compare`, `fit`, `certify`, `predict`, `checker`.

Exit codes: 0 all is well; 1 a certificate fails; 2 bad input, told in one line; 130 interrupted.
"""

from __future__ import annotations

from surefit.cli.run import main

__all__ = ["main"]
