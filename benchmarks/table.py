"""Writes the measured ratios into README.md, between its two markers: `python -m benchmarks.table`.

The numbers come from benchmarks/results/*.json; nothing is typed by hand.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.harness import RESULTS, ROOT

FAMILIES = (
    "linear_model",
    "naive_bayes",
    "cart",
    "discriminant_analysis",
    "decomposition",
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
    "iris",
)
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"


def rows(family: str) -> tuple[list[str], dict[str, Any] | None]:
    """The lines of one family, and the machine it was measured on."""
    path = RESULTS / f"{family}.json"
    if not path.exists():
        return [], None
    result = json.loads(path.read_text("utf-8"))
    lines = []
    for work in result["works"]:
        ours = work["contenders"]["surefit"]
        if "missing" in ours:
            continue
        against = [line(work["name"], ours, peer, row) for peer, row in work["contenders"].items() if "ratio" in row]
        lines += against or [f"| {work['name']} |  | {seconds(ours['min'])} |  |  |  |"]
    return lines, result["machine"]


def line(name: str, ours: dict[str, Any], peer: str, row: dict[str, Any]) -> str:
    bar = f"≥ {row['bar']:g} {'✓' if row['reached'] else '✗'}" if "bar" in row else ""
    memory = f"{ours['peak_mb']:.0f} / {row['peak_mb']:.0f}" if "peak_mb" in row else ""
    quality = "" if row["quality_kept"] else " (worse quality)"
    return f"| {name} | {peer} | {seconds(ours['min'])} | {row['ratio']:.2f}{quality} | {bar} | {memory} |"


def seconds(value: float) -> str:
    return f"{value * 1e6:.0f} µs" if value < 1e-3 else f"{value * 1e3:.0f} ms" if value < 1 else f"{value:.2f} s"


def table() -> str:
    lines: list[str] = []
    machines = []
    for family in FAMILIES:
        found, machine = rows(family)
        lines += found
        if machine:
            machines.append(machine)
    if not lines:
        return "No measurements yet: `make bench`."
    places = sorted({f"{m['processor']}, {m['cores']} cores, Python {m['python']}" for m in machines})
    head = [
        "| work | peer | surefit | peer's time / surefit's | bar | MB above the data, surefit / peer |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *lines, "", f"Measured on {'; '.join(places)}. `make bench` measures again."])


def write(path: Path, text: str) -> None:
    """Replace what stands between the markers."""
    page = path.read_text("utf-8")
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{path.name} has no {BEGIN} … {END}")
    path.write_text(pattern.sub(lambda _: f"{BEGIN}\n{text}\n{END}", page), "utf-8")


if __name__ == "__main__":
    write(ROOT / "README.md", table())
