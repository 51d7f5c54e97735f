"""Print what an extra of surefit needs, one requirement a line, from pyproject.toml alone.

    python tools/requirements.py dev

The run-time dependencies come first. An extra that names surefit itself (`surefit[test]`) stands for those extras, so
the tools can be installed without building the package.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text("utf-8"))["project"]
OWN_EXTRAS = re.compile(rf"{PROJECT['name']}\[(.*)\]")


def requirements(extra: str) -> list[str]:
    found: list[str] = []
    for requirement in PROJECT["optional-dependencies"][extra]:
        own = OWN_EXTRAS.fullmatch(requirement)
        found += [line for name in own[1].split(",") for line in requirements(name)] if own else [requirement]
    return found


if __name__ == "__main__":
    lines = list(PROJECT["dependencies"])
    for extra in sys.argv[1:]:
        lines += requirements(extra)
    print("\n".join(dict.fromkeys(lines)))
