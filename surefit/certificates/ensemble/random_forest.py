"""Checkers of RandomForestClassifier and RandomForestRegressor: bags drawn again, leaves recounted, trees checked.

Each tree has the rows that its own seed draws. Of every tree each leaf holds the mean of these rows that come to it;
trees spread evenly over the forest are held against their rows by the checker of trees. The forest answers with the
mean of the leaves that a row comes to.

scikit-learn draws rows; weights, and those of classes but for each bag, are chances to be drawn. Ours draws among the
distinct examples: one stands in a bag as often as it was drawn, but no more often than its weight says (rounded up),
and what was drawn is spread evenly. Without bootstrap all rows are in all bags, with their weights.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.attributes import Attributes, bad_attributes, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.ensemble.member_claim import has_checker, members_claim
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.hashing import distinct
from surefit.certificates.theorems.members import spread
from surefit.certificates.theorems.seeds import seeds_of
from surefit.certificates.theorems.trees.bags import draws_of
from surefit.certificates.theorems.trees.category_codes import coded
from surefit.certificates.theorems.trees.examples import (
    as_read,
    class_factors,
    from_scikit_learn,
    n_classes,
    read_examples,
)
from surefit.certificates.theorems.trees.votes import asked_again, out_of_bag_claims

MOST_NODES = 1 << 12  # of the trees that are checked by their own checker, a second or two of work
SHARED = (
    "criterion", "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features",
    "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha", "monotonic_cst", "is_categorical_",
)  # fmt: skip

Bag = tuple[NDArray, F64, NDArray]  # rows, the weight of each; of all rows, which the tree did not see


@checker("estimators_", "estimator_", "n_outputs_", "classes_", "n_classes_", "oob_score_", "oob_decision_function_",
         "oob_prediction_", "is_categorical_", "categories_", "apply", "predict", "predict_proba",
         "predict_log_proba")  # fmt: skip
@reads_labels
def check_random_forest_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows through every tree; some trees by their own checker, with every split on offer."""
    attrs, (X, Y, w) = Attributes(model, "estimators_"), read_examples(blocks)
    theirs, K, trees = from_scikit_learn(model), n_classes(attrs, Y), list(model.estimators_)
    X = as_read(model, X) if theirs else coded(attrs, X)
    attrs.faults += _not_as_asked(model, trees, Y.shape[1])
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    seeds = np.array([whole(tree.random_state) for tree in trees])
    weighted = any(given is not None for _, _, given in blocks)
    bags = list(_bags(attrs, X, Y, w, weighted, K, seeds))
    claims = [_seeds_claim(attrs, seeds, theirs), _leaves_claim(trees, X, (Y == np.arange(K)) if K else Y, bags)]
    some = spread(len(trees), max(3, int(MOST_NODES * len(trees) / sum(t.tree_.node_count for t in trees))))
    offered, parts = _in_bins(attrs, X, trees) if attrs.has("bin_thresholds_") else X, []
    for k in some:
        tree, (at, v, _) = copy.copy(trees[k]), bags[k]
        tree.bin_thresholds_ = getattr(model, "bin_thresholds_", None)
        parts.append((tree, ArrayBlocks(offered[at], Y[at, 0] if Y.shape[1] == 1 else Y[at], v)))
    claims.append(members_claim(parts, len(trees), tol))
    if attrs.flag("oob_score", False) or callable(getattr(model, "oob_score", None)):
        at = asked_again(len(w), len(trees))  # scikit-learn's score counts rows, ours weights, of rows with an answer
        said = ((outside[at], _says(tree, X[at])) for tree, (_, _, outside) in zip(trees, bags, strict=True))
        claims += out_of_bag_claims(attrs, said, at, Y, np.ones(len(w)) if theirs else w, K, theirs, 0.0)
    rows = sample_rows(blocks)
    claims += _answers(model, rows, as_read(model, rows) if theirs else coded(attrs, rows.astype(np.float64)), trees, K)
    return claims, f"{len(X)} rows through {len(trees)} trees, {len(some)} of them by their own checker"


check_random_forest_regressor = check_random_forest_classifier


def _not_as_asked(model: Any, trees: list[Any], n_outputs: int) -> Iterator[str]:
    if not trees or len(trees) != whole(getattr(model, "n_estimators", 100)):
        yield "estimators_ does not hold n_estimators trees"
    if whole(getattr(model, "n_outputs_", 1)) != n_outputs:
        yield "n_outputs_ is not the number of targets"
    if not all(has_checker(tree) and type(tree) is type(model.estimator_) for tree in trees):
        yield "estimators_ are not trees of the class of estimator_"
    for name in SHARED:
        if any(repr(getattr(tree, name, None)) != repr(getattr(model, name, None)) for tree in trees):
            yield f"a tree has another {name} than the forest"


def _bags(attrs: Attributes, X: F64, Y: F64, w: F64, weighted: bool, K: int, seeds: NDArray) -> Iterator[Bag]:
    """What each seed draws."""
    model, n, codes, draws = attrs.model, len(w), Y[:, 0].astype(np.intp), attrs.flag("bootstrap", True)
    chosen, most, found = getattr(model, "class_weight", None), getattr(model, "max_samples", None), None
    in_bag = draws and chosen == "balanced_subsample"
    factors = class_factors(model, codes, w, K) if K and not in_bag else np.ones(n)
    first, owner, sizes, chances = np.arange(n), np.arange(n), np.ones(n), w * factors
    given = weighted or (chosen is not None and not in_bag)
    share = float(chances.sum()) if given else n
    n_draws = max(int(most * share), 1) if isinstance(most, float) else int(most or n)
    if not from_scikit_learn(model):
        found = distinct(X, Y, w)
        first, owner, sizes = found.first, found.owner, found.weights
        chances, n_draws = sizes * factors[first], draws_of(most, float(np.cumsum(sizes)[-1]), len(sizes))
    for seed in seeds.tolist():
        counts, rng = chances, np.random.RandomState(seed)
        if draws and found:
            counts = replace(found, weights=chances).bootstrap(seed, n_draws)
        elif draws:
            rows = rng.choice(n, n_draws, p=chances / np.sum(chances)) if given else rng.randint(0, n, n_draws)
            counts = np.bincount(rows, minlength=n)
        copies, weights = np.minimum(counts, np.ceil(sizes)) if draws else np.ceil(sizes), counts
        if in_bag:  # Σ / (classes · count of the class) within the bag
            per_class = np.bincount(codes[first], weights=counts, minlength=K)
            weights = counts * (counts.sum() / (np.count_nonzero(per_class) * np.maximum(per_class, 1)))[codes[first]]
        times, outside = np.where(weights > 0, copies, 0).astype(np.intp), (owner < 0) | (counts[owner] <= 0)
        yield np.repeat(first, times), np.repeat(weights / np.maximum(copies, 1), times), outside


def _seeds_claim(attrs: Attributes, seeds: NDArray, theirs: bool) -> Claim:
    """The seeds follow from random_state, or at least differ."""
    expected = seeds_of(getattr(attrs.model, "random_state", None), len(seeds), theirs)
    wrong = len(seeds) - len(np.unique(seeds)) if expected is None else int(np.count_nonzero(expected != seeds))
    which = "those of random_state" if expected is not None else "different"
    told = f"Each of {len(seeds)} trees has the rows that its seed draws, and the seeds are {which}; trees where not."
    failure = f"The seeds of {wrong} trees are not {which}: were trees exchanged?"
    return at_most("bags", told, Grade.EXACT, wrong, 0, failure=failure)


def _leaves_claim(trees: list[Any], X: F64, Z: NDArray, bags: list[Bag]) -> Claim:
    """The leaves of all trees hold the means of the rows of their bags; Z: targets, or indicators of classes."""
    wrong, Z = 0, Z.astype(np.float64)
    if trees[0].criterion == "absolute_error" or trees[0].monotonic_cst is not None:
        return failed("leaves", "Leaves of trees with absolute_error or monotonic_cst are no means: not replayed.")
    for tree, (at, w, _) in zip(trees, bags, strict=True):
        leaf, given = tree.apply(X)[at], tree.tree_.value.reshape(tree.tree_.node_count, -1)
        count, rows = np.bincount(leaf, minlength=len(given)), np.argsort(leaf, kind="stable")
        here = np.flatnonzero(count)
        sums = np.add.reduceat(np.column_stack([w, w[:, None] * Z[at]])[rows], np.cumsum(count[here]) - count[here])
        off, size = np.abs(sums[:, 1:] / sums[:, :1] - given[here]), np.abs(Z).max(axis=0)
        wrong += int(np.count_nonzero(~(off <= 16 * gamma(2 * count.max() + 16) * size).all(axis=1)))
    told = f"The leaves of all {len(trees)} trees hold the means of the rows of their bags; leaves that do not."
    failure = f"{wrong} leaves do not hold the means of the rows of their bags: fitted to other rows or weights?"
    return at_most("leaves", told, Grade.EXACT, wrong, 0, failure=failure)


def _in_bins(attrs: Attributes, X: F64, trees: list[Any]) -> F64:
    """Each value as the upper end of its bin: trees send it the same way, and cuts between bins alone are on offer.

    BadData for a threshold of a tree that is none of them.
    """
    ends = [np.asarray(edges, dtype=np.float64).ravel() for edges in attrs.model.bin_thresholds_]
    sets = np.reshape(attrs.parameter("is_categorical_", np.zeros(X.shape[1])), X.shape[1]) == 1
    for tree in (tree.tree_ for tree in trees):
        for j, t in zip(tree.feature[tree.children_left >= 0], tree.threshold[tree.children_left >= 0], strict=True):
            if not sets[j] and t != np.inf and t not in ends[j]:
                raise BadData(f"a threshold of a tree, {t:g}, is not one of bin_thresholds_")
    tops = [np.append(edges, np.nanmax(x, initial=0.0)) for edges, x in zip(ends, X.T, strict=True)]
    binned = [top[np.searchsorted(top[:-1], x)] for top, x in zip(tops, X.T, strict=True)]
    return np.where(sets | np.isnan(X), X, np.column_stack(binned))


def _says(tree: Any, X: F64) -> F64:
    """The values of the leaves that rows come to, (rows, outputs × classes)."""
    return tree.tree_.value[tree.apply(X)].reshape(len(X), -1)


def _answers(model: Any, rows: NDArray, X: F64, trees: list[Any], K: int) -> list[Claim]:
    """apply, predict and the shares of the classes on sampled rows: means over all trees."""
    values, unit = np.stack([_says(tree, X) for tree in trees]), 2 * gamma(len(trees) + 8)
    mean, size = values.mean(axis=0), np.abs(values).mean(axis=0)
    leaves = np.column_stack([tree.apply(X) for tree in trees]).astype(np.float64)
    claims = [numbers_claim(model, "apply", rows, leaves, 0.0)]
    if not K:
        mean, size = (a[:, 0] if a.shape[1] == 1 else a for a in (mean, size))
        return [*claims, numbers_claim(model, "predict", rows, mean, unit * size + 1e-300)]
    claims.append(numbers_claim(model, "predict_proba", rows, mean, unit))
    claims.append(numbers_claim(model, "predict_log_proba", rows, np.log(mean), 4 * unit * (1 + len(trees))))
    return [*claims, labels_claim(model, rows, mean, unit)]
