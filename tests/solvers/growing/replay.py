"""Every node of a tree against the plain search of all its splits."""

import numpy as np

from surefit.solvers.growing.tree import NO_CHILD
from tests.reference.cart import GOLD, best_split, mixed_int, node_sum, node_value, side_values


def replay(tree, X, y, w, rules, seed=0, max_depth=None, min_samples_split=2):
    """Asserts that each node has the best split there is, by the tie rule, or is a leaf because there is none."""
    X, y = X.astype(np.float64), y.reshape(len(y), -1)
    kept = np.ones(len(y), bool) if w is None else w > 0
    w = np.ones(len(y)) if w is None else w
    waiting = [(0, np.flatnonzero(kept), (-np.inf, np.inf), mixed_int(seed + GOLD), 0)]
    while waiting:
        node, rows, bounds, key, depth = waiting.pop()
        here = X[rows], y[rows], w[rows]
        check_numbers(tree, node, here, rules, bounds)
        whole = node_sum(rules.criterion, *here[1:], rules.n_classes)
        open_ = len(rows) >= min_samples_split and (max_depth is None or depth < max_depth)
        pure = all(len(np.unique(column)) == 1 for column in here[1].T)
        best, name, _ = best_split(*here, rules, bounds, key) if open_ and not pure else (-np.inf, None, 0)
        if tree.children_left[node] == NO_CHILD:
            assert best == -np.inf, (node, best, name)
            continue
        j = int(tree.feature[node])
        left = goes_left(tree, node, X[rows, j])
        parts = [node_sum(rules.criterion, y[rows[s]], w[rows[s]], rules.n_classes) for s in (left, ~left)]
        assert whole - sum(parts) >= best - 2e-12 * whole
        if name is not None and tree.category_row[node] < 0:
            missing = np.isnan(X[rows, j]).any()
            mine = (j, tree.threshold[node], bool(tree.missing_go_to_left[node]) and bool(missing))
            assert mine == name, (node, mine, name)
        for child, side in ((tree.children_left[node], left), (tree.children_right[node], ~left)):
            is_left = side is left
            limits = child_bounds(rules, j, bounds, side_values(y[rows], w[rows], left, rules), is_left)
            waiting.append((child, rows[side], limits, mixed_int(key + (1 if is_left else 2) * GOLD), depth + 1))


def goes_left(tree, node, column):
    """Values at most the threshold, members of the set; missing ones as the node says."""
    if tree.category_row[node] < 0:
        left = column <= tree.threshold[node]
    else:
        words = [int(word) for word in tree.categories[tree.category_row[node]]]
        members = [code for code in range(256) if words[code // 64] >> code % 64 & 1]
        left = np.isin(column, members)
    return np.where(np.isnan(column), bool(tree.missing_go_to_left[node]), left)


def check_numbers(tree, node, here, rules, bounds):
    _, y, w = here
    assert tree.n_node_samples[node] == len(y)
    np.testing.assert_allclose(tree.weighted_n_node_samples[node], w.sum(), rtol=1e-12)
    scale = np.abs(y).max() if rules.n_classes is None else 1.0
    sums = node_sum(rules.criterion, y, w, rules.n_classes)
    np.testing.assert_allclose(tree.impurity[node], sums / w.sum(), rtol=1e-9, atol=1e-13 * max(scale, scale**2))
    for o in range(y.shape[1]):
        classes = None if rules.n_classes is None else rules.n_classes[o]
        value = node_value(rules.criterion, y[:, o], w, classes)
        if rules.monotonic is not None:
            value[-1] = np.clip(value[-1], *bounds)
            value[0] = 1 - value[-1] if classes else value[0]
        np.testing.assert_allclose(tree.value[node, o, : len(value)], value, rtol=1e-10, atol=1e-13 * scale)


def child_bounds(rules, j, bounds, values, is_left):
    if rules.monotonic is None or rules.monotonic[j] == 0:
        return bounds
    middle = np.mean(values)
    below = is_left == (rules.monotonic[j] > 0)
    return (bounds[0], middle) if below else (middle, bounds[1])
