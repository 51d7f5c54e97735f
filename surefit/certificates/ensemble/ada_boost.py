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

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.labels import labels_claim, places, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.boosting.copies import unlike
from surefit.certificates.theorems.hashing import distinct
from surefit.certificates.theorems.trees.examples import Examples, from_scikit_learn, read_examples
from surefit.certificates.theorems.trees.members import MEMBERS, answers_of, looked_at
from surefit.certificates.theorems.trees.replay import WORK, Replay
from surefit.certificates.theorems.worst import Worst

COVERS = ("estimators_", "estimator_weights_", "estimator_errors_", "estimator_", "predict")


@checker(*COVERS, "classes_", "n_classes_", "predict_proba", "predict_log_proba", "decision_function")
@reads_labels
def check_ada_boost_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Every member on all rows; the trees of sampled rounds, every split on offer."""
    attrs = Attributes(model, "estimators_")
    K = read_classes(attrs, 1)
    if whole(getattr(model, "n_classes_", K)) != K:
        attrs.faults.append("n_classes_ is not the number of classes")
    return _check(attrs, blocks, tol, K or 0)


@checker(*COVERS)
def check_ada_boost_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Every member on all rows; the trees of sampled rounds, every split on offer."""
    return _check(Attributes(model, "estimators_"), blocks, tol, 0)


def _check(attrs: Attributes, blocks: Blocks, tol: float, K: int) -> Findings:
    data, X = read_examples(attrs.model, blocks, single=False), sample_rows(blocks)
    if data.Y.shape[1] != 1 or (K and (data.Y < 0).any()):
        raise BadData("the target is not one column, or has labels that are not in classes_")
    alpha, error = _stated(attrs)
    if not attrs.faults:
        attrs.faults += unlike(attrs, 1 if K else 3)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    members = attrs.model.estimators_
    answers, some = ([answers_of(member, rows) for member in members] for rows in (data.X.astype(data.dtype), X))
    if K:
        answers, some = ([places(attrs.model, a) for a in each] for each in (answers, some))
    rounds = Rounds(attrs, data, alpha, error, answers, K)
    claims = rounds.claims(tol)
    claims += _votes(attrs.model, X, alpha, some) if K else [_median(attrs.model, X, alpha, some)]
    return claims, f"{len(answers)} members on {len(data.X)} rows; splits of {rounds.n_replayed} trees"


def _stated(attrs: Attributes) -> tuple[F64, F64]:
    """estimator_weights_ and estimator_errors_ of the members; past these zeros and ones."""
    model, asked = attrs.model, whole(attrs.parameter("n_estimators", 50))
    m = len(model.estimators_) if isinstance(model.estimators_, (list, tuple, np.ndarray)) else 0
    if not 1 <= m <= asked:
        attrs.faults.append(f"estimators_ does not hold 1 to n_estimators={asked} members")
        return np.zeros(0), np.zeros(0)
    shapes = ((asked,), (m,))
    alpha, error = attrs.array("estimator_weights_", *shapes), attrs.array("estimator_errors_", *shapes)
    if alpha is None or error is None:
        return np.zeros(0), np.zeros(0)
    if (alpha[m:] != 0).any() or (error[m:] != 1).any():
        attrs.faults.append("estimator_weights_ or estimator_errors_ speak of members that are not there")
    return alpha[:m], error[:m]


class Rounds:
    """The weights of rows, round by round."""

    def __init__(self, attrs: Attributes, data: Examples, alpha: F64, error: F64, answers: list[Any], K: int) -> None:
        self.attrs, self.data, self.alpha, self.error, self.answers, self.K = attrs, data, alpha, error, answers, K
        self.rate, self.n_replayed = real(attrs.parameter("learning_rate", 1.0)), 0
        self.y, self.log_bound = data.Y[:, 0], 0.0
        self.rng = np.random.RandomState(max(0, whole(getattr(attrs.model, "random_state", None))) % 2**32)

    def claims(self, tol: float) -> list[Claim]:
        model, w, n = self.attrs.model, self.data.w, len(self.data.w)
        log_D, errors, weights, found = np.log(w / w.sum()), Worst(), Worst(), Replay()
        trees, hidden = looked_at(self.data.X, len(self.answers)), ""
        for t, answer in enumerate(self.answers):
            log_sum = _log_sum(log_D)
            log_D = np.where(w > 0, np.maximum(log_D, log_sum + math.log(2.0**-52)), -np.inf)
            D = np.exp(log_D - _log_sum(log_D))
            loss = (answer != self.y).astype(float) if self.K else self._loss(answer, w > 0)
            eps = float(D @ loss)
            rounding = gamma(n + 8) + 8 * UNIT * (t + 2) * (40 + float(np.abs(self.alpha[:t]).sum()))
            self._judge(t, eps, rounding, errors, weights)
            drawn = None if self.K else self._drawn(model.estimators_[t], D)
            if t in trees:
                hidden = hidden or self._replay(model.estimators_[t], D if self.K else drawn, found)
            a = float(self.alpha[t])
            self.log_bound += math.log(1 - eps + eps * math.exp(min(a, 700.0)) + n * 2.0**-51) - a / 2
            log_D = log_D + (a * loss if self.K else -a * (1 - loss))
        self.n_replayed = 0 if hidden else len(trees)
        what, more = "the error of the members under the weights of their rounds", " + log(K − 1)" * (self.K > 2)
        sentence = f"estimator_errors_ is {what}, for all {len(self.answers)}; largest relative difference."
        first = errors.claim("errors", sentence, tol, f"estimator_errors_ is not {what}.")
        sentence = f"Each member's weight is learning_rate · (log((1 − ε) / ε){more}); largest difference, relative."
        second = weights.claim("weights", sentence, tol, "estimator_weights_ is not what the members' errors say.")
        ends = [self._end()] if len(self.answers) < whole(self.attrs.parameter("n_estimators", 50)) else []
        claims = [first, second, *ends]
        if hidden:
            told = f"Whether each split was the best on offer is not told: {hidden}."
            claims.append(Claim("splits", told, Grade.UNPROVED, None, None, True))
        else:
            claims += found.claims(tol, f" of {len(trees)} of {len(self.answers)} trees")[1:]
        return [*claims, self._bound()] if self.K > 1 else claims

    def _judge(self, t: int, eps: float, rounding: float, errors: Worst, weights: Worst) -> None:
        errors.see(abs(self.error[t] - eps) / max(eps, UNIT) if self.error[t] != eps else 0.0, rounding)
        if eps <= 0 or self.error[t] == 0:
            alpha = 1.0
        elif not self.K and eps >= 0.5:
            alpha = 0.0
        else:
            odds = math.log((1 - eps) / eps) + math.log(max(self.K - 1, 1)) if eps < 1 else 0.0
            alpha = self.rate * odds
        weights.see(abs(self.alpha[t] - alpha) / max(self.rate, abs(alpha)), 2 * rounding / max(1 - eps, UNIT))

    def _loss(self, answer: F64, there: F64) -> F64:
        """Of R2: |y − answer| as a share of the largest, its square, or 1 − e^−share."""
        off = np.where(there, np.abs(answer.astype(np.float64) - self.y), 0.0)
        off = off / (off.max() or 1.0)
        kind = self.attrs.text("loss", "linear")
        return off**2 if kind == "square" else 1 - np.exp(-off) if kind == "exponential" else off

    def _drawn(self, member: Any, D: F64) -> F64 | None:
        """How often each row was drawn for a member of R2, from the seeds; None where they cannot be seen."""
        seed, n = whole(getattr(member, "random_state", None)), len(D)
        if not from_scikit_learn(self.attrs.model):
            rows = distinct(self.data.X, self.data.Y, D)
            counts = np.zeros(n)
            counts[rows.first] = rows.bootstrap(seed, max(1, round(float(self.data.w.sum())))) if seed >= 0 else 0
            return counts if seed >= 0 else None
        if whole(getattr(self.attrs.model, "random_state", None)) < 0 or seed < 0:
            return None
        if self.rng.randint(2**31 - 1) != seed:
            raise BadData("a member has another random_state than the ensemble's gives it")
        return np.bincount(self.rng.choice(n, size=n, p=D / D.sum()), minlength=n).astype(np.float64)

    def _replay(self, member: Any, w: F64 | None, found: Replay) -> str:
        """The tree of one round by its own checker; why not, where it cannot be."""
        if not hasattr(member, "tree_") or w is None:
            return "the members are no trees" if w is not None else "the rows drawn for each member cannot be seen"
        rows = np.arange(len(w)) if self.K else np.repeat(np.arange(len(w)), w.astype(np.intp))
        w = w if self.K else np.ones(len(rows))  # rows drawn twice are two rows
        found.tree(member, self.data.X[rows], self.data.Y[rows], w, self.K, 2 * WORK / MEMBERS, gaps=False)
        return ""

    def _end(self) -> Claim:
        """Fewer members than asked for: the last was perfect, or the next no better than chance (which is not kept)."""
        ended = f"Boosting ended after {len(self.answers)} rounds"
        if self.error[-1] == 0:
            return Claim("end", f"{ended}: the last member is never wrong.", Grade.GREEDY, None, None, True)
        reason = "the next member, which is not kept and not checked, was no better than chance"
        return Claim("end", f"{ended}: {reason}.", Grade.UNPROVED, None, None, True)

    def _bound(self) -> Claim:
        """The weight of rows that the vote gets wrong against Π (1 − ε + ε e^α) e^(−α/2)."""
        votes, w = np.zeros((len(self.y), self.K)), self.data.w
        for a, answer in zip(self.alpha, self.answers, strict=True):
            votes[np.arange(len(votes)), answer] += np.where(answer >= 0, a, 0.0)
        wrong = float(w @ (votes.argmax(axis=1) != self.y) / w.sum())
        bound = math.exp(min(self.log_bound, 0.0))
        what = "Π 2√(ε(1 − ε))" if self.K == 2 and self.rate == 1 else "Π (1 − ε + ε e^α) e^(−α/2)"
        sentence = f"The share of the weight classified wrongly is at most {what}{' (1 here)' * (bound == 1)}."
        failure = "The training error is above the bound that the members' errors give."
        return at_most("training_error", sentence, Grade.GREEDY, wrong, bound * (1 + 1e-9), failure=failure)


def _log_sum(x: F64) -> float:
    top = float(x.max())
    return top + math.log(float(np.exp(x - top).sum()))


def _votes(model: Any, X: NDArray, alpha: F64, answers: list[Any]) -> list[Claim]:
    """decision_function, predict and shares: Σ α (1 where the member says the class, else −1/(K − 1)) / Σ α."""
    K = len(model.classes_)
    if K == 1:
        return [labels_claim(model, X, np.ones((len(X), 1)), 0.0)]
    score = np.zeros((len(X), K))
    for a, answer in zip(alpha, answers, strict=True):
        score += np.where(answer[:, None] == np.arange(K), a, -a / (K - 1))
    score, rounding = score / alpha.sum(), (len(alpha) + 8) * 8 * UNIT * float(np.abs(alpha).sum() / abs(alpha.sum()))
    given = 2 * score[:, 1] if K == 2 else score
    logits = np.stack([-score[:, 1], score[:, 1]], axis=1) if K == 2 else score / (K - 1)
    logs = logits - logits.max(axis=1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return [
        numbers_claim(model, "decision_function", X, given, 2 * rounding),
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
