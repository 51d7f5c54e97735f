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

import numpy as np

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.trees.criteria import Node
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.offers import best_on_offer
from surefit.certificates.theorems.worst import Worst

WORK = 1 << 23  # rows × features over all nodes that are compared, and 200 rows more for each


class Replay:
    """What was found in a tree, on rows with targets, or indicators of classes, Y."""

    def __init__(self, nodes: Nodes, g: Growth, X: F64, Y: F64, w: F64, n_targets: int) -> None:
        self.nodes, self.growth, n = nodes, g, len(nodes)
        X = np.where(g.categorical & ~((X >= 0) & (X < 256)), np.nan, X)  # what is no category is missing
        self.wrong, self.broken = Counter[str](), Counter[str]()
        self.missed = {name: Worst() for name in ("splits", "best_first", "pruning")}
        rows, inner, price = nodes.rows(X), nodes.inner, g.alpha * float(w.sum())
        if not all(at.size for at in rows):
            raise BadData("no row comes to a node of the tree: it was fitted to other rows")
        depth, above = np.zeros(n), np.zeros(n, dtype=np.intp)
        above[nodes.left[inner]] = above[nodes.right[inner]] = np.flatnonzero(inner)
        at_nodes = (Node(Y[at], w[at], g.entropy, n_targets) for at in rows)
        losses, squares = np.transpose([(here.loss, here.squares) for here in at_nodes])
        lowers = np.where(inner, losses - losses[nodes.left] - losses[nodes.right], 0.0)
        largest, cost = np.argsort(-nodes.count, kind="stable"), (nodes.count + 200) * X.shape[1]
        self.compared = np.isin(np.arange(n), largest[np.cumsum(cost[largest]) <= max(WORK, cost[0])])
        full = len(nodes) + 1 >= 2 * g.max_leaves  # leaves may have ended for their number
        self.broken["more leaves than max_leaf_nodes"] += len(nodes) + 1 > 2 * g.max_leaves
        for i, at in enumerate(rows):
            here, j = Node(Y[at], w[at], g.entropy, n_targets), nodes.feature[i] if inner[i] else None
            depth[i] = depth[above[i]] + (i > 0)
            may_grow = depth[i] < g.max_depth and len(at) >= g.min_split
            self._numbers(i, here, squares[above[i]])
            if inner[i]:
                self._rules(i, X[rows[nodes.left[i]], j], X[rows[nodes.right[i]], j], may_grow)
            if self.compared[i] and may_grow and here.loss > max(2.0**-52 * here.weight * g.theirs, here.noise):
                best = best_on_offer(here, X[at], g, j)
                if inner[i] or not full:
                    self._miss("splits", best - (lowers[i] if inner[i] else price), here)
                lowers[i] = lowers[i] if inner[i] else best
        root = Node(Y, w, g.entropy, n_targets)
        for i, leaf in best_first(nodes, lowers) if full else ():
            self._miss("best_first", lowers[leaf] - lowers[i], root)
        below = np.where(inner, 0.0, losses + price)  # what the leaves below cost together
        for i in np.flatnonzero(inner)[::-1] if price else ():
            below[i] = below[nodes.left[i]] + below[nodes.right[i]]
            self._miss("pruning", below[i] - losses[i] - price, root)

    def _miss(self, name: str, missed: float, here: Node) -> None:
        """A difference of losses, as a share of that of a node that holds all of them."""
        whole = max(here.loss, 1e-300)
        self.missed[name].see(max(missed, 0.0) / whole, 3 * here.noise / whole, here.excuse / whole)

    def _numbers(self, i: int, here: Node, above: float) -> None:
        """Value, impurity, weight and number of rows; a model may get sums of squares as differences of those above."""
        nodes, W, m, unit = self.nodes, here.weight, len(here.terms), here.unit
        for name, given, own, rounding in (
            ("value", nodes.value[i].ravel(), here.mean, 16 * unit * np.sqrt(here.squares / W)),
            ("impurity", nodes.impurity[i], here.loss / W, (8 * unit * max(here.squares, above) + here.noise) / W),
            ("weighted_n_node_samples", nodes.weight[i], W, 4 * unit * W),
            ("n_node_samples", nodes.count[i], m, 0),
        ):
            self.wrong[f"nodes whose {name} is not that of their rows"] += not np.abs(given - own).max() <= rounding

    def _rules(self, i: int, left: F64, right: F64, may_grow: bool) -> None:
        """What a split with these values on its sides has to keep to."""
        nodes, g, broken, t = self.nodes, self.growth, self.broken, self.nodes.threshold[i]
        low, high = np.nanmax(left, initial=-np.inf), np.nanmin(right, initial=np.inf)
        middle, close = low / 2 + high / 2, 4 * np.spacing(max(abs(low), abs(high)))
        midway, free = t == middle or abs(t - middle) <= close, g.binned or nodes.category_row[i] >= 0
        gaps, larger = np.isnan(left).any() or np.isnan(right).any(), len(left) > len(right)
        broken["splits beyond max_depth or min_samples_split"] += not may_grow
        broken["splits that leave fewer rows than min_samples_leaf"] += min(len(left), len(right)) < g.min_rows
        broken["thresholds that are not midway between the values on either side"] += not (midway or free)
        broken["splits that send missing values to the smaller side"] += not gaps and nodes.missing_left[i] != larger

    def claims(self, tol: float) -> list[Claim]:
        """Numbers of nodes, rules and splits."""
        where = f"{self.compared.sum()} of {len(self.nodes)} nodes"
        where += " (drawn candidates cannot be seen: against splits by the same feature)" * self.growth.drawn
        where += " (sets of categories for one target or two classes only)" * bool(self.growth.categorical.any())
        told = {
            "nodes": "Value, impurity, weight and number of rows of all nodes are those of their rows; that are not.",
            "rules": "All splits keep to the parameters; splits that do not.",
            "splits": f"No split on offer lowers the impurity by more, at {where}; largest share of a node's impurity.",
            "best_first": "Each node split lowers the loss by the most of those open; largest shortfall, as a share.",
            "pruning": "No node costs less as a leaf, with ccp_alpha for each leaf; largest saving, as a share of all.",
        }
        claims = list[Claim]()
        for name, wrong, grade in (("nodes", self.wrong, Grade.EXACT), ("rules", self.broken, Grade.GREEDY)):
            failure = f"{'; '.join(f'{k} {what}' for what, k in (+wrong).items())}: fitted to other rows or weights?"
            claims.append(at_most(name, told[name], grade, wrong.total(), 0, failure=failure))
        failure = "A better choice was on offer: was the tree grown on other rows, or with other weights or parameters?"
        seen = {name: worst for name, worst in self.missed.items() if worst.count or name == "splits"}
        return claims + [worst.claim(name, told[name], tol, failure) for name, worst in seen.items()]


def best_first(nodes: Nodes, lowers: F64) -> Iterator[tuple[int, int]]:
    """The nodes in the order in which a tree grown best first splits them, each with the best leaf open at its time."""
    open_ = np.arange(len(nodes)) == 0
    while (open_ & nodes.inner).any():
        inner, leaves = (np.where(open_ & some, lowers, -np.inf) for some in (nodes.inner, ~nodes.inner))
        i = int(inner.argmax())
        yield i, int(leaves.argmax()) if leaves.max() > -np.inf else i
        open_[i], open_[nodes.left[i]], open_[nodes.right[i]] = False, True, True
