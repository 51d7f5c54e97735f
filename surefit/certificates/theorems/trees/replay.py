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
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.trees.draws import mixed
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.place import EQUAL, Cuts, Place
from surefit.certificates.theorems.worst import Worst

WORK = 1 << 25  # rows × features over all nodes that are looked at in full
PER_NODE = 4096  # what one more node costs, in the same unit


@dataclass
class Replay:
    """What was found in one tree or in several."""

    nodes: int = 0
    looked_at: int = 0
    unseen: int = 0  # nodes whose candidates cannot be seen
    heuristic: int = 0  # nodes where subsets of categories were not all compared
    ties: int = 0  # nodes where a split that parts the rows otherwise may be as good, and no rule says which is taken
    gap: Worst = field(default_factory=Worst)
    off: dict[str, float] = field(default_factory=dict)  # stated numbers against recomputed ones, in roundings
    faults: dict[str, int] = field(default_factory=dict)  # what is wrong, and at how many nodes

    def fault(self, what: str, wrong: bool = True) -> None:
        if wrong:
            self.faults[what] = self.faults.get(what, 0) + 1

    def claims(self, tol: float, of: str = "") -> list[Claim]:
        """Numbers of nodes, rules and splits; `of` says which trees were looked at."""
        where = f"at {self.looked_at} of {self.nodes} nodes{of} (leaves that end for their size are not counted)"
        told = f"No split on offer lowers the impurity by more, {where}; largest share of a node's impurity."
        if self.unseen:
            told += " What was drawn cannot be seen in this model: held against splits by the same feature, if at all."
        if self.heuristic:
            told += f" At {self.heuristic} nodes many categories were compared in the order of a heuristic only."
        rules = f"Splits keep to the parameters, and leaves have to end, {where}; nodes where not."
        n, broken = sum(self.faults.values()), "; ".join(f"{count} {what}" for what, count in self.faults.items())
        better = "A split on offer lowers the impurity of its node by more than the one taken: the tree was grown on "
        worst = max(self.off, key=lambda name: self.off[name], default="value")
        numbers = f"Value, impurity, rows and weight of all {self.nodes} nodes{of}; largest difference, in roundings."
        other = f"{worst} of the nodes is not that of their rows: was the tree fitted to other rows or weights?"
        return [
            at_most("nodes", numbers, Grade.EXACT, self.off.get(worst, 0.0), 1.0, failure=other),
            at_most("rules", rules, Grade.GREEDY, n, 0, dict(self.faults), failure=f"{broken}."),
            self.gap.claim("splits", told, tol, better + "other rows, weights or parameters."),
        ]


@dataclass(frozen=True)
class Grown:
    """Of one tree: losses of nodes, what a split lowers each by (NaN: not known), both right to `slack`; leaves."""

    losses: F64
    lowers: F64
    slack: F64
    leaves: dict[int, Place] = field(default_factory=dict)


def replay(found: Replay, nodes: Nodes, root: Place, work: float = WORK) -> Grown:
    """root: the rows that the tree was grown on, X in the numbers that its thresholds are of."""
    grown, full = Grown(*np.full((3, len(nodes)), np.nan)), _looked_at(nodes, root, work)
    waiting, total = {0: (root, 0.0)}, float(root.w.sum())
    found.nodes += len(nodes)
    for i in range(len(nodes)):
        here, above = waiting.pop(i)
        if not len(here.w):
            found.fault("nodes without rows")
            break
        _numbers(found, nodes, i, here, above)
        grown.losses[i], grown.slack[i] = here.node.loss, here.node.noise + here.node.gross
        if nodes.left[i] < 0:
            grown.leaves[i] = here
            if full[i] and not here.ends():
                grown.lowers[i] = _leaf(found, here, total)
            continue
        j = int(nodes.feature[i])
        left = nodes.goes_left(i, here.X[:, j])
        for child, right in ((int(nodes.left[i]), False), (int(nodes.right[i]), True)):
            waiting[child] = (here.child(left, j, right), here.node.gross)
        if left.any() and not left.all():
            grown.lowers[i] = _split(found, nodes, i, here, left, total, bool(full[i]))
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
        ("value", nodes.value[i] if nodes.value[i].shape == value.shape else np.inf, value, node.value_rounding),
        ("impurity", nodes.impurity[i], node.loss / node.weight, rounding),
        ("weighted_n_node_samples", nodes.weight[i], node.weight, 4 * gamma(m + 2) * node.weight),
        ("n_node_samples", nodes.count[i], m, 0.0),
    ):
        ratio = float(np.max(np.abs(given - expected))) / max(allowed, 1e-300)
        found.off[name] = max(found.off.get(name, 0.0), np.inf if np.isnan(ratio) else ratio)


def _leaf(found: Replay, here: Place, total: float) -> float:
    """No candidate has a split that lowers the loss enough; if it is not seen which they were, not all features do."""
    g, seen = here.growth, here.growth.seen(here.X.shape[1])
    features = here.candidates(seen)
    found.looked_at, found.unseen = found.looked_at + 1, found.unseen + (not seen)
    if not features.size or (g.drawn and not seen):
        return -np.inf
    cuts = here.cuts(features)
    found.heuristic += cuts.guess
    best = cuts.best(features)
    lowers, slack = float(best.max() if seen else best.min()), here.node.noise + here.node.gross
    others = g.alpha > 0 or g.max_leaves is not None or g.drawn  # other claims speak of these leaves
    enough = lowers - slack > g.min_decrease * total and not others
    found.fault("leaves with an admissible split that lowers the impurity enough", enough)
    return lowers


def _split(
    found: Replay, nodes: Nodes, i: int, here: Place, left: NDArray[np.bool_], total: float, full: bool
) -> float:
    """The split taken keeps to the rules, and no split on offer is better; what it lowers the loss by."""
    g, node, j, m = here.growth, here.node, int(nodes.feature[i]), len(left)
    seen, features = g.seen(here.X.shape[1]), np.zeros(0, dtype=np.intp)
    if full and node.loss > 0 and (seen or not g.drawn):
        features = here.candidates() if seen else np.array([j])
        found.fault("splits by a feature that was no candidate", j not in features)
    cuts = here.cuts(features, left, j)
    own = float(cuts.raw[np.count_nonzero(left) - 1, -1])
    broken = cuts.margin[np.count_nonzero(left) - 1, -1] < -EQUAL
    found.fault("splits that break a rule (least rows, least weight, constraint)", bool(broken))
    found.fault("splits of nodes that are too deep or too small", here.depth >= g.max_depth or m < g.min_split)
    little = own + node.noise + node.gross < g.min_decrease * total * (1 - EQUAL)
    found.fault("splits that lower the impurity by less than min_impurity_decrease", little)
    if nodes.category_row[i] < 0:
        _threshold(found, nodes, i, here, left)
    if full:
        found.looked_at, found.unseen = found.looked_at + 1, found.unseen + (not seen)
    if features.size:
        found.heuristic += cuts.guess
        top = max(own, float(cuts.lowers.max()))
        excuse = 10 * UNIT * (1 + np.log2(m)) * node.size
        found.gap.see((top - own) / node.loss, 2 * node.noise / node.loss, excuse / node.loss)
        _first(found, nodes, i, here, left, cuts, top)
    return own


def _threshold(found: Replay, nodes: Nodes, i: int, here: Place, left: NDArray[np.bool_]) -> None:
    """Midway between the values on either side, +∞ where only missing ones go right, if it is not drawn or of bins."""
    t, column, more = float(nodes.threshold[i]), here.X[:, nodes.feature[i]], 2 * np.count_nonzero(left) > len(left)
    known = ~np.isnan(column)
    other = bool(known.all()) and bool(nodes.missing_left[i]) != bool(more)  # of equal sides the right one
    found.fault("splits that send missing values to the smaller side", other)
    low, high = float(column[left & known].max(initial=-np.inf)), float(column[~left & known].min(initial=np.inf))
    middle = low / 2 + high / 2
    close = abs(t - (low if middle == high else middle)) <= 4 * np.spacing(max(abs(low), abs(high)))
    wrong = low == -np.inf or not (t == middle or close or here.growth.binned)
    found.fault("thresholds that are not midway between the values on either side", wrong and not here.growth.drawn)


def _first(found: Replay, nodes: Nodes, i: int, here: Place, left: NDArray[np.bool_], cuts: Cuts, top: float) -> None:
    """No split that surely equals the best comes before the one taken; without a rule, whether others may equal it."""
    j, slack = int(nodes.feature[i]), EQUAL * here.node.loss
    if here.growth.theirs:
        tied = np.argwhere(cuts.lowers >= top - slack - 2 * here.node.noise)[:9]
        parts = [(cuts.columns[:, c] <= cuts.below[k, c]) ^ left for k, c in tied]
        found.ties += len(parts) == 9 or any(part.any() and not part.all() for part in parts)
        return
    column = here.X[:, j]
    known = left & ~np.isnan(column)
    if nodes.category_row[i] >= 0 or not known.any():
        return
    own = (here.turn(j), float(column[known].max()), bool(nodes.missing_left[i] and np.isnan(column).any()))
    equal = np.argwhere(cuts.lowers[:, :-1] >= top - slack + 2 * here.node.noise)
    splits = [(here.turn(int(cuts.feature[c])), float(cuts.below[k, c]), bool(cuts.missing_left[c])) for k, c in equal]
    found.fault("splits that do not come first among equal ones", min(splits, default=own) < own)
