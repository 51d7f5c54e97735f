"""What importing costs, in fresh interpreters, interleaved: `python -m benchmarks.imports`.

import surefit                         at most 0.1 s more than import numpy
from surefit.cluster import KMeans     at most 1.1 times from sklearn.base import BaseEstimator
"""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.harness import ROOT, save

STATEMENTS = {
    "numpy": "import numpy",
    "surefit": "import surefit",
    "sklearn.base": "from sklearn.base import BaseEstimator",
    "KMeans": "from surefit.cluster import KMeans",
}
REPEATS = 15
SECONDS_MORE = 0.1
TIMES_MORE = 1.1


def seconds(statement: str) -> float:
    """Time of one statement inside a fresh interpreter; the interpreter's own start does not count."""
    script = f"import time\nstart = time.perf_counter()\n{statement}\nprint(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return float(done.stdout)


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(REPEATS):
        for name, statement in STATEMENTS.items():
            times[name].append(seconds(statement))
            time.sleep(0.01)
    best = {name: min(values) for name, values in times.items()}
    for name, statement in STATEMENTS.items():
        print(f"  {statement:<44}{best[name] * 1e3:>8.1f} ms")
    more, ratio = best["surefit"] - best["numpy"], best["KMeans"] / best["sklearn.base"]
    light, ready = more <= SECONDS_MORE, ratio <= TIMES_MORE
    print(f"surefit − numpy: {more * 1e3:+.1f} ms (≤ {SECONDS_MORE * 1e3:.0f}) {'reached' if light else 'MISSED'}")
    print(f"KMeans / BaseEstimator: {ratio:.2f} (≤ {TIMES_MORE}) {'reached' if ready else 'MISSED'}")
    save("imports", [{"name": name, "seconds": values, "min": min(values)} for name, values in times.items()])


if __name__ == "__main__":
    main()
