"""A tree replayed on its rows: nodes are what their rows say, splits were the best on offer, leaves had to end.

The *gap* of an inner node is what the best split on offer lowers its loss by beyond its own split, as a share of its
loss. A leaf has to end where a parameter says so, where its rows are pure, or where no admissible split lowers the
impurity by `min_decrease`. Nodes are looked at in full up to a stated amount of work, the largest first; above that
the largest for half of it and, spread by a hash of their number, others for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.trees.draws import mixed
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.place import TIE, OnOffer, Place
from surefit.certificates.theorems.trees.splits import admissible
from surefit.certificates.theorems.worst import Worst

WORK = 1 << 25  # rows × features over all nodes that are looked at in full
PER_NODE = 4096  # what one more node costs, in the same unit
MISSING_SIDE = "splits that send missing values to the smaller side"


@dataclass
class Replay:
    """What was found in one tree or in several."""

    nodes: int = 0
    looked_at: int = 0
    unseen: int = 0  # nodes whose candidates cannot be seen
    heuristic: int = 0  # nodes where subsets of categories were not all compared
    gap: Worst = field(default_factory=Worst)
    off: dict[str, float] = field(default_factory=dict)  # stated numbers against recomputed ones, in roundings
    faults: dict[str, int] = field(default_factory=dict)  # what is wrong, and at how many nodes

    def fault(self, what: str, wrong: bool = True) -> None:
        if wrong:
            self.faults[what] = self.faults.get(what, 0) + 1

    def claims(self, tol: float, of: str = "") -> list[Claim]:
        """Rules and splits; `of` says which trees were looked at."""
        where = f"at {self.looked_at} of {self.nodes} nodes{of} (leaves that end for their size are not counted)"
        told = f"No split on offer lowers the impurity by more, {where}; largest share of a node's impurity."
        if self.unseen:
            told += " What was drawn cannot be seen in this model: held against splits by the same feature, if at all."
        if self.heuristic:
            told += f" At {self.heuristic} nodes many categories were compared in the order of a heuristic only."
        rules = f"Splits keep to the parameters, and leaves have to end, {where}; nodes where not."
        n, broken = sum(self.faults.values()), "; ".join(f"{count} {what}" for what, count in self.faults.items())
        better = "A split on offer lowers the impurity of its node by more than the one taken: the tree was grown on "
        return [
            at_most("rules", rules, Grade.GREEDY, n, 0, dict(self.faults), failure=f"{broken}."),
            self.gap.claim("splits", told, tol, better + "other rows, weights or parameters."),
        ]


@dataclass(frozen=True)
class Grown:
    """Of one tree, by node: the loss, what a split lowers it by with its rounding, and the rows of leaves."""

    losses: dict[int, float] = field(default_factory=dict)
    decreases: dict[int, tuple[float, float]] = field(default_factory=dict)
    leaves: dict[int, Place] = field(default_factory=dict)


def replay(found: Replay, nodes: Nodes, root: Place, work: float = WORK) -> Grown:
    """root: the rows that the tree was grown on, X in the numbers that its thresholds are of."""
    grown, full, total = Grown(), _looked_at(nodes, root, work), float(root.w.sum())
    found.nodes += len(nodes)
    waiting = {0: (root, 0.0)}
    for i in range(len(nodes)):
        here, above = waiting.pop(i)
        if not len(here.w):
            found.fault("nodes without rows")
            break
        _numbers(found, nodes, i, here, above)
        grown.losses[i] = here.node.loss
        if nodes.left[i] < 0:
            grown.leaves[i] = here
            if full[i] and not here.ends():
                _leaf(found, grown, i, here, total)
            continue
        left, j = nodes.goes_left(i, here.X[:, nodes.feature[i]]), int(nodes.feature[i])
        for child, right in ((int(nodes.left[i]), False), (int(nodes.right[i]), True)):
            waiting[child] = (here.child(left, j, right), here.node.gross)
        if left.any() and not left.all():
            _split(found, grown, nodes, i, here, left, total, bool(full[i]))
    return grown


def _looked_at(nodes: Nodes, root: Place, work: float) -> NDArray[np.bool_]:
    """The root, the largest nodes for half of the work, and others spread over the tree for the rest."""
    size = np.maximum(nodes.count, 1).astype(np.float64)
    cost = PER_NODE + size * root.X.shape[1] * (size if root.growth.criterion == "absolute_error" else 1.0)
    full, spread = np.zeros(len(nodes), dtype=bool), np.array([mixed(k) >> 11 for k in range(len(nodes))])
    for order in (np.argsort(-size, kind="stable"), np.argsort(spread, kind="stable")):
        left = order[~full[order]]
        full[left[np.cumsum(cost[left]) <= work / 2]] = True
    full[0] |= cost[0] <= 8 * work
    return full


def _numbers(found: Replay, nodes: Nodes, i: int, here: Place, above: float) -> None:
    """The value, the impurity, the number of rows and their weight; `above` is the gross rounding in the parent."""
    node, m, value = here.node, len(here.w), here.node.value
    if np.isfinite(here.bounds).any():
        share = np.clip(value[0, -1], *here.bounds)
        value = np.array([[1 - share, share]]) if here.growth.n_classes else np.array([[share]])
    rounding = (max(node.gross, above) + node.noise) / node.weight
    for name, given, expected, allowed in (
        ("value", nodes.value[i] if nodes.value[i].shape == value.shape else np.inf, value, 4 * node.value_rounding),
        ("impurity", nodes.impurity[i], node.loss / node.weight, rounding),
        ("weighted_n_node_samples", nodes.weight[i], node.weight, 4 * gamma(m + 2) * node.weight),
        ("n_node_samples", nodes.count[i], m, 0.0),
    ):
        ratio = float(np.max(np.abs(given - expected))) / max(allowed, 1e-300)
        found.off[name] = max(found.off.get(name, 0.0), np.inf if np.isnan(ratio) else ratio)


def _leaf(found: Replay, grown: Grown, i: int, here: Place, total: float) -> None:
    """No candidate has a split that lowers the loss enough; if it is not seen which they were, not all features do."""
    g, noise, seen = here.growth, here.node.noise + here.node.gross, here.growth.seen(here.X.shape[1])
    features = here.candidates(seen)
    found.looked_at, found.unseen = found.looked_at + 1, found.unseen + (not seen)
    if not features.size:
        return
    on_offer = here.offers(features)
    found.heuristic += on_offer.guess
    decrease = float(on_offer.best.max() if seen else on_offer.best.min())
    grown.decreases[i] = (decrease, noise)
    others = g.alpha > 0 or g.max_leaves is not None or g.drawn  # other claims speak of pruned leaves
    enough = decrease - noise > g.min_decrease * total
    found.fault("leaves with an admissible split that lowers the impurity enough", enough and not others)


def _split(
    found: Replay, grown: Grown, nodes: Nodes, i: int, here: Place, left: NDArray[np.bool_], total: float, full: bool
) -> None:
    g, node, j = here.growth, here.node, int(nodes.feature[i])
    own, noise, column = node.decrease(left), node.noise + node.gross, here.X[:, j]
    grown.decreases[i] = (own, noise)
    order, size = np.argsort(~left, kind="stable")[:, None], np.count_nonzero(left)
    keeps = admissible(here.w, g.rules, np.array([j]), order, here.level, here.bounds, -1.0)[size - 1, 0]
    found.fault("splits that break a rule (least rows, least weight, constraint)", not keeps)
    small = here.depth >= g.max_depth or len(left) < g.min_split
    found.fault("splits of nodes that are too deep or too small", small)
    little = own + noise < g.min_decrease * total * (1 - TIE)
    found.fault("splits that lower the impurity by less than min_impurity_decrease", little)
    if nodes.category_row[i] < 0:
        wrong = not _between(float(nodes.threshold[i]), column, left, g)
        found.fault("thresholds that are not midway between the values on either side", wrong)
        wrong = not np.isnan(column).any() and bool(nodes.missing_left[i]) != (2 * size > len(left))
        found.fault(MISSING_SIDE, wrong)  # of equal sides the right one
    if not full:
        return
    seen = g.seen(here.X.shape[1])
    found.looked_at, found.unseen = found.looked_at + 1, found.unseen + (not seen)
    if g.drawn and not seen:
        return
    features = here.candidates() if seen else np.array([j])
    found.fault("splits by a feature that was no candidate", j not in features)
    if j not in features or node.loss <= 0:
        return
    on_offer = here.offers(features)
    found.heuristic += on_offer.guess
    gap = max(0.0, float(on_offer.best.max()) - own)
    excuse = 10 * node.gross * (1 + np.log2(len(left))) / (8 * (len(left) + 16))
    found.gap.see(gap / node.loss, 2 * node.noise / node.loss, excuse / node.loss)
    if g.first_of_ties and nodes.category_row[i] < 0:
        _first(found, nodes, i, here, left, on_offer, own + gap)


def _between(t: float, column: F64, left: NDArray[np.bool_], growth: Growth) -> bool:
    """The threshold is midway between the values on either side, +∞ where only missing ones go right; or drawn."""
    known = ~np.isnan(column)
    if growth.binned or growth.drawn or not (left & known).any():
        return growth.drawn or bool((left & known).any())
    low, high = float(column[left & known].max()), float(column[~left & known].min(initial=np.inf))
    middle = low / 2 + high / 2
    return t == middle or abs(t - (low if middle == high else middle)) <= 4 * np.spacing(max(abs(low), abs(high)))


def _first(
    found: Replay, nodes: Nodes, i: int, here: Place, left: NDArray[np.bool_], on_offer: OnOffer, best: float
) -> None:
    """No split that surely equals the best comes before the one taken."""
    j = int(nodes.feature[i])
    column, least = here.X[:, j], best - TIE * here.node.loss + 2 * here.node.noise
    known = left & ~np.isnan(column)
    if known.any():
        own = (here.turn(j), float(column[known].max()), bool(nodes.missing_left[i] and np.isnan(column).any()))
        before = min(here.in_turn(on_offer, least), default=own) < own
        found.fault("splits that do not come first among equal ones", before)
