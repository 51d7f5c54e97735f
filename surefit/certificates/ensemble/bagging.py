"""Checkers of BaggingClassifier and BaggingRegressor: rows and columns drawn again, members checked, answers averaged.

The members' own answers are taken as they are: what is proved is which rows and columns each was fitted on, that the
ensemble says their mean (or vote), and, for members with a checker of their own, what that proves on their rows.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted, weakest
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.registry import CHECKERS, checker_for
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.hashing import distinct
from surefit.certificates.theorems.seeds import seeds_of
from surefit.certificates.theorems.trees.bags import draws_of, rows_of, subsample
from surefit.certificates.theorems.trees.examples import Examples, from_scikit_learn, n_classes, read_examples
from surefit.certificates.theorems.trees.votes import OutOfBag, asked_again, same_rows

MEMBERS = 3  # that are checked on their own rows
BAGGING = ("estimators_", "estimator_", "estimators_samples_", "estimators_features_", "oob_score_", "predict")


@dataclass(frozen=True)
class Bags:
    """Of each member: its columns, how often each row is in its bag, and the rows as estimators_samples_ lists them."""

    features: list[NDArray[np.intp]]
    counts: list[NDArray[np.intp]]
    outside: list[NDArray[np.bool_]]
    drawn: list[NDArray[np.intp]]
    known: bool  # drawn again from random_state; else as stated


@checker(*BAGGING, "classes_", "n_classes_", "oob_decision_function_", "predict_proba", "predict_log_proba",
         "decision_function")  # fmt: skip
@reads_labels
def check_bagging_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The draws of all members, three of them checked, answers on sampled rows."""
    attrs = Attributes(model, "estimators_")
    data = read_examples(model, blocks, single=False)
    return _check(attrs, data, n_classes(attrs, data), blocks, tol)


@checker(*BAGGING, "oob_prediction_")
def check_bagging_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The draws of all members, three of them checked, answers on sampled rows."""
    attrs = Attributes(model, "estimators_")
    return _check(attrs, read_examples(model, blocks, single=False), 0, blocks, tol)


def _check(attrs: Attributes, data: Examples, K: int, blocks: Blocks, tol: float) -> Findings:
    members = attrs.model.estimators_ if isinstance(attrs.model.estimators_, (list, tuple)) else []
    if not members or len(members) != whole(attrs.parameter("n_estimators", 10)):
        attrs.faults.append("estimators_ does not hold n_estimators members")
    bags = None if attrs.faults else _bags(attrs, data, len(members))
    if attrs.faults or bags is None:
        return [bad_attributes(attrs)], "one pass"
    claims = [_bags_claim(attrs, bags)]
    if not claims[0].holds:
        return claims, "one pass"
    claims.append(_members(attrs, list(members), bags, data, K, tol))
    rows, none = sample_rows(blocks), np.zeros(0, dtype=np.intp)
    if attrs.flag("oob_score", False):
        claims += _out_of_bag(attrs, list(members), bags, data, K)
    says = [_says(attrs, m, f, rows, K, none) for m, f in zip(members, bags.features, strict=True)]
    wrong = [s for s in says if isinstance(s, Claim)]
    if wrong:
        return [*claims, *wrong[:1]], "one pass"
    values = np.stack([s for s in says if not isinstance(s, Claim)])
    claims += _answers(attrs, list(members), bags, values, rows, K)
    return claims, f"{len(members)} members, {min(MEMBERS, len(members))} of them checked on their own rows"


def _bags(attrs: Attributes, data: Examples, n_members: int) -> Bags | None:
    model, (n, d), theirs = attrs.model, data.X.shape, from_scikit_learn(attrs.model)
    seeds = seeds_of(getattr(model, "random_state", None), n_members, theirs)
    if seeds is None and not theirs:
        found = [whole(getattr(m, "random_state", None)) for m in model.estimators_]
        seeds = np.array(found) if min(found) >= 0 else None
    most, columns = getattr(model, "max_samples", None), attrs.parameter("max_features", 1.0)
    count = int(columns) if isinstance(columns, (int, np.integer)) else max(1, int(real(columns) * d))
    replace = attrs.flag("bootstrap_features", False), attrs.flag("bootstrap", True)
    bags = Bags([], [], [], [], seeds is not None)
    if seeds is None:
        return _stated(attrs, n, n_members)
    weights = data.w if data.weighted else None
    total = float(data.w.sum()) if data.weighted else float(n)
    examples = None if theirs else distinct(data.X, data.Y, data.w)
    for seed in seeds.tolist():
        if examples is None:
            draws = (
                n if most is None else int(most) if isinstance(most, (int, np.integer)) else max(int(most * total), 1)
            )
            features, drawn = _scikit_learn_bag(seed, d, count, n, draws, replace, weights)
            counts = np.bincount(drawn, minlength=n)
            outside = counts == 0
        else:
            draws = draws_of(most, float(np.cumsum(examples.weights)[-1]), len(examples.weights))
            often = examples.bootstrap(seed, draws) if replace[1] else subsample(examples, seed, draws)
            features, drawn = _features_of(seed, d, count, replace[0]), rows_of(examples, often)
            counts = np.bincount(drawn, minlength=n)
            outside = (examples.owner < 0) | (often[np.maximum(examples.owner, 0)] == 0)
        bags.features.append(features)
        bags.counts.append(counts)
        bags.outside.append(outside)
        bags.drawn.append(drawn)
    return bags


def _stated(attrs: Attributes, n: int, n_members: int) -> Bags | None:
    """The bags as the model states them, where its seeds cannot be seen."""
    counts, features, drawn = list[Any](), list[Any](), list[Any]()
    try:
        drawn = [np.asarray(a).astype(np.intp).ravel() for a in attrs.model.estimators_samples_]
        features = [np.asarray(a).astype(np.intp).ravel() for a in attrs.model.estimators_features_]
        counts = [np.bincount(a, minlength=n) for a in drawn]
    except (TypeError, ValueError, AttributeError):
        counts = list[Any]()
    if len(counts) != n_members or len(features) != n_members or any(len(c) != n for c in counts):
        attrs.faults.append("estimators_samples_ or estimators_features_ are not lists of rows and columns")
        return None
    return Bags(features, counts, [c == 0 for c in counts], drawn, False)


def _bags_claim(attrs: Attributes, bags: Bags) -> Claim:
    wrong = same_rows(getattr(attrs.model, "estimators_samples_", None), bags.drawn)
    wrong += same_rows(getattr(attrs.model, "estimators_features_", None), bags.features)
    origin = "those that random_state draws" if bags.known else "as stated (random_state is no number: not drawn again)"
    return at_most(
        "bags",
        f"Rows and columns of {len(bags.drawn)} members are {origin}; members where not.",
        Grade.EXACT,
        wrong,
        0,
        failure="estimators_samples_ or estimators_features_ are not what random_state draws from this data.",
    )


def _members(attrs: Attributes, members: list[Any], bags: Bags, data: Examples, K: int, tol: float) -> Claim:
    """Up to three members by their own checkers, on their own rows."""
    name = type(members[0]).__name__
    if not any(base.__name__ in CHECKERS for base in type(members[0]).__mro__):
        reason = f"{name} has no checker: the members themselves were not checked."
        return Claim("members", reason, Grade.UNPROVED, 0.0, 0.0, True)
    places = np.unique(np.linspace(0, len(members) - 1, min(MEMBERS, len(members))).astype(int)).tolist()
    found = list[Claim]()
    for k in places:
        member, counts = members[k], bags.counts[k]
        takes = "sample_weight" in inspect.signature(member.fit).parameters
        rows = np.arange(len(counts)) if takes else np.asarray(attrs.model.estimators_samples_[k]).astype(np.intp)
        Y = data.Y[rows] if data.Y.shape[1] > 1 else data.Y[rows, 0]
        if K:
            Y = _labels(attrs, member, Y.astype(np.intp))
        weights = counts.astype(np.float64) if takes else None
        found += checker_for(member)(
            member, ArrayBlocks(data.X[rows][:, bags.features[k]].astype(data.dtype), Y, weights), tol
        )[0]
    fails = [claim for claim in found if not claim.holds]
    return at_most(
        "members",
        f"{len(places)} of {len(members)} members ({name}) hold by their own checker on their rows; claims that fail.",
        weakest(found),
        len(fails),
        0,
        failure=f"A member ({name}) does not hold on its own rows: {fails[0].sentence if fails else ''}",
    )


def _labels(attrs: Attributes, member: Any, codes: NDArray[np.intp]) -> NDArray:
    """scikit-learn's members are fitted to codes, ours to the labels."""
    return codes if from_scikit_learn(attrs.model) else np.asarray(attrs.model.classes_)[codes]


def _says(attrs: Attributes, member: Any, features: NDArray, X: NDArray, K: int, none: NDArray) -> F64 | Claim:
    """(rows, classes or outputs): the shares of a member, its vote where it has none, or its numbers."""
    shares = K > 0 and hasattr(member, "predict_proba")
    given = answer_of(member, "predict_proba" if shares else "predict", X[:, features])
    if isinstance(given, Claim):
        return given
    if not K:
        return given.reshape(len(X), -1).astype(np.float64)
    out, known = np.zeros((len(X), K)), np.asarray(getattr(member, "classes_", none))
    place = {label: k for k, label in enumerate(_labels(attrs, member, np.arange(K)).tolist())}
    try:
        if shares:
            out[:, [place[label] for label in known.tolist()]] = given
        else:
            out[np.arange(len(X)), [place[label] for label in given.tolist()]] = 1.0
    except (KeyError, ValueError, IndexError):
        return refuted("members", "A member answers with classes that are not those of the ensemble.")
    return out


def _slack(member: Any, dtype: Any) -> float:
    """Trees say the same of a row whatever else they are asked; other members may round sums in another order."""
    return 0.0 if hasattr(member, "tree_") else float(np.sqrt(np.finfo(dtype).eps if dtype.kind == "f" else 2.0**-52))


def _out_of_bag(attrs: Attributes, members: list[Any], bags: Bags, data: Examples, K: int) -> list[Claim]:
    rows = asked_again(len(data.w), len(members))
    votes, none = (
        OutOfBag(len(rows), max(K, data.Y.shape[1]), _slack(members[0], data.dtype)),
        np.zeros(0, dtype=np.intp),
    )
    for member, features, outside in zip(members, bags.features, bags.outside, strict=True):
        says = _says(attrs, member, features, data.X[rows].astype(data.dtype), K, none)
        if isinstance(says, Claim):
            return [says]
        votes.add(outside[rows], says)
    name = "oob_decision_function_" if K else "oob_prediction_"
    w = np.ones(len(data.w)) if from_scikit_learn(attrs.model) else data.w
    return votes.claims(attrs, name, rows, data.Y, w, K)


def _answers(attrs: Attributes, members: list[Any], bags: Bags, values: F64, rows: NDArray, K: int) -> list[Claim]:
    model, mean, size = attrs.model, values.mean(axis=0), np.abs(values).mean(axis=0)
    single = getattr(answer_of(model, "predict_proba" if K else "predict", rows[:1]), "dtype", None) == np.float32
    slack = 4 * gamma(len(members) + 8) * (2.0**29 if single else 1.0) + _slack(members[0], rows.dtype)
    rounding = slack * size.max(initial=0.0) * np.ones_like(mean) + 1e-300
    if not K:
        one = mean.shape[1] == 1
        expected, rounding = (mean[:, 0], rounding[:, 0]) if one else (mean, rounding)
        return [numbers_claim(model, "predict", rows, expected, rounding)]
    logs, given = np.log(np.maximum(mean, 1e-12)), answer_of(model, "predict_log_proba", rows)
    if not isinstance(given, Claim) and given.shape == mean.shape:  # shares near zero may be told from zero or not
        logs = np.where(mean > 1e-12, logs, np.minimum(given, logs))
    claims = [
        numbers_claim(model, "predict_proba", rows, mean, slack),
        numbers_claim(model, "predict_log_proba", rows, logs, 64 * slack / np.maximum(mean, 1e-12)),
        labels_claim(model, rows, mean, slack),
    ]
    if hasattr(model, "decision_function"):
        given = [answer_of(m, "decision_function", rows[:, f]) for m, f in zip(members, bags.features, strict=True)]
        if all(not isinstance(g, Claim) for g in given) and len({g.shape for g in given}) == 1:
            stack = np.stack(given).astype(np.float64)
            bound = slack * float(np.abs(stack).max(initial=0.0)) + 1e-300
            claims.append(numbers_claim(model, "decision_function", rows, stack.mean(axis=0), bound))
    return claims


def _features_of(seed: int, d: int, count: int, replace: bool) -> NDArray[np.intp]:
    """The columns of a member of ours, ascending."""
    if count == d and not replace:
        return np.arange(d)
    return np.sort(np.random.default_rng([seed, 1]).choice(d, count, replace=replace))


def _scikit_learn_bag(
    seed: int, d: int, count: int, n: int, draws: int, replace: tuple[bool, bool], w: F64 | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The columns and the rows of a member of scikit-learn's bagging; replace: of columns, of rows."""
    rng = np.random.RandomState(seed)
    columns = _drawn(rng, d, count, replace[0])
    if w is None:
        return columns, _drawn(rng, n, draws, replace[1])
    return columns, rng.choice(n, draws, replace=replace[1], p=w / np.sum(w))


def _drawn(rng: np.random.RandomState, n: int, k: int, replace: bool) -> NDArray[np.intp]:
    """With replacement, or as `sample_without_replacement`: a permutation, and at the ends one number at a time."""
    if replace:
        return rng.randint(0, n, k)
    if 0.01 < k / n < 0.99:
        return rng.permutation(n)[:k]
    if k / n >= 0.99:
        out = np.arange(k)
        for i in range(k, n):
            j = rng.randint(0, i + 1)
            out[j if j < k else 0] = i if j < k else out[0]
        return out
    chosen: dict[int, None] = {}
    while len(chosen) < k:
        chosen[int(rng.randint(n))] = None
    return np.array(list(chosen), dtype=np.intp)
