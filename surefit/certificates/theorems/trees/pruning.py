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

from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.place import TIE, Place
from surefit.certificates.theorems.trees.replay import WORK, Grown


class _Regrowth:
    """Follows the grower from a place on, until its work is used up."""

    def __init__(self, total: float) -> None:
        self.total, self.work = total, 0.0

    def cost(self, here: Place) -> tuple[float, bool]:
        """c of the tree grown on the rows, and whether it is decided what is grown."""
        g, node, m = here.growth, here.node, len(here.w)
        leaf = node.loss / self.total + g.alpha
        self.work += here.X.size * (m if node.convex is None else 1)
        if here.ends() or leaf <= 2 * g.alpha:
            return leaf, True
        if self.work > WORK or here.depth > 200:
            return leaf, False
        on_offer = here.offers(here.candidates())
        top = float(on_offer.best.max(initial=-np.inf))
        if not np.isfinite(top) or top < g.min_decrease * self.total:
            return leaf, True
        tied = here.in_turn(on_offer, top - TIE * node.loss - 2 * node.noise)
        cuts = [_left(here, *split) for split in tied[:9]]
        one = len(cuts) < 9 and all(len(np.unique(cut ^ cuts[0])) == 1 for cut in cuts)
        sides = [self.cost(here.child(cuts[0], tied[0][0][1], right)) for right in (False, True)]
        decided = (g.first_of_ties or one) and sides[0][1] and sides[1][1]
        return min(leaf, sides[0][0] + sides[1][0]), decided


def _left(here: Place, turn: tuple[int, int], low: float, missing: bool) -> NDArray[np.bool_]:
    column = here.X[:, turn[1]]
    return np.where(np.isnan(column), missing, column <= low)


def pruning_claim(nodes: Nodes, grown: Grown, growth: Growth, tol: float) -> list[Claim]:
    if growth.alpha <= 0:
        return []
    total, n_features = sum(float(leaf.w.sum()) for leaf in grown.leaves.values()), nodes.n_features
    own, leaves, saving = np.array([grown.losses[k] for k in range(len(nodes))]) / total, np.ones(len(nodes)), 0.0
    cost = own.copy()
    for t in np.flatnonzero(nodes.inner)[::-1]:
        children = [nodes.left[t], nodes.right[t]]
        cost[t], leaves[t] = cost[children].sum(), leaves[children].sum()
        saving = max(saving, growth.alpha * (leaves[t] - 1) - (own[t] - cost[t]))
    plain = growth.max_leaves is None and growth.rules.monotonic is None and growth.categorical is None
    follow, again = growth.seen(n_features) and plain and not growth.drawn, _Regrowth(total)
    open_ = [leaf for t, leaf in grown.leaves.items() if own[t] > growth.alpha]
    costs = [again.cost(leaf) if follow else (0.0, False) for leaf in open_]
    for leaf, (cheapest, decided) in zip(open_, costs, strict=True):
        saving = max(saving, leaf.node.loss / total + growth.alpha - cheapest if decided else 0.0)
    known, saving = sum(decided for _, decided in costs), saving / max(float(own[0]), 1e-300)
    undecided = f"; {len(costs) - known} not decided (draws, ties or work)" if known < len(costs) else ""
    return [
        at_most(
            "pruning",
            f"With the penalty {growth.alpha:.4g} no node gains by becoming a leaf, and no leaf by what would grow "
            f"below it ({known} grown again{undecided}); largest gain, as a share of the impurity of the root.",
            Grade.GREEDY,
            saving,
            tol,
            {"grown_again": known, "not_decided": len(costs) - known},
            failure=f"Another subtree costs less by {saving:.3g} of the impurity of the root: the tree is not pruned "
            "for this ccp_alpha.",
        )
    ]
