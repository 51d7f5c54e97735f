"""A tree replayed on its rows: nodes are what their rows say, splits were the best on offer, leaves had to end.

The *gap* of an inner node is what the best split on offer lowers its loss by beyond its own split, as a share of its
loss. A leaf has to end where a parameter says so, where its rows are pure, or where no admissible split lowers the
impurity by `min_decrease`. Nodes are looked at in full up to a stated amount of work, the largest first; above that
the largest for half of it and, spread by a hash of their number, others for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.trees.categories import known_only, ordered
from surefit.certificates.theorems.trees.criteria import Node, node_of
from surefit.certificates.theorems.trees.draws import candidates, child_key, drawn_threshold, mixed, root_key, turn
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.splits import Rules, offers, varies

WORK = 1 << 25  # rows × features over all nodes that are looked at in full
PER_NODE = 4096  # what one more node costs, in the same unit
TIE = 1e-12  # decreases that differ by no more than this share of the loss are equal
MISSING_SIDE = "splits that send missing values to the smaller side"


@dataclass(frozen=True)
class Growth:
    """How a tree was grown, from its parameters."""

    criterion: str
    n_classes: int  # 0 for regression
    rules: Rules
    max_features: int
    max_depth: float = np.inf
    min_split: int = 2
    min_decrease: float = 0.0
    least_impurity: float = 0.0  # a node with no more is pure
    max_leaves: int | None = None
    alpha: float = 0.0
    seed: int | None = None  # None: which features were candidates cannot be seen
    drawn: bool = False  # thresholds are drawn
    first_of_ties: bool = False  # of equal splits the feature looked at first, then the lowest threshold
    bins: list[F64] | None = None  # the thresholds on offer
    categorical: NDArray[np.bool_] | None = None  # the features that are split by subsets

    def seen(self, n_features: int) -> bool:
        """Which splits were on offer is known: nothing was drawn, or the seed says what."""
        return self.seed is not None or (not self.drawn and self.max_features >= n_features)


@dataclass
class Replay:
    """What was found; the largest of each over nodes, and over trees."""

    nodes: int = 0
    looked_at: int = 0
    gap: tuple[float, float, float] = (-np.inf, 0.0, 0.0)  # upper bound, lower bound, excuse
    largest_gap: float = 0.0
    off: dict[str, float] = field(default_factory=dict)  # stated numbers against recomputed ones, in roundings
    faults: dict[str, int] = field(default_factory=dict)  # what is wrong, and at how many nodes
    unseen: int = 0  # nodes whose candidates cannot be seen
    heuristic: int = 0  # nodes where subsets of categories were not all compared
    decreases: dict[int, tuple[float, float]] = field(default_factory=dict)  # node: what a split lowers, its rounding
    losses: dict[int, float] = field(default_factory=dict)

    def add(self, other: Replay, tol: float) -> None:
        """The same for several trees."""
        self.nodes, self.looked_at, self.unseen = (
            self.nodes + other.nodes, self.looked_at + other.looked_at, self.unseen + other.unseen)  # fmt: skip
        self.heuristic += other.heuristic
        self.add_gap(*other.gap, tol)
        self.largest_gap = max(self.largest_gap, other.largest_gap)
        for name, ratio in other.off.items():
            self.off[name] = max(self.off.get(name, 0.0), ratio)
        for what, count in other.faults.items():
            self.faults[what] = self.faults.get(what, 0) + count

    def fault(self, what: str) -> None:
        self.faults[what] = self.faults.get(what, 0) + 1

    def differs(self, name: str, off: Any, rounding: float) -> None:
        ratio = float(np.max(np.abs(off))) / max(rounding, 1e-300)
        self.off[name] = max(self.off.get(name, 0.0), ratio if ratio == ratio else np.inf)

    def add_gap(self, upper: float, lower: float, excuse: float, tol: float) -> None:
        """A node that exceeds tol and its excuse counts before one that does not."""
        self.largest_gap = max(self.largest_gap, upper)
        rank = (max(upper - excuse, tol), upper)
        if rank > (max(self.gap[0] - self.gap[2], tol), self.gap[0]):
            self.gap = (upper, lower, excuse)


@dataclass(frozen=True)
class Here:
    """One node, its rows, and what its place in the tree says."""

    place: int
    X: F64
    Y: F64
    w: F64
    node: Node
    key: int
    depth: int
    level: F64 | None
    bounds: tuple[float, float]


def replay(nodes: Nodes, X: F64, Y: F64, w: F64, growth: Growth, tol: float, work: float = WORK) -> Replay:
    """X (n, d) with NaN for missing, Y (n, outputs), w > 0: the rows that the tree was grown on."""
    found, depth = Replay(nodes=len(nodes)), nodes.depth()
    full, total = _looked_at(nodes, X.shape[1], growth, work), float(w.sum())
    keys, bounds = {0: root_key(growth.seed or 0)}, {0: (-np.inf, np.inf)}
    gross: dict[int, float] = {0: 0.0}
    codes = X if growth.bins is None else _codes(X, growth.bins)
    if growth.categorical is not None:
        codes = known_only(np.where(growth.categorical, X, codes), growth.categorical)
    for place, rows in nodes.visit(X):
        if not rows.size:
            found.fault("nodes without rows")
            return found
        node = node_of(growth.criterion, Y[rows], w[rows], growth.n_classes)
        level = level_of(growth, Y[rows])
        here = Here(
            place, codes[rows], Y[rows], w[rows], node, keys.pop(place), int(depth[place]), level, bounds.pop(place)
        )
        _numbers(found, nodes, here, growth, gross.pop(place))
        found.losses[place] = node.loss
        if nodes.left[place] < 0:
            if full[place]:
                _leaf(found, here, growth, total)
            continue
        left, j = nodes.goes_left(place, X[rows, nodes.feature[place]]), int(nodes.feature[place])
        for child, right in ((int(nodes.left[place]), False), (int(nodes.right[place]), True)):
            keys[child], gross[child] = child_key(here.key, right), node.gross
            bounds[child] = _bounds(here, growth, left, j, right)
        if not left.any() or left.all():
            found.fault("splits with an empty side")
            return found
        _split(found, nodes, here, growth, left, X[rows, j], total, tol, bool(full[place]))
    return found


def _looked_at(nodes: Nodes, d: int, growth: Growth, work: float) -> NDArray[np.bool_]:
    """The root, the largest nodes for half of the work, and others spread over the tree for the rest."""
    size = np.maximum(nodes.count, 1).astype(np.float64)
    cost = PER_NODE + size * d * (size if growth.criterion == "absolute_error" else 1.0)
    full = np.zeros(len(nodes), dtype=bool)
    spread = np.array([mixed(k) >> 11 for k in range(len(nodes))])
    for order in (np.argsort(-size, kind="stable"), np.argsort(spread, kind="stable")):
        left = order[~full[order]]
        full[left[np.cumsum(cost[left]) <= work / 2]] = True
    full[0] |= cost[0] <= 8 * work
    return full


def _codes(X: F64, bins: list[F64]) -> F64:
    """The number of thresholds below each value: values of one bin are one value."""
    columns = [np.searchsorted(t, X[:, j], side="left").astype(np.float64) for j, t in enumerate(bins)]
    return np.where(np.isnan(X), np.nan, np.column_stack(columns))


def level_of(growth: Growth, Y: F64) -> F64 | None:
    """What monotonic constraints compare: the target, or whether it is the second class."""
    if growth.rules.monotonic is None and not growth.rules.positive:
        return None
    return (Y[:, 0] == 1).astype(np.float64) if growth.n_classes else Y[:, 0]


def _bounds(here: Here, growth: Growth, left: NDArray, j: int, right: bool) -> tuple[float, float]:
    """Below a split by a feature with a constraint the values stay on their side of the middle of the two means."""
    sign = 0 if growth.rules.monotonic is None else int(growth.rules.monotonic[j])
    if sign == 0 or here.level is None or not left.any() or left.all():
        return here.bounds
    means = [here.w[s] @ here.level[s] / here.w[s].sum() for s in (left, ~left)]
    middle = float(means[0] / 2 + means[1] / 2)
    return (middle, here.bounds[1]) if right == (sign > 0) else (here.bounds[0], middle)


def _numbers(found: Replay, nodes: Nodes, here: Here, growth: Growth, above: float) -> None:
    """The value, the impurity, the number of rows and their weight; `above` is the gross rounding in the parent."""
    place, node, m = here.place, here.node, len(here.w)
    value = node.value
    if np.isfinite(here.bounds).any() and here.level is not None:
        share = np.clip(value[0, -1], *here.bounds)
        value = np.array([[1 - share, share]]) if growth.n_classes else np.array([[share]])
    shape = value.shape == nodes.value[place].shape
    found.differs("value", nodes.value[place] - value if shape else np.inf, node.value_rounding * (4 if shape else 1))
    rounding = (max(node.gross, above) + node.noise) / node.weight
    found.differs("impurity", nodes.impurity[place] - node.loss / node.weight, rounding)
    found.differs("weighted_n_node_samples", nodes.weight[place] - node.weight, 4 * gamma(m + 2) * node.weight)
    found.differs("n_node_samples", nodes.count[place] - m, 1e-300 if nodes.count[place] != m else 1.0)


def ends(here: Here, growth: Growth) -> bool:
    """A parameter, or its purity, makes the node a leaf."""
    m, node = len(here.w), here.node
    small = m < growth.min_split or m < 2 * growth.rules.min_rows
    light = node.weight < 2 * growth.rules.min_weight * (1 + TIE)
    pure = node.loss <= max(growth.least_impurity * node.weight, node.noise)
    return bool(here.depth >= growth.max_depth or small or light or pure)


def candidates_in(here: Here, growth: Growth) -> NDArray[np.intp]:
    return candidates(here.key, varies(here.X, growth.rules.step), growth.max_features)


def best_here(here: Here, growth: Growth, features: NDArray[np.intp]) -> tuple[F64, list[Any], bool]:
    """The largest decrease of each feature, all offers, and whether some subsets of categories were not compared.

    Where thresholds are drawn each feature offers one.
    """
    best, found = np.full(len(features), -np.inf), list[Any]()
    X, real, rules, guess = here.X[:, features], features, growth.rules, False
    if growth.categorical is not None and growth.categorical[features].any():
        sets = growth.categorical[features]
        X, place, guess = ordered(X, here.Y, here.w, sets, growth.criterion, growth.n_classes)
        real = features[place]
    if rules.monotonic is not None:
        rules = replace(rules, monotonic=rules.monotonic[real])
    for o in offers(X, here.node, here.w, rules, np.arange(len(real)), here.level, here.bounds):
        if growth.drawn:
            for k, j in enumerate(o.feature):
                t = drawn_threshold(here.key, int(real[j]), float(np.nanmin(X[:, j])), float(np.nanmax(X[:, j])))
                above = np.append(o.lower[1:, k], np.inf)
                o.decrease[~((o.lower[:, k] <= t) & ~(above <= t)), k] = -np.inf
        found.append(replace(o, feature=real[o.feature]))
        np.maximum.at(best, np.searchsorted(features, real[o.feature]), o.decrease.max(axis=0))
    return best, found, guess


def _leaf(found: Replay, here: Here, growth: Growth, total: float) -> None:
    if ends(here, growth):
        return
    found.looked_at += 1
    all_of_them = varies(here.X, growth.rules.step)
    seen = growth.seen(len(all_of_them))
    features = candidates_in(here, growth) if seen else np.flatnonzero(all_of_them)
    if not features.size:
        return
    best, _, guess = best_here(here, growth, features)
    found.heuristic += guess
    decrease = float(best.max() if seen else best.min())  # some candidates that are not seen: maybe the worst one alone
    found.unseen += not seen
    found.decreases[here.place] = (decrease, here.node.noise + here.node.gross)
    pruned = growth.alpha > 0 or growth.max_leaves is not None  # other claims speak of these
    if not pruned and not growth.drawn and decrease - here.node.noise - here.node.gross > growth.min_decrease * total:
        found.fault("leaves with an admissible split that lowers the impurity enough")


def _split(
    found: Replay, nodes: Nodes, here: Here, growth: Growth, left: NDArray, column: F64, total: float, tol: float,
    full: bool,
) -> None:  # fmt: skip
    place, node, j = here.place, here.node, int(nodes.feature[here.place])
    own = node.decrease(left)
    found.decreases[place] = (own, node.noise + node.gross)
    if not growth.rules.admits(here.w, _level_or_ones(here), here.bounds, left, j):
        found.fault("splits that break a rule (least rows, least weight, constraint)")
    if here.depth >= growth.max_depth or len(here.w) < growth.min_split:
        found.fault("splits of nodes that are too deep or too small")
    if own + node.noise + node.gross < growth.min_decrease * total * (1 - TIE):
        found.fault("splits that lower the impurity by less than min_impurity_decrease")
    if nodes.category_row[place] < 0 and not _between(nodes, place, column, left, growth):
        found.fault("thresholds that are not midway between the values on either side")
    _missing_side(found, nodes, place, column, left)
    if not full:
        return
    found.looked_at += 1
    seen = growth.seen(here.X.shape[1])
    found.unseen += not seen
    if growth.drawn and not seen:
        return
    features = candidates_in(here, growth) if seen else np.array([j])
    if j not in features:
        found.fault("splits by a feature that was no candidate")
        return
    best, on_offer, guess = best_here(here, growth, features)
    found.heuristic += guess
    if node.loss <= 0:
        return
    gap, error = float(best.max()) - own, 2 * node.noise
    excuse = 10 * node.gross * (1 + np.log2(len(left))) / (8 * (len(left) + 16)) / node.loss
    found.add_gap((max(gap, 0.0) + error) / node.loss, (gap - error) / node.loss, excuse, tol)
    if growth.first_of_ties:
        _first(found, here, nodes, growth, column, left, on_offer, max(own, float(best.max())))


def _level_or_ones(here: Here) -> F64:
    return np.ones(len(here.w)) if here.level is None else here.level


def _between(nodes: Nodes, place: int, column: F64, left: NDArray, growth: Growth) -> bool:
    """The threshold is midway between the largest value on the left and the smallest on the right; or one on offer."""
    known, t = ~np.isnan(column), float(nodes.threshold[place])
    if not (left & known).any():
        return growth.drawn
    low = float(column[left & known].max())
    if not (~left & known).any():
        return t == np.inf or ((growth.bins is not None or growth.drawn) and t >= low)
    high = float(column[~left & known].min())
    if growth.bins is not None:
        return bool(np.isin(t, growth.bins[nodes.feature[place]]))
    if growth.drawn:
        return low <= t < high
    middle = low / 2 + high / 2
    return low <= t < high and abs(t - (low if middle == high else middle)) <= 4 * np.spacing(max(abs(low), abs(high)))


def _missing_side(found: Replay, nodes: Nodes, place: int, column: F64, left: NDArray) -> None:
    """Without a missing value in the node, later ones go to the side with more rows, of equal ones to the right."""
    if nodes.category_row[place] < 0 and not np.isnan(column).any():
        if bool(nodes.missing_left[place]) != (np.count_nonzero(left) > np.count_nonzero(~left)):
            found.fault(MISSING_SIDE)


def turn_in(here: Here, growth: Growth, j: int) -> tuple[int, int]:
    return turn(here.key, j, growth.max_features < here.X.shape[1])


def _first(
    found: Replay, here: Here, nodes: Nodes, growth: Growth, column: F64, left: NDArray, on_offer: list[Any],
    best: float,
) -> None:  # fmt: skip
    """No split that surely equals the best comes before the one taken: earlier feature, lower value, missing right."""
    j, loss, noise = int(nodes.feature[here.place]), here.node.loss, here.node.noise
    known = left & ~np.isnan(column)
    if nodes.category_row[here.place] >= 0 or not known.any():
        return
    missing_left = bool(nodes.missing_left[here.place] and np.isnan(column).any())
    own = (turn_in(here, growth, j), float(here.X[known, j].max()), missing_left)
    for o in on_offer:
        i, k = np.nonzero(o.decrease >= best - TIE * loss + 2 * noise)
        for a, b in zip(i.tolist(), k.tolist(), strict=True):
            if (turn_in(here, growth, int(o.feature[b])), float(o.lower[a, b]), o.missing_left) < own:
                found.fault("splits that do not come first among equal ones")
                return
