"""CART by its definition: every split of a node is tried, impurities are summed over rows."""

from dataclasses import dataclass, field
from itertools import pairwise, product

import numpy as np

from surefit.summaries.canonical import mixed

TIE = 1e-12
GOLD = 0x9E3779B97F4A7C15


def median_of(y, w):
    order = np.argsort(y)
    below = np.cumsum(w[order])
    half = below[-1] / 2
    return (y[order][np.searchsorted(below, half)] + y[order][np.searchsorted(below, half, side="right")]) / 2


def node_value(criterion, y, w, n_classes=None):
    """Of one output: the shares of classes, the median or the mean."""
    if n_classes is not None:
        return np.bincount(y, weights=w, minlength=n_classes) / w.sum()
    return np.array([median_of(y, w) if criterion == "absolute_error" else np.average(y, weights=w)])


def impurity_sum(criterion, y, w, n_classes=None):
    """W·I of one output."""
    if criterion in ("gini", "entropy", "log_loss"):
        share = node_value(criterion, y, w, n_classes)
        share = share[share > 0]
        each = 1 - np.sum(share**2) if criterion == "gini" else -np.sum(share * np.log2(share))
        return w.sum() * each
    center = node_value(criterion, y, w)[0]
    if criterion == "absolute_error":
        return np.sum(w * np.abs(y - center))
    if criterion == "poisson":
        positive = y > 0
        return np.sum(w[positive] * y[positive] * np.log(y[positive] / center))
    return np.sum(w * (y - center) ** 2)


def node_sum(criterion, y, w, n_classes=None):
    """W·I, averaged over outputs."""
    counts = [None] * y.shape[1] if n_classes is None else n_classes
    return np.mean([impurity_sum(criterion, y[:, o], w, counts[o]) for o in range(y.shape[1])])


@dataclass
class Rules:
    criterion: str
    n_classes: list | None = None
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    categorical: list = field(default_factory=list)
    monotonic: np.ndarray | None = None
    max_features: int | None = None
    random: bool = False


def midpoint(lower, upper):
    middle = lower / 2 + upper / 2
    return lower if middle >= upper else middle


def sides(x, rules, j, key):
    """The splits of one column on offer in the order of the tie rule: (name, which rows go left)."""
    missing, values = np.isnan(x), np.unique(x[~np.isnan(x)])
    toward = (False, True) if missing.any() else (False,)
    if j in rules.categorical:
        for chosen in product((False, True), repeat=max(len(values) - 1, 0)):
            if any(chosen):
                members = values[:-1][np.array(chosen)]
                for left in toward:
                    yield None, np.where(missing, left, np.isin(x, members))
    elif rules.random and len(values) > 1:
        share = float(int(mixed_int(key ^ mixed_int((j + 3) * GOLD))) >> 11) * 2.0**-53
        threshold = values[0] + share * (values[-1] - values[0])
        threshold = values[0] if threshold >= values[-1] else threshold
        for left in toward:
            yield (j, threshold, left), np.where(missing, left, x <= threshold)
    else:
        for lower, upper in pairwise(values):
            for left in toward:
                yield (j, midpoint(lower, upper), left), np.where(missing, left, x <= lower)
    if missing.any() and len(values) and not (rules.random and len(values) > 1):
        yield (None if j in rules.categorical else (j, np.inf, False)), ~missing


def allowed(y, w, left, rules, j, bounds):
    if min(left.sum(), (~left).sum()) < rules.min_samples_leaf:
        return False
    if min(w[left].sum(), w[~left].sum()) < rules.min_weight_leaf:
        return False
    if rules.criterion == "poisson" and not all((y[s] > 0).any(axis=0).all() for s in (left, ~left)):
        return False
    if rules.monotonic is None or rules.monotonic[j] == 0:
        return True
    a, b = side_values(y, w, left, rules)
    return bounds[0] <= min(a, b) and max(a, b) <= bounds[1] and (b - a) * rules.monotonic[j] >= 0


def side_values(y, w, left, rules):
    """What a constraint compares: the value, for two classes the share of the second."""
    classes = None if rules.n_classes is None else rules.n_classes[0]
    return [node_value(rules.criterion, y[s, 0], w[s], classes)[-1] for s in (left, ~left)]


def mixed_int(z):
    with np.errstate(over="ignore"):
        return int(mixed(np.array([z % 2**64], dtype=np.uint64))[0])


def looked_at(X, rules, key):
    """The features of a node: all, or the first ones that are not constant in the order drawn."""
    d = X.shape[1]
    if rules.max_features is None or rules.max_features >= d:
        return range(d)
    order = sorted(range(d), key=lambda j: (mixed_int(key + (j + 3) * GOLD), j))
    changing = [j for j in order if len(np.unique(X[:, j])) > 1]
    return changing[: rules.max_features]


def best_split(X, y, w, rules, bounds=(-np.inf, np.inf), key=0):
    """(largest decrease, the first split that is equal to it, impurity); no split: (−inf, None, impurity)."""
    whole = node_sum(rules.criterion, y, w, rules.n_classes)
    found = []
    for j in looked_at(X, rules, key):
        for name, left in sides(X[:, j], rules, j, key):
            if not allowed(y, w, left, rules, j, bounds):
                continue
            parts = sum(node_sum(rules.criterion, y[s], w[s], rules.n_classes) for s in (left, ~left))
            found.append((whole - parts, name))
    if not found:
        return -np.inf, None, whole
    best = max(decrease for decrease, _ in found)
    return best, next(name for decrease, name in found if decrease >= best - TIE * whole), whole
