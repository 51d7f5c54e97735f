"""A tree replayed on its rows: nodes are what their rows say, splits were the best on offer, leaves had to end.

The *gap* of an inner node is what the best split on offer lowers its loss by beyond its own split, as a share of its
loss. A leaf has to end where a parameter says so, where its rows are pure, or where no admissible split lowers the
impurity by `min_decrease`. Nodes are looked at in full up to a stated amount of work, the largest first; above that
the largest for half of it and, spread by a hash of their number, others for the rest.

Grown best first, up to `max_leaves` leaves: no leaf open at any time lowers the loss by more than the node split next.

Pruned: R(t) is the loss of node t over the weight of all rows, R(t) + α what it costs as a leaf. A subtree costs the
sum over its leaves, so the cheapest below t costs c(t) = min(R(t) + α, c(left) + c(right)). A leaf that one more split
on offer lowers by D of R costs at most R − D + 2α: what was grown below and cut off is not there any more, and no more
than this one split of it is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.hashing import mixed
from surefit.certificates.theorems.trees.categories import EXHAUSTIVE
from surefit.certificates.theorems.trees.draws import child_key
from surefit.certificates.theorems.trees.examples import class_factors, from_scikit_learn
from surefit.certificates.theorems.trees.growth import Growth, read_growth
from surefit.certificates.theorems.trees.nodes import Nodes, nodes_of
from surefit.certificates.theorems.trees.place import EQUAL, Place
from surefit.certificates.theorems.worst import Worst

WORK = 1 << 25  # rows × features over all nodes that are looked at in full
PER_NODE = 4096  # what one more node costs, in the same unit
NUMBERS = ("value", "impurity", "weighted_n_node_samples", "n_node_samples")


class Replay:
    """What was found in one tree or in several."""

    def __init__(self) -> None:
        self.count, self.faults = Counter[str](), Counter[str]()  # what is wrong, and at how many nodes
        self.off = dict.fromkeys(NUMBERS, 0.0)  # stated numbers against recomputed ones, in roundings
        self.gap, self.order, self.saving = Worst(), Worst(), Worst()

    def see(self, nodes: Nodes, g: Growth, X: F64, Y: F64, w: F64, work: float = WORK) -> None:
        """A tree on the rows that it was grown on, w > 0, X in the numbers that its thresholds are of."""
        n, n_leaves = len(nodes), np.count_nonzero(~nodes.inner)
        X = np.where(g.categorical & ~((X >= 0) & (X < 256)), np.nan, X)  # what is no category 0 … 255 is missing
        root = Place(g, X, Y, w, child_key(max(g.seed, 0), False))
        if nodes.value.shape[1:] != root.node.value.shape:
            raise BadData("the values of a tree are not of (nodes, targets, classes)")
        (losses, slack, lowers), full = np.full((3, n), -np.inf), _looked_at(nodes, root, work)
        most = EXHAUSTIVE if g.n_classes > 2 or Y.shape[1] > 1 else 256  # categories whose subsets are all compared
        most = 1 if g.criterion == "absolute_error" else most
        many = any(len(np.unique(x[~np.isnan(x)])) > most for x in X[:, g.categorical].T)
        self.count.update(nodes=n, many=many)
        self.faults["leaves beyond max_leaf_nodes"] += int(max(0, n_leaves - g.max_leaves))
        waiting, total = {0: root}, root.node.weight
        for i in range(n):
            here = waiting.pop(i)
            losses[i], slack[i] = here.node.loss, here.node.noise + here.node.gross
            self._numbers(nodes, i, here)
            if nodes.left[i] < 0:
                lowers[i] = self._leaf(here, g.min_decrease * total) if full[i] and not here.ends() else -np.inf
                ends = g.alpha > 0 or n_leaves >= g.max_leaves  # other claims speak of these leaves
                wrong = not ends and not g.drawn and bool(lowers[i] > -np.inf)
                self.faults["leaves with an admissible split that lowers the impurity enough"] += wrong
                continue
            left = nodes.goes_left(i, here.X[:, nodes.feature[i]])
            if left.all() or not left.any():
                raise BadData(f"no row comes to a node below node {i} of a tree: it was fitted to other rows")
            waiting[nodes.left[i]], waiting[nodes.right[i]] = here.children(left, nodes.feature[i])
            lowers[i] = self._split(nodes, i, here, left, total, bool(full[i]))
        if g.alpha > 0:
            doubt = 2 * float(slack[~nodes.inner].sum()) / losses[0]
            self.saving.see(_saving(nodes, losses / total, lowers / total, g), doubt, doubt)
        elif n_leaves >= g.max_leaves:
            for i, leaf in best_first(nodes, lowers):
                doubt = (slack[i] + slack[leaf]) / losses[0]
                self.order.see(max(0.0, lowers[leaf] - lowers[i]) / losses[0], doubt, doubt)

    def tree(self, model: Any, X: F64, Y: F64, w: F64, n_classes: int, work: float = WORK, **about: Any) -> Growth:
        """A model that is one tree, on the rows that it was fitted to; about: what else is known of its growth."""
        theirs, there, q = from_scikit_learn(model), w > 0, Y.shape[1]
        if n_classes:
            w = w * class_factors(model, Y[:, 0].astype(np.intp), None if theirs else w, n_classes)
        X = X.astype(np.float32).astype(np.float64) if theirs else X
        shape = (len(w) if theirs else int(there.sum()), X.shape[1], q)
        growth = replace(read_growth(Attributes(model, "tree_"), shape, n_classes, float(w.sum())), **about)
        self.see(nodes_of(model, X.shape[1]), growth, X[there], Y[there], w[there], work)
        return growth

    def _numbers(self, nodes: Nodes, i: int, here: Place) -> None:
        """The value, the impurity, the number of rows and their weight."""
        node, m = here.node, len(here.w)
        rounding = (max(node.gross, here.above) + node.noise) / node.weight
        given = (nodes.value[i], nodes.impurity[i], nodes.weight[i], nodes.count[i])
        expected = (here.value, node.loss / node.weight, node.weight, m)
        allowed = (node.value_rounding, rounding, 4 * gamma(m + 2) * node.weight, 0.0)
        for name, a, b, most in zip(NUMBERS, given, expected, allowed, strict=True):
            ratio = float(np.max(np.abs(a - b))) / max(most, 1e-300)
            self.off[name] = max(self.off[name], np.inf if np.isnan(ratio) else ratio)

    def _leaf(self, here: Place, enough: float) -> float:
        """What a split on offer surely lowers the loss by: −∞ unless it is enough.

        If it is not seen which features were candidates, that of the feature with the least.
        """
        features, seen = here.candidates(), here.growth.seen
        self.count.update(looked_at=1, unseen=not seen)
        if not features.size or (here.growth.drawn and not seen):
            return -np.inf
        best = here.best(features)
        lowers = float(best.max() if seen else best.min())
        return lowers if lowers - here.node.noise - here.node.gross > enough else -np.inf

    def _split(self, nodes: Nodes, i: int, here: Place, left: NDArray[np.bool_], total: float, full: bool) -> float:
        """The split taken keeps to the rules, and no split on offer is better; what it lowers the loss by."""
        g, node, j, m = here.growth, here.node, int(nodes.feature[i]), len(left)
        lowers, margin = (a[np.count_nonzero(left) - 1, 0] for a in here.judged(1.0 - left[:, None], np.array([j])))
        little = lowers + node.noise + node.gross < g.min_decrease * total * (1 - EQUAL)
        broken = margin < -EQUAL or little or here.depth >= g.max_depth or m < g.min_split
        self.faults["splits that break a rule (depth, rows, weight, constraint, least decrease)"] += bool(broken)
        if nodes.category_row[i] < 0:
            self._threshold(nodes, i, here, left)
        self.count.update(looked_at=full, unseen=full and not g.seen)
        if not full or node.loss <= 0 or (g.drawn and not g.seen):
            return float(lowers)
        features = here.candidates() if g.seen else np.array([j])
        best = here.best(features)
        top = max(float(lowers), float(best.max(initial=-np.inf)))
        excuse = 10 * UNIT * (1 + np.log2(m)) * node.size
        self.gap.see((top - lowers) / node.loss, 2 * node.noise / node.loss, excuse / node.loss)
        earlier = best[: np.argmax(features == j)] if not g.theirs and nodes.category_row[i] < 0 else best[:0]
        first = not (earlier >= top - EQUAL * node.loss + 2 * node.noise).any()
        self.faults["splits by a feature that was no candidate"] += j not in features
        self.faults["splits by a feature that does not come first among equal ones"] += not first
        return float(lowers)

    def _threshold(self, nodes: Nodes, i: int, here: Place, left: NDArray[np.bool_]) -> None:
        """Midway between the values on either side, +∞ where only missing ones go right; free if drawn or of bins."""
        t, column, known = nodes.threshold[i], here.X[:, nodes.feature[i]], ~np.isnan(here.X[:, nodes.feature[i]])
        more = bool(2 * np.count_nonzero(left) > len(left))  # of equal sides the right one
        other = here.growth.gaps and bool(known.all()) and bool(nodes.missing_left[i]) != more
        self.faults["splits that send missing values to the smaller side"] += other
        low, high = column[left & known].max(initial=-np.inf), column[~left & known].min(initial=np.inf)
        middle, close = low / 2 + high / 2, 4 * np.spacing(max(abs(low), abs(high)))
        wrong = low == -np.inf or not (t == middle or abs(t - middle) <= close)
        free = here.growth.drawn or here.growth.binned
        self.faults["thresholds that are not midway between the values on either side"] += bool(wrong) and not free

    def claims(self, tol: float, of: str = "") -> list[Claim]:
        """Numbers of nodes, rules and splits; `of` says which trees were looked at."""
        count, broken = self.count, {what: int(n) for what, n in self.faults.items() if n}
        where = f"at {count['looked_at']} of {count['nodes']} nodes{of} (without leaves that end for their size)"
        told = f"No split on offer lowers the impurity by more, {where}; largest share of a node's impurity."
        if count["unseen"]:
            told += " What was drawn cannot be seen in this model: held against splits by the same feature, if at all."
        if count["many"]:
            told += " Many categories may be compared in the order of a heuristic only."
        rules = f"Splits keep to the parameters, and leaves have to end, {where}; nodes where not."
        numbers = f"{', '.join(NUMBERS)} of all {count['nodes']} nodes{of}; largest difference, in roundings."
        worst = max(self.off, key=lambda name: self.off[name])
        other = f"{worst} of the nodes is not that of their rows: was the tree fitted to other rows or weights?"
        wrong = f"{'; '.join(f'{n} {what}' for what, n in broken.items())}."
        better = "A split on offer is better than the one taken: was the tree grown on other rows or weights?"
        claims = [
            at_most("nodes", numbers, Grade.EXACT, self.off[worst], 1.0, failure=other),
            at_most("rules", rules, Grade.GREEDY, sum(broken.values()), 0, broken, failure=wrong),
            self.gap.claim("splits", told, tol, better),
        ]
        if self.order.count:
            told = "Each split lowers the loss by the most among the leaves of its time; largest shortfall, as a share."
            claims.append(self.order.claim("best_first", told, tol, "A leaf was split that was not the best."))
        if self.saving.count:
            told = "With ccp_alpha no subtree, nor one more split of a leaf, costs less; largest saving, as a share."
            claims.append(self.saving.claim("pruning", told, tol, "The tree is not pruned for this ccp_alpha."))
        return claims


def _looked_at(nodes: Nodes, root: Place, work: float) -> NDArray[np.bool_]:
    """The root, the largest nodes for half of the work, and others spread over the tree for the rest."""
    size = np.maximum(nodes.count, 1).astype(np.float64)
    cost = PER_NODE + size * root.X.shape[1] * (size if root.growth.criterion == "absolute_error" else 1.0)
    full = np.zeros(len(nodes), dtype=bool)
    for key in (-size, mixed(np.arange(len(nodes)).astype(np.uint64))):
        order = np.argsort(key, kind="stable")
        left = order[~full[order]]
        full[left[np.cumsum(cost[left]) <= work / 2]] = True
    full[0] |= cost[0] <= 8 * work
    return full


def best_first(nodes: Nodes, lowers: F64) -> Iterator[tuple[int, int]]:
    """The nodes in the order in which a tree grown best first splits them, each with the best leaf open at its time."""
    open_ = np.arange(len(nodes)) == 0
    while (open_ & nodes.inner).any():
        inner, leaves = (np.where(open_ & some, lowers, -np.inf) for some in (nodes.inner, ~nodes.inner))
        i = int(inner.argmax())
        yield i, int(leaves.argmax()) if leaves.max() > -np.inf else i
        open_[i], open_[nodes.left[i]], open_[nodes.right[i]] = False, True, True


def _saving(nodes: Nodes, losses: F64, lowers: F64, g: Growth) -> float:
    """By how much the cheapest subtree costs less than the tree, as a share of the impurity of the root."""
    cost, root = losses + g.alpha, max(float(losses[0]), 1e-300)
    kept = float(cost[~nodes.inner].sum())
    if g.max_leaves == np.inf:  # else a leaf may have ended for their number
        cost = np.where(nodes.inner, cost, np.minimum(cost, cost - lowers + g.alpha))
    for t in np.flatnonzero(nodes.inner)[::-1]:
        cost[t] = min(cost[t], cost[nodes.left[t]] + cost[nodes.right[t]])
    return (kept - float(cost[0])) / root
