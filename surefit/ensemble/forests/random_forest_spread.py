"""What the trees of a forest are grown from where its examples stay on Dask's workers."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from surefit import _native
from surefit._core.arithmetic import rounded_units
from surefit._core.data.faults import squarable
from surefit.engine.sources.dask_state import Parts
from surefit.ensemble.forests.random_forest_examples import ForestExamples, hashed_units
from surefit.ensemble.forests.random_forest_rows import ClassWeight, Known, refuse_to_revisit
from surefit.ensemble.forests.random_forest_trees import ForestPlan, OutOfBag, balanced, finished
from surefit.solvers.growing.forest import CRITERIA
from surefit.solvers.growing.spread_examples import SpreadExamples
from surefit.solvers.growing.spread_forest import SpreadForest
from surefit.solvers.growing.spread_rows import MERGES, ForestFacts
from surefit.solvers.growing.tree import Tree
from surefit.summaries.bins import find_bins

BATCH_BYTES = 2**27
"""What a part holds of the trees that are grown at a time."""
MOST_TREES = 64


class SpreadRows:
    """Examples in parts on the workers. `counted`: their weights in trees are whole numbers, so that sums of parts are
    those of all; without a bootstrap they need not be, and then the forest is not grown here."""

    def __init__(
        self,
        p: SimpleNamespace,
        data: Any,
        n_classes: np.ndarray | None,
        class_weight: ClassWeight | None,
        categorical: np.ndarray | None,
    ) -> None:
        self.p, self.data = p, data
        self.n_classes = 0 if n_classes is None else int(n_classes[0])
        self.bins = find_bins(data, max_bins=p.max_bins, categorical=categorical)
        self.thresholds = self.bins.thresholds
        self.examples = SpreadExamples(data, self.bins, self.n_classes, categorical)
        sums = self.examples.sums()
        self.known = Known(self.examples.repeated, float(sums[-1]), self.examples.n_examples)
        self.factor = None if class_weight is None else self._factor(class_weight)
        self.sums = sums if self.factor is None else self.examples.sums(self.factor)
        whole = self.factor is None or bool((self.factor == np.floor(self.factor)).all())
        self.counted = bool(p.bootstrap) or (self.examples.whole and whole and self.sums[-1] < 2**51)
        self.chances = np.empty(0)
        self.forest: SpreadForest | None = None
        self.outside = False

    def _factor(self, class_weight: ClassWeight) -> np.ndarray:
        """The factor of each class, as for examples of all classes with the weights of these."""
        of_class = np.array([rounded_units(part) for part in self.examples.weights])
        there = np.flatnonzero(of_class)
        factor = np.ones(len(of_class))
        factor[there] = class_weight(there.astype(np.float64)[:, None], of_class[there])
        return factor

    def draws(self, plan: ForestPlan) -> None:
        return None

    def judge(self, grown: list[Any], plan: ForestPlan) -> None:
        if grown:
            refuse_to_revisit()
        self.outside = True

    def trees(self, plan: ForestPlan, seeds: np.ndarray) -> Iterator[Tree]:
        examples, most = self.examples, 0.0
        if not self.n_classes:
            squarable(np.array([examples.lowest, examples.highest]))
            most = max(abs(examples.lowest), abs(examples.highest))
        facts = ForestFacts(
            self.bins,
            self.n_classes,
            CRITERIA[plan.rules.criterion],
            _native.exponent_above(most),
            self.sums,
            plan.n_draws,
            self.factor,
            once=examples.once and self.factor is None,
            repeats=examples.repeated > examples.n_examples,
            last=int(np.flatnonzero(examples.sizes)[-1]),
            outside=self.outside,
        )
        self.forest = SpreadForest(
            Parts(examples.blocks, facts, MERGES), plan.rules, balanced if plan.balance else None
        )
        largest = int(examples.sizes.max())
        batch = int(np.clip(BATCH_BYTES // (40 * largest), 1, MOST_TREES))
        for first in range(0, len(seeds), batch):
            some = seeds[first : first + batch]
            trees = self.forest.grow(some)
            self.forest.done(some, trees)
            yield from (finished(tree, examples.seen, plan) for tree in trees)

    def judged(self) -> tuple[ForestExamples, OutOfBag] | None:
        """Scores out of the bag are of single rows: hashes, targets and what was said of each come here."""
        if not self.outside or self.forest is None:
            return None
        source, of_spare = hashed_units(self.data, self.examples.seen)
        parts = self.forest.parts.ask("said_outside")
        sums, n_trees, hashes, spare_sums, spare_trees = (np.concatenate([part[k] for part in parts]) for k in range(5))
        at = np.searchsorted(hashes, of_spare)
        said = OutOfBag(len(source.owner), sums.shape[1])
        said.sums = np.concatenate([sums, spare_sums[at]])
        said.n_trees = np.concatenate([n_trees, spare_trees[at]])
        return source, said
