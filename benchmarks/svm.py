"""Support vector machines against scikit-learn's: `python -m benchmarks.svm`."""

from __future__ import annotations

from benchmarks.harness import main
from benchmarks.kernel_svm import KERNEL_WORKS
from benchmarks.linear_svm import LINEAR_WORKS

WORKS = [*KERNEL_WORKS, *LINEAR_WORKS]

if __name__ == "__main__":
    main(__file__, WORKS)
