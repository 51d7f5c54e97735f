"""Checkers of BaggingClassifier and BaggingRegressor: rows and columns drawn again, members checked, answers averaged.

The members' own answers are taken as they are: what is proved is which rows and columns each was fitted on, that the
ensemble says their mean (or vote), and, for members with a checker of their own, what that proves on their rows.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import CertificateError, Claim, Grade, at_most
from surefit.certificates.ensemble.member_claim import members_claim
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.hashing import Distinct, distinct
from surefit.certificates.theorems.members import spread, unlike
from surefit.certificates.theorems.seeds import seeds_of
from surefit.certificates.theorems.trees.bags import draws_of, rows_of, subsample
from surefit.certificates.theorems.trees.votes import asked_again, out_of_bag_claims

MEMBERS = 3  # that are checked on their own rows
BAGGING = ("estimators_", "estimator_", "estimators_samples_", "estimators_features_", "oob_score_", "predict")


class Data(NamedTuple):
    X: NDArray  # in the type of the data
    Y: F64  # codes of classes (n, 1), or numbers (n, targets)
    w: F64
    weighted: bool
    theirs: bool  # the model is scikit-learn's
    K: int  # classes; 0 for numbers


class Bag(NamedTuple):
    rows: NDArray  # as they were drawn, one again for each time
    columns: NDArray


@checker(*BAGGING, "classes_", "n_classes_", "oob_decision_function_", "predict_proba", "predict_log_proba",
         "decision_function")  # fmt: skip
@reads_labels
def check_bagging_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The draws of all members, three of them checked, answers on sampled rows."""
    attrs = Attributes(model, "estimators_")
    K = read_classes(attrs, 1) or 1
    data = _gather(model, blocks, K)
    if not np.array_equal(np.unique(data.Y), np.arange(K)) or whole(model.n_classes_) != K:
        attrs.faults.append("classes_ is not the labels of the data, or n_classes_ is not their number")
    return _check(attrs, data, blocks, tol)


@checker(*BAGGING, "oob_prediction_")
def check_bagging_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The draws of all members, three of them checked, answers on sampled rows."""
    return _check(Attributes(model, "estimators_"), _gather(model, blocks, 0), blocks, tol)


def _gather(model: Any, blocks: Blocks, K: int) -> Data:
    parts = list(blocks)
    if any(y is None for _, y, _ in parts):
        raise CertificateError("This check needs y: the targets or labels the model was fitted to.")
    X = np.concatenate([dense(x).astype(x.dtype) for x, _, _ in parts])
    Y = np.concatenate([np.asarray(y, dtype=np.float64).reshape(x.shape[0], -1) for x, y, _ in parts])
    w = np.concatenate([np.ones(x.shape[0]) if w is None else np.asarray(w, dtype=np.float64) for x, _, w in parts])
    if not (np.isfinite(Y).all() and np.isfinite(w).all() and (w >= 0).all() and (w > 0).any()):
        raise BadData("targets or weights are not finite, weights are negative, or all of them are zero")
    theirs = any(base.__module__.startswith("sklearn.ensemble") for base in type(model).__mro__)
    return Data(X, Y, w, any(w is not None for _, _, w in parts), theirs, K)


def _check(attrs: Attributes, data: Data, blocks: Blocks, tol: float) -> Findings:
    model, members = attrs.model, attrs.model.estimators_
    if not isinstance(members, (list, tuple)) or not 0 < len(members) == whole(attrs.parameter("n_estimators", 10)):
        attrs.faults.append("estimators_ does not hold n_estimators members")
    attrs.faults += unlike(attrs, members)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    stated = zip(model.estimators_samples_, model.estimators_features_, strict=True)
    bags = [Bag(np.ravel(rows).astype(np.intp), np.ravel(columns).astype(np.intp)) for rows, columns in stated]
    examples = None if data.theirs else distinct(data.X, data.Y, data.w)
    claims = [_bags_claim(attrs, bags, data, examples)]
    if not claims[0].holds:
        return claims, "one pass"
    parts = [_on_its_rows(attrs, bags, data, k) for k in spread(len(members), MEMBERS)]
    claims.append(members_claim(parts, len(members), tol))
    if attrs.flag("oob_score", False) or callable(getattr(model, "oob_score", None)):
        owner = np.arange(len(data.w)) if examples is None else examples.owner
        at, w = asked_again(len(data.w), len(members)), np.ones(len(data.w)) if data.theirs else data.w
        outside, slack = (~np.isin(owner[at], owner[bag.rows]) for bag in bags), _rounding(attrs, data.X.dtype)
        says = (_says(attrs, m, data.X[at][:, bag.columns], data) for m, bag in zip(members, bags, strict=True))
        claims += out_of_bag_claims(attrs, zip(outside, says, strict=True), at, data.Y, w, data.K, True, slack)
    claims += _answers(attrs, bags, data, sample_rows(blocks))
    return claims, f"{len(members)} members, {len(parts)} of them checked on their own rows"


def _bags_claim(attrs: Attributes, bags: list[Bag], data: Data, examples: Distinct | None) -> Claim:
    """The rows, in any order, and the columns are those that the seeds of the members draw."""
    model, T = attrs.model, len(attrs.model.estimators_)
    seeds = seeds_of(getattr(model, "random_state", None), T, data.theirs)
    if seeds is None and not data.theirs:
        found = [whole(getattr(member, "random_state", None)) for member in model.estimators_]
        seeds = np.array(found) if min(found) >= 0 else None
    wrong = T * (len(bags) != T)
    for bag, seed in zip(bags, seeds.tolist(), strict=False) if seeds is not None else ():
        drawn = _scikit_learn_bag(attrs, data, seed) if examples is None else _our_bag(attrs, data, examples, seed)
        same = np.array_equal(np.sort(bag.rows), np.sort(drawn.rows))
        wrong += not same or not np.array_equal(np.sort(bag.columns), np.sort(drawn.columns))
    origin = "as stated (random_state is no number)" if seeds is None else "those that random_state draws"
    sentence = f"Rows and columns of {T} members are {origin}; members where not."
    failure = "estimators_samples_ or estimators_features_ are not what random_state draws from this data."
    return at_most("bags", sentence, Grade.EXACT, wrong, 0, failure=failure)


def _n_columns(attrs: Attributes, d: int) -> int:
    count = attrs.parameter("max_features", 1.0)
    return int(count) if isinstance(count, (int, np.integer)) else max(1, int(real(count) * d))


def _our_bag(attrs: Attributes, data: Data, examples: Distinct, seed: int) -> Bag:
    d, again = data.X.shape[1], attrs.flag("bootstrap_features", False)
    draws = draws_of(getattr(attrs.model, "max_samples", None), float(examples.weights.sum()), len(examples.weights))
    often = examples.bootstrap(seed, draws) if attrs.flag("bootstrap", True) else subsample(examples, seed, draws)
    count, every = _n_columns(attrs, d), np.arange(d)
    columns = every if count == d and not again else np.random.default_rng([seed, 1]).choice(d, count, replace=again)
    return Bag(rows_of(examples, often), columns)


def _scikit_learn_bag(attrs: Attributes, data: Data, seed: int) -> Bag:
    (n, d), most, bootstrap = data.X.shape, getattr(attrs.model, "max_samples", None), attrs.flag("bootstrap", True)
    draws, rng = n if most is None else most, np.random.RandomState(seed)
    if not isinstance(draws, (int, np.integer)):
        draws = max(int(draws * (data.w.sum() if data.weighted else n)), 1)
    columns = _drawn(rng, d, _n_columns(attrs, d), attrs.flag("bootstrap_features", False))
    if data.weighted:
        return Bag(np.asarray(rng.choice(n, draws, replace=bootstrap, p=data.w / data.w.sum())), columns)
    return Bag(_drawn(rng, n, int(draws), bootstrap), columns)


def _drawn(rng: np.random.RandomState, n: int, k: int, replace: bool) -> NDArray:
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


def _on_its_rows(attrs: Attributes, bags: list[Bag], data: Data, k: int) -> tuple[Any, ArrayBlocks]:
    """Member k with what it was fitted to: draws as weights where it takes them, else as repeated rows."""
    member, rows, counts = attrs.model.estimators_[k], bags[k].rows, None
    if "sample_weight" in inspect.signature(member.fit).parameters:
        rows, counts = np.arange(len(data.w)), np.bincount(bags[k].rows, minlength=len(data.w)).astype(np.float64)
    Y = data.Y[rows] if data.Y.shape[1] > 1 else data.Y[rows, 0]
    Y = _labels(attrs, data)[Y.astype(np.intp)] if data.K else Y
    return member, ArrayBlocks(data.X[rows][:, bags[k].columns], Y, counts)


def _labels(attrs: Attributes, data: Data) -> NDArray:
    """What members answer for each class: scikit-learn's are fitted to codes, ours to the labels."""
    return np.arange(data.K) if data.theirs else np.asarray(attrs.model.classes_)


def _says(attrs: Attributes, member: Any, X: NDArray, data: Data) -> F64:
    """(rows, classes or outputs): the shares of a member, its vote where it has none, or its numbers."""
    shares = data.K > 0 and hasattr(member, "predict_proba")
    given = answer_of(member, "predict_proba" if shares else "predict", X)
    if isinstance(given, Claim):
        raise BadData(given.sentence)
    if not data.K:
        return given.reshape(len(X), -1).astype(np.float64)
    out, place = np.zeros((len(X), data.K)), {label: k for k, label in enumerate(_labels(attrs, data).tolist())}
    if shares:
        out[:, [place[label] for label in np.asarray(member.classes_).tolist()]] = given
    else:
        out[np.arange(len(X)), [place[label] for label in given.tolist()]] = 1.0
    return out


def _rounding(attrs: Attributes, dtype: Any) -> float:
    """Of a mean. Trees say the same of a row whatever else they are asked; others may add in another order."""
    members = attrs.model.estimators_
    other = 0.0 if hasattr(members[0], "tree_") else float(np.sqrt(np.finfo(dtype if dtype.kind == "f" else float).eps))
    return 4 * gamma(len(members) + 8) + other


def _answers(attrs: Attributes, bags: list[Bag], data: Data, X: NDArray) -> list[Claim]:
    """The ensemble answers with the mean of its members' answers."""
    model, members = attrs.model, [(m, X[:, bag.columns]) for m, bag in zip(attrs.model.estimators_, bags, strict=True)]
    values = np.stack([_says(attrs, member, rows, data) for member, rows in members])
    mean, slack, first = values.mean(axis=0), _rounding(attrs, X.dtype), "predict_proba" if data.K else "predict"
    if getattr(answer_of(model, first, X[:1]), "dtype", None) == np.float32:
        slack = max(slack, 4 * len(bags) * float(np.finfo(np.float32).eps))
    if not data.K:
        flat = mean[:, 0] if mean.shape[1] == 1 else mean
        return [numbers_claim(model, "predict", X, flat, slack * float(np.abs(values).max()) + 1e-300)]
    logs, given = np.log(np.maximum(mean, 1e-12)), answer_of(model, "predict_log_proba", X, mean.shape)
    if not isinstance(given, Claim):  # shares near zero may be told from zero or not
        logs = np.where(mean > 1e-12, logs, np.minimum(given, logs))
    claims = [
        numbers_claim(model, "predict_proba", X, mean, slack),
        numbers_claim(model, "predict_log_proba", X, logs, 64 * slack / np.maximum(mean, 1e-12)),
        labels_claim(model, X, mean, slack),
    ]
    if hasattr(model, "decision_function") and hasattr(members[0][0], "decision_function"):
        scores = np.stack([np.asarray(member.decision_function(rows), dtype=np.float64) for member, rows in members])
        bound = slack * float(np.abs(scores).max()) + 1e-300
        claims.append(numbers_claim(model, "decision_function", X, scores.mean(axis=0), bound))
    return claims
