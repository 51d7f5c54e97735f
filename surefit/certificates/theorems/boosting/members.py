"""The members of an ensemble: their trees read, what they answer, and how their trees are replayed."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, whole
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.theorems.trees.examples import Examples, from_scikit_learn
from surefit.certificates.theorems.trees.nodes import Nodes, read_nodes
from surefit.certificates.theorems.trees.parameters import read_growth
from surefit.certificates.theorems.trees.replay import Replay, replay

WORK = 1 << 26  # rows × features over all trees that are looked at in full
MOST_TREES = 24


class Broken(Exception):
    """A member that is no tree, or that cannot answer; the message says which and why."""


def tree_of(member: Any, d: int) -> Nodes | None:
    """The member's tree, None where it is no tree."""
    if not hasattr(member, "tree_"):
        return None
    nodes = read_nodes(member.tree_, d)
    if isinstance(nodes, str):
        raise Broken(f"a member's tree_ is no tree: {nodes}")
    return nodes


def answers_of(member: Any, X: NDArray) -> NDArray:
    """What the member predicts for rows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = np.asarray(member.predict(X))
    except Exception as fault:
        raise Broken(f"a member cannot predict: {type(fault).__name__}: {fault}") from fault
    if out.shape != (len(X),):
        raise Broken(f"a member predicts an array of shape {out.shape}, not {(len(X),)}")
    return out


def chosen(n_rows: int, d: int, n_trees: int) -> set[int]:
    """Trees spread evenly, the first and the last with them, as many as the work allows."""
    count = int(np.clip(WORK / max(8 * n_rows * d, 1), 2, MOST_TREES))
    return set(np.unique(np.linspace(0, n_trees - 1, min(count, n_trees)).astype(int)).tolist())


def replayed(member: Any, nodes: Nodes, data: Examples, Y: F64, w: F64, K: int, tol: float) -> Replay:
    """The member's tree on the rows of positive weight, grown by its own parameters; Y: codes, or numbers."""
    attrs, theirs, d = Attributes(member, "tree_"), from_scikit_learn(member), data.X.shape[1]
    growth = read_growth(attrs, data, K, float(w.sum()), theirs)
    if not theirs and not growth.seen(d):
        seed = whole(getattr(member, "seed_", None))
        growth = replace(growth, seed=seed if seed >= 0 else None)
    if attrs.faults:
        raise Broken(f"a member's parameters: {'; '.join(attrs.faults)}")
    there = w > 0
    return replay(nodes, data.X[there], Y[there, None], w[there], growth, tol, WORK / MOST_TREES)


def splits_claim(found: Replay, n_trees: int, hidden: str, tol: float) -> Claim:
    """No better split on offer in the trees looked at; `hidden`: why there is nothing to look at."""
    if hidden:
        sentence = f"Whether each split was the best on offer is not told: {hidden}."
        return Claim("splits", sentence, Grade.UNPROVED, None, None, True)
    if found.faults:
        return refuted("splits", "; ".join(f"{n} {what}" for what, n in found.faults.items()) + ".")
    upper, lower, excuse = found.gap
    unseen = " Which features were drawn cannot be seen: held against those of its own feature." if found.unseen else ""
    return at_most(
        "splits",
        f"In {n_trees} trees, {found.looked_at} nodes, no split on offer lowers the impurity by more; largest share of "
        f"a node's impurity.{unseen}",
        Grade.GREEDY,
        max(upper, 0.0),
        tol,
        excuse=excuse,
        lower=lower,
        failure="A better split was on offer in a tree for the weights and targets of its round.",
    )
