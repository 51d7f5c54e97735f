"""Checkers of DecisionTreeClassifier and DecisionTreeRegressor: the tree replayed on its rows, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, whole
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.theorems.trees.examples import Examples, from_scikit_learn, n_classes, read_examples
from surefit.certificates.theorems.trees.importances import importances_claim
from surefit.certificates.theorems.trees.nodes import Nodes, nodes_of
from surefit.certificates.theorems.trees.replay import Replay

TREE = ("tree_", "n_outputs_", "is_categorical_", "max_features_", "feature_importances_", "seed_", "ccp_alpha_",
        "predict", "apply")  # fmt: skip


@checker(*TREE, "classes_", "n_classes_", "predict_proba", "predict_log_proba")
@reads_labels
def check_decision_tree_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows at every node for its numbers; every split on offer at the nodes looked at in full."""
    return _check(Attributes(model, "tree_"), read_examples(model, blocks), blocks, tol)


@checker(*TREE, "n_classes_")
def check_decision_tree_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows at every node for its numbers; every split on offer at the nodes looked at in full."""
    return _check(Attributes(model, "tree_"), read_examples(model, blocks), blocks, tol)


def _check(attrs: Attributes, data: Examples, blocks: Blocks, tol: float) -> Findings:
    model, found, K = attrs.model, Replay(), n_classes(attrs, data)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    growth, nodes = found.tree(model, data.X, data.Y, data.w, K), nodes_of(model, data.X.shape[1])
    sizes = whole(getattr(model, "max_features_", None)), whole(getattr(model, "n_outputs_", 1))
    if sizes != (growth.max_features, data.Y.shape[1]) or not (growth.theirs or growth.seen):
        attrs.faults.append("max_features_, n_outputs_ or seed_ is not what was asked for")
        return [bad_attributes(attrs)], "one pass"
    claims = [*found.claims(tol), importances_claim(attrs, [nodes]), *_answers(attrs, nodes, blocks, K, data.flat)]
    return claims, f"{len(nodes)} nodes, {found.count['looked_at']} in full"


def _answers(attrs: Attributes, nodes: Nodes, blocks: Blocks, K: int, flat: bool) -> list[Claim]:
    """apply, predict and the shares of the classes on sampled rows."""
    rows, model = sample_rows(blocks), attrs.model
    leaves = nodes.leaves((rows.astype(np.float32) if from_scikit_learn(model) else rows).astype(np.float64))
    value = nodes.value[leaves]
    claims = [numbers_claim(model, "apply", rows, leaves.astype(np.float64), 0.0)]
    if not K:
        answer = value[:, 0, 0] if flat or value.shape[1] == 1 else value[:, :, 0]
        return [*claims, numbers_claim(model, "predict", rows, answer, 0.0)]
    shares = value[:, 0, :]
    claims.append(numbers_claim(model, "predict_proba", rows, shares, 1e-15))
    claims.append(numbers_claim(model, "predict_log_proba", rows, np.log(shares), 1e-14))
    return [*claims, labels_claim(model, rows, shares, 1e-15)]
