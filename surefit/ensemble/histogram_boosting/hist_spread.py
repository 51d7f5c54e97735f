"""The rows of a histogram boosting that stay on Dask's workers: the driver sees sums, bins and histograms."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from surefit._core.data.faults import squarable
from surefit.engine.sources.dask_state import Parts
from surefit.engine.sources.source import Source
from surefit.ensemble.histogram_boosting.hist_rows import raw_of_rows, refuse_share
from surefit.objectives.losses import Loss
from surefit.solvers.boosting.part_rows import MERGES, Facts
from surefit.solvers.boosting.spread_data import SpreadData, start_of
from surefit.solvers.boosting.spread_rounds import SpreadRounds, SpreadValidation
from surefit.solvers.boosting.spread_targets import HeldOut, TargetFacts, TargetFactsStep, Weighing, hold_out_bounds
from surefit.solvers.growing.histogram import GrowthOptions, bin_counts
from surefit.summaries.bins import find_bins


class SpreadFit:
    """`WholeFit` for a Dask source."""

    in_memory = False

    def __init__(self, model: Any, p: Any, data: Source) -> None:
        self.model, self.p = model, p
        self.n_classes = 0 if data.classes is None else len(data.classes)
        if not self.n_classes:
            model.n_trees_per_iteration_ = 1
            shape = (data.n_rows,) if data.target_ndim == 1 else (data.n_rows, data.n_targets)
            column_or_1d(np.broadcast_to(0.0, shape), warn=True)
        facts: TargetFacts = data.fold(TargetFactsStep(), self.n_classes)
        if not self.n_classes:
            squarable(np.array([facts.lowest, facts.highest]))
            model._refuse_targets(p, facts.least, facts.most)
        factor = model._class_factor(p, facts.of_classes)
        self.data = data.with_rows(Weighing(factor))  # type: ignore[attr-defined]
        self.weighted = data.has_weights or factor is not None
        self.facts = facts if factor is None else self.data.fold(TargetFactsStep(), self.n_classes)
        self.total = self.facts.total

    def bin_rows(self, share: float | None) -> None:
        seed, bounds = self.model.seed_ % 2**63, None
        if share is not None:
            if share * (1 + 1e-12) >= 1:
                refuse_share(self.p.validation_fraction, self.data.n_rows, self.data.n_rows)
            bounds = hold_out_bounds(self.data, self.facts, self.n_classes, share, seed)
        self.held = HeldOut(bounds, seed, self.n_classes > 0)
        trained = self.data.with_rows(self.held.without)
        self.bins = find_bins(trained, max_bins=self.p.max_bins, categorical=self.model.is_categorical_)
        start_from = None
        if self.p.warm_start and getattr(self.model, "trees_", None):
            start_from = partial(raw_of_rows, self.model.baseline_prediction_, list(self.model.trees_))
        self.rows = SpreadData(self.data, self.bins, self.held, self.model.is_categorical_, start_from)
        self.seen = self.rows.seen
        if bounds is not None and (self.rows.n_held == 0 or self.rows.n_rows == 0):
            refuse_share(self.p.validation_fraction, self.rows.n_held, self.data.n_rows)

    def rounds(self, loss: Loss, options: GrowthOptions, warm: bool) -> SpreadRounds:
        model, rows = self.model, self.rows
        start = start_of(rows.trained, loss, self.weighted)
        if not warm:
            model.baseline_prediction_, model.trees_, model.n_iter_ = start.baseline, [], 0
        n_categories = None if self.seen is None else 255 - np.argmax(self.seen[:, 254::-1], axis=1)
        self.shared = Facts(
            self.bins,
            bin_counts(self.bins, n_categories),
            loss,
            model.baseline_prediction_,
            rows.n_rows,
            start.total,
            start.whole_total,
        )
        parts = Parts(rows.trained, self.shared, MERGES)
        return SpreadRounds(parts, options, float(self.p.learning_rate), model.seed_, self.weighted)

    def validation(self) -> SpreadValidation | None:
        if self.rows.held is None:
            return None
        total = start_of(self.rows.held, self.shared.loss, self.weighted).total
        facts = Facts(
            self.bins,
            self.shared.n_bins,
            self.shared.loss,
            self.model.baseline_prediction_,
            self.rows.n_held,
            total,
            total,
        )
        return SpreadValidation(Parts(self.rows.held, facts, MERGES), self.weighted)

    def trained_rows(self) -> None:
        """Rows are not shown to scores."""
