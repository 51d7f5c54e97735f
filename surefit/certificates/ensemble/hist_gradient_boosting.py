"""Checkers of HistGradientBoostingClassifier and HistGradientBoostingRegressor: every round replayed.

The raw predictions start at the best constant. In each round slopes and curvatures of the loss are recomputed from the
raw predictions so far; every leaf must hold learning_rate times the step of the loss for its rows, and in sampled trees
every split must be the best on offer among the bins. Of scikit-learn's models trees, bins and start are private
(`_predictors`, `_bin_mapper`, `_baseline_prediction`): there is no other sight of them, and they are read as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, failed
from surefit.certificates.ensemble.kept_rows import kept_rows
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.theorems.boosting.answers import answer_claims, trace_claim
from surefit.certificates.theorems.boosting.losses import KINKED
from surefit.certificates.theorems.boosting.rows import read_rows
from surefit.certificates.theorems.boosting.splits import Splits, looked_at
from surefit.certificates.theorems.boosting.steps import Steps
from surefit.certificates.theorems.boosting.trees import Tree, bits, read_tree
from surefit.certificates.theorems.trees.binned import bins_claim

COVERS = ("n_iter_", "train_score_", "validation_score_", "do_early_stopping_", "is_categorical_",
          "n_trees_per_iteration_", "trees_", "baseline_prediction_", "bin_thresholds_", "categories_",
          "predict")  # fmt: skip


class Learnt(NamedTuple):
    """Rounds of K trees each, the raw predictions they start from (K,), and the thresholds of each column."""

    rounds: list[list[Tree]]
    start: F64
    edges: list[F64]
    theirs: bool  # scikit-learn's: slopes in float32, counts of rows, columns of categories first


@checker(*COVERS, "classes_", "predict_proba", "predict_log_proba", "decision_function")
@reads_labels
def check_hist_gradient_boosting_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rounds: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "do_early_stopping_")
    K = read_classes(attrs)
    return _check(attrs, blocks, tol, "log_loss", K) if K else ([bad_attributes(attrs)], "one pass")


@checker(*COVERS)
def check_hist_gradient_boosting_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rounds: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "do_early_stopping_")
    return _check(attrs, blocks, tol, attrs.text("loss", "squared_error"), 0)


def _check(attrs: Attributes, blocks: Blocks, tol: float, loss: str, K: int) -> Findings:
    learnt, (X, y, w) = _learnt(attrs.model), read_rows(blocks, K > 0)
    if K:
        w = w * _class_weights(attrs, y.astype(np.intp), None if learnt.theirs else w, K)
    kept, hidden = _kept(attrs, learnt, X, y, w, K)
    _sizes(attrs, learnt, max(1, K * (K > 2)))
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    X, places, by_sets = _columns(attrs, learnt, X.astype(np.float64))
    unit, grid = (2.0**-24, 0.0) if learnt.theirs else (0.0, 2.0**-30)  # float32, or whole numbers of 30 bits
    start, q = np.tile(learnt.start, (len(y), 1)), real(attrs.parameter("quantile", 0.5))
    l2, linear = real(attrs.parameter("l2_regularization", 0.0)), learnt.theirs and bool((w == 1).all())
    at = Steps(loss, y, np.where(kept, 0.0, w), start, q, unit, grid, l2, linear)
    claims = list[Claim]()
    if not hidden:
        at.start(at.linear)
        if len(y) <= 200_000:
            most = whole(attrs.parameter("max_bins", 255))
            claims.append(bins_claim(learnt.edges, X, at.w, most, by_sets, not learnt.theirs, tol))
    claims += _rounds(attrs, at, learnt, X, Splits(attrs, places, by_sets, len(y), 1e-3, 0.0), w - at.w, tol)
    if hidden:
        claims = [failed("rounds", f"Rounds are not replayed: {hidden}.")]
    return [*claims, *answer_claims(attrs.model, blocks, at)], f"{len(y)} rows × all trees; in some also × columns"


def _rounds(
    attrs: Attributes, at: Steps, learnt: Learnt, X: F64, splits: Splits, w_kept: F64, tol: float
) -> list[Claim]:
    """Every round replayed: leaf values of all trees, splits of some, the trace of the loss."""
    rate, width = real(attrs.parameter("learning_rate", 0.1)), at.f.shape[1]
    counts = np.ones(len(X)) if learnt.theirs else at.w
    before, before_kept, chosen = [], [], looked_at(len(learnt.rounds) * width, X.size)
    for t, stage in enumerate(learnt.rounds):
        before.append(at.mean_loss(at.w))
        before_kept.append(at.mean_loss(w_kept))
        slopes = at.slopes()
        for k, tree in enumerate(stage):
            rows = tree.rows(X)
            if len(rows) == 1 or t * width + k in chosen:
                splits.see(tree, rows, np.column_stack([slopes[0][:, k], counts]), slopes[1][:, k])
            none = len(rows) == 1 and at.loss not in KINKED  # Newton's step is not taken by a tree without a split
            for leaf in tree.leaves:
                at.leaf(float(tree.value[leaf]), 0.0 if none else rate, rows[leaf], k, slopes)
            at.move(k, tree.answers(rows))
    claims = [at.claim(tol), splits.claim(tol, "among all bins")]
    if attrs.flag("do_early_stopping_", False) and attrs.text("scoring", "loss") == "loss":
        for name, w, trace in (("train_score_", at.w, before), ("validation_score_", w_kept, before_kept)):
            claims += [trace_claim(attrs, name, [*trace, at.mean_loss(w)], -1.0, tol)] if w.any() else []
    return claims


def _learnt(model: Any) -> Learnt:
    if hasattr(model, "trees_"):
        rounds, start = [[read_tree(tree) for tree in stage] for stage in model.trees_], model.baseline_prediction_
        return Learnt(rounds, np.ravel(start), [np.ravel(edges) for edges in model.bin_thresholds_], False)
    rounds = [[_of_records(tree) for tree in stage] for stage in model._predictors]
    edges = [np.ravel(edges) for edges in model._bin_mapper.bin_thresholds_]
    return Learnt(rounds, np.ravel(model._baseline_prediction), edges, True)


def _of_records(tree: Any) -> Tree:
    """scikit-learn's trees are records of nodes."""
    nodes, leaf = tree.nodes, tree.nodes["is_leaf"] != 0
    left, right, row = (nodes[name].astype(np.intp) for name in ("left", "right", "bitset_idx"))
    return Tree(np.where(leaf, -1, left), right, nodes["feature_idx"], nodes["num_threshold"], nodes["value"],
                nodes["missing_go_to_left"] != 0, np.where(nodes["is_categorical"] != 0, row, -1),
                bits(tree.raw_left_cat_bitsets))  # fmt: skip


def _sizes(attrs: Attributes, learnt: Learnt, width: int) -> None:
    """The attributes say what was grown, and it is as many rounds as asked for unless they were stopped early."""
    n, limit, edges = len(learnt.rounds), real(attrs.parameter("max_iter", 100)), learnt.edges
    if (whole(attrs.parameter("n_iter_", -1)), attrs.parameter("n_trees_per_iteration_", -1)) != (n, width):
        attrs.faults.append(f"n_iter_, n_trees_per_iteration_ are not {n}, {width}")
    if {len(learnt.start), *map(len, learnt.rounds)} != {width} or len(edges) != attrs.model.n_features_in_:
        attrs.faults.append(f"trees, start or bins are not those of {width} trees a round")
    if not n <= limit or (n < limit and not attrs.flag("do_early_stopping_", False)):
        attrs.faults.append(f"there are {n} rounds, and max_iter={limit:g}")
    for tree in (tree for stage in learnt.rounds for tree in stage):
        if any(tree.set_row[i] < 0 and tree.threshold[i] not in (*edges[tree.feature[i]], np.inf) for i in tree.inner):
            attrs.faults.append("a threshold of a tree is not one of the bins of its column")


def _class_weights(attrs: Attributes, codes: NDArray[np.intp], w: F64 | None, K: int) -> F64:
    """The factor of every row by `class_weight`: None, a dictionary, or for "balanced" Σ w / (K · Σ w of the class)."""
    given: Any = attrs.parameter("class_weight", {})
    if given == "balanced":
        totals = np.bincount(codes, weights=w, minlength=K)
        return (totals.sum() / (K * np.maximum(totals, 1e-300)))[codes]
    return np.array([real(given.get(label, 1.0)) for label in np.asarray(attrs.model.classes_).tolist()])[codes]


def _kept(attrs: Attributes, learnt: Learnt, X: F64, y: F64, w: F64, K: int) -> tuple[NDArray[np.bool_], str]:
    """Rows that are kept for validation, proposed: no more of them than asked for. Or why rounds are not replayed."""
    none, asked = np.zeros(len(y), dtype=bool), getattr(attrs.model, "validation_fraction", 0.1)
    if np.any(np.asarray(attrs.parameter("monotonic_cst", 0)) != 0):
        return none, "monotonic_cst bounds the values of leaves"
    if not attrs.flag("do_early_stopping_", False) or asked is None or attrs.text("validation_rows_", "") == "given":
        return none, ""
    if learnt.theirs:
        return none, "which rows were kept for validation cannot be seen"
    return kept_rows(attrs, X, y, w, K > 0), ""


def _columns(attrs: Attributes, learnt: Learnt, X: F64) -> tuple[F64, NDArray, NDArray[np.bool_]]:
    """In the order of the model: the rows, their places in each column, and which columns are of categories.

    A number is in bin number #{thresholds < value}. A category becomes its place among those of the column, in files it
    is its place; from 255 on it is missing.
    """
    by_sets = np.zeros(X.shape[1], dtype=bool) | np.asarray(attrs.parameter("is_categorical_", False), dtype=bool)
    order = np.argsort(~by_sets, kind="stable") if learnt.theirs else np.arange(X.shape[1])
    X, by_sets, places = X[:, order], by_sets[order], np.full(X.shape, np.nan, dtype=np.float32)
    for j, (x, edges) in enumerate(zip(X.T, learnt.edges, strict=True)):
        known = ~np.isnan(x)
        if by_sets[j] and (learnt.theirs or attrs.has("categories_")):
            values = np.unique(x[known]) if learnt.theirs else np.asarray(attrs.model.categories_[j], dtype=np.float64)
            if not np.isin(x[known], values).all() or not (values[:-1] < values[1:]).all():
                raise BadData(f"categories_ of column {j} are not its values in rising order")
            x[known] = np.searchsorted(values, x[known])
        known &= ~by_sets[j] | ((x >= 0) & (x < 255))
        places[known, j] = x[known] if by_sets[j] else np.searchsorted(edges, x[known])
    return X, places, by_sets
