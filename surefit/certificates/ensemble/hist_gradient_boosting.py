"""Checkers of HistGradientBoostingClassifier and HistGradientBoostingRegressor: every round replayed.

The raw predictions start at the best constant; in each round gradients and curvatures of the loss are recomputed from
the raw predictions so far, every leaf must hold learning_rate · −G / (H + λ) (for losses with a kink the median or
quantile of what is left), and in sampled trees every split must be the best on offer among the bins. Of scikit-learn's
models trees, bins and start are private (`_predictors`, `_bin_mapper`, `_baseline_prediction`): there is no other sight
of them, and they are read as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense, one_column
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, failed, refuted
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.boosting.answers import Trace, answer_claims, check_seed, start_claim
from surefit.certificates.theorems.boosting.histogram_model import Forest, read_forest
from surefit.certificates.theorems.boosting.holdout import held_out
from surefit.certificates.theorems.boosting.losses import POINTED, loss_at, quantile
from surefit.certificates.theorems.boosting.replay import Replay, Rule
from surefit.certificates.theorems.trees.binned import bins_claim, rows_in_bins
from surefit.certificates.theorems.trees.examples import class_factors
from surefit.certificates.theorems.trees.members import spread
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.worst import Worst

COVERS = ("n_iter_", "train_score_", "validation_score_", "do_early_stopping_", "is_categorical_",
          "n_trees_per_iteration_", "validation_rows_", "trees_", "baseline_prediction_", "bin_thresholds_",
          "categories_", "seed_", "predict")  # fmt: skip
WORK = 5e7  # bins looked at in the trees whose splits are replayed


@checker(*COVERS, "classes_", "predict_proba", "predict_log_proba", "decision_function")
@reads_labels
def check_hist_gradient_boosting_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rounds: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "do_early_stopping_")
    K = read_classes(attrs)
    if K is None:
        return [bad_attributes(attrs)], "one pass"
    return _check(attrs, blocks, tol, "log_loss" if K == 2 else "multinomial", K)


@checker(*COVERS)
def check_hist_gradient_boosting_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rounds: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "do_early_stopping_")
    return _check(attrs, blocks, tol, attrs.text("loss", "squared_error"), 0)


def _check(attrs: Attributes, blocks: Blocks, tol: float, loss: str, K: int) -> Findings:
    model, d = attrs.model, blocks.n_features
    forest, (X, y, w) = read_forest(model, d), _rows(model, blocks, K)
    _sizes(attrs, forest, max(1, K * (K > 2)))
    check_seed(attrs, 2**63)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    weighted, kept, hidden = bool((w != 1).any()), np.zeros(len(y), dtype=bool), False
    if attrs.flag("do_early_stopping_", False) and getattr(model, "validation_fraction", 0.1) is not None:
        hidden = forest.private
        if not hidden and model.validation_rows_ != "given":  # then all of these rows are trained on
            share = attrs.parameter("validation_fraction", 0.1)
            share = real(share) / float(w.sum()) if isinstance(share, (int, np.integer)) else real(share)
            kept = held_out(X, y, w, y if K else np.zeros(len(y)), share, int(model.seed_))
    X = _by_places(attrs, forest, X[:, forest.columns])
    bins, train = rows_in_bins(X, forest.thresholds, forest.by_sets), np.where(kept, 0.0, w)
    boost = Boosting(attrs, forest, loss, bins, y, train, w - train, weighted)
    f = np.tile(forest.start, (len(y), 1))
    df, claims = np.zeros_like(f), [start_claim(loss, y, train, forest.start, boost.middle(y, train), tol)]
    if hidden or not claims[0].holds:
        for stage in forest.rounds:
            for k, nodes in enumerate(stage):
                boost.move(nodes, k, f, df)
        reason = "Rounds are not replayed: which rows were kept for validation cannot be seen, or the start is wrong."
        claims = [failed("rounds", reason)] if hidden else claims
    else:
        if len(y) <= 200_000:
            max_bins = int(attrs.parameter("max_bins", 255))
            claims.append(bins_claim(forest.thresholds, X, train, max_bins, forest.by_sets, not forest.private, tol))
        claims += boost.rounds(f, df, tol)
    return [*claims, *answer_claims(model, blocks, loss, f, df)], (
        f"{len(y)} rows × {boost.n_trees} trees; splits of {boost.n_replayed} trees, {len(y)} rows × {d} columns each"
    )


def _by_places(attrs: Attributes, forest: Forest, X: F64) -> F64:
    """A category is its place among those of its column."""
    for j in np.flatnonzero(forest.by_sets):
        known = ~np.isnan(X[:, j])
        values = np.unique(X[known, j])
        places = np.asarray(attrs.model.categories_[j], dtype=np.float64) if attrs.has("categories_") else values
        if not np.isin(values, places).all() or not (places[:-1] < places[1:]).all():
            raise BadData(f"categories_ of column {forest.columns[j]} are not its values in rising order")
        X[known, j] = np.searchsorted(places, X[known, j])
    return X


def _sizes(attrs: Attributes, forest: Forest, width: int) -> None:
    """n_iter_, n_trees_per_iteration_, do_early_stopping_ and validation_rows_ say what was grown."""
    n, asked, stops = (
        len(forest.rounds),
        attrs.parameter("early_stopping", "auto"),
        attrs.flag("do_early_stopping_", False),
    )
    limit = real(attrs.parameter("max_iter", 100))
    if attrs.parameter("n_iter_", -1) != n or attrs.parameter("n_trees_per_iteration_", -1) != width:
        attrs.faults.append(f"n_iter_ or n_trees_per_iteration_ is not what was grown: {n}, {width}")
    if len(forest.start) != width or not n <= limit or (n < limit and not stops):
        attrs.faults.append(f"there are {n} rounds of {len(forest.start)} trees, and max_iter={limit:g}")
    if asked != "auto" and bool(asked) != stops:
        attrs.faults.append("do_early_stopping_ is not what early_stopping asks for")
    kept = None if not stops or getattr(attrs.model, "validation_fraction", 0.1) is None else "held out"
    if not forest.private and getattr(attrs.model, "validation_rows_", "") not in (kept, "given" if stops else None):
        attrs.faults.append("validation_rows_ is not 'held out', 'given' or None as early stopping asks for")


def _rows(model: Any, blocks: Blocks, K: int) -> tuple[F64, F64, F64]:
    """All rows, dense: X, y and the weights, those of classes multiplied in."""
    parts = [(dense(X), one_column(np.asarray(y)), np.ones(X.shape[0]) if w is None else w) for X, y, w in blocks]
    X, y, w = (np.concatenate([np.asarray(p[i], dtype=np.float64) for p in parts]) for i in range(3))
    if not np.isfinite(y).all() or not np.isfinite(w).all() or (w < 0).any() or (K and (y < 0).any()):
        raise BadData("targets or weights are not finite, or labels are not among classes_")
    if K:
        w = w * class_factors(model, y.astype(np.intp), w if hasattr(model, "trees_") else None, K)
    return X, y, w


@dataclass
class Boosting:
    """The rounds of one model on all rows."""

    attrs: Attributes
    forest: Forest
    loss: str
    bins: NDArray
    y: F64
    w: F64  # zero for rows kept for validation
    w_kept: F64
    weighted: bool
    n_replayed: int = 0

    @property
    def n_trees(self) -> int:
        return len(self.forest.rounds) * len(self.forest.start)

    @property
    def q(self) -> float:
        return real(self.attrs.parameter("quantile", 0.5)) if self.loss == "quantile" else 0.5

    def middle(self, v: F64, w: F64) -> tuple[float, float]:
        """The median or quantile of v by the model's rule."""
        return quantile(v, w, self.q, self.forest.private and not self.weighted)

    def move(self, nodes: Nodes, k: int, f: F64, df: F64) -> None:
        """The tree's values added to f; what rounding may have done grows by one unit of all that was added so far."""
        step = nodes.value[nodes.leaves(self.bins), 0, 0]
        f[:, k] += step
        df[:, k] += 2 * UNIT * (np.abs(f[:, k]) + np.abs(step))

    def rounds(self, f: F64, df: F64, tol: float) -> list[Claim]:
        """Every round replayed: leaf values of all trees, splits of some, the trace of the loss."""
        leaves, splits, faults, (n, d) = Worst(), Worst(), list[str](), self.bins.shape
        traces = [Trace(self.loss, self.y, w, -1.0) for w in (self.w, self.w_kept) if w.any()]
        wanted = int(np.clip(WORK / (d * (16 * n + 1000 * len(self.forest.rounds[0][0]))), 3, 20))
        rule, width, replayed = self.rule(), len(self.forest.start), spread(self.n_trees, wanted)
        for t, stage in enumerate(self.forest.rounds):
            for trace in traces:
                trace.add(f, df, self.q)
            terms, off = self.slopes(f, df)
            for k, nodes in enumerate(stage):
                replay = Replay(nodes, rule, self.bins, terms[:, k], off[:, k])
                self.leaf_values(replay, f[:, k].copy(), leaves)
                self.move(nodes, k, f, df)
                if len(nodes) == 1 or t * width + k in replayed:
                    self.n_replayed += 1
                    faults += [f"Round {t}: {fault}." for fault in replay.splits(splits)]
        for trace in traces:
            trace.add(f, df, self.q)
        claims = [self.leaf_claim(leaves, tol), self.split_claim(splits, faults, tol)]
        if self.attrs.flag("do_early_stopping_", False) and self.attrs.text("scoring", "loss") == "loss":
            for name, trace in zip(("train_score_", "validation_score_"), traces, strict=False):
                claims.append(trace.claim(name, self.attrs.raw(name), tol))
        return claims

    def rule(self) -> Rule:
        model, d, read = self.attrs.model, self.bins.shape[1], self.attrs.parameter
        cst: Any = read("monotonic_cst", np.zeros(d))
        if isinstance(cst, dict):
            cst = [cst.get(name, 0) for name in getattr(model, "feature_names_in_", range(d))]
        drawn = real(read("max_features", 1.0)) < 1 or getattr(model, "interaction_cst", None) is not None
        return Rule(real(read("min_samples_leaf", 20)), 1e-3, real(read("l2_regularization", 0.0)),
                    np.asarray(cst, dtype=int)[self.forest.columns], self.forest.by_sets, drawn,
                    real(read("max_depth", math.inf)), real(read("max_leaf_nodes", math.inf)))  # fmt: skip

    def slopes(self, f: F64, df: F64) -> tuple[F64, F64]:
        """(rows, trees of the round, 3): gradients, curvatures, counts; and what g and h may be off by."""
        s, w, private = loss_at(self.loss, self.y, f, self.q), self.w[:, None], self.forest.private
        g, h, count = s.g * w, s.h * w, np.ones(len(f)) if private else self.w
        # scikit-learn's gradients are in float32, ours are whole numbers of 30 bits
        unit, grid = (2.0**-24, 0.0) if private else (UNIT, 2.0**-30)
        dg = (
            (unit + 8 * UNIT) * np.abs(g)
            + h * df
            + 4 * UNIT * w * (self.loss == "multinomial")
            + grid * np.abs(g).max()
        )
        dh = (unit + 8 * UNIT) * h + h * df + grid * h.max()
        if self.loss in POINTED:  # a row at the kink may count on either side
            dg, dh = dg + w * (np.abs(self.y[:, None] - f) < df), dh if private else np.zeros_like(h)
        return np.stack([g, h, np.broadcast_to(count[:, None], g.shape)], axis=2), np.stack([dg, dh], axis=2)

    def leaf_values(self, replay: Replay, before: F64, worst: Worst) -> None:
        rate, nodes = real(self.attrs.parameter("learning_rate", 0.1)), replay.nodes
        if self.loss not in POINTED:
            return replay.leaf_values(rate, worst)
        for leaf in np.flatnonzero(~nodes.inner):
            rows, v = replay.rows[leaf], nodes.value[leaf, 0, 0]
            r = self.y[rows] - before[rows]
            low, high = self.middle(r, self.w[rows])
            unit = max(rate * float(np.abs(r).mean()), np.finfo(float).tiny)
            off = 64 * UNIT * (np.abs(self.y[rows]) + np.abs(before[rows])).max(initial=0.0) * rate
            worst.see(max(rate * low - v, v - rate * high, 0.0) / unit, 0.0, off / unit)

    def leaf_claim(self, worst: Worst, tol: float) -> Claim:
        what = "quantiles of what is left" if self.loss in POINTED else "Newton steps −G / (H + l2)"
        sentence = f"All {worst.count} leaf values are learning_rate times the {what}; largest difference, relative."
        return worst.claim("leaf_values", sentence, tol, f"A leaf value is not learning_rate times the {what}.")

    def split_claim(self, worst: Worst, faults: list[str], tol: float) -> Claim:
        which = (
            "of the feature taken (which ones were open to a node is not told)"
            if self.rule().drawn
            else "among all bins"
        )
        sentence = f"In {self.n_replayed} trees no split {which} gains more; largest relative gain missed."
        claim = worst.claim("splits", sentence, tol, "A better split was on offer in a node of a tree.")
        return refuted("splits", faults[0]) if faults else claim
