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
from surefit.certificates.theorems.readable import readable
from surefit.certificates.theorems.trees.draws import root_key
from surefit.certificates.theorems.trees.examples import (
    Examples,
    class_factors,
    from_scikit_learn,
    read_examples,
    same_classes,
)  # fmt: skip
from surefit.certificates.theorems.trees.growth import read_growth
from surefit.certificates.theorems.trees.importances import importances, importances_claim
from surefit.certificates.theorems.trees.nodes import Nodes, read_nodes
from surefit.certificates.theorems.trees.place import Place
from surefit.certificates.theorems.trees.replay import WORK, Replay, replay
from surefit.certificates.tree.shape import shape_claims

TREE = ("tree_", "n_outputs_", "is_categorical_", "max_features_", "feature_importances_", "seed_", "ccp_alpha_",
        "predict", "apply")  # fmt: skip


@checker(*TREE, "classes_", "n_classes_", "predict_proba", "predict_log_proba")
@reads_labels
def check_decision_tree_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows at every node for its numbers; every split on offer at the nodes looked at in full."""
    attrs = Attributes(model, "tree_")
    data, K = read_examples(model, blocks), read_classes(attrs, 1)
    if not same_classes(attrs, data, K) or K is None:
        return [bad_attributes(attrs)], "one pass"
    codes = data.Y[:, 0].astype(np.intp)
    counts = np.bincount(codes, weights=None if from_scikit_learn(model) else data.w, minlength=K).astype(float)
    return _check(attrs, replace(data, w=data.w * class_factors(attrs, counts)[codes]), K, blocks, tol)


@checker(*TREE, "n_classes_")
def check_decision_tree_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows at every node for its numbers; every split on offer at the nodes looked at in full."""
    return _check(Attributes(model, "tree_"), read_examples(model, blocks), 0, blocks, tol)


@readable
def _check(attrs: Attributes, data: Examples, K: int, blocks: Blocks, tol: float) -> Findings:
    model, theirs, d, q = attrs.model, from_scikit_learn(attrs.model), blocks.n_features, data.Y.shape[1]
    there = data.w > 0
    n_rows = len(there) if theirs else int(there.sum())
    growth = read_growth(attrs, (n_rows, d, q), K, float(data.w.sum()), theirs)
    if not theirs and not growth.seen(d):
        attrs.faults.append("seed_ is not a number")
    if whole(getattr(model, "max_features_", None)) != growth.max_features:
        attrs.faults.append("max_features_ is not what max_features says")
    if whole(getattr(model, "n_outputs_", 1)) != q:
        attrs.faults.append("n_outputs_ is not the number of targets")
    nodes = read_nodes(model.tree_, d)
    if isinstance(nodes, str):
        attrs.faults.append(f"tree_ is no tree: {nodes}")
    if attrs.faults or isinstance(nodes, str):
        return [bad_attributes(attrs)], "one pass"
    source, found = getattr(blocks, "blocks", blocks), Replay()
    growth, work = replace(growth, binned=getattr(source, "binned", False)), WORK * getattr(source, "share", 1.0)
    rows = (growth.known(data.X[there]), data.Y[there], data.w[there])
    grown = replay(found, nodes, Place(growth, *rows, root_key(growth.seed or 0)), work)
    claims = found.claims(tol)
    if claims[0].holds and claims[1].holds:
        claims += shape_claims(nodes, grown, growth, tol)
        claims.append(importances_claim(attrs.array("feature_importances_", (d,)), *importances(nodes)))
    claims += _answers(attrs, nodes, blocks, K, data.flat)
    return claims, f"{found.nodes} nodes, {found.looked_at} in full (at most {work:.1g} values each way)"


def _answers(attrs: Attributes, nodes: Nodes, blocks: Blocks, K: int, flat: bool) -> list[Claim]:
    """apply, predict and the shares of the classes on sampled rows."""
    rows, model = sample_rows(blocks), attrs.model
    X = rows.astype(np.float32) if from_scikit_learn(model) else rows
    leaves = nodes.leaves(X.astype(np.float64))
    value = nodes.value[leaves]
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
