"""The trees of a histogram boosting model, with thresholds as numbers of bins."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.theorems.trees.binned import tree_in_bins
from surefit.certificates.theorems.trees.nodes import Nodes, read_nodes


@dataclass
class Forest:
    """Rounds of K trees each, the raw predictions they start from (K,), bins, and the order of the model's columns."""

    rounds: list[list[Nodes]]
    start: F64
    thresholds: list[F64]
    columns: NDArray
    by_sets: NDArray
    private: bool  # scikit-learn's: gradients in float32, counts of rows, sets of places among the sorted categories


def read_forest(model: Any, d: int) -> Forest:
    """What was learnt."""
    private, by_sets = not hasattr(model, "trees_"), np.zeros(d, dtype=bool)
    if getattr(model, "is_categorical_", None) is not None:
        by_sets = np.asarray(model.is_categorical_, dtype=bool).reshape(d)
    columns = np.argsort(~by_sets, kind="stable") if private else np.arange(d)  # scikit-learn puts categories first
    bins = model._bin_mapper.bin_thresholds_ if private else model.bin_thresholds_
    start = np.asarray(model._baseline_prediction if private else model.baseline_prediction_, dtype=np.float64).ravel()
    thresholds = [np.asarray(b, dtype=np.float64).ravel() for b in bins]
    trees = [[_arrays(p) for p in stage] for stage in model._predictors] if private else model.trees_
    rounds = [[tree_in_bins(read_nodes(tree, d), thresholds) for tree in stage] for stage in trees]
    if len(thresholds) != d or not np.isfinite(start).all() or {len(s) for s in rounds} != {len(start)}:
        raise BadData("trees, bins or start do not fit together")
    return Forest(rounds, start, thresholds, columns, by_sets[columns], private)


def _arrays(predictor: Any) -> SimpleNamespace:
    """scikit-learn's records of nodes as arrays of their names in trees."""
    nodes, leaf = predictor.nodes, predictor.nodes["is_leaf"].astype(bool)
    return SimpleNamespace(
        children_left=np.where(leaf, -1, nodes["left"].astype(np.intp)),
        children_right=np.where(leaf, -1, nodes["right"].astype(np.intp)),
        feature=nodes["feature_idx"],
        threshold=nodes["num_threshold"],
        impurity=nodes["gain"],
        n_node_samples=nodes["count"],
        weighted_n_node_samples=nodes["count"].astype(np.float64),
        value=nodes["value"][:, None, None],
        missing_go_to_left=nodes["missing_go_to_left"],
        category_row=np.where(nodes["is_categorical"].astype(bool) & ~leaf, nodes["bitset_idx"].astype(np.intp), -1),
        categories=np.ascontiguousarray(predictor.raw_left_cat_bitsets).view(np.uint64),
    )
