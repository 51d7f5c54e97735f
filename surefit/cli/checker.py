"""`surefit checker`: what an outsider reads, and can run, to trust a certificate."""

from __future__ import annotations

from pathlib import Path

from surefit.certificates.standalone import one_file
from surefit.cli.screen import note


def checker_command(names: list[str], out: Path | None) -> int:
    file = one_file(*names)
    if out is None:
        print(file.text, end="")
    else:
        out.write_text(file.text, "utf-8")
        note(f"{out}: {file.lines} lines to read, and what proposes below them", quiet=False)
    return 0
