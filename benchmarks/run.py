"""Every family, one after another, then the tables of their ratios: `python -m benchmarks.run` (or `make bench`)."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.harness import ROOT
from benchmarks.table import FAMILIES


def main() -> None:
    failed = []
    for family in ("imports", *FAMILIES):
        print(f"\n━━━ {family}", flush=True)
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{family}"], cwd=ROOT, check=False)
        if done.returncode:
            failed.append(family)
    subprocess.run([sys.executable, "-m", "benchmarks.table"], cwd=ROOT, check=True)
    if failed:
        sys.exit(f"no result from: {', '.join(failed)}")


if __name__ == "__main__":
    main()
