"""The printed table of one work, and the last line of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def print_work(result: Mapping[str, Any]) -> None:
    shapes = ", ".join(f"{name} {shape}" for name, shape in result["data"].items())
    print(f"\n{result['name']}   ({shapes})")
    print(f"  {'':<22}{'min s':>10}{'median s':>10}{'MB':>8}  {result['quality']:<16}{'ratio':>8}  {'bar':<12}")
    for name, row in result["contenders"].items():
        if "missing" in row:
            print(f"  {name:<22}not measured: {row['missing']}")
            continue
        line = f"  {name:<22}{row['min']:>10.4f}{row['median']:>10.4f}{row['peak_mb']:>8.0f}  {row['quality']:<16.8g}"
        if "ratio" in row:
            line += f"{row['ratio']:>8.2f}  {verdict(row):<12}"
        print(line.rstrip())
    if "gflops" in result:
        print(f"  surefit: {result['gflops']:.1f} Gflop/s")


def verdict(row: Mapping[str, Any]) -> str:
    """What became of the bar, in a word or two."""
    if not row["quality_kept"]:
        return "worse quality" + (f" (bar {row['bar']:g})" if "bar" in row else "")
    if "bar" not in row:
        return ""
    return f"≥ {row['bar']:g} {'reached' if row['reached'] else 'MISSED'}"


def summary(results: Sequence[Mapping[str, Any]]) -> str:
    rows = [row for result in results for row in result["contenders"].values() if "bar" in row]
    reached = sum(row["reached"] for row in rows)
    return f"\n{reached} of {len(rows)} bars reached"
