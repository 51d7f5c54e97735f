"""The pruned tree is the optimal subtree of the grown one for the penalty α on each leaf.

R(t) is the loss of node t over the weight of all rows, R(T) the sum over the leaves of a tree T. The cheapest subtree
below t costs c(t) = min(R(t) + α, c(left) + c(right)), and the pruned tree keeps t as a leaf where R(t) + α ≤ c(t).
So in the pruned tree (a) R(t) + α is not below R(T) + α|T| for any inner node t and its subtree T, and (b) below each
leaf nothing that the grower would have grown costs less than the leaf. (a) is summed from the bottom. For (b) the
grower is followed on below the leaf: two leaves cost 2α at least, so below R(t) ≤ α there is nothing to gain.
Where several splits tie and no rule says which is taken, what would have been grown is not known: *not decided*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.trees.criteria import node_of
from surefit.certificates.theorems.trees.draws import child_key, root_key
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.replay import (
    TIE,
    WORK,
    Growth,
    Here,
    Replay,
    best_here,
    candidates_in,
    ends,
    turn_in,
)


class _Regrowth:
    """Follows the grower from a set of rows on, until its work is used up."""

    def __init__(self, X: F64, Y: F64, w: F64, growth: Growth) -> None:
        self.X, self.Y, self.w, self.growth, self.total, self.work = X, Y, w, growth, float(w.sum()), 0.0

    def cost(self, rows: NDArray[np.intp], depth: int, key: int) -> tuple[float, bool]:
        """c of the tree grown on the rows, and whether it is decided what is grown."""
        g, m = self.growth, len(rows)
        node = node_of(g.criterion, self.Y[rows], self.w[rows], g.n_classes)
        here = Here(0, self.X[rows], self.Y[rows], self.w[rows], node, key, depth, None, (-np.inf, np.inf))
        leaf = node.loss / self.total + g.alpha
        self.work += m * self.X.shape[1] * (m if node.explained is None else 1)
        if ends(here, g) or leaf <= 2 * g.alpha:
            return leaf, True
        if self.work > WORK or depth > 200:
            return leaf, False
        best, found, _ = best_here(here, g, candidates_in(here, g))
        top = float(best.max(initial=-np.inf))
        if not np.isfinite(top) or top < g.min_decrease * self.total:
            return leaf, True
        tied = [(turn_in(here, g, int(o.feature[b])), float(o.lower[a, b]), o.missing_left) for o in found
                for a, b in np.argwhere(o.decrease >= top - TIE * node.loss - 2 * node.noise)]  # fmt: skip
        cuts = [_left(here.X[:, j], low, missing) for (_, j), low, missing in sorted(tied)]
        one = all(np.array_equal(cut, cuts[0]) or np.array_equal(~cut, cuts[0]) for cut in cuts[1:8]) and len(cuts) < 9
        sides = [self.cost(rows[side], depth + 1, child_key(key, right)) for side, right in
                 ((cuts[0], False), (~cuts[0], True))]  # fmt: skip
        decided = (g.first_of_ties or one) and sides[0][1] and sides[1][1]
        return min(leaf, sides[0][0] + sides[1][0]), decided


def _left(column: F64, low: float, missing: bool) -> NDArray[np.bool_]:
    return np.where(np.isnan(column), missing, column <= low)


def pruning_claim(nodes: Nodes, found: Replay, growth: Growth, X: F64, Y: F64, w: F64, tol: float) -> list[Claim]:
    if growth.alpha <= 0:
        return []
    total, inner = float(w.sum()), nodes.inner
    cost, leaves = np.array([found.losses[k] for k in range(len(nodes))]) / total, np.ones(len(nodes))
    own, saving = cost.copy(), 0.0
    for t in np.flatnonzero(inner)[::-1]:
        children = [nodes.left[t], nodes.right[t]]
        cost[t], leaves[t] = cost[children].sum(), leaves[children].sum()
        saving = max(saving, growth.alpha * (leaves[t] - 1) - (own[t] - cost[t]))
    grown, undecided = 0, 0
    follow = growth.seen(X.shape[1]) and growth.max_leaves is None and growth.rules.monotonic is None
    follow = follow and growth.categorical is None and not growth.drawn
    again, depth = _Regrowth(X, Y, w, growth), nodes.depth()
    keys = {0: root_key(growth.seed or 0)}
    for t, rows in nodes.visit(X):
        key = keys.pop(t)
        if inner[t]:
            keys[int(nodes.left[t])], keys[int(nodes.right[t])] = child_key(key, False), child_key(key, True)
        elif own[t] > growth.alpha:
            cheapest, decided = again.cost(rows, int(depth[t]), key) if follow else (0.0, False)
            grown, undecided = grown + decided, undecided + (not decided)
            saving = max(saving, own[t] + growth.alpha - cheapest if decided else 0.0)
    scale = max(float(own[0]), 1e-300)
    share = f"; {undecided} not decided (draws, ties or work)" if undecided else ""
    return [
        at_most(
            "pruning",
            f"With the penalty {growth.alpha:.4g} no node gains by becoming a leaf, and no leaf by what would grow "
            f"below it ({grown} grown again{share}); largest gain, as a share of the impurity of the root.",
            Grade.GREEDY,
            saving / scale,
            tol,
            {"grown_again": grown, "not_decided": undecided},
            failure=f"Another subtree costs less by {saving / scale:.3g} of the impurity of the root: the tree is not "
            "pruned for this ccp_alpha.",
        )
    ]
