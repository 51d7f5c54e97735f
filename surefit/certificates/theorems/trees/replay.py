"""A tree replayed on its rows: nodes are what their rows say, and each split was the best on offer.

A node *misses* what the best split on offer lowers its loss by beyond its own. On offer are splits with
`min_samples_leaf` rows on both sides; none at `max_depth`, with fewer rows than `min_samples_split`, or where all rows
agree. Nodes are compared up to a stated amount of work, the largest first. Grown best first, up to `max_leaf_nodes`: no
leaf open at any time lowers the loss by more than the node split next.

Where each leaf costs α, a leaf misses what a split on offer lowers its loss by beyond α, and an inner node what it
costs less as a leaf than all leaves below it together. If none misses anything no subtree costs less, by induction from
the leaves up; nor does one more split. What was grown below and cut off is not there any more, and not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, whole
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.trees.criteria import Node
from surefit.certificates.theorems.trees.examples import class_factors, from_scikit_learn
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.nodes import Nodes, nodes_of
from surefit.certificates.theorems.trees.offers import EXHAUSTIVE, best_on_offer
from surefit.certificates.theorems.worst import Worst

WORK = 1 << 25  # rows × features over all nodes that are compared, and 200 rows more for each
NUMBERS = ("value", "impurity", "weighted_n_node_samples", "n_node_samples")
TOLD = {
    "nodes": "Value, impurity, weight and number of rows of all {1} are those of their rows; numbers that are not.",
    "rules": "Splits keep to the parameters, at all {1}; splits that do not.",
    "splits": "No split on offer lowers the impurity by more, at {0} of {1}; largest share of a node's impurity.",
    "best_first": "Each split lowers the loss by the most among the leaves of its time; largest shortfall, as a share.",
    "pruning": "No node costs less as a leaf, with ccp_alpha for each leaf; largest saving, as a share of the loss.",
}


class Replay:
    """What was found in one tree or in several."""

    def __init__(self) -> None:
        self.count, self.faults = Counter[str](), {name: Counter[str]() for name in ("nodes", "rules")}
        self.missed = {name: Worst() for name in ("splits", "best_first", "pruning")}

    def tree(self, model: Any, X: F64, Y: F64, w: F64, n_classes: int, work: float = WORK) -> Nodes:
        """A model that is one tree, on the rows that it was fitted to."""
        theirs, nodes = from_scikit_learn(model), nodes_of(model, X.shape[1])
        growth = Growth(Attributes(model, "tree_"), X.shape[1], n_classes)
        if whole(model.max_features_) != growth.max_features or whole(model.n_outputs_) != Y.shape[1]:
            raise BadData("max_features_ or n_outputs_ is not what was asked for")
        if n_classes:
            w = w * class_factors(model, Y[:, 0].astype(np.intp), None if theirs else w, n_classes)
        self.see(nodes, growth, X.astype(np.float32).astype(np.float64) if theirs else X, Y, w, work)
        return nodes

    def see(self, nodes: Nodes, g: Growth, X: F64, Y: F64, w: F64, work: float = WORK, bins: Any = None) -> None:
        """A tree on rows with targets or codes Y (n, targets); bins: in the place of X, whose cuts are on offer."""
        (n, d), K, q, no_code = (len(nodes), X.shape[1]), g.n_classes, Y.shape[1], ~((X >= 0) & (X < 256))
        X, offered = (np.where(g.categorical & no_code, np.nan, V)[w > 0] for V in (X, X if bins is None else bins))
        Y, w, rows = ((Y == np.arange(K)).astype(np.float64) if K else Y)[w > 0], w[w > 0], nodes.rows(X)
        if not all(at.size for at in rows):
            raise BadData("no row comes to a node of a tree: it was fitted to other rows")
        inner, n_leaves, depth = nodes.inner, (n + 1) // 2, np.zeros(n)
        largest, cost = np.argsort(-nodes.count, kind="stable"), (nodes.count + 200) * d
        compared = np.isin(np.arange(n), largest[np.cumsum(cost[largest]) <= max(work, cost[0])])
        many = any(len(np.unique(x[x >= 0])) > EXHAUSTIVE for x in X[:, g.categorical].T) and (K > 2 or q > 1)
        self.count.update(nodes=n, compared=int(compared.sum()), drawn=g.max_features < d, many=int(many))
        self.faults["rules"]["more leaves than max_leaf_nodes"] += n_leaves > g.max_leaves
        root, above = Node(Y, w, g.entropy, q), np.zeros(n, dtype=np.intp)
        above[nodes.left[inner]] = above[nodes.right[inner]] = np.flatnonzero(inner)
        losses, squares = np.array([(h.loss, h.squares) for h in (Node(Y[at], w[at], g.entropy, q) for at in rows)]).T
        lowers, price = np.where(inner, losses - losses[nodes.left] - losses[nodes.right], 0.0), g.alpha * root.weight
        grown_out = n_leaves < g.max_leaves and (not price or g.max_leaves == np.inf)  # no leaf ended for their number
        for i, at in enumerate(rows):
            here, j = Node(Y[at], w[at], g.entropy, q), nodes.feature[i] if inner[i] else None
            depth[i] = depth[above[i]] + (i > 0)
            may_grow = depth[i] < g.max_depth and len(at) >= g.min_split
            self._numbers(nodes, i, here, squares[above[i]])
            if inner[i]:
                self._rules(nodes, i, X[rows[nodes.left[i]], j], X[rows[nodes.right[i]], j], g, may_grow)
            if compared[i] and may_grow and here.loss > max(2.0**-52 * here.weight * g.theirs, here.noise):
                best = best_on_offer(here, offered[at], g, j)
                if inner[i] or grown_out:
                    self._miss("splits", best - (lowers[i] if inner[i] else price), here)
                lowers[i] = lowers[i] if inner[i] else best
        for i, leaf in best_first(nodes, lowers) if n_leaves >= g.max_leaves and not price else ():
            self._miss("best_first", lowers[leaf] - lowers[i], root)
        below = np.where(inner, 0.0, losses + price)  # what the leaves below cost together
        for i in np.flatnonzero(inner)[::-1] if price else ():
            below[i] = below[nodes.left[i]] + below[nodes.right[i]]
            self._miss("pruning", below[i] - losses[i] - price, root)

    def _miss(self, name: str, missed: float, here: Node) -> None:
        """A difference of losses, as a share of that of a node that holds all of them."""
        sizes = (max(missed, 0.0), 3 * here.noise, here.excuse)
        self.missed[name].see(*(size / max(here.loss, 1e-300) for size in sizes))

    def _numbers(self, nodes: Nodes, i: int, here: Node, above: float) -> None:
        """Value, impurity, weight and number of rows; a model may get sums of squares as differences of those above."""
        W, m, unit = here.weight, len(here.terms), here.unit
        given = (nodes.value[i].ravel(), nodes.impurity[i], nodes.weight[i], nodes.count[i])
        impurity = (8 * unit * max(here.squares, above) + here.noise) / W
        rounding = (16 * unit * np.sqrt(here.squares / W), impurity, 4 * unit * W, 0)
        for name, a, b, most in zip(NUMBERS, given, (here.mean, here.loss / W, W, m), rounding, strict=True):
            self.faults["nodes"][f"nodes whose {name} is not that of their rows"] += not np.abs(a - b).max() <= most

    def _rules(self, nodes: Nodes, i: int, left: F64, right: F64, g: Growth, may_grow: bool) -> None:
        """What a split with these values on its sides has to keep to."""
        low, high = np.nanmax(left, initial=-np.inf), np.nanmin(right, initial=np.inf)
        middle, close, t = low / 2 + high / 2, 4 * np.spacing(max(abs(low), abs(high))), nodes.threshold[i]
        midway, free = t == middle or abs(t - middle) <= close, g.binned or nodes.category_row[i] >= 0
        gaps, larger = np.isnan(left).any() or np.isnan(right).any(), len(left) > len(right)
        rules = self.faults["rules"]
        rules["splits beyond max_depth or min_samples_split"] += not may_grow
        rules["splits that leave fewer rows than min_samples_leaf"] += min(len(left), len(right)) < g.min_rows
        rules["thresholds that are not midway between the values on either side"] += not (midway or free)
        rules["splits that send missing values to the smaller side"] += not gaps and nodes.missing_left[i] != larger

    def claims(self, tol: float, of: str = "") -> list[Claim]:
        """Numbers of nodes, rules and splits; `of` says which trees were looked at."""
        where, claims = f"{self.count['nodes']} nodes{of}", list[Claim]()
        for name, grade in (("nodes", Grade.EXACT), ("rules", Grade.GREEDY)):
            wrong = +self.faults[name]
            failure = f"{'; '.join(f'{n} {what}' for what, n in wrong.items())}: fitted to other rows or weights?"
            claims.append(at_most(name, TOLD[name].format("", where), grade, wrong.total(), 0, failure=failure))
        where += " (drawn candidates cannot be seen: against splits by the same feature)" * (self.count["drawn"] > 0)
        where += f" (but no sets of more than {EXHAUSTIVE} categories)" * (self.count["many"] > 0)
        failure = "A better choice was on offer: was the tree grown on other rows, or with other weights or parameters?"
        seen = {name: worst for name, worst in self.missed.items() if worst.count or name == "splits"}
        for name, worst in seen.items():
            claims.append(worst.claim(name, TOLD[name].format(self.count["compared"], where), tol, failure))
        return claims


def best_first(nodes: Nodes, lowers: F64) -> Iterator[tuple[int, int]]:
    """The nodes in the order in which a tree grown best first splits them, each with the best leaf open at its time."""
    open_ = np.arange(len(nodes)) == 0
    while (open_ & nodes.inner).any():
        inner, leaves = (np.where(open_ & some, lowers, -np.inf) for some in (nodes.inner, ~nodes.inner))
        i = int(inner.argmax())
        yield i, int(leaves.argmax()) if leaves.max() > -np.inf else i
        open_[i], open_[nodes.left[i]], open_[nodes.right[i]] = False, True, True
