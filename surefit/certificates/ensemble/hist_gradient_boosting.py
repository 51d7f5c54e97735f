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
from surefit.certificates.blocks import F64, BadData, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.theorems.boosting.answers import Trace, answer_claims, check_seed
from surefit.certificates.theorems.boosting.histogram_model import Forest, read_forest
from surefit.certificates.theorems.boosting.holdout import held_out
from surefit.certificates.theorems.boosting.losses import POINTED, quantile, raw_of_mean, slopes
from surefit.certificates.theorems.boosting.replay import Replay, Rule
from surefit.certificates.theorems.readable import readable
from surefit.certificates.theorems.trees.binned import bins_claim, rows_in_bins
from surefit.certificates.theorems.worst import Worst

COVERS = ("n_iter_", "train_score_", "validation_score_", "do_early_stopping_", "is_categorical_",
          "n_trees_per_iteration_", "validation_rows_", "trees_", "baseline_prediction_", "bin_thresholds_",
          "categories_", "seed_", "predict")  # fmt: skip
U = float(np.finfo(float).eps) / 2
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


@readable
def _check(attrs: Attributes, blocks: Blocks, tol: float, loss: str, K: int) -> Findings:
    model, d = attrs.model, blocks.n_features
    forest = read_forest(model, d)
    if isinstance(forest, str):
        return [refuted("trees", f"{forest}.")], "nothing was computed"
    _sizes(attrs, forest, K)
    check_seed(attrs, 2**63)
    X, y, w = _rows(model, blocks, K)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    weighted, kept = bool((w != 1).any()), np.zeros(len(y), dtype=bool)
    stops = attrs.flag("do_early_stopping_", False) and getattr(model, "validation_fraction", 0.1) is not None
    stops = stops and getattr(model, "validation_rows_", None) != "given"  # then all of these rows are trained on
    if stops and not forest.private:
        share, seed = attrs.parameter("validation_fraction", 0.1), getattr(model, "seed_", None)
        share = real(share) / float(w.sum()) if isinstance(share, (int, np.integer)) else real(share)
        seed = int(seed) if isinstance(seed, (int, np.integer)) and 0 <= seed < 2**64 else 0
        kept = held_out(X, y, w, y if K else np.zeros(len(y)), share, seed)
    X = X[:, forest.columns]
    for j in np.flatnonzero(forest.by_sets):
        known = ~np.isnan(X[:, j])
        values = np.unique(X[known, j])
        places = np.asarray(model.categories_[j], dtype=np.float64) if attrs.has("categories_") else values
        if not np.isin(values, places).all() or not (places[:-1] < places[1:]).all():
            return [refuted("categories", f"categories_ of column {forest.columns[j]} are not its values.")], "one pass"
        X[known, j] = np.searchsorted(places, X[known, j])
    bins, train = rows_in_bins(X, forest.thresholds, forest.by_sets), np.where(kept, 0.0, w)
    boost = Boosting(attrs, forest, loss, bins, y, train, w - train, weighted)
    f, df = boost.start()
    start = boost.start_claim(f, tol)
    if stops and (forest.private or not start.holds):
        for stage in forest.rounds:
            for k, nodes in enumerate(stage):
                boost.move(nodes, k, f, df)
        reason = "Rounds cannot be replayed: which rows were kept for validation cannot be seen."
        return [failed("rounds", reason), *answer_claims(model, blocks, loss, f, df)], "rows × trees"
    claims, max_bins = [start], int(attrs.parameter("max_bins", 255))
    if len(y) <= 200_000:
        claims.append(bins_claim(forest.thresholds, X, train, max_bins, forest.by_sets, not forest.private, tol))
    claims += boost.rounds(f, df, tol)
    return [*claims, *answer_claims(model, blocks, loss, f, df)], (
        f"{len(y)} rows × {boost.n_trees} trees; splits of {boost.n_replayed} trees, {len(y)} rows × {d} columns each"
    )


def _sizes(attrs: Attributes, forest: Forest, K: int) -> None:
    """n_iter_, n_trees_per_iteration_ and do_early_stopping_ say what was grown; the start has finite numbers."""
    if attrs.parameter("n_iter_", -1) != len(forest.rounds):
        attrs.faults.append(f"n_iter_ is not the number of rounds, {len(forest.rounds)}")
    if real(attrs.parameter("n_trees_per_iteration_", -1)) != max(1, K * (K > 2)) or len(forest.start) != max(
        1, K * (K > 2)
    ):
        attrs.faults.append("n_trees_per_iteration_ is not the number of trees in a round")
    asked = attrs.parameter("early_stopping", "auto")
    limit = real(attrs.parameter("max_iter", 100))
    stops = attrs.flag("do_early_stopping_", False)
    if not len(forest.rounds) <= limit or (len(forest.rounds) < limit and not stops):
        attrs.faults.append(f"there are {len(forest.rounds)} rounds, and max_iter={limit:g} without early stopping")
    if asked != "auto" and bool(asked) != stops:
        attrs.faults.append("do_early_stopping_ is not what early_stopping asks for")
    kept = None if not stops or getattr(attrs.model, "validation_fraction", 0.1) is None else "held out"
    if not forest.private and getattr(attrs.model, "validation_rows_", "") not in (kept, "given" if stops else None):
        attrs.faults.append("validation_rows_ is not 'held out', 'given' or None as early stopping asks for")


def _rows(model: Any, blocks: Blocks, K: int) -> tuple[F64, F64, F64]:
    """All rows of positive weight, dense: X, y and the weights, those of classes multiplied in."""
    parts = [(dense(X), y, np.ones(X.shape[0]) if w is None else np.asarray(w, dtype=float)) for X, y, w in blocks]
    if any(y is None or np.ndim(y) != 1 for _, y, _ in parts):
        raise BadData("the target must be one column")
    X, y, w = (np.concatenate([np.asarray(p[i], dtype=np.float64) for p in parts]) for i in range(3))
    if not np.isfinite(y).all() or not np.isfinite(w).all() or (w < 0).any() or (K and (y < 0).any()):
        raise BadData("targets or weights are not finite, or labels are not among classes_")
    chosen: Any = getattr(model, "class_weight", None)
    if K and chosen is not None:
        counts = np.bincount(y.astype(np.intp), weights=w if hasattr(model, "trees_") else None, minlength=K)
        labels = np.asarray(model.classes_).tolist()
        by_class = counts.sum() / (K * counts) if chosen == "balanced" else [chosen.get(label, 1.0) for label in labels]
        w = w * np.asarray(by_class, dtype=np.float64)[y.astype(np.intp)]
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
        rule = ("lower" if self.weighted else "linear") if self.forest.private else "middle"
        return quantile(v, w, self.q, rule)

    def start(self) -> tuple[F64, F64]:
        f = np.tile(self.forest.start, (len(self.y), 1))
        return f, np.zeros_like(f)

    def move(self, nodes: Any, k: int, f: F64, df: F64) -> None:
        """The tree's values added to f; what rounding may have done grows by one unit of all that was added so far."""
        step = nodes.value[nodes.leaves(self.bins), 0, 0]
        f[:, k] += step
        df[:, k] += 2 * U * (np.abs(f[:, k]) + np.abs(step))

    def start_claim(self, f: F64, tol: float) -> Claim:
        if self.loss in POINTED:
            low, high = self.middle(self.y, self.w)
            off, unit = max(low - f[0, 0], f[0, 0] - high, 0.0), max(np.ptp(self.y), U)
        else:
            shares = np.eye(f.shape[1])[self.y.astype(np.intp)] if self.loss == "multinomial" else self.y[:, None]
            mean = self.w @ shares / self.w.sum()
            expected = raw_of_mean(self.loss, mean)
            off = float(np.abs(expected - f[0]).max())
            unit = (
                float(np.ptp(self.y)) or 1.0
                if self.loss == "squared_error"
                else max(1.0, float(np.abs(expected).max()))
            )
        excuse = 4 * len(self.y) * U * float(np.abs(self.y).max()) / unit
        sentence = "The raw predictions start at the best constant; relative difference."
        failure = "The raw predictions do not start at the best constant for these rows and weights."
        return at_most("start", sentence, Grade.GREEDY, off / unit, tol, excuse=excuse, failure=failure)

    def rounds(self, f: F64, df: F64, tol: float) -> list[Claim]:
        """Every round replayed: leaf values of all trees, splits of some, the trace of the loss."""
        leaves, splits, faults = Worst(), Worst(), list[str]()
        traces = [Trace(self.loss, self.y, w, -1.0) for w in (self.w, self.w_kept) if w.any()]
        rule = self.rule()
        n, d = self.bins.shape
        wanted = int(np.clip(WORK / (d * (16 * n + 1000 * len(self.forest.rounds[0][0]))), 3, 20))
        replayed = set(np.unique(np.linspace(0, self.n_trees - 1, min(wanted, self.n_trees)).astype(int)).tolist())
        for trace in traces:
            trace.add(f, df, self.q)
        for t, stage in enumerate(self.forest.rounds):
            terms, off = self.slopes(f, df)
            for k, nodes in enumerate(stage):
                replay = Replay(nodes, rule, self.bins, terms[:, k], off[:, k])
                self.leaf_values(replay, f[:, k].copy(), leaves)
                self.move(nodes, k, f, df)
                if len(nodes) == 1 or t * len(stage) + k in replayed:
                    self.n_replayed += 1
                    allowed = self.allowed(nodes)
                    fault = replay.splits(
                        splits, allowed, self.limit("max_depth", None), self.limit("max_leaf_nodes", 31)
                    )
                    faults += [f"Round {t}: {fault}."] if fault else []
            for trace in traces:
                trace.add(f, df, self.q)
        claims = [self.leaf_claim(leaves, tol), self.split_claim(splits, faults, tol)]
        if self.attrs.flag("do_early_stopping_", False) and self.attrs.text("scoring", "loss") == "loss":
            for name, trace in zip(("train_score_", "validation_score_"), traces, strict=False):
                given = self.attrs.raw(name)
                claims.append(trace.claim(name, np.zeros(0) if given is None else given.astype(np.float64), tol))
        return claims

    def limit(self, name: str, default: Any) -> float:
        value = getattr(self.attrs.model, name, default)
        return math.inf if value is None else real(value)

    def rule(self) -> Rule:
        model, d, forest = self.attrs.model, self.bins.shape[1], self.forest
        cst: Any = getattr(model, "monotonic_cst", None)
        if isinstance(cst, dict):
            names = list(getattr(model, "feature_names_in_", range(d)))
            cst = [cst.get(name, 0) for name in names]
        monotonic = np.zeros(0, dtype=int) if cst is None else np.asarray(cst, dtype=int)[forest.columns]
        return Rule(self.limit("min_samples_leaf", 20), 1e-3, self.limit("l2_regularization", 0.0), monotonic,
                    forest.by_sets)  # fmt: skip

    def slopes(self, f: F64, df: F64) -> tuple[F64, F64]:
        """(rows, trees of the round, 3): gradients, curvatures, counts; and what g and h may be off by."""
        s, w = slopes(self.loss, self.y, f, self.q), self.w[:, None]
        g, h, count = s.g * w, s.h * w, np.ones(len(f)) if self.forest.private else self.w
        unit = 2.0**-24 if self.forest.private else U
        grid = 0.0 if self.forest.private else 2.0**-30  # our gradients are whole numbers of 30 bits
        dg = (unit + 8 * U) * np.abs(g) + h * df + 4 * U * w * (self.loss == "multinomial") + grid * np.abs(g).max()
        dh = (unit + 8 * U) * h + h * df + grid * h.max()
        if self.loss in POINTED:  # a row at the kink may count on either side
            dg, dh = dg + w * (np.abs(self.y[:, None] - f) < df), np.zeros_like(h) if self.forest.private else dh
        return np.stack([g, h, np.broadcast_to(count[:, None], g.shape)], axis=2), np.stack([dg, dh], axis=2)

    def leaf_values(self, replay: Replay, before: F64, worst: Worst) -> None:
        rate = real(self.attrs.parameter("learning_rate", 0.1))
        nodes = replay.nodes
        if self.loss not in POINTED:
            if len(nodes) > 1:
                replay.leaf_values(rate, worst)
            else:  # a tree without a split takes no step
                worst.see(float(nodes.value[0, 0, 0] != 0.0))
            return
        for leaf in np.flatnonzero(~nodes.inner):
            rows = replay.rows[leaf]
            r = self.y[rows] - before[rows]
            low, high = self.middle(r, self.w[rows])
            v, unit = nodes.value[leaf, 0, 0], max(rate * float(np.abs(r).mean()), np.finfo(float).tiny)
            off = 8 * U * (np.abs(self.y[rows]) + np.abs(before[rows])).max(initial=0.0) * rate
            worst.see(max(rate * low - v, v - rate * high, 0.0) / unit, 0.0, off * 8 / unit)

    def allowed(self, nodes: Any) -> list[NDArray]:
        """The features that each node may be split by: all, or those that interact with the ones above it.

        With max_features < 1 they are drawn: then a node is held against the splits of its own feature alone.
        """
        d, cst = self.bins.shape[1], getattr(self.attrs.model, "interaction_cst", None)
        if real(self.attrs.parameter("max_features", 1.0)) < 1:
            return [nodes.feature[[i]] if nodes.inner[i] else np.zeros(0, dtype=np.intp) for i in range(len(nodes))]
        if cst is None:
            return [np.arange(d)] * len(nodes)
        pairs = [{i, j} for i in range(d) for j in range(i)]
        named = {"no_interactions": [{j} for j in range(d)], "pairwise": pairs}
        groups = named[cst] if isinstance(cst, str) else [set(group) for group in cst]
        rest = set(range(d)) - set().union(*groups)
        open_: list[list[set[int]]] = [[*groups, rest] if rest else groups] * len(nodes)
        for i in np.flatnonzero(nodes.inner):
            inside = [group for group in open_[i] if int(nodes.feature[i]) in group]
            open_[nodes.left[i]] = open_[nodes.right[i]] = inside
        return [np.array(sorted(set().union(*sets)), dtype=np.intp) for sets in open_]

    def leaf_claim(self, worst: Worst, tol: float) -> Claim:
        what = "quantiles of what is left" if self.loss in POINTED else "Newton steps −G / (H + l2)"
        sentence = f"All {worst.count} leaf values are learning_rate times the {what}; largest difference, relative."
        return worst.claim("leaf_values", sentence, tol, f"A leaf value is not learning_rate times the {what}.")

    def split_claim(self, worst: Worst, faults: list[str], tol: float) -> Claim:
        if faults:
            return refuted("splits", faults[0])
        drawn = real(self.attrs.parameter("max_features", 1.0)) < 1
        which = "of the feature taken (which ones were drawn cannot be seen)" if drawn else "among all bins"
        sentence = f"In {self.n_replayed} trees no split {which} gains more; largest relative gain missed."
        return worst.claim("splits", sentence, tol, "A better split was on offer in a node of a tree.")
