"""What the trees of a forest are grown from where its examples are in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from surefit._core.errors import InvalidData
from surefit._core.threads import thread_count, threads_for
from surefit.engine.sources.source import Source
from surefit.ensemble.forests.random_forest_examples import ForestExamples, binned_examples, sorted_examples
from surefit.ensemble.forests.random_forest_trees import ForestPlan, OutOfBag, grow_trees
from surefit.solvers.growing.predict import apply_all
from surefit.solvers.growing.tree import Tree
from surefit.summaries.resample import Examples, bootstrap_counts

ClassWeight = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(codes of examples, their weights) → the factor of each example."""


class Known(NamedTuple):
    """Of all examples: how many rows they stand for, their weight, and how many they are."""

    repeated: float
    total: float
    n_examples: int


class WholeRows:
    """Examples in memory or on disk: sorted columns for exact trees, else bins."""

    def __init__(
        self,
        p: SimpleNamespace,
        data: Source,
        y: np.ndarray | None,
        n_classes: np.ndarray | None,
        class_weight: ClassWeight | None,
        categorical: np.ndarray | None,
        exact: bool,
    ) -> None:
        self.data, self.n_classes, self.n_jobs = data, n_classes, p.n_jobs
        self.n_threads = threads_for(200.0 * data.n_rows, p.n_jobs) if data.n_rows < 256 else thread_count(p.n_jobs)
        self.thresholds: list[np.ndarray] | None = None
        if exact:
            assert y is not None, "exact trees need rows in memory"
            self.source = sorted_examples(data, y, self.n_threads, categorical)
        else:
            classes = 0 if n_classes is None else int(n_classes[0])
            self.source = binned_examples(data, y, classes, p.max_bins, self.n_threads, categorical)
            assert self.source.binned is not None, "these are binned"
            self.thresholds = self.source.binned.bins.thresholds
        examples = self.source.examples
        self.known = Known(self.source.repeated(), examples.total, len(examples.weights))
        self.chances = examples.weights
        if class_weight is not None:
            first = np.searchsorted(self.source.owner[self.source.owner >= 0], np.arange(len(self.chances)))
            self.chances = self.chances * class_weight(self.source.y[first], self.chances)
        self.said: OutOfBag | None = None

    def draws(self, plan: ForestPlan) -> dict[str, Any] | None:
        return kept_draws(self.source.examples, plan.chances, plan.n_draws) if self.data.resident else None

    def judge(self, grown: list[Any], plan: ForestPlan) -> None:
        """What trees say about rows outside their bags is kept from now on, beginning with those grown before."""
        source, data = self.source, self.data
        width = source.y.shape[1] * (1 if self.n_classes is None else int(self.n_classes.max()))
        self.said = OutOfBag(len(source.owner), width)
        if not grown:
            return
        if not data.resident:
            refuse_to_revisit()
        rows = np.empty(len(source.owner), dtype=np.intp)
        rows[source.unit_of_row] = np.arange(data.n_rows)
        leaves = apply_all([member.tree_ for member in grown], data.X[rows], thread_count(self.n_jobs))
        for member, leaf in zip(grown, leaves.T, strict=True):
            drawn = bootstrap_counts(member.random_state, plan.chances, plan.n_draws or 1)
            self.said.add(member.tree_, np.where(np.append(drawn, 0)[source.owner] > 0, -1, leaf))

    def trees(self, plan: ForestPlan, seeds: np.ndarray) -> Iterator[Tree]:
        return grow_trees(self.source, plan, seeds, self.n_threads, self.said)

    def judged(self) -> tuple[ForestExamples, OutOfBag] | None:
        return None if self.said is None else (self.source, self.said)


def refuse_to_revisit() -> None:
    raise InvalidData("oob_score=True with warm_start=True needs rows in memory; fit all trees at once")


def kept_draws(examples: Examples, chances: np.ndarray, n_draws: int | None) -> dict[str, Any]:
    """What is needed to draw the bags again: the rows in canonical order, the chances, and how many draws."""
    distinct = len(examples.starts) == len(examples.rows)
    kind = np.int32 if len(examples.rows) < 2**31 else np.int64
    return {
        "n_rows": examples.n_rows,
        "order": examples.rows.astype(kind),
        "starts": None if distinct else examples.starts.astype(kind),
        "chances": None if distinct and (chances == 1).all() else chances,
        "n_draws": n_draws,
    }


def rows_drawn(draws: dict[str, Any], seed: int) -> np.ndarray:
    """The rows that a tree with this seed has drawn."""
    if draws["n_draws"] is None:
        return np.arange(draws["n_rows"], dtype=np.int32)
    starts = np.arange(len(draws["order"])) if draws["starts"] is None else draws["starts"].astype(np.intp)
    chances = np.ones(len(starts)) if draws["chances"] is None else draws["chances"]
    examples = Examples(draws["n_rows"], draws["order"].astype(np.intp), starts, starts, chances)
    rows = examples.bag(bootstrap_counts(seed, chances, draws["n_draws"]))
    return rows.astype(draws["order"].dtype)
