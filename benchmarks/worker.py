"""One contender in its own process: waits for a line, does the work once, prints one line of JSON.

    python -m benchmarks.worker <module> <work> <contender> <folder with the .npy files>

Memory is the peak resident size during the call less the resident size before it, after the warm-up call: imports and
the data itself do not count. Where an allocator keeps what an earlier call has freed, that part does not show.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.metadata
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DISTRIBUTIONS = {
    "surefit": "surefit",
    "sklearn": "scikit-learn",
    "sklearnex": "scikit-learn-intelex",
    "daal4py": "scikit-learn-intelex",
    "dbscan": "dbscan",
    "faiss": "faiss-cpu",
    "lightgbm": "lightgbm",
    "torch": "torch",
    "xgboost": "xgboost",
}


def main() -> None:
    module, work_name, contender, folder = sys.argv[1:]
    answers = sys.stdout
    sys.stdout = sys.stderr  # what a contender prints does not mix with the answers
    data = {file.stem: np.load(file) for file in sorted(Path(folder).glob("*.npy"))}
    works = {work.name: work for work in importlib.import_module(module).WORKS}
    function = works[work_name].contenders[contender]
    for _ in sys.stdin:
        print(json.dumps(measure(function, data)), file=answers, flush=True)


def measure(function: Callable, data: dict[str, np.ndarray]) -> dict[str, Any]:
    """Seconds, peak memory in MB and quality of one call."""
    settle()
    before = resident_mb()
    reset_peak()
    start = time.perf_counter()
    try:
        result = function(data)
    except ImportError as error:
        return {"missing": f"{error}"}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}
    seconds = time.perf_counter() - start
    peak = peak_mb() - before
    quality = result() if callable(result) else result
    return {"seconds": seconds, "peak_mb": max(0.0, peak), "quality": float(quality), "version": versions()}


def versions() -> dict[str, str]:
    """The packages this process has loaded, of those that are compared."""
    found = {}
    for package, distribution in DISTRIBUTIONS.items():
        if package in sys.modules:
            try:
                found[distribution] = importlib.metadata.version(distribution)
            except importlib.metadata.PackageNotFoundError:  # imported from the source tree
                found[distribution] = getattr(sys.modules[package], "__version__", "?")
    return found


def settle() -> None:
    """Give freed memory back to the system, where the C library can."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


def status_mb(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def resident_mb() -> float:
    return status_mb("VmRSS:") if sys.platform == "linux" else peak_mb()


def reset_peak() -> None:
    """On Linux the high-water mark starts anew; elsewhere it is that of the whole process."""
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")


def peak_mb() -> float:
    if sys.platform == "linux":
        return status_mb("VmHWM:")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # bytes on macOS


if __name__ == "__main__":
    main()
