"""Checkers of RandomForestClassifier and RandomForestRegressor: bags drawn again, trees replayed, votes counted.

Each tree is replayed on the rows that its own seed draws. All trees are, up to a stated number of nodes; above that
trees spread evenly over the forest. The answers come from all trees.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.hashing import distinct, row_hashes
from surefit.certificates.theorems.seeds import seeds_of
from surefit.certificates.theorems.trees.bags import draws_of, rows_of
from surefit.certificates.theorems.trees.binned import bins_claim, rows_in_bins, tree_in_bins
from surefit.certificates.theorems.trees.category_codes import coded, sets_claim
from surefit.certificates.theorems.trees.examples import (
    Examples,
    class_factors,
    from_scikit_learn,
    n_classes,
    read_examples,
)  # fmt: skip
from surefit.certificates.theorems.trees.growth import read_growth
from surefit.certificates.theorems.trees.importances import importances_claim
from surefit.certificates.theorems.trees.members import spread
from surefit.certificates.theorems.trees.nodes import Nodes, nodes_of
from surefit.certificates.theorems.trees.replay import WORK, Replay
from surefit.certificates.theorems.trees.votes import OutOfBag, asked_again, same_rows

MOST_NODES = 1 << 11  # about a second of work
SKETCH_ROWS = 200_000
FOREST = ("estimators_", "estimator_", "estimators_samples_", "n_outputs_", "feature_importances_", "oob_score_",
          "bin_thresholds_", "is_categorical_", "categories_", "predict", "apply")  # fmt: skip


class Bag(NamedTuple):
    """The rows of a tree: places in the data, and the weight of each."""

    places: NDArray[np.intp]
    weights: F64
    outside: NDArray[np.bool_]  # of all rows, those the tree did not see
    drawn: NDArray[np.intp]  # as estimators_samples_ lists them


@checker(*FOREST, "classes_", "n_classes_", "oob_decision_function_", "predict_proba", "predict_log_proba")
@reads_labels
def check_random_forest_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows through every tree; every split on offer at the nodes looked at in full."""
    return _check(Attributes(model, "estimators_"), read_examples(model, blocks), blocks, tol)


@checker(*FOREST, "oob_prediction_")
def check_random_forest_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows through every tree; every split on offer at the nodes looked at in full."""
    return _check(Attributes(model, "estimators_"), read_examples(model, blocks), blocks, tol)


def _check(attrs: Attributes, data: Examples, blocks: Blocks, tol: float) -> Findings:
    model, theirs, (n, d), K = attrs.model, from_scikit_learn(attrs.model), data.X.shape, n_classes(attrs, data)
    trees, seeds = _read(attrs, d)
    if whole(getattr(model, "n_outputs_", 1)) != data.Y.shape[1]:
        attrs.faults.append("n_outputs_ is not the number of targets")
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    data = data if theirs else replace(data, X=coded(attrs, data.X))
    sets = np.asarray(attrs.parameter("is_categorical_", np.zeros(d)), dtype=bool).reshape(d)
    bags, X, in_bins, binned, claims = _bags(attrs, data, K, seeds, theirs), data.X, trees, False, list[Claim]()
    if attrs.has("bin_thresholds_") and not theirs:
        edges, binned = [np.asarray(t, dtype=np.float64).ravel() for t in model.bin_thresholds_], True
        there = _sketched(data)
        claims.append(bins_claim(edges, X[there], data.w[there], whole(model.max_bins), sets, True, 0.0))
        X = np.where(sets, X, rows_in_bins(X, edges, sets))
        in_bins = [tree_in_bins(tree, edges) for tree in trees]
        if any(edges[j].size for j in np.flatnonzero(sets)):
            attrs.faults.append("bin_thresholds_ has thresholds of categories")
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    if sets.any():
        claims.append(sets_claim(trees, data.X, data.w, sets))
    claims.append(_bags_claim(attrs, bags, seeds, theirs))
    looked = spread(len(trees), max(3, int(MOST_NODES * len(trees) / sum(len(t) for t in trees))))
    found = Replay()
    # shares of rows are of the weights of ours, rounded up
    shape = (n if theirs else int(np.ceil(distinct(data.X, data.Y, data.w).weights).sum()), d, data.Y.shape[1])
    for k in looked:
        places, w, _, _ = bags[k]
        growth = read_growth(attrs, shape, K, float(w.sum()))
        growth = replace(growth, seed=-1 if theirs else int(seeds[k]), binned=binned)
        found.see(in_bins[k], growth, X[places], data.Y[places], w, WORK / len(looked))
    claims += [*found.claims(tol, f" of {len(looked)} of {len(trees)} trees"), importances_claim(attrs, trees)]
    if attrs.flag("oob_score", False) or callable(getattr(model, "oob_score", None)):
        claims += _out_of_bag(attrs, data, K, trees, bags, theirs)
    claims += _answers(attrs, trees, blocks, K, data.flat)
    return claims, f"{len(looked)} of {len(trees)} trees replayed, all trees on sampled rows"


def _sketched(data: Examples) -> NDArray[np.intp]:
    """The rows that bins come from: those with the SKETCH_ROWS smallest hashes."""
    there = np.flatnonzero(data.w > 0)
    hashes = row_hashes(data.X[there] + 0.0)
    return there[hashes <= np.unique(hashes)[:SKETCH_ROWS][-1]]


def _read(attrs: Attributes, d: int) -> tuple[list[Nodes], NDArray[np.intp]]:
    """The nodes of all trees, and the seed of each."""
    members = list(attrs.model.estimators_)
    trees, seeds = ([nodes_of(member, d) for member in members], [whole(m.random_state) for m in members])
    if not members or len(members) != whole(attrs.parameter("n_estimators", 100)):
        attrs.faults.append("estimators_ does not hold n_estimators trees")
    if min(seeds, default=0) < 0:
        attrs.faults.append("random_state of a tree is not a whole number: its rows cannot be drawn again")
    return trees, np.array(seeds, dtype=np.intp)


def _bags(attrs: Attributes, data: Examples, K: int, seeds: NDArray[np.intp], theirs: bool) -> list[Bag]:
    """What each seed draws: scikit-learn rows, ours distinct examples.

    Of ours, class weights change the chances of examples, not the number of draws. An example is there as often as it
    was drawn, but no more often than its weight says (rounded up); without draws as often as its weight says.
    """
    model, codes, draws = attrs.model, data.Y[:, 0].astype(np.intp) * (K > 0), attrs.flag("bootstrap", True)
    chosen, most, n = getattr(model, "class_weight", None), getattr(model, "max_samples", None), len(data.w)
    named = "balanced_subsample" if chosen == "balanced_subsample" else "balanced"
    per_bag = draws and named == "balanced_subsample"
    factors = class_factors(model, codes, data.w, K, named) if K and not per_bag else np.ones(n)
    w, given = data.w * factors, data.weighted or (chosen is not None and not per_bag)
    found, bags = distinct(data.X, data.Y, data.w), list[Bag]()
    first, owner, limit = found.first, found.owner, np.ceil(found.weights)
    if theirs:  # every row is its own example
        first, owner, limit = np.arange(n), np.arange(n), np.ones(n)
    chances = w if theirs else found.weights * factors[first]
    counts: Any
    for seed in seeds.tolist():
        counts, rows, copies = chances, np.arange(n), limit
        if draws and theirs:
            share = float(w.sum()) if given else n
            n_draws = max(int(most * share), 1) if isinstance(most, float) else int(most or n)
            rng = np.random.RandomState(seed)
            rows = rng.choice(n, n_draws, p=w / np.sum(w)) if given else rng.randint(0, n, n_draws)
            counts = np.bincount(rows, minlength=n).astype(float)
        elif draws:
            n_draws = draws_of(most, float(np.cumsum(found.weights)[-1]), len(chances))
            counts = replace(found, weights=chances).bootstrap(seed, n_draws)
            copies, rows = np.minimum(counts, limit), rows_of(found, counts)
        outside = (owner < 0) | (counts[np.maximum(owner, 0)] <= 0)
        weights = counts * _balanced(counts, codes[first], K)[codes[first]] if per_bag else counts
        times = np.where(weights > 0, copies, 0).astype(np.intp)
        bags.append(Bag(np.repeat(first, times), np.repeat(weights / np.maximum(copies, 1), times), outside, rows))
    return bags


def _balanced(counts: F64, codes: NDArray, K: int) -> F64:
    """Σ / (classes · count of the class) within a bag."""
    found = np.bincount(codes, weights=counts, minlength=K)
    return found.sum() / (np.count_nonzero(found) * np.where(found > 0, found, 1.0))


def _bags_claim(attrs: Attributes, bags: list[Bag], seeds: NDArray[np.intp], theirs: bool) -> Claim:
    """estimators_samples_ is what the seeds draw; the seeds follow from random_state, or at least differ."""
    expected = seeds_of(getattr(attrs.model, "random_state", None), len(seeds), theirs)
    stated = getattr(attrs.model, "estimators_samples_", None)  # a forest fitted on files does not list them
    wrong = 0 if stated is None and not theirs else same_rows(stated, [bag.drawn for bag in bags])
    if expected is not None:
        wrong += int(np.count_nonzero(expected != seeds))
    elif len(seeds) <= 1000:
        wrong += len(seeds) - len(np.unique(seeds))
    which = "those of random_state" if expected is not None else "different"
    told = f"The rows of each of {len(seeds)} trees are those its seed draws, the seeds are {which}; trees where not."
    failure = f"estimators_samples_ or the seeds of {wrong} trees are not what is drawn: were trees exchanged?"
    return at_most("bags", told, Grade.EXACT, wrong, 0, failure=failure)


def _out_of_bag(
    attrs: Attributes, data: Examples, K: int, trees: list[Nodes], bags: list[Bag], theirs: bool
) -> list[Claim]:
    rows = asked_again(len(data.w), len(trees))
    votes, X = OutOfBag(len(rows), max(K, data.Y.shape[1])), data.X[rows]
    for tree, bag in zip(trees, bags, strict=True):
        value = tree.value[tree.leaves(X)]
        votes.add(bag.outside[rows], value[:, 0, :] if K else value[:, :, 0])
    name = "oob_decision_function_" if K else "oob_prediction_"
    return votes.claims(attrs, name, rows, data.Y, np.ones(len(data.w)) if theirs else data.w, K, answered=not theirs)


def _answers(attrs: Attributes, trees: list[Nodes], blocks: Blocks, K: int, flat: bool) -> list[Claim]:
    """apply, predict and the shares of the classes on sampled rows, from all trees."""
    rows, model = sample_rows(blocks), attrs.model
    X = rows.astype(np.float32 if from_scikit_learn(model) else np.float64).astype(np.float64)
    X = X if from_scikit_learn(model) else coded(attrs, X)
    leaves = np.column_stack([t.leaves(X) for t in trees])
    values = np.stack([t.value[leaves[:, k]] for k, t in enumerate(trees)])
    mean, rounding = values.mean(axis=0), 2 * gamma(len(trees) + 8) * np.abs(values).mean(axis=0)
    claims = [numbers_claim(model, "apply", rows, leaves.astype(np.float64), 0.0)]
    if not K:
        one = flat or mean.shape[1] == 1
        answer, rounding = (mean[:, 0, 0], rounding[:, 0, 0]) if one else (mean[:, :, 0], rounding[:, :, 0])
        return [*claims, numbers_claim(model, "predict", rows, answer, rounding + 1e-300)]
    shares, slack = mean[:, 0, :], 2 * gamma(len(trees) + 8)
    claims.append(numbers_claim(model, "predict_proba", rows, shares, slack))
    with np.errstate(divide="ignore"):
        logs = np.log(shares)
    claims.append(numbers_claim(model, "predict_log_proba", rows, logs, 4 * slack * (1 + len(trees))))
    return [*claims, labels_claim(model, rows, shares, slack)]
