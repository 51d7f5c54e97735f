"""Checkers of AdaBoostClassifier (SAMME) and AdaBoostRegressor (R2): every round re-derived.

Row i has the weight D₁(i) ∝ ωᵢ, and after a member with weight α, ε being its error under D,

    SAMME   D(i) ← D(i) e^α where the member is wrong    ε = D(wrong rows)    α = ν (log((1 − ε) / ε) + log(K − 1))
    R2      D(i) ← D(i) e^(−α (1 − Lᵢ))                  ε = Σ D L            α = ν log((1 − ε) / ε)

normalized, and not below 2⁻⁵² of the sum. The weights of a round are computed from the model's own α of the rounds
before, each of which is claimed to be right: so errors do not add up. A row that the vote gets wrong has W ≥ A/2, W the
sum of α over the members that are wrong on it and A that over all; so the share of such rows is at most
E e^(W − A/2) ≤ Π (1 − ε + ε e^α) e^(−α/2), for two classes and ν = 1 Π 2√(ε(1 − ε)).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.ensemble.member_claim import members_claim
from surefit.certificates.labels import labels_claim, places, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.hashing import distinct
from surefit.certificates.theorems.members import spread, unlike
from surefit.certificates.theorems.seeds import seeds_of
from surefit.certificates.theorems.trees.bags import draws_of
from surefit.certificates.theorems.trees.examples import from_scikit_learn, n_classes, read_examples
from surefit.certificates.theorems.worst import Worst

MEMBERS, WORK = 24, 1 << 23  # most members that are checked by their own checker, and rows × features of them all


@checker("estimators_", "estimator_weights_", "estimator_errors_", "estimator_", "classes_", "n_classes_", "predict",
         "predict_proba", "predict_log_proba", "decision_function")  # fmt: skip
@reads_labels
def check_ada_boost_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Every member on all rows; the trees of sampled rounds by their own checker."""
    attrs, (X, Y, w), rows = Attributes(model, "estimators_"), read_examples(blocks), sample_rows(blocks)
    K = n_classes(attrs, Y)
    alpha, error = _stated(attrs)
    if not attrs.faults:
        attrs.faults += unlike(attrs, model.estimators_, 1 if K else 3)
    if attrs.faults or Y.shape[1] != 1:
        return [bad_attributes(attrs)], "one pass"
    answers, some = ([_says(m, A, K, model) for m in model.estimators_] for A in (X.astype(rows.dtype), rows))
    claims = _rounds(attrs, (X, Y[:, 0], w), alpha, error, answers, K, tol)
    claims += _votes(model, rows, alpha, some, K) if K else [_median(model, rows, alpha, some)]
    return claims, f"{len(answers)} members on {len(X)} rows"


check_ada_boost_regressor = check_ada_boost_classifier


def _says(member: Any, X: NDArray, K: int, model: Any) -> NDArray:
    """What the member predicts: numbers, or the places of classes."""
    given = answer_of(member, "predict", X, (len(X),))
    if isinstance(given, Claim):
        raise BadData(f"a member does not answer: {given.sentence}")
    return places(model, given) if K else given


def _stated(attrs: Attributes) -> tuple[F64, F64]:
    """estimator_weights_ and estimator_errors_ of the members; past these they hold zeros and ones."""
    m, asked = len(attrs.model.estimators_), whole(attrs.parameter("n_estimators", 50))
    alpha, error = (attrs.array(f"estimator_{name}_", (asked,), (m,)) for name in ("weights", "errors"))
    if alpha is None or error is None or not 1 <= m <= asked or (alpha[m:] != 0).any() or (error[m:] != 1).any():
        attrs.faults.append("estimators_, their weights or errors are not those of 1 to n_estimators members")
        return np.zeros(0), np.zeros(0)
    return alpha[:m], error[:m]


def _rounds(
    attrs: Attributes, data: tuple[F64, F64, F64], alpha: F64, error: F64, answers: list[Any], K: int, tol: float
) -> list[Claim]:
    """The weights D of the rows, round by round, and what each round claims."""
    model, (X, y, w), rate, T = attrs.model, data, real(attrs.parameter("learning_rate", 1.0)), len(answers)
    D, log_bound, looked = w / w.sum(), 0.0, spread(T, int(np.clip(WORK / max(X.size, 1), 2, MEMBERS)))
    errors, weights, parts, draws = Worst(), Worst(), list[Any](), Draws(model, *data)
    for t, (a, answer) in enumerate(zip(alpha, answers, strict=True)):
        D = np.where(w > 0, np.maximum(D, 2.0**-52 * D.sum()), 0.0)
        D = D / D.sum()
        loss = (answer != y).astype(float) if K else _loss(np.abs(answer - y) * (w > 0), attrs.text("loss", "linear"))
        eps = float(D @ loss)
        rounding = gamma(len(w) + 8) + 8 * UNIT * (t + 2) * (40 + float(np.abs(alpha[:t]).sum()))
        errors.see(abs(error[t] - eps) / max(eps, UNIT) if error[t] != eps else 0.0, rounding)
        odds = rate * (np.log((1 - eps) / eps) + np.log(max(K - 1, 1))) if 0 < eps < 1 else 0.0
        should = 1.0 if eps <= 0 or error[t] == 0 else 0.0 if not K and eps >= 0.5 else odds
        weights.see(abs(a - should) / max(rate, abs(should)), 2 * rounding / max(1 - eps, UNIT))
        bag = (np.arange(len(w)), D) if K else draws.bag(t, D)
        if t in looked and bag is not None:
            labels = np.asarray(model.classes_)[y.astype(np.intp)] if K else y
            parts.append((model.estimators_[t], ArrayBlocks(X[bag[0]], labels[bag[0]], bag[1])))
        log_bound += np.log(1 - eps + eps * np.exp(a) + len(w) * 2.0**-51) - a / 2
        D = D * np.exp(a * loss if K else -a * (1 - loss))
    what, more = "the error of the members under the weights of their rounds", " + log(K − 1)" * (K > 2)
    told = f"estimator_errors_ is {what}, for all {T}; largest relative difference."
    claims = [errors.claim("errors", told, tol, f"estimator_errors_ is not {what}.")]
    told = f"Each member's weight is learning_rate · (log((1 − ε) / ε){more}); largest difference, relative."
    claims.append(weights.claim("weights", told, tol, "estimator_weights_ is not what the members' errors say."))
    if not parts or not hasattr(model.estimators_[0], "tree_"):
        hidden = "the members are no trees" if parts else "the rows drawn for each member cannot be seen"
        told = f"Whether each split was the best on offer is not told: {hidden}."
        claims.append(Claim("members", told, Grade.UNPROVED, None, None, True))
    else:  # of weights that are known to their roundings alone the numbers of nodes are not
        claims.append(members_claim(parts, T, tol, *(["nodes"] if K else [])))
    if T < whole(attrs.parameter("n_estimators", 50)) and error[-1] > 0:
        told = f"{T} members, fewer than asked for: whether the next, which is not kept, ended the fit is not told."
        claims.append(Claim("rounds", told, Grade.UNPROVED, None, None, True))
    return [*claims, _bound(y, w, alpha, answers, K, rate, log_bound)] if K > 1 else claims


def _loss(off: F64, kind: str) -> F64:
    """Of R2: the difference as a share of the largest, its square, or 1 − e^−share."""
    off = off / (off.max() or 1.0)
    return off**2 if kind == "square" else 1 - np.exp(-off) if kind == "exponential" else off


class Draws:
    """The rows drawn for each member of R2, from the seeds."""

    def __init__(self, model: Any, X: F64, y: F64, w: F64) -> None:
        seed, self.theirs = getattr(model, "random_state", None), from_scikit_learn(model)
        self.found, self.examples = [whole(m.random_state) for m in model.estimators_], distinct(X, y[:, None], w)
        expected = seeds_of(seed, len(self.found), False)
        if not self.theirs and expected is not None and expected.tolist() != self.found:
            raise BadData("the members have other seeds than random_state gives them")
        self.rng = np.random.RandomState(seed) if self.theirs and expected is not None else None

    def bag(self, t: int, D: F64) -> tuple[NDArray, F64] | None:
        """Rows and weights of the next member, t; None where they cannot be seen. A row that is drawn twice is two rows
        in scikit-learn's, in ours its weight is two."""
        if self.rng:
            if self.rng.randint(2**31 - 1) != self.found[t]:
                raise BadData("a member has another seed than random_state gives it")
            rows = self.rng.choice(len(D), size=len(D), p=D / D.sum())
            return rows, np.ones(len(rows))
        if self.theirs or self.found[t] < 0:
            return None
        seen, draws = (
            self.examples.owner >= 0,
            draws_of(None, float(self.examples.weights.sum()), len(self.examples.first)),
        )
        drawn = replace(self.examples, weights=np.bincount(self.examples.owner[seen], D[seen]))
        return self.examples.first, drawn.bootstrap(self.found[t], draws).astype(np.float64)


def _bound(y: F64, w: F64, alpha: F64, answers: list[Any], K: int, rate: float, log_bound: float) -> Claim:
    """The weight of rows that the vote gets wrong against Π (1 − ε + ε e^α) e^(−α/2)."""
    votes = sum(a * (answer[:, None] == np.arange(K)) for a, answer in zip(alpha, answers, strict=True))
    wrong, bound = float(w @ (votes.argmax(axis=1) != y) / w.sum()), float(np.exp(min(log_bound, 0.0)))
    what = "Π 2√(ε(1 − ε))" if K == 2 and rate == 1 else "Π (1 − ε + ε e^α) e^(−α/2)"
    sentence = f"The share of the weight classified wrongly is at most {what}{' (1 here)' * (bound == 1)}."
    failure = "The training error is above the bound that the members' errors give."
    return at_most("training_error", sentence, Grade.GREEDY, wrong, bound * (1 + 1e-9), failure=failure)


def _votes(model: Any, X: NDArray, alpha: F64, answers: list[Any], K: int) -> list[Claim]:
    """decision_function, predict and shares: Σ α (1 where the member says the class, else −1/(K − 1)) / Σ α."""
    if K == 1:
        return [labels_claim(model, X, np.ones((len(X), 1)), 0.0)]
    cast = [np.where(said[:, None] == np.arange(K), a, -a / (K - 1)) for a, said in zip(alpha, answers, strict=True)]
    score = np.sum(cast, axis=0) / alpha.sum()
    rounding = (len(alpha) + 8) * 8 * UNIT * float(np.abs(alpha).sum() / abs(alpha.sum()))
    logits = score if K == 2 else score / (K - 1)
    logs = logits - logits.max(axis=1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return [
        numbers_claim(model, "decision_function", X, 2 * score[:, 1] if K == 2 else score, 2 * rounding),
        labels_claim(model, X, score, 2 * rounding),
        numbers_claim(model, "predict_proba", X, np.exp(logs), 4 * rounding),
        numbers_claim(model, "predict_log_proba", X, logs, 8 * rounding * (1 + np.abs(logs))),
    ]


def _median(model: Any, X: NDArray, alpha: F64, answers: list[Any]) -> Claim:
    """predict is the weighted median of the members' answers; either neighbor where the weights leave it open."""
    P = np.stack(answers, axis=1).astype(np.float64)
    order = np.argsort(P, axis=1, kind="stable")
    total, values = np.cumsum(alpha[order], axis=1), np.take_along_axis(P, order, axis=1)
    slack, rows = 1e-12 * total[:, -1:], np.arange(len(P))
    low, high = ((total >= total[:, -1:] / 2 + s).argmax(axis=1) for s in (-slack, slack))
    expected, other = values[rows, low], values[rows, np.maximum(low, high)]
    return numbers_claim(model, "predict", X, expected, np.abs(other - expected) + 4 * UNIT * np.abs(expected))
