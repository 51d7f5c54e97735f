"""The claims about a tree, or about several, that was replayed."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.replay import Growth, Replay


def tree_claims(found: Replay, growth: Growth, n_features: int, tol: float, of: str = "") -> list[Claim]:
    """Nodes, rules, splits; `of` says which trees were looked at."""
    worst = max(found.off, key=lambda name: found.off[name], default="value")
    where = f"at {found.looked_at} of {found.nodes} nodes{of} (leaves that end for their size are not counted)"
    unseen = "" if growth.seen(n_features) else (
        " Which features were candidates cannot be seen in this model: each split is the best of its own feature."
        if not growth.drawn
        else " Thresholds were drawn, and the draws cannot be seen in this model."
    )  # fmt: skip
    if found.heuristic:
        unseen += (
            f" At {found.heuristic} nodes subsets of many categories were compared in the order of a heuristic only."
        )
    wrong = sum(found.faults.values())
    upper, lower, excuse = found.gap
    return [
        at_most(
            "nodes",
            f"Value, impurity, rows and weight of all {found.nodes} nodes{of}; largest difference, in roundings.",
            Grade.EXACT,
            found.off.get(worst, 0.0),
            1.0,
            failure=f"{worst} of the nodes is not that of their rows: was the tree fitted to other rows or weights?",
        ),
        at_most(
            "rules",
            f"Splits keep to the parameters, and leaves have to end, {where}; nodes where not.",
            Grade.GREEDY,
            wrong,
            0,
            dict(found.faults),
            failure="; ".join(f"{n} {what}" for what, n in found.faults.items()) + ".",
        ),
        at_most(
            "splits",
            f"No split on offer lowers the impurity by more, {where}; largest share of a node's impurity.{unseen}",
            Grade.GREEDY,
            max(upper, 0.0),
            tol,
            {"largest": found.largest_gap, "unseen": found.unseen},
            excuse=excuse,
            lower=lower,
            failure=f"A split on offer lowers the impurity of its node by {max(upper, 0.0):.3g} of it more than the "
            "one taken: the tree was grown on other rows, weights or parameters.",
        ),
    ]


def order_claim(nodes: Nodes, found: Replay, growth: Growth, tol: float) -> list[Claim]:
    """Best first: each split lowered the loss by the most among the leaves of its time, as far as these are known."""
    if growth.max_leaves is None or growth.alpha > 0:
        return []
    expanded = np.flatnonzero(nodes.inner)
    expanded = expanded[np.argsort(nodes.left[expanded], kind="stable")].tolist()
    waiting, worst = {0}, 0.0
    scale = max(found.losses.get(0, 0.0), 1e-300)
    for node in expanded:
        own, noise = found.decreases.get(node, (np.inf, 0.0))
        rivals = [found.decreases[v] for v in waiting if v in found.decreases and v != node]
        worst = max([worst, *((d - own - e - noise) / scale for d, e in rivals)])
        if node not in waiting:
            worst = np.inf
        waiting = (waiting - {node}) | {int(nodes.left[node]), int(nodes.right[node])}
    n_leaves = len(nodes) - len(expanded)
    early = 0
    if n_leaves < growth.max_leaves:
        early = sum(d > e + growth.min_decrease * nodes.weight[0] for v in waiting
                    for d, e in [found.decreases.get(v, (-np.inf, 0.0))])  # fmt: skip
    return [
        at_most(
            "best_first",
            f"{n_leaves} leaves of at most {growth.max_leaves}; each split was the one that lowers the loss by the "
            "most among the leaves of its time; largest shortfall, as a share of the loss of the root.",
            Grade.GREEDY,
            np.inf if n_leaves > growth.max_leaves or early else worst,
            tol,
            {"leaves_left_early": early},
            failure="The tree has too many leaves, stopped early, or split a leaf that was not the best of its time.",
        )
    ]


def importances_claim(given: F64 | None, shares: F64, rounding: float) -> Claim:
    if given is None:
        return refuted("importances", "feature_importances_ is not a number for each feature.")
    return at_most(
        "importances",
        "feature_importances_ is what splits by each feature lower the impurity by, as a share; largest difference.",
        Grade.EXACT,
        float(np.abs(given - shares).max()),
        rounding,
        failure="feature_importances_ is not what the splits by each feature lower the impurity by.",
    )
