"""Checkers of RandomForestClassifier and RandomForestRegressor: bags drawn again, trees replayed, votes counted.

Each tree is replayed on the rows that its own seed draws. All trees are, up to a stated number of nodes; above that
trees spread evenly over the forest. The answers come from all trees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.hashing import Distinct, distinct
from surefit.certificates.theorems.seeds import seeds_of
from surefit.certificates.theorems.trees.bags import draws_of, scikit_learn_rows
from surefit.certificates.theorems.trees.binned import bins_claim
from surefit.certificates.theorems.trees.categories import coded, unseen_claim
from surefit.certificates.theorems.trees.examples import Examples, from_scikit_learn, read_examples, total
from surefit.certificates.theorems.trees.grown import importances_claim, order_claim, tree_claims
from surefit.certificates.theorems.trees.nodes import Nodes, importances, read_nodes
from surefit.certificates.theorems.trees.parameters import class_factors, read_growth
from surefit.certificates.theorems.trees.pruning import pruning_claim
from surefit.certificates.theorems.trees.replay import WORK, Replay, replay
from surefit.certificates.theorems.trees.votes import OutOfBag, asked_again, same_rows

MOST_NODES = 1 << 11  # about a second of work
FOREST = ("estimators_", "estimator_", "estimators_samples_", "n_outputs_", "feature_importances_", "oob_score_",
          "bin_thresholds_", "is_categorical_", "categories_", "predict", "apply")  # fmt: skip


@dataclass(frozen=True)
class Bags:
    """The rows of every tree: places in the data, and the weight of each."""

    places: list[NDArray[np.intp]]
    weights: list[F64]
    outside: list[NDArray[np.bool_]]  # of all rows, those the tree did not see
    drawn: list[NDArray[np.intp]]  # as estimators_samples_ lists them


@checker(*FOREST, "classes_", "n_classes_", "oob_decision_function_", "predict_proba", "predict_log_proba")
@reads_labels
def check_random_forest_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows through every tree; every split on offer at the nodes looked at in full."""
    attrs = Attributes(model, "estimators_")
    data, K = read_examples(model, blocks), read_classes(attrs, 1)
    if K is not None and not np.array_equal(np.unique(data.Y), np.arange(K)):
        attrs.faults.append("classes_ is not the labels of the data")
    if K is not None and attrs.array("n_classes_", (), (1,)) is not None and int(np.ravel(model.n_classes_)[0]) != K:
        attrs.faults.append("n_classes_ is not the number of classes")
    if K is None or attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    return _check(attrs, data, K, blocks, tol)


@checker(*FOREST, "oob_prediction_")
def check_random_forest_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows through every tree; every split on offer at the nodes looked at in full."""
    attrs = Attributes(model, "estimators_")
    return _check(attrs, read_examples(model, blocks), 0, blocks, tol)


@total
def _check(attrs: Attributes, data: Examples, K: int, blocks: Blocks, tol: float) -> Findings:
    model, theirs, d = attrs.model, from_scikit_learn(attrs.model), blocks.n_features
    trees, seeds = _read(attrs, d)
    if whole(getattr(model, "n_outputs_", 1)) != data.Y.shape[1]:
        attrs.faults.append("n_outputs_ is not the number of targets")
    if attrs.faults or not trees:
        return [bad_attributes(attrs)], "one pass"
    data = data if theirs else replace(data, X=coded(attrs, data.X))
    bags = _bags(attrs, data, K, seeds, theirs)
    copies = 0 if theirs else int(np.ceil(distinct(data.X, data.Y, data.w).weights).sum())
    growth = read_growth(attrs, data, K, 0.0, theirs, copies)
    binned, claims = bins_claim(attrs, data, theirs, growth.categorical)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    if growth.categorical is not None:
        claims.append(unseen_claim(trees, data.X, data.w, growth.categorical))
    claims.append(_bags_claim(attrs, bags, seeds, theirs))
    found, looked, shapes = Replay(), _trees_looked_at(trees), list[Claim]()
    for k in looked:
        X, Y = data.X[bags.places[k]], data.Y[bags.places[k]]
        rules = replace(growth.rules, min_weight=_fraction(attrs) * float(bags.weights[k].sum()))
        own = replace(growth, rules=rules, seed=None if theirs else int(seeds[k]), bins=binned)
        one = replay(trees[k], X, Y, bags.weights[k], own, tol, WORK / len(looked))
        found.add(one, tol)
        if not one.faults:
            shapes += order_claim(trees[k], one, own, tol)
            shapes += pruning_claim(trees[k], one, own, X, Y, bags.weights[k], tol)
    of = f" of {len(looked)} of {len(trees)} trees"
    claims += tree_claims(found, replace(growth, seed=None if theirs else 0), d, tol, of)
    claims += sorted(shapes, key=lambda claim: (claim.holds, -(claim.value or 0.0)))[:1]  # the worst of all trees
    claims.append(_importances(attrs, trees))
    if attrs.flag("oob_score", False) or callable(getattr(model, "oob_score", None)):
        claims += _out_of_bag(attrs, data, K, trees, bags, theirs)
    claims += _answers(attrs, trees, blocks, K, data.flat)
    return claims, f"{found.nodes} nodes of {len(looked)} trees, {found.looked_at} in full"


def _fraction(attrs: Attributes) -> float:
    return float(attrs.parameter("min_weight_fraction_leaf", 0.0))


def _read(attrs: Attributes, d: int) -> tuple[list[Nodes], NDArray[np.intp]]:
    """The nodes of all trees, and the seed of each."""
    trees, seeds = [], []
    members = attrs.model.estimators_
    members = members if isinstance(members, (list, tuple)) else []
    if not members or len(members) != whole(attrs.parameter("n_estimators", 100)):
        attrs.faults.append("estimators_ does not hold n_estimators trees")
    for member in members:
        nodes = read_nodes(getattr(member, "tree_", None), d)
        if isinstance(nodes, str):
            attrs.faults.append(f"a tree of estimators_ is no tree: {nodes}")
            return [], np.zeros(0, dtype=np.intp)
        trees.append(nodes)
        seeds.append(whole(getattr(member, "random_state", None)))
    if min(seeds, default=0) < 0:
        attrs.faults.append("random_state of a tree is not a whole number: its rows cannot be drawn again")
    return trees, np.array(seeds, dtype=np.intp)


def _bags(attrs: Attributes, data: Examples, K: int, seeds: NDArray[np.intp], theirs: bool) -> Bags:
    """What each seed draws. Ours draw distinct examples."""
    n, model = len(data.w), attrs.model
    codes = data.Y[:, 0].astype(np.intp)
    per_bag = getattr(model, "class_weight", None) == "balanced_subsample" and attrs.flag("bootstrap", True)
    factors = np.ones(max(K, 1))
    if K and not per_bag:
        named = "balanced_subsample" if getattr(model, "class_weight", None) == "balanced_subsample" else "balanced"
        factors = class_factors(attrs, np.bincount(codes, weights=data.w, minlength=K), named)
    w = data.w * factors[codes] if K else data.w
    given = data.weighted or (getattr(model, "class_weight", None) is not None and not per_bag)
    examples = None if theirs else distinct(data.X, data.Y, data.w)
    bags = Bags([], [], [], [])
    for seed in seeds.tolist():
        if examples is not None:
            _add_ours(bags, examples, seed, attrs, codes, factors, per_bag)
        elif not attrs.flag("bootstrap", True):
            there = np.flatnonzero(w > 0)
            _add(bags, there, w[there], w <= 0, np.arange(n))
        else:
            drawn = scikit_learn_rows(seed, n, getattr(model, "max_samples", None), w if given else None)
            counts = np.bincount(drawn, minlength=n)
            weights = counts * _balanced(counts, codes, K)[codes] if per_bag else counts.astype(float)
            _add(bags, np.flatnonzero(counts), weights[counts > 0], counts == 0, drawn)
    return bags


def _add(bags: Bags, places: NDArray, weights: F64, outside: NDArray, drawn: NDArray) -> None:
    bags.places.append(places)
    bags.weights.append(weights)
    bags.outside.append(outside)
    bags.drawn.append(drawn)


def _add_ours(
    bags: Bags, examples: Distinct, seed: int, attrs: Attributes, codes: NDArray, factors: F64, per_bag: bool
) -> None:
    """Class weights change the chances of examples, not the number of draws. An example is there as often as it was
    drawn, but no more often than its weight says (rounded up); without draws as often as its weight says."""
    first, owner, K = examples.first, examples.owner, len(factors)
    chances = examples.weights * (factors[codes[first]] if K > 1 else 1.0)
    weights, copies, rows = chances, np.ceil(examples.weights), np.arange(len(owner))
    if attrs.flag("bootstrap", True):
        total = float(np.cumsum(examples.weights)[-1])
        n_draws = draws_of(getattr(attrs.model, "max_samples", None), total, len(chances))
        weights = replace(examples, weights=chances).bootstrap(seed, n_draws)
        copies, rows = np.minimum(weights, copies), examples.rows(weights)
    outside = (owner < 0) | (weights[np.maximum(owner, 0)] == 0)
    if per_bag:
        weights = weights * _balanced(weights, codes[first], K)[codes[first]]
    times = np.where(weights > 0, copies, 0).astype(np.intp)
    _add(bags, np.repeat(first, times), np.repeat(weights / np.maximum(copies, 1), times), outside, rows)


def _balanced(counts: F64, codes: NDArray, K: int) -> F64:
    """Σ / (classes · count of the class) within a bag."""
    found = np.bincount(codes, weights=counts, minlength=K)
    return found.sum() / (np.count_nonzero(found) * np.where(found > 0, found, 1.0))


def _bags_claim(attrs: Attributes, bags: Bags, seeds: NDArray[np.intp], theirs: bool) -> Claim:
    """estimators_samples_ is what the seeds draw; the seeds follow from random_state, or at least differ."""
    expected = seeds_of(getattr(attrs.model, "random_state", None), len(seeds), theirs)
    stated = getattr(attrs.model, "estimators_samples_", None)  # a forest fitted on files does not list them
    wrong = 0 if stated is None and not theirs else same_rows(stated, bags.drawn)
    if expected is not None:
        wrong += int(np.count_nonzero(expected != seeds))
    elif len(seeds) <= 1000:
        wrong += len(seeds) - len(np.unique(seeds))
    return at_most(
        "bags",
        f"The rows of each of {len(seeds)} trees are those that its seed draws, and the seeds are "
        f"{'those of random_state' if expected is not None else 'different'}; trees where not.",
        Grade.EXACT,
        wrong,
        0,
        failure=f"estimators_samples_ or the seeds of {wrong} trees are not what is drawn: were trees exchanged?",
    )


def _trees_looked_at(trees: list[Nodes]) -> list[int]:
    """All, or the most that have MOST_NODES nodes together, spread evenly; at least three."""
    most = max(3, int(MOST_NODES / (sum(len(t) for t in trees) / len(trees))))
    return np.unique(np.linspace(0, len(trees) - 1, min(len(trees), most)).astype(int)).tolist()


def _importances(attrs: Attributes, trees: list[Nodes]) -> Claim:
    """The mean over the trees that have a split, as shares."""
    found = [importances(t) for t in trees if len(t) > 1]
    d = trees[0].n_features
    mean = np.mean([shares for shares, _ in found], axis=0) if found else np.zeros(d)
    rounding = 4 * max((r for _, r in found), default=0.0) + 1e-15
    return importances_claim(attrs.array("feature_importances_", (d,)), mean / (mean.sum() or 1.0), rounding)


def _out_of_bag(attrs: Attributes, data: Examples, K: int, trees: list[Nodes], bags: Bags, theirs: bool) -> list[Claim]:
    rows = asked_again(len(data.w), len(trees))
    votes, X = OutOfBag(len(rows), max(K, data.Y.shape[1])), data.X[rows]
    for tree, outside in zip(trees, bags.outside, strict=True):
        value = tree.value[tree.leaves(X)]
        votes.add(outside[rows], value[:, 0, :] if K else value[:, :, 0])
    name = "oob_decision_function_" if K else "oob_prediction_"
    return votes.claims(attrs, name, rows, data.Y, np.ones(len(data.w)) if theirs else data.w, K, answered=not theirs)


def _answers(attrs: Attributes, trees: list[Nodes], blocks: Blocks, K: int, flat: bool) -> list[Claim]:
    """apply, predict and the shares of the classes on sampled rows, from all trees."""
    rows, model = sample_rows(blocks), attrs.model
    X = (
        rows.astype(np.float32).astype(np.float64)
        if from_scikit_learn(model)
        else coded(attrs, rows.astype(np.float64))
    )
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
