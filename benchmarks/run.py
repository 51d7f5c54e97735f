"""Every family, one after another, then the table in README.md: `python -m benchmarks.run` (or `make bench`)."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.harness import ROOT

FAMILIES = (
    "imports",
    "iris",
    "linear_model",
    "naive_bayes",
    "cart",
    "decomposition",
    "discriminant_analysis",
    "cluster",
    "linkage",
    "dbscan",
    "mixture",
    "spectral_clustering",
    "manifold",
    "kernels",
    "svm",
    "kernel_ridge",
    "rbf",
    "k_neighbors",
    "neighbors",
    "boosting",
    "adaboost",
    "trees",
    "forest",
    "networks",
    "metrics",
)


def main() -> None:
    failed = []
    for family in FAMILIES:
        print(f"\n━━━ {family}", flush=True)
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{family}"], cwd=ROOT, check=False)
        if done.returncode:
            failed.append(family)
    subprocess.run([sys.executable, "-m", "benchmarks.table"], cwd=ROOT, check=True)
    if failed:
        sys.exit(f"no result from: {', '.join(failed)}")


if __name__ == "__main__":
    main()
