"""The claims about a whole tree: the order in which it grew, how it was pruned.

Pruned: R(t) is the loss of node t over the weight of all rows. In the tree that was grown the cheapest subtree below t
costs c(t) = min(R(t) + α, c(left) + c(right)), and the pruned tree must cost c(root). Below its leaves the tree that
was grown is not there any more: an untrusted search proposes it, the replay proves that it is the one (as far as no
other split ties where no rule says which is taken). Two leaves cost 2α at least, so R(t) ≤ α needs no proposal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.search.regrowth import regrown
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.nodes import Nodes, read_nodes
from surefit.certificates.theorems.trees.place import Place
from surefit.certificates.theorems.trees.replay import Grown, Replay, replay


def shape_claims(nodes: Nodes, grown: Grown, growth: Growth, tol: float) -> list[Claim]:
    """The order of a tree grown best first, the pruning of one that was pruned."""
    if growth.alpha > 0:
        return [_pruning(nodes, grown, growth, tol)]
    return [] if growth.max_leaves is None else [_order(nodes, grown, growth, tol)]


def _order(nodes: Nodes, grown: Grown, growth: Growth, tol: float) -> Claim:
    """Each split lowered the loss by the most among the leaves of its time, as far as these are known.

    Children are numbered when their parent is split: a node waits from the split of its parent to its own.
    """
    expanded, worst, most = np.flatnonzero(nodes.inner), 0.0, growth.max_leaves or 0
    surely, at_best = grown.lowers - grown.slack, grown.lowers + grown.slack
    expanded = expanded[np.argsort(nodes.left[expanded], kind="stable")]
    died = np.full(len(nodes), len(expanded))
    died[expanded] = np.arange(len(expanded))
    for time, node in enumerate(expanded):
        for child in (nodes.left[node], nodes.right[node]):
            others = at_best[expanded[time + 1 : died[child]]]
            worst = max(worst, float(surely[child] - others.min(initial=np.inf)))
    n_leaves, enough = len(nodes) - len(expanded), growth.min_decrease * nodes.weight[0]
    early = n_leaves < most and bool((surely[~nodes.inner] > enough).any())
    sentence = f"{n_leaves} leaves of at most {most}; each split was the one that lowers the loss by the most "
    return at_most(
        "best_first",
        sentence + "among the leaves of its time; largest shortfall, as a share of the loss of the root.",
        Grade.GREEDY,
        np.inf if n_leaves > most or early else worst / max(float(grown.losses[0]), 1e-300),
        tol,
        failure="The tree has too many leaves, stopped early, or split a leaf that was not the best of its time.",
    )


def _pruning(nodes: Nodes, grown: Grown, growth: Growth, tol: float) -> Claim:
    total, alpha = float(nodes.weight[0]), growth.alpha
    cheapest, leaf = grown.losses / total + alpha, ~nodes.inner
    kept, open_, known = float(cheapest[leaf].sum()), np.flatnonzero(leaf & (cheapest > 2 * alpha)), 0
    for t in open_.tolist():
        below = _grown_below(grown.leaves[t], total, nodes.n_features, tol) if growth.max_leaves is None else None
        known, cheapest[t] = known + (below is not None), cheapest[t] if below is None else below
    saving = (kept - _cheapest(nodes, cheapest)) / max(float(grown.losses[0]) / total, 1e-300)
    undecided = f"; {len(open_) - known} not decided (draws, ties or work)" if known < len(open_) else ""
    return at_most(
        "pruning",
        f"With the penalty {alpha:.4g} no subtree of what was grown costs less ({known} leaves grown again{undecided})"
        "; largest saving, as a share of the impurity of the root.",
        Grade.GREEDY,
        saving,
        tol,
        {"grown_again": known, "not_decided": len(open_) - known},
        failure=f"Another subtree costs less by {saving:.3g} of the impurity of the root: the tree is not pruned "
        "for this ccp_alpha.",
    )


def _cheapest(nodes: Nodes, cost: F64) -> float:
    """c(root) from the costs of the nodes as leaves."""
    for t in np.flatnonzero(nodes.inner)[::-1]:
        cost[t] = min(cost[t], cost[nodes.left[t]] + cost[nodes.right[t]])
    return float(cost[0])


def _grown_below(leaf: Place, total: float, n_features: int, tol: float) -> float | None:
    """c of a leaf of the pruned tree, None where it is not decided what had been grown below."""
    share, alpha, found = total / leaf.node.weight, leaf.growth.alpha, Replay()
    root = replace(leaf, growth=replace(leaf.growth, min_decrease=share * leaf.growth.min_decrease))
    nodes = read_nodes(regrown(root, alpha * total), n_features) if root.growth.seen(n_features) else "not seen"
    if isinstance(nodes, str):
        return None
    again = replay(found, nodes, root, np.inf)
    ends = ~(again.lowers - again.slack > root.growth.min_decrease * leaf.node.weight) | (again.losses <= alpha * total)
    holds = all(claim.holds for claim in found.claims(tol)) and not found.ties and bool(ends[~nodes.inner].all())
    return _cheapest(nodes, again.losses / total + alpha) if holds else None
