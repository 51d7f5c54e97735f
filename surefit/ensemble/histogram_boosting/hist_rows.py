"""The rows of a histogram boosting as one matrix of bins: rows in memory and Parquet files."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit._core.threads import thread_count, threads_for
from surefit.engine.sources.source import MemorySource, Source
from surefit.ensemble.histogram_boosting.hist_stopping import Held, Validation
from surefit.objectives.losses import Loss
from surefit.solvers.boosting.histogram_data import ExampleHashesStep, bin_source, targets_of
from surefit.solvers.boosting.histogram_rounds import HistogramRounds, first_prediction, rounded_once
from surefit.solvers.growing.histogram import GrowthOptions, HistogramGrower, constant_tree
from surefit.solvers.growing.predict import sum_of_trees
from surefit.solvers.growing.tree import Tree
from surefit.summaries.bins import Bins
from surefit.summaries.holdout import held_out


class WholeFit:
    """in: the estimator (whose attributes it sets), its parameters, and a source.

    `total`: the weight of all rows; after `bin_rows` the `bins`, and which of them training rows have (`seen`).
    """

    def __init__(self, model: Any, p: Any, data: Source) -> None:
        self.model, self.p, self.data = model, p, data
        self.y, self.w = model._targets(p, *targets_of(data))
        self.total = float(data.n_rows) if self.w is None else rounded_once([self.w])
        self.in_memory = isinstance(data, MemorySource)

    def bin_rows(self, share: float | None) -> None:
        """Bins of training rows; the `share` of the weight is held out (None: nothing is)."""
        outside = None
        if share is not None:
            labels = self.y if self.data.classes is not None else np.zeros(len(self.y))
            hashes = self.data.fold(ExampleHashesStep())
            outside = held_out(hashes, labels, self.w, share, self.model.seed_ % 2**63)
            if not outside.any() or outside.all():
                refuse_share(self.p.validation_fraction, int(outside.sum()), len(self.y))
        p, model = self.p, self.model
        self.binned = bin_source(self.data, self.y, self.w, outside, p.max_bins, model.is_categorical_)

    @property
    def bins(self) -> Bins:
        return self.binned.bins

    @property
    def seen(self) -> np.ndarray | None:
        return self.binned.seen

    def rounds(self, loss: Loss, options: GrowthOptions, warm: bool) -> HistogramRounds:
        """`warm`: the model goes on from its trees."""
        model, binned, threads = self.model, self.binned, thread_count(None)
        if not warm:
            model.baseline_prediction_ = first_prediction(loss, binned.y, binned.w)
            model.trees_, model.n_iter_ = [], 0
        raw = np.empty((len(binned.y), model.n_trees_per_iteration_), order="F")
        raw[:] = binned.trained(self._raw()) if warm else model.baseline_prediction_
        grower = HistogramGrower(binned.bins, binned.rows, binned.n_categories, threads, columns=not binned.mapped)
        rate = float(self.p.learning_rate)
        return HistogramRounds(grower, loss, binned.y, binned.w, raw, options, rate, model.seed_, threads)

    def validation(self) -> Validation | None:
        binned, model = self.binned, self.model
        if binned.held is None or binned.held_rows is None or binned.held_y is None:
            return None
        X = self.data.X[binned.held_rows] if self.in_memory else None
        raw = self._raw()[binned.held_rows] if model.trees_ else model.baseline_prediction_
        return Validation(Held(X, binned.held_y, binned.held_w), binned.held, raw, binned.bins)

    def trained_rows(self) -> Any:
        return self.binned.trained(self.data.X) if self.in_memory else None

    def _raw(self) -> np.ndarray:
        return np.concatenate([self.model._raw_of_rows(block.X) for block in self.data.blocks()])


def refuse_share(fraction: Any, n_held: int, n_rows: int) -> None:
    raise InvalidData(
        f"validation_fraction={fraction} holds out {n_held} of {n_rows} rows; early stopping needs "
        "some on both sides. Give more rows, another fraction, X_val and y_val, or early_stopping=False."
    )


def raw_of_rows(baseline: np.ndarray, trees: list[list[Tree]], rows: Any) -> np.ndarray:
    """baseline + the trees of all rounds, added in their order, (rows, outputs)."""
    threads = threads_for(40.0 * rows.shape[0] * len(trees))
    outputs = [
        sum_of_trees([constant_tree(start, rows.shape[1]), *(round_[k] for round_ in trees)], rows, threads)[:, 0]
        for k, start in enumerate(baseline[0])
    ]
    return np.stack(outputs, axis=1)
