"""The claims about one tree, or about several, that are not of a single split: numbers of nodes, order, importances."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.replay import Grown, Replay


def nodes_claim(found: Replay, of: str = "") -> Claim:
    worst = max(found.off, key=lambda name: found.off[name], default="value")
    sentence = f"Value, impurity, rows and weight of all {found.nodes} nodes{of}; largest difference, in roundings."
    failure = f"{worst} of the nodes is not that of their rows: was the tree fitted to other rows or weights?"
    return at_most("nodes", sentence, Grade.EXACT, found.off.get(worst, 0.0), 1.0, failure=failure)


def order_claim(nodes: Nodes, grown: Grown, growth: Growth, tol: float) -> list[Claim]:
    """Best first: each split lowered the loss by the most among the leaves of its time, as far as these are known."""
    if growth.max_leaves is None or growth.alpha > 0:
        return []
    expanded = np.flatnonzero(nodes.inner)
    expanded = expanded[np.argsort(nodes.left[expanded], kind="stable")].tolist()
    waiting, worst, lowers = {0}, 0.0, grown.decreases
    for node in expanded:
        own, noise = lowers.get(node, (np.inf, 0.0))
        rivals = [d - own - e - noise for d, e in (lowers[v] for v in waiting & lowers.keys() - {node})]
        worst = max([worst, *rivals]) if node in waiting else np.inf
        waiting = (waiting - {node}) | {int(nodes.left[node]), int(nodes.right[node])}
    n_leaves, enough = len(nodes) - len(expanded), growth.min_decrease * nodes.weight[0]
    early = sum(d > e + enough for d, e in (lowers[v] for v in waiting & lowers.keys()))
    early = early if n_leaves < growth.max_leaves else 0
    return [
        at_most(
            "best_first",
            f"{n_leaves} leaves of at most {growth.max_leaves}; each split was the one that lowers the loss by the "
            "most among the leaves of its time; largest shortfall, as a share of the loss of the root.",
            Grade.GREEDY,
            np.inf if n_leaves > growth.max_leaves or early else worst / max(grown.losses[0], 1e-300),
            tol,
            {"leaves_left_early": early},
            failure="The tree has too many leaves, stopped early, or split a leaf that was not the best of its time.",
        )
    ]


def importances(nodes: Nodes) -> tuple[F64, float]:
    """By feature: what the splits lower the weighted impurity by, as shares of the sum; and the rounding of a share."""
    inner = np.flatnonzero(nodes.inner)
    loss = nodes.weight * nodes.impurity
    gains = loss[inner] - loss[nodes.left[inner]] - loss[nodes.right[inner]]
    shares, total = np.bincount(nodes.feature[inner], weights=gains, minlength=nodes.n_features), float(gains.sum())
    rounding = 16 * UNIT * (len(inner) + 4) * float(loss[inner].sum())
    return (shares / total, 4 * rounding / total) if total > 0 else (shares * 0.0, float(inner.size > 0))


def importances_claim(given: F64 | None, shares: F64, rounding: float) -> Claim:
    if given is None:
        return refuted("importances", "feature_importances_ is not a number for each feature.")
    what = "what splits by each feature lower the impurity by, as a share"
    sentence, failure = f"feature_importances_ is {what}; largest difference.", f"feature_importances_ is not {what}."
    return at_most("importances", sentence, Grade.EXACT, float(np.abs(given - shares).max()), rounding, failure=failure)
