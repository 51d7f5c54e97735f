"""Checkers of DecisionTreeClassifier and DecisionTreeRegressor: the tree replayed on its rows, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, whole
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.theorems.trees.examples import (
    as_read,
    class_factors,
    from_scikit_learn,
    n_classes,
    read_examples,
)
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.replay import Replay


@checker("tree_", "classes_", "n_classes_", "n_outputs_", "is_categorical_", "max_features_", "apply", "predict",
         "predict_proba", "predict_log_proba")  # fmt: skip
@reads_labels
def check_decision_tree_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows at every node for its numbers; every split on offer at the nodes that are compared."""
    attrs, (X, Y, w) = Attributes(model, "tree_"), read_examples(blocks)
    K, q, d = n_classes(attrs, Y), Y.shape[1], X.shape[1]
    if whole(model.n_outputs_) != q:
        attrs.faults.append("n_outputs_ is not the number of targets")
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    growth, nodes = Growth(attrs, d, K), Nodes(model.tree_, d)
    if K:
        w = w * class_factors(model, Y[:, 0].astype(np.intp), None if from_scikit_learn(model) else w, K)
        Y = (Y == np.arange(K)).astype(np.float64)
    replay, rows = Replay(nodes, growth, as_read(model, X)[w > 0], Y[w > 0], w[w > 0], q), sample_rows(blocks)
    leaves = np.zeros(len(rows), dtype=np.intp)
    for i, at in enumerate(nodes.rows(as_read(model, rows))):
        leaves[at] = i
    claims = [*replay.claims(tol), numbers_claim(model, "apply", rows, leaves.astype(np.float64), 0.0)]
    if K:
        shares = nodes.value[leaves][:, 0]
        claims.append(numbers_claim(model, "predict_proba", rows, shares, 1e-15))
        claims.append(numbers_claim(model, "predict_log_proba", rows, np.log(shares), 1e-14))
        claims.append(labels_claim(model, rows, shares, 1e-15))
    else:
        values = nodes.value[leaves][:, :, 0]
        claims.append(numbers_claim(model, "predict", rows, values[:, 0] if q == 1 else values, 0.0))
    return claims, f"{len(nodes)} nodes, {replay.compared.sum()} compared with all splits on offer"


check_decision_tree_regressor = check_decision_tree_classifier
