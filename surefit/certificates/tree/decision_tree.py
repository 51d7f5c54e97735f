"""Checkers of DecisionTreeClassifier and DecisionTreeRegressor: the tree replayed on its rows, node by node."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, whole
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, refuted
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.theorems.trees.examples import Examples, from_scikit_learn, read_examples, total
from surefit.certificates.theorems.trees.grown import importances_claim, order_claim, tree_claims
from surefit.certificates.theorems.trees.nodes import Nodes, importances, read_nodes
from surefit.certificates.theorems.trees.parameters import class_factors, read_growth
from surefit.certificates.theorems.trees.pruning import pruning_claim
from surefit.certificates.theorems.trees.replay import WORK, replay

TREE = (
    "tree_",
    "n_outputs_",
    "is_categorical_",
    "max_features_",
    "feature_importances_",
    "seed_",
    "ccp_alpha_",
    "predict",
    "apply",
)


@checker(*TREE, "classes_", "n_classes_", "predict_proba", "predict_log_proba")
@reads_labels
def check_decision_tree_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows at every node for its numbers; every split on offer at the nodes looked at in full."""
    attrs = Attributes(model, "tree_")
    data, K = read_examples(model, blocks), read_classes(attrs, 1)
    if K is not None and not np.array_equal(np.unique(data.Y), np.arange(K)):
        attrs.faults.append("classes_ is not the labels of the data")
    if K is not None and attrs.array("n_classes_", (), (1,)) is not None and int(np.ravel(model.n_classes_)[0]) != K:
        attrs.faults.append("n_classes_ is not the number of classes")
    if K is None or attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    codes = data.Y[:, 0].astype(np.intp)
    counts = np.bincount(codes, weights=None if from_scikit_learn(model) else data.w, minlength=K).astype(float)
    factors = class_factors(attrs, counts)
    data = replace(data, w=data.w * factors[codes])
    return _check(attrs, data, K, blocks, tol)


@checker(*TREE, "n_classes_")
def check_decision_tree_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows at every node for its numbers; every split on offer at the nodes looked at in full."""
    attrs = Attributes(model, "tree_")
    return _check(attrs, read_examples(model, blocks), 0, blocks, tol)


@total
def _check(attrs: Attributes, data: Examples, K: int, blocks: Blocks, tol: float) -> Findings:
    model, theirs, d = attrs.model, from_scikit_learn(attrs.model), blocks.n_features
    growth = read_growth(attrs, data, K, float(data.w.sum()), theirs)
    if not theirs and not growth.seen(d):
        seed = whole(getattr(model, "seed_", None))
        growth = replace(growth, seed=seed if seed >= 0 else None)
        attrs.faults += [] if seed >= 0 else ["seed_ is not a number"]
    if whole(getattr(model, "max_features_", None)) != growth.max_features:
        attrs.faults.append("max_features_ is not what max_features says")
    if whole(getattr(model, "n_outputs_", 1)) != data.Y.shape[1]:
        attrs.faults.append("n_outputs_ is not the number of targets")
    nodes = read_nodes(model.tree_, d)
    if isinstance(nodes, str):
        attrs.faults.append(f"tree_ is no tree: {nodes}")
    if attrs.faults or isinstance(nodes, str):
        return [bad_attributes(attrs)], "one pass"
    there = data.w > 0
    X, Y, w = data.X[there], data.Y[there], data.w[there]
    found = replay(nodes, X, Y, w, growth, tol)
    claims = tree_claims(found, growth, d, tol)
    if all(claim.holds for claim in claims[:2]):
        claims += order_claim(nodes, found, growth, tol)
        claims += pruning_claim(nodes, found, growth, X, Y, w, tol)
        claims.append(importances_claim(attrs.array("feature_importances_", (d,)), *importances(nodes)))
    claims += _answers(attrs, nodes, blocks, K, data.flat)
    return claims, f"{found.nodes} nodes, {found.looked_at} in full (at most {WORK:.1g} values each way)"


def _answers(attrs: Attributes, nodes: Nodes, blocks: Blocks, K: int, flat: bool) -> list[Claim]:
    """apply, predict and the shares of the classes on sampled rows."""
    rows = sample_rows(blocks)
    X = rows.astype(np.float32) if from_scikit_learn(attrs.model) else rows
    leaves = nodes.leaves(X.astype(np.float64))
    value, model = nodes.value[leaves], attrs.model
    claims = [numbers_claim(model, "apply", rows, leaves.astype(np.float64), 0.0)]
    if not K:
        answer = value[:, 0, 0] if flat or value.shape[1] == 1 else value[:, :, 0]
        return [*claims, numbers_claim(model, "predict", rows, answer, 0.0)]
    shares = value[:, 0, :]
    if shares.shape[1] != K:
        return [*claims, refuted("predict_proba", "The values of the tree are not a share for each class.")]
    claims.append(numbers_claim(model, "predict_proba", rows, shares, 1e-15))
    claims.append(numbers_claim(model, "predict_log_proba", rows, np.log(shares), 1e-14))
    return [*claims, labels_claim(model, rows, shares, 1e-15)]
