"""The measured ratios as tables: `python -m benchmarks.table`.

README.md gets one line a family, with its worst row named; RESULTS.md beside this file gets every row. The numbers
come from benchmarks/results/*.json; nothing is typed by hand.
"""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path
from typing import Any

from benchmarks.harness import RESULTS, ROOT

FAMILIES = {
    "linear_model": "linear models",
    "naive_bayes": "naive Bayes",
    "discriminant_analysis": "discriminant analysis",
    "svm": "support vector machines",
    "kernel_ridge": "kernel ridge",
    "rbf": "radial basis functions",
    "kernels": "Gram matrices",
    "neighbors": "search of neighbors",
    "k_neighbors": "k neighbors",
    "cart": "exact trees, growing",
    "trees": "trees, pruning and predicting",
    "forest": "forests and bagging",
    "boosting": "gradient boosting",
    "adaboost": "AdaBoost",
    "networks": "networks",
    "cluster": "k-means and its kin",
    "dbscan": "DBSCAN",
    "linkage": "linkages",
    "spectral_clustering": "spectral clustering",
    "mixture": "mixtures",
    "decomposition": "components and projections",
    "manifold": "manifolds",
    "metrics": "ROC curves",
    "iris": "small fits",
}
ALL_ROWS = ROOT / "benchmarks" / "RESULTS.md"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
UNMEASURED = "No measurements yet: `make bench`."


def measured(family: str) -> tuple[list[dict[str, Any]], str] | None:
    """The works of one family that surefit ended, and where and when they were measured."""
    path = RESULTS / f"{family}.json"
    if not path.exists():
        return None
    result = json.loads(path.read_text("utf-8"))
    works = [work for work in result["works"] if "missing" not in work["contenders"]["surefit"]]
    machine = result["machine"]
    return works, f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, {machine['date']}"


def against(work: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The peers that ended this work, with their ratios."""
    return {peer: row for peer, row in work["contenders"].items() if "ratio" in row}


def work_lines(work: dict[str, Any]) -> list[str]:
    """A line for each peer, or one with our time alone."""
    ours = work["contenders"]["surefit"]
    lines = [peer_line(work["name"], ours, peer, row) for peer, row in against(work).items()]
    return lines or [f"| {work['name']} |  | {seconds(ours['min'])} |  |  |  |"]


def peer_line(name: str, ours: dict[str, Any], peer: str, row: dict[str, Any]) -> str:
    bar = f"≥ {row['bar']:g} {'✓' if row['reached'] else '✗'}" if "bar" in row else ""
    memory = f"{ours['peak_mb']:.0f} / {row['peak_mb']:.0f}" if "peak_mb" in row else ""
    quality = "" if row["quality_kept"] else " (surefit's answer is worse)"
    return f"| {name} | {told(peer, row)} | {seconds(ours['min'])} | {row['ratio']:.2f}{quality} | {bar} | {memory} |"


def told(peer: str, row: dict[str, Any]) -> str:
    """The peer's name, and whether its time bought less."""
    return peer if row.get("as_good_as_ours", True) else f"{peer}, whose answer is worse"


def seconds(value: float) -> str:
    return f"{value * 1e6:.0f} µs" if value < 1e-3 else f"{value * 1e3:.0f} ms" if value < 1 else f"{value:.2f} s"


def family_line(title: str, works: list[dict[str, Any]]) -> str | None:
    """One family in a line: each work counts with its fastest peer."""
    fastest = {
        work["name"]: min(against(work).items(), key=lambda found: found[1]["ratio"]) for work in works if against(work)
    }
    if not fastest:
        return None
    ratios = [row["ratio"] for _, row in fastest.values()]
    name, (peer, worst) = min(fastest.items(), key=lambda found: found[1][1]["ratio"])
    bars = [row["reached"] for work in works for row in against(work).values() if "bar" in row]
    reached = f"{sum(bars)} of {len(bars)}" if bars else ""
    return (
        f"| {title} | {len(fastest)} | {statistics.median(ratios):.1f} | {max(ratios):.1f} "
        f"| {worst['ratio']:.2f}: {name} ({told(peer, worst)}) | {reached} |"
    )


def summary() -> str:
    """The table of README.md."""
    found = {title: measured(family) for family, title in FAMILIES.items()}
    lines = [line for title, result in found.items() if result and (line := family_line(title, result[0]))]
    if not lines:
        return UNMEASURED
    head = ["| family | works | median | best | worst | bars reached |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *lines, "", f"Measured on {places(found.values())}. `make bench` measures again."])


def places(results: Any) -> str:
    return "; ".join(sorted({result[1] for result in results if result}))


def every_row() -> str:
    """The tables of RESULTS.md, a family each."""
    head = "| work | peer | surefit | peer's time / surefit's | bar | MB above the data, surefit / peer |"
    parts = []
    for family, title in FAMILIES.items():
        result = measured(family)
        if result:
            works, place = result
            lines = [line for work in works for line in work_lines(work)]
            parts.append("\n".join([f"## {title}", "", head, "|---|---|---|---|---|---|", *lines, "", f"{place}."]))
    return "\n\n".join(parts) or UNMEASURED


def write(path: Path, text: str) -> None:
    """Replace what stands between the markers."""
    page = path.read_text("utf-8")
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{path.name} has no {BEGIN} … {END}")
    path.write_text(pattern.sub(lambda _: f"{BEGIN}\n{text}\n{END}", page), "utf-8")


if __name__ == "__main__":
    write(ROOT / "README.md", summary())
    write(ALL_ROWS, every_row())
