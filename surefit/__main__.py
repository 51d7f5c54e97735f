"""`python -m surefit` is the command `surefit`."""

from __future__ import annotations

from surefit.cli import main

if __name__ == "__main__":
    main()
