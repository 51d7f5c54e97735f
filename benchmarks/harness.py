"""Runs surefit and its peers on the same data in one run and compares time, memory and quality.

    WORKS = [
        Work(
            "PCA 100k×256→20",
            data=lambda: {"X": ...},                        # made once, saved as .npy, loaded by every contender
            contenders={"surefit": ours, "scikit-learn": theirs},     # function(data) → quality; one is "surefit"
            bar={"scikit-learn": 1.0},                      # peer's time / surefit's time that is asked for
            quality_better="higher",
        ),
    ]
    if __name__ == "__main__":
        main(__file__, WORKS)

Each contender has a process of its own. It loads the data, runs once to warm up (imports, threads, page faults), and
is then called in turn with the others, so that a slow minute of the machine hits all of them. A contender returns its
quality, or a function without arguments that computes it after the clock has stopped. A module that cannot be imported
gives one line and no row.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.machine import machine
from benchmarks.report import print_work, summary

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"

Data = Mapping[str, np.ndarray]
Contender = Callable[[Data], "float | Callable[[], float]"]


@dataclass(frozen=True)
class Work:
    """One piece of work, and who does it."""

    name: str
    data: Callable[[], Data]
    contenders: Mapping[str, Contender]
    bar: Mapping[str, float] = field(default_factory=dict)
    quality_better: Literal["lower", "higher"] = "lower"
    quality_name: str = "quality"
    quality_within: float = 1e-3
    """Surefit's quality may be worse by this much, relative to the peer's, and still count as equal."""
    flops: float | None = None
    """Floating-point operations the work needs, if one wants to see the share of the machine's limit."""
    repeats: int = 7
    seconds: float = 20.0
    """Time for the repeats of one contender; slow ones get fewer repeats, never less than two."""


class Worker:
    """A contender in its own process; `call` runs it once and brings back one measurement."""

    def __init__(self, module: str, work: str, contender: str, folder: Path) -> None:
        self.name = contender
        self.runs: list[dict[str, Any]] = []
        self.missing: str | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", module, work, contender, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def call(self) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write("run\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            return {"failed": f"its process ended with status {self._process.wait()}"}
        return json.loads(answer)

    def close(self) -> None:
        assert self._process.stdin is not None
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait(timeout=60)


def run_work(module: str, work: Work, repeats: int | None = None) -> dict[str, Any]:
    """Measure one work: warm-up of each contender, then rounds in which each is called once."""
    if "surefit" not in work.contenders:
        raise ValueError(f"{work.name}: one contender must be called 'surefit'")
    with tempfile.TemporaryDirectory(prefix="surefit-bench-") as name:
        folder = Path(name)
        shapes = {}
        for key, array in work.data().items():
            array = np.asarray(array)
            np.save(folder / f"{key}.npy", array)
            shapes[key] = f"{array.dtype} {'×'.join(map(str, array.shape))}"
        workers = [Worker(module, work.name, contender, folder) for contender in work.contenders]
        try:
            rounds: dict[str, int] = {}
            for worker in workers:
                warm = worker.call()
                worker.missing = warm.get("missing") or warm.get("failed")
                wanted = repeats or work.repeats
                if worker.missing is None:
                    rounds[worker.name] = max(2, min(wanted, int(work.seconds / max(warm["seconds"], 1e-6))))
            for number in range(max(rounds.values(), default=0)):
                for worker in workers:
                    if number < rounds.get(worker.name, 0):
                        worker.runs.append(worker.call())
        finally:
            for worker in workers:
                worker.close()
    return _compare(work, workers, shapes)


def _compare(work: Work, workers: Sequence[Worker], shapes: dict[str, str]) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    for worker in workers:
        if worker.missing is not None:
            rows[worker.name] = {"missing": worker.missing}
            continue
        failed = [run["failed"] for run in worker.runs if "failed" in run]
        if failed:
            rows[worker.name] = {"missing": failed[0]}
            continue
        seconds = [run["seconds"] for run in worker.runs]
        rows[worker.name] = {
            "seconds": seconds,
            "min": min(seconds),
            "median": statistics.median(seconds),
            "peak_mb": max(run["peak_mb"] for run in worker.runs),
            "quality": worker.runs[-1]["quality"],
            "version": worker.runs[-1]["version"],
        }
    ours = rows["surefit"]
    for name, row in rows.items():
        if name == "surefit" or "missing" in row or "missing" in ours:
            continue
        row["ratio"] = row["min"] / ours["min"]
        row["ratio_of_medians"] = row["median"] / ours["median"]
        row["quality_kept"] = _as_good(ours["quality"], row["quality"], work)
        row["as_good_as_ours"] = _as_good(row["quality"], ours["quality"], work)
        if name in work.bar:
            row["bar"] = work.bar[name]
            row["reached"] = bool(row["ratio"] >= work.bar[name] and row["quality_kept"])
    result = {"name": work.name, "data": shapes, "quality": work.quality_name, "contenders": rows}
    if work.flops is not None and "missing" not in ours:
        result["gflops"] = work.flops / ours["min"] / 1e9
    return result


def _as_good(this: float, other: float, work: Work) -> bool:
    slack = work.quality_within * abs(other)
    return bool(this <= other + slack if work.quality_better == "lower" else this >= other - slack)


def main(file: str, works: Sequence[Work], arguments: Sequence[str] | None = None) -> None:
    """The command line of a family: `python -m benchmarks.<family> [--only TEXT] [--repeats N] [--no-save]`."""
    family = Path(file).stem
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{family}")
    parser.add_argument("--only", default="", help="works whose name holds this text")
    parser.add_argument("--repeats", type=int, help="repeats of each contender")
    parser.add_argument("--no-save", action="store_true", help="print only; leave benchmarks/results as it is")
    options = parser.parse_args(arguments)
    if len({work.name for work in works}) != len(works):
        raise ValueError("two works have the same name")
    results = []
    for work in works:
        if options.only in work.name:
            result = run_work(f"benchmarks.{family}", work, options.repeats)
            print_work(result)
            results.append(result)
            if not options.no_save:
                save(family, [result], [one.name for one in works])
    print(summary(results))
    if any("missing" in result["contenders"]["surefit"] for result in results):
        sys.exit("surefit itself was not measured: see above")


def save(family: str, results: Sequence[Mapping[str, Any]], names: Sequence[str] = ()) -> Path:
    """Write works into benchmarks/results/<family>.json, beside others of `names` that this machine measured before."""
    RESULTS.mkdir(exist_ok=True)
    path, here = RESULTS / f"{family}.json", machine()
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {"machine": here, "works": []}
    same = all(kept["machine"].get(one) == here[one] for one in ("processor", "cores", "python"))
    works = {one["name"]: one for one in kept["works"]} if same else {}
    works.update({one["name"]: one for one in results})
    order = names or [one["name"] for one in results]
    found = {"machine": here, "works": [works[name] for name in order if name in works]}
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
