"""Checkers of RandomForestClassifier and RandomForestRegressor: bags drawn again, trees replayed, votes counted.

Each tree is replayed on the rows that its own seed draws. All trees are, up to a stated number of nodes; above that
trees spread evenly over the forest. The answers come from all trees.

scikit-learn draws rows; weights, and those of classes but for each bag, are chances to be drawn. Ours draws among the
distinct examples: one stands in a bag as often as it was drawn, but no more often than its weight says (rounded up),
and what was drawn is spread evenly. Without bootstrap all rows are in all bags, with their weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.hashing import distinct
from surefit.certificates.theorems.seeds import seeds_of
from surefit.certificates.theorems.trees.bags import draws_of
from surefit.certificates.theorems.trees.category_codes import coded
from surefit.certificates.theorems.trees.examples import (
    Examples,
    class_factors,
    from_scikit_learn,
    n_classes,
    read_examples,
)
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.members import spread
from surefit.certificates.theorems.trees.nodes import Nodes, nodes_of
from surefit.certificates.theorems.trees.replay import WORK, Replay
from surefit.certificates.theorems.trees.votes import OutOfBag, asked_again

MOST_NODES = 1 << 11  # about a second of work


Bag = tuple[NDArray, F64, NDArray]  # places in the data, the weight of each; of all rows, which the tree did not see


@checker("estimators_", "estimator_", "n_outputs_", "classes_", "n_classes_", "oob_score_", "oob_decision_function_",
         "oob_prediction_", "is_categorical_", "categories_", "apply", "predict", "predict_proba",
         "predict_log_proba")  # fmt: skip
@reads_labels
def check_random_forest_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows through every tree; every split on offer at the nodes that are compared."""
    attrs, data = Attributes(model, "estimators_"), read_examples(model, blocks)
    theirs, d, K, members = from_scikit_learn(model), data.X.shape[1], n_classes(attrs, data), list(model.estimators_)
    trees = [nodes_of(member, d) for member in members]
    if not trees or len(trees) != whole(attrs.parameter("n_estimators", 100)):
        attrs.faults.append("estimators_ does not hold n_estimators trees")
    if whole(getattr(model, "n_outputs_", 1)) != data.Y.shape[1]:
        attrs.faults.append("n_outputs_ is not the number of targets")
    data = data if theirs else data._replace(X=coded(attrs, data.X))
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    seeds = np.array([whole(member.random_state) for member in members])
    bags, found, growth = list(_bags(attrs, data, K, seeds, theirs)), Replay(), Growth(attrs, d, K)
    bins, growth.binned = data.X, attrs.has("bin_thresholds_")
    if growth.binned:
        bins = _in_bins(data.X, [np.asarray(t).ravel() for t in model.bin_thresholds_], growth.categorical, trees)
    looked = spread(len(trees), max(3, int(MOST_NODES * len(trees) / sum(len(t) for t in trees))))
    for k in looked:
        at, w, _ = bags[k]
        found.see(trees[k], growth, data.X[at], data.Y[at], w, WORK / len(looked), bins[at])
    claims = [_seeds_claim(attrs, seeds, theirs)]
    claims += found.claims(tol, f" of {len(looked)} of {len(trees)} trees")
    if attrs.flag("oob_score", False) or callable(getattr(model, "oob_score", None)):
        claims += _out_of_bag(attrs, data, K, trees, bags)
    rows = sample_rows(blocks)
    asked = rows.astype(np.float32).astype(np.float64) if theirs else coded(attrs, rows.astype(np.float64))
    claims += _answers(model, rows, [tree.leaves(asked) for tree in trees], trees, K)
    return claims, f"{len(looked)} of {len(trees)} trees replayed, all trees on sampled rows"


check_random_forest_regressor = check_random_forest_classifier


def _bags(attrs: Attributes, data: Examples, K: int, seeds: NDArray, theirs: bool) -> Iterator[Bag]:
    """What each seed draws."""
    model, n, codes, draws = attrs.model, len(data.w), data.Y[:, 0].astype(np.intp), attrs.flag("bootstrap", True)
    chosen, most, found = getattr(model, "class_weight", None), getattr(model, "max_samples", None), None
    in_bag = draws and chosen == "balanced_subsample"
    factors = class_factors(model, codes, data.w, K) if K and not in_bag else np.ones(n)
    first, owner, sizes, chances = np.arange(n), np.arange(n), np.ones(n), data.w * factors
    given = data.weighted or (chosen is not None and not in_bag)
    share = float(chances.sum()) if given else n
    n_draws = max(int(most * share), 1) if isinstance(most, float) else int(most or n)
    if not theirs:
        found = distinct(data.X, data.Y, data.w)
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


def _in_bins(X: F64, thresholds: list[NDArray], categorical: NDArray[np.bool_], trees: list[Nodes]) -> F64:
    """The numbers of bins in the place of values; BadData for a threshold of a tree that is none of them."""
    for tree in trees:
        for j, t in zip(tree.feature[tree.inner], tree.threshold[tree.inner], strict=True):
            if not categorical[j] and t != np.inf and t not in thresholds[j]:
                raise BadData(f"a threshold of a tree, {t:g}, is not one of bin_thresholds_")
    numbers = [np.searchsorted(edges, x) for edges, x in zip(thresholds, X.T, strict=True)]
    return np.where(categorical | np.isnan(X), X, np.column_stack(numbers))


def _seeds_claim(attrs: Attributes, seeds: NDArray, theirs: bool) -> Claim:
    """The seeds follow from random_state, or at least differ."""
    expected = seeds_of(getattr(attrs.model, "random_state", None), len(seeds), theirs)
    wrong = len(seeds) - len(np.unique(seeds)) if expected is None else int(np.count_nonzero(expected != seeds))
    which = "those of random_state" if expected is not None else "different"
    told = f"Each of {len(seeds)} trees has the rows that its seed draws, and the seeds are {which}; trees where not."
    failure = f"The seeds of {wrong} trees are not {which}: were trees exchanged?"
    return at_most("bags", told, Grade.EXACT, wrong, 0, failure=failure)


def _out_of_bag(attrs: Attributes, data: Examples, K: int, trees: list[Nodes], bags: list[Bag]) -> list[Claim]:
    """scikit-learn's score counts rows, ours weights, of rows with an answer alone."""
    rows, theirs = asked_again(len(data.w), len(trees)), from_scikit_learn(attrs.model)
    votes, X = OutOfBag(len(rows), max(K, data.Y.shape[1])), data.X[rows]
    for tree, (_, _, outside) in zip(trees, bags, strict=True):
        votes.add(outside[rows], tree.value[tree.leaves(X)].reshape(len(rows), -1))
    name = "oob_decision_function_" if K else "oob_prediction_"
    return votes.claims(attrs, name, rows, data.Y, np.ones(len(data.w)) if theirs else data.w, K, answered=not theirs)


def _answers(model: Any, rows: NDArray, leaves: list[NDArray], trees: list[Nodes], K: int) -> list[Claim]:
    """apply, predict and the shares of the classes on sampled rows: means over all trees."""
    values, unit = np.stack([t.value[leaf] for t, leaf in zip(trees, leaves, strict=True)]), 2 * gamma(len(trees) + 8)
    mean, size = values.mean(axis=0), np.abs(values).mean(axis=0)
    claims = [numbers_claim(model, "apply", rows, np.column_stack(leaves).astype(np.float64), 0.0)]
    if not K:
        mean, size = (a[:, 0, 0] if a.shape[1] == 1 else a[:, :, 0] for a in (mean, size))
        return [*claims, numbers_claim(model, "predict", rows, mean, unit * size + 1e-300)]
    shares = mean[:, 0, :]
    claims.append(numbers_claim(model, "predict_proba", rows, shares, unit))
    claims.append(numbers_claim(model, "predict_log_proba", rows, np.log(shares), 4 * unit * (1 + len(trees))))
    return [*claims, labels_claim(model, rows, shares, unit)]
