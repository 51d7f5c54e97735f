"""What `compare` returns: the scores of every model on the same folds, intervals, certificates, and their tables."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

from surefit.certificates.presentation import OPEN, OPEN_WORDS, plain
from surefit.model_selection.candidates.candidate import Task
from surefit.model_selection.clusterings.indices import SILHOUETTE
from surefit.model_selection.clusterings.verdict import STABILITY, merit
from surefit.model_selection.outcome import Outcome
from surefit.model_selection.significance.intervals import Interval


@dataclass
class Comparison:
    """All outcomes, best first for a regression or classification, in the order given for a clustering."""

    task: Task
    metric: str
    level: float
    splits: str
    n_splits: int
    test_train_ratio: float
    n_rows: int
    n_features: int
    outcomes: list[Outcome]
    columns: list[dict[str, Any]]
    versions: dict[str, str]
    target: str | None = None
    data_name: str = "data"
    notes: list[str] = field(default_factory=list)
    command: str | None = None
    X: Any = field(default=None, repr=False)
    y: np.ndarray | None = field(default=None, repr=False)
    classes: np.ndarray | None = field(default=None, repr=False)
    """The sorted labels of a classification: the columns of `Outcome.probabilities`."""
    opening: str = ""
    """One sentence that says what came out."""
    verdict: str = ""
    """Which models cannot be told from the best one and which are worse by how much, in plain words."""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """(model, why) of every model that is not ranked."""
    leaks: list[str] = field(default_factory=list)
    """Ways in which the answer may have found its way into the features or the folds."""
    interrupted: bool = False
    time_budget: float | None = None
    seconds: float = 0.0
    """How long the comparison took."""
    profile: Any = None
    """The data's own description, a `DataProfile`; None where there is none."""

    @property
    def best(self) -> Outcome:
        """The highest mean score; for clusterings the highest silhouette, times the stability where that is known."""
        if self.task == "clustering":
            clusterings = [one for one in self.outcomes if SILHOUETTE in one.extra]
            if clusterings and self.metric == STABILITY:
                return max(clusterings, key=merit)
            if clusterings:
                return max(clusterings, key=lambda one: one.extra[SILHOUETTE])
        return max(self.outcomes, key=lambda one: one.merit)

    @property
    def holds(self) -> bool:
        """No certificate fails."""
        return all(one.holds is not False for one in self.outcomes)

    def class_counts(self) -> list[dict[str, Any]] | None:
        """For each class its label and the number of its rows."""
        if self.classes is None or self.y is None:
            return None
        counts = np.unique(self.y, return_counts=True)[1]
        return [{"label": plain(one), "rows": int(n)} for one, n in zip(self.classes, counts, strict=True)]

    def scale(self) -> tuple[float, float]:
        """The ends of an axis that shows all intervals; a model far behind is off its edge."""
        one = [one.interval for one in self.outcomes]
        ends = [(i.low, i.high) if np.isfinite(i.half) else (i.mean, i.mean) for i in one]
        return shared_scale([low for low, _ in ends], [high for _, high in ends])

    def __getitem__(self, name: str) -> Outcome:
        for one in self.outcomes:
            if one.name == name:
                return one
        raise KeyError(f"no model {name!r}; there are {', '.join(one.name for one in self.outcomes)}")

    @property
    def extra_names(self) -> list[str]:
        return list(dict.fromkeys(name for one in self.outcomes for name in one.extra))

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Head and body of the table, as text."""
        head = ["model", f"{self.metric} ({100 * self.level:g} %)", *self.extra_names, "fit", "certificate"]
        body = []
        for one in self.outcomes:
            extra = [one.extra_text(name) for name in self.extra_names]
            body.append([one.name, score_text(one.interval), *extra, seconds_text(one.fit_seconds), one.verdict])
        return head, body

    def __str__(self) -> str:
        head, body = self.table()
        widths = [max(len(row[j]) for row in [head, *body]) for j in range(len(head))]
        right = set(range(1, len(head) - 1))

        def line(row: list[str]) -> str:
            cells = [f"{cell:>{widths[j]}}" if j in right else f"{cell:<{widths[j]}}" for j, cell in enumerate(row)]
            return "  ".join(cells).rstrip()

        rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
        said = [self.opening, self.verdict] if self.opening else [f"best: {self.best.name}"]
        said += [f"{OPEN} {OPEN_WORDS}"] * any(one.is_open for one in self.outcomes)
        said += [f"note: {note}" for note in self.notes]
        width = max(len(rule), 80)
        lines = [self.headline, rule, line(head), rule, *map(line, body), rule]
        return "\n".join(lines + [fill(text, width) for text in said if text])

    __repr__ = __str__

    def warnings(self) -> list[str]:
        """What fits warned of, each thing once with the models it concerns."""
        found: dict[str, list[str]] = {}
        for one in self.outcomes:
            for line in one.warnings:
                found.setdefault(line, []).append(one.name)
        return [f"{_some(names, len(self.outcomes))}: {line}" for line, names in found.items()]

    @property
    def headline(self) -> str:
        target = f" of {self.target}" if self.target and self.task != "clustering" else ""
        return f"{self.data_name}: {self.task}{target}, {self.n_rows} rows × {self.n_features} columns, {self.splits}"

    def _repr_html_(self) -> str:
        head, body = self.table()
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in body)
        caption = f"<caption>{escape(self.headline)}</caption>"
        return f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "data": self.data_name,
            "target": self.target,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "metric": self.metric,
            "level": self.level,
            "splits": self.splits,
            "n_splits": self.n_splits,
            "test_train_ratio": self.test_train_ratio,
            "best": self.best.name,
            "holds": self.holds,
            "models": [one.to_dict() for one in self.outcomes],
            "classes": self.class_counts(),
            "columns": self.columns,
            "opening": self.opening,
            "verdict": self.verdict,
            "left_out": [{"name": name, "reason": reason} for name, reason in self.left_out],
            "leaks": list(self.leaks),
            "notes": list(self.notes),
            "interrupted": self.interrupted,
            "time_budget": self.time_budget,
            "seconds": self.seconds,
            "command": self.command,
            "versions": dict(self.versions),
        }

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def report(self, path: str | Path) -> Path:
        """Write one self-contained HTML page: tables, certificates and pictures."""
        import surefit

        return surefit.report.write_report(self, path)


def _some(names: list[str], total: int) -> str:
    if len(names) == total and total > 1:
        return "all models"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def score_text(interval: Interval) -> str:
    """0.482 ± 0.071, with as many decimals as the interval deserves."""
    mean, half = interval.mean, interval.half
    if np.isnan(mean):
        return "—"
    if not np.isfinite(half):
        return f"{mean:.4g}"
    wanted = 0 if half == 0 else 2 - np.ceil(np.log10(half))
    decimals = int(np.clip(wanted, 3 if abs(mean) < 10 else 0, 4))
    return f"{mean:.{decimals}f} ± {half:.{decimals}f}".replace("-", "−")


def seconds_text(seconds: float) -> str:
    if seconds < 0.01:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def shared_scale(lows: list[float], highs: list[float]) -> tuple[float, float]:
    """A scale on which intervals can be told apart: up to a third of them, far below the rest, are left off its edge.

    >>> shared_scale([0.0, 0.40, 0.42, 0.41], [0.1, 0.5, 0.52, 0.5])
    (0.4, 0.52)
    """
    ends = [value for value in (*lows, *highs) if np.isfinite(value)]
    if not ends:
        return 0.0, 1.0
    starts, low, high = sorted(value for value in lows if np.isfinite(value)), min(ends), max(ends)
    for start in starts[1 : (len(lows) + 2) // 3 + 1]:
        if 0 < high - start < (high - low) / 2:
            low = start
    return low, high
