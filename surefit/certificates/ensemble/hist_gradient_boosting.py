"""Checkers of HistGradientBoostingClassifier and HistGradientBoostingRegressor: every round replayed.

The raw predictions start at the best constant. In each round slopes and curvatures of the loss are recomputed from the
raw predictions so far; every leaf must hold learning_rate times the step of the loss for its rows, and in sampled trees
every split must be the best on offer among the bins of columns of numbers. scikit-learn's trees, bins and start are
private (`_predictors`, `_bin_mapper`, `_baseline_prediction`): they are read as they are.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.ensemble.boosted_rows import kept_rows, read_rows
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.rounding import UNIT
from surefit.certificates.search.boosting.category_sides import CategorySides
from surefit.certificates.theorems.boosting.answers import class_answers, number_answers, trace_claim
from surefit.certificates.theorems.boosting.bins import by_rule
from surefit.certificates.theorems.boosting.kinks import Kinks, pinball
from surefit.certificates.theorems.boosting.losses import gamma, log_loss, poisson, squared_error
from surefit.certificates.theorems.boosting.splits import Splits
from surefit.certificates.theorems.boosting.steps import Steps
from surefit.certificates.theorems.boosting.trees import HistogramTree

COVERS = ("n_iter_", "train_score_", "validation_score_", "do_early_stopping_", "is_categorical_",
          "n_trees_per_iteration_", "trees_", "baseline_prediction_", "bin_thresholds_", "categories_",
          "predict")  # fmt: skip


@checker(*COVERS, "classes_", "predict_proba", "decision_function")
@reads_labels
def check_hist_gradient_boosting_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rounds: rows × trees; splits in sampled trees: rows × columns each."""
    attrs, (X, y, w) = Attributes(model, "do_early_stopping_"), read_rows(blocks, True)
    K, given, codes = read_classes(attrs) or 2, attrs.parameter("class_weight", {}), y.astype(np.intp)
    if given == "balanced":  # Σ w / (K · Σ w of the class)
        totals = np.bincount(codes, weights=w if hasattr(model, "trees_") else None, minlength=K)
        w = w * (totals.sum() / (K * np.maximum(totals, 1e-300)))[codes]
    elif given:
        w = w * np.array([real(given.get(label, 1.0)) for label in np.asarray(model.classes_).tolist()])[codes]
    losses = {"log_loss": partial(Steps, log_loss, flat=4 * UNIT)}
    claims, end = _replayed(attrs, (X, y, w), tol, K, losses.get(str(attrs.parameter("loss", ""))))
    return [*claims, *class_answers(model, blocks, end, 0.5)], "rows × trees; in some also × columns"


@checker(*COVERS)
def check_hist_gradient_boosting_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rounds: rows × trees; splits in sampled trees: rows × columns each."""
    attrs, rows = Attributes(model, "do_early_stopping_"), read_rows(blocks, False)
    q, linear = real(attrs.parameter("quantile", 0.5)), not hasattr(model, "trees_") and bool((rows[2] == 1).all())
    losses = {
        "squared_error": partial(Steps, squared_error),
        "poisson": partial(Steps, poisson, log_link=True),
        "gamma": partial(Steps, gamma, log_link=True),
        "absolute_error": partial(Kinks, partial(pinball, up=1.0, down=1.0), linear=linear),
        "quantile": partial(Kinks, partial(pinball, up=q, down=1 - q), q=q, linear=linear),
    }
    claims, end = _replayed(attrs, rows, tol, 1, losses.get(str(attrs.parameter("loss", ""))))
    return [*claims, *number_answers(model, blocks, end)], "rows × trees; in some also × columns"


def _replayed(attrs: Attributes, data: Any, tol: float, K: int, steps: Any) -> tuple[list[Claim], Steps]:
    """The claims about all rounds, and the raw predictions after them."""
    model, (X, y, w), theirs = attrs.model, data, not hasattr(attrs.model, "trees_")
    if steps is None:
        raise BadData(f"rounds of the loss {model.loss!r} are not replayed")
    given = attrs.parameter("validation_rows_", "") == "given" or getattr(model, "validation_fraction", 0.1) is None
    keeps = model.do_early_stopping_ and not given
    hidden = "which rows were kept for validation cannot be seen" if keeps and theirs else ""
    bounded = np.any(np.asarray(attrs.parameter("monotonic_cst", 0)) != 0)
    hidden = "monotonic_cst bounds the values of leaves" if bounded else hidden
    train = np.where(kept_rows(attrs, X, y, w, K > 1), 0.0, w) if keeps and not hidden else w
    by_sets = np.zeros(X.shape[1], dtype=bool) | np.asarray(attrs.parameter("is_categorical_", False), dtype=bool)
    order = np.argsort(~by_sets, kind="stable") if theirs else np.arange(X.shape[1])  # categories first
    X, by_sets = X[:, order].astype(np.float64), by_sets[order]
    rounds, start, edges = _learnt(attrs, K if K > 2 else 1, CategorySides(model, X, by_sets))
    unit, grid = (2.0**-24, 0.0) if theirs else (0.0, 2.0**-30)  # float32, or whole numbers of 30 bits
    l2, f = real(attrs.parameter("l2_regularization", 0.0)), np.tile(start, (len(y), 1))
    at = steps(y=y, w=train, f=f, l2=l2, factor=-1.0, unit=unit, grid=grid)
    if not hidden:
        at.start(theirs and bool((w == 1).all()))
    most, seen = whole(attrs.parameter("max_bins", 255)), np.flatnonzero(~by_sets & (len(X) <= 200_000))
    off = sum(not by_rule(X[:, j], train, most, edges[j], not theirs) for j in seen)
    said = f"Columns, of {len(seen)} looked at, whose thresholds are not by the rule for bins."
    edges = [np.zeros(0) if sets else own for own, sets in zip(edges, by_sets, strict=True)]
    splits = Splits(attrs, X, edges, len(X), 1e-3, len(rounds) * f.shape[1])
    claims = [at_most("bins", said, Grade.EXACT, off, 0), *_rounds(attrs, at, rounds, X, splits, w - train, tol)]
    return [failed("rounds", f"Rounds are not replayed: {hidden}.")] if hidden else claims, at


def _rounds(attrs: Attributes, at: Steps, rounds: Any, X: F64, splits: Splits, w_kept: F64, tol: float) -> list[Claim]:
    """Every round replayed: leaf values of all trees, splits of some, the trace of the loss."""
    rate, width = real(attrs.parameter("learning_rate", 0.1)), at.f.shape[1]
    counts = at.w if hasattr(attrs.model, "trees_") else np.ones(len(X))
    traces = [("train_score_", at.w, [at.mean_loss(at.w)]), ("validation_score_", w_kept, [at.mean_loss(w_kept)])]
    for t, stage in enumerate(rounds):
        slopes, moves = at.slopes(), np.zeros_like(at.f)
        for k, tree in enumerate(stage):
            rows = tree.rows(X)
            if len(rows) == 1 or t * width + k in splits.chosen:
                g, h, dg, dh = (a[:, k] for a in slopes)
                splits.see(tree, rows, np.column_stack([g, h, counts]), np.column_stack([dg, dh]))
            none = len(rows) == 1 and not at.kinked  # Newton's step is not taken by a tree without a split
            for leaf in tree.leaves:
                moves[rows[leaf], k] = tree.value[leaf]
                at.leaf(float(tree.value[leaf]), 0.0 if none else rate, rows[leaf], k, slopes)
        at.add(moves)
        for _, w, trace in traces:
            trace.append(at.mean_loss(w))
    claims, model = [at.claim(tol), splits.claim(tol)], attrs.model
    if model.do_early_stopping_ and getattr(model, "scoring", "loss") == "loss":
        claims += [trace_claim(model, name, trace, at.factor, tol) for name, w, trace in traces if w.any()]
    return claims


def _learnt(attrs: Attributes, width: int, sides: CategorySides) -> tuple[list[list[HistogramTree]], F64, list[F64]]:
    """Rounds of trees, the raw predictions they start from (K,), and the thresholds of each column; as the attributes
    say, and as many rounds as asked for unless they were stopped early."""
    model, limit = attrs.model, real(attrs.parameter("max_iter", 100))
    if hasattr(model, "trees_"):
        rounds, start, edges = model.trees_, model.baseline_prediction_, model.bin_thresholds_
    else:
        rounds, start, edges = model._predictors, model._baseline_prediction, model._bin_mapper.bin_thresholds_
    trees = [[_tree(tree, sides) for tree in stage] for stage in rounds]
    start, edges, n = np.ravel(start), [np.ravel(own) for own in edges], len(trees)
    odd = {len(start), model.n_trees_per_iteration_, *map(len, trees)} != {width} or len(edges) != model.n_features_in_
    if attrs.faults or odd or not n == model.n_iter_ <= limit or (n < limit and not model.do_early_stopping_):
        attrs.faults.append(f"trees, start, bins, n_iter_ are not those of {limit:g} rounds of {width} trees")
        raise BadData("; ".join(attrs.faults))
    for t in (tree for stage in trees for tree in stage):
        if any(t.threshold[i] not in (*edges[t.feature[i]], np.inf) for i in t.inner if not t.by_sets[i]):
            raise BadData("a threshold of a tree is not one of the bins of its column")
    return trees, start, edges


def _tree(tree: Any, sides: CategorySides) -> HistogramTree:
    """Of scikit-learn records of nodes."""
    t = getattr(tree, "nodes", None)
    if t is None:
        nodes = (tree.children_left, tree.children_right, tree.feature, tree.threshold, tree.value)
        return HistogramTree(tree.missing_go_to_left, tree.category_row >= 0, sides.of(tree), *nodes)
    left = np.where(t["is_leaf"], -1, t["left"].astype(np.intp))
    nodes = (left, t["right"], t["feature_idx"], t["num_threshold"], t["value"])
    return HistogramTree(t["missing_go_to_left"], t["is_categorical"] != 0, sides.of(tree), *nodes)
