"""The members of an ensemble: their trees read, what they answer, and how their trees are replayed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade
from surefit.certificates.theorems.trees.draws import root_key
from surefit.certificates.theorems.trees.examples import from_scikit_learn
from surefit.certificates.theorems.trees.growth import read_growth
from surefit.certificates.theorems.trees.nodes import Nodes, read_nodes
from surefit.certificates.theorems.trees.place import Place
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


def replayed(found: Replay, member: Any, nodes: Nodes, X: F64, Y: F64, w: F64, K: int) -> None:
    """The member's tree on the rows of positive weight, grown by its own parameters; Y: codes, or numbers."""
    attrs, theirs, there = Attributes(member, "tree_"), from_scikit_learn(member), w > 0
    n_rows = len(w) if theirs else int(np.count_nonzero(w))
    growth = read_growth(attrs, (n_rows, X.shape[1], 1), K, float(w.sum()), theirs)
    if attrs.faults:
        raise Broken(f"a member's parameters: {'; '.join(attrs.faults)}")
    root = Place(growth, growth.known(X[there]), Y[there, None], w[there], root_key(growth.seed or 0))
    replay(found, nodes, root, WORK / MOST_TREES)


def splits_claims(found: Replay, n_trees: int, hidden: str, tol: float) -> list[Claim]:
    """No better split on offer in the trees looked at; `hidden`: why there is nothing to look at."""
    if hidden:
        sentence = f"Whether each split was the best on offer is not told: {hidden}."
        return [Claim("splits", sentence, Grade.UNPROVED, None, None, True)]
    return found.claims(tol, f" of {n_trees} trees")[1:]
