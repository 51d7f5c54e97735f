"""Checkers of DecisionTreeClassifier and DecisionTreeRegressor: the tree replayed on its rows, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.theorems.trees.examples import from_scikit_learn, n_classes, read_examples
from surefit.certificates.theorems.trees.replay import Replay


@checker("tree_", "classes_", "n_classes_", "n_outputs_", "is_categorical_", "max_features_", "ccp_alpha_",
         "apply", "predict", "predict_proba", "predict_log_proba")  # fmt: skip
@reads_labels
def check_decision_tree_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows at every node for its numbers; every split on offer at the nodes that are compared."""
    attrs, data, found = Attributes(model, "tree_"), read_examples(model, blocks), Replay()
    K = n_classes(attrs, data)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    nodes, rows = found.tree(model, data.X, data.Y, data.w, K), sample_rows(blocks)
    leaves = nodes.leaves((rows.astype(np.float32) if from_scikit_learn(model) else rows).astype(np.float64))
    claims = [*found.claims(tol), numbers_claim(model, "apply", rows, leaves.astype(np.float64), 0.0)]
    if K:
        shares = nodes.value[leaves][:, 0]
        claims.append(numbers_claim(model, "predict_proba", rows, shares, 1e-15))
        claims.append(numbers_claim(model, "predict_log_proba", rows, np.log(shares), 1e-14))
        claims.append(labels_claim(model, rows, shares, 1e-15))
    else:
        values = nodes.value[leaves][:, :, 0]
        claims.append(numbers_claim(model, "predict", rows, values[:, 0] if values.shape[1] == 1 else values, 0.0))
    return claims, f"{len(nodes)} nodes, {found.count['compared']} compared with all splits on offer"


check_decision_tree_regressor = check_decision_tree_classifier
