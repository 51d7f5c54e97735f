"""Checkers of GradientBoostingClassifier and GradientBoostingRegressor: every stage re-derived.

f starts at the best constant (or at what `init` predicts). In each stage the slopes g of the loss are recomputed. The
stage's tree is a greedy tree of the weighted squared error for −g (in sampled stages), and its leaves hold the step of
the loss; for several classes (K − 1) / K of it. Then f ← f + learning_rate · tree.

With `line_search` leaves hold the mean of −g, and f ← f + learning_rate · s · tree, where s minimizes the loss: before
s (1 − 1e-6) it falls, behind s (1 + 1e-6) it rises, so by convexity the minimum is in between. Of a base regressor of
one's own the answers are taken as they are.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, failed
from surefit.certificates.ensemble.kept_rows import kept_rows
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import answer_of
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.boosting.answers import answer_claims, trace_claim
from surefit.certificates.theorems.boosting.losses import loss_at
from surefit.certificates.theorems.boosting.rows import read_rows
from surefit.certificates.theorems.boosting.splits import Splits, looked_at
from surefit.certificates.theorems.boosting.steps import TINY, Steps
from surefit.certificates.theorems.boosting.trees import read_tree
from surefit.certificates.theorems.worst import Worst

COVERS = ("estimators_", "init_", "train_score_", "validation_score_", "n_estimators_", "n_trees_per_iteration_",
          "max_features_", "step_sizes_", "predict")  # fmt: skip
FAR = 32.0


@checker(*COVERS, "classes_", "n_classes_", "predict_proba", "predict_log_proba", "decision_function")
@reads_labels
def check_gradient_boosting_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All stages: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "estimators_")
    return _check(attrs, blocks, tol, attrs.text("loss", "log_loss"), read_classes(attrs) or 2)


@checker(*COVERS)
def check_gradient_boosting_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All stages: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "estimators_")
    return _check(attrs, blocks, tol, attrs.text("loss", "squared_error"), 0)


def _check(attrs: Attributes, blocks: Blocks, tol: float, loss: str, K: int) -> Findings:
    model, theirs, (X, y, w) = attrs.model, not hasattr(attrs.model, "step_sizes_"), read_rows(blocks, K > 0)
    if not isinstance(getattr(model, "loss", loss), str):
        return [failed("loss", "The loss is an object of the user's own: its stages are not replayed.")], "nothing"
    stages, stops = np.asarray(model.estimators_, dtype=object), getattr(model, "n_iter_no_change", None) is not None
    _sizes(attrs, stages, K, X.shape[1], stops)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    X = X.astype(np.float32) if theirs else X
    train = np.where(kept_rows(attrs, X, y, w, K > 0), 0.0, w) if stops and not theirs else w
    grown = not attrs.flag("line_search", False) and getattr(model, "estimator", None) is None
    at = Steps(loss, y, train, _started(model, X, loss, K), real(attrs.parameter("alpha", 0.9)), newton=grown)
    hidden = "which rows were kept for validation" if stops and theirs else ""
    hidden = "the rows drawn for each stage" if real(attrs.parameter("subsample", 1.0)) < 1 else hidden
    if getattr(model, "init", None) is None and not hidden:
        at.start(theirs and bool((w == 1).all()))
    n, least = len(w) if theirs else np.count_nonzero(train), real(attrs.parameter("min_weight_fraction_leaf", 0.0))
    none, pure = np.zeros(X.shape[1], dtype=bool), 2.0**-52 * theirs  # what scikit-learn calls pure
    splits = Splits(attrs, _ranks(X, theirs), none, int(n), least * float(train.sum()), pure)
    claims = _stages(attrs, at, stages, X, splits, w - train, tol)
    if hidden:
        claims = [failed("stages", f"Stages cannot be replayed: {hidden} cannot be seen.")]
    return [*claims, *answer_claims(model, blocks, at)], f"{len(y)} rows × {stages.size} trees; in some also × columns"


def _sizes(attrs: Attributes, stages: Any, K: int, d: int, stops: bool) -> None:
    """estimators_ (stages, width), as many as n_estimators_ and, unless stopped early, n_estimators say."""
    asked, n, width = whole(attrs.parameter("n_estimators", 100)), len(stages), max(1, K * (K > 2))
    if stages.shape != (n, width) or not 0 < n <= asked or (n < asked and not stops):
        attrs.faults.append(f"estimators_ is not an array of {asked} stages of {width} members")
    numbers = {"n_estimators_": n, "n_trees_per_iteration_": width, "n_classes_": K, "max_features_": d}
    for name in list(numbers)[: 3 if attrs.has("max_features") else 4]:
        if whole(getattr(attrs.model, name, numbers[name])) != numbers[name]:
            attrs.faults.append(f"{name} is not {numbers[name]}")
    if not attrs.flag("line_search", False) and np.any(np.asarray(getattr(attrs.model, "step_sizes_", 1.0)) != 1):
        attrs.faults.append("step_sizes_ are not one without a line search")


def _started(model: Any, X: Any, loss: str, K: int) -> F64:
    """What init_ predicts, as raw predictions (n, 1), or (n, K) with mean zero for more than two classes."""
    if isinstance(model.init_, str) and model.init_ == "zero":
        return np.zeros((len(X), max(1, K * (K > 2))))
    means, eps = answer_of(model.init_, "predict_proba" if K else "predict", X), np.finfo(float).eps
    if not K:
        means = np.asarray(means, dtype=np.float64).reshape(len(X), 1)
        return np.log(np.maximum(means, eps)) if loss == "poisson" else means
    logs = np.log(np.clip(means, eps, 1 - eps))
    logs -= logs.mean(axis=1, keepdims=True)
    return logs if K > 2 else logs[:, 1:] * (1 if loss == "exponential" else 2)


def _ranks(X: Any, theirs: bool) -> Any:
    """The places of values in their columns; scikit-learn takes neighbors within 1e-7 as equal, in float32."""
    places = np.zeros(X.shape)
    for j, x in enumerate(X.T):
        v, place = np.unique(x, return_inverse=True)
        places[:, j] = np.append(0, np.cumsum(v[1:] > v[:-1] + np.float32(1e-7 * theirs)))[place]
    return places


def _stages(attrs: Attributes, at: Steps, stages: Any, X: Any, splits: Splits, w_kept: F64, tol: float) -> list[Claim]:
    """Every stage replayed: leaf values of all trees, splits of some, steps, the trace of the loss."""
    model, (T, width), own = attrs.model, stages.shape, getattr(attrs.model, "estimator", None) is not None
    rate, steps = real(attrs.parameter("learning_rate", 0.1)), np.asarray(getattr(model, "step_sizes_", np.ones(T)))
    share = (width - 1) / width if width > 1 and at.newton else 1.0
    lines, trace, trace_kept, chosen = Worst(), [], [], looked_at(stages.size, X.size)
    for t, stage in enumerate(stages):
        slopes, moves = at.slopes(), np.zeros_like(at.f)
        for k, member in enumerate(stage):
            if own:
                moves[:, k] = answer_of(member, "predict", X, (len(X),))
                continue
            tree = read_tree(member.tree_)
            rows = tree.rows(X)
            moves[:, k] = tree.answers(rows)
            for leaf in tree.leaves:
                at.leaf(float(tree.value[leaf]), share, rows[leaf], k, slopes)
            if t * width + k in chosen:
                terms = np.column_stack([slopes[0][:, k, 0], at.w, at.w > 0])
                splits.see(tree, rows, terms, np.column_stack([slopes[1][:, k, 0], 1e-12 * at.w]))
                splits.midway(tree, rows, X, at.w)
        if attrs.flag("line_search", False):
            _line(at, moves, float(steps[t]), slopes[1][:, :, 0], lines)
        for k in range(width):
            at.move(k, rate * float(steps[t]) * moves[:, k])
        trace.append(at.mean_loss(at.w))
        trace_kept += [at.mean_loss(w_kept)] if w_kept.any() else []
    told = "How members of one's own were fitted is not checked."
    unknown = Claim("splits", told, Grade.UNPROVED, None, None, True)
    claims = [at.claim(tol), unknown if own else splits.claim(tol, "on offer")]
    if lines.count:
        sentence = f"Each of {T} steps minimizes the loss along its member, or ends at a move of 32; relative slope."
        claims.append(lines.claim("line_search", sentence, tol, "A step does not minimize the loss."))
        claims.append(_never_rises(trace))
    factor = 2.0 if at.loss == "squared_error" or (at.loss == "log_loss" and width == 1) else 1.0
    claims.append(trace_claim(attrs, "train_score_", trace, factor, tol))
    return claims + ([trace_claim(attrs, "validation_score_", trace_kept, factor, tol)] if trace_kept else [])


def _never_rises(trace: list[tuple[float, float]]) -> Claim:
    rises = Worst()
    for (before, _), (after, rounding) in pairwise(trace):
        unit = max(abs(before), TINY)
        rises.see(float(np.maximum(0.0, after - before)) / unit, 0.0, 2 * rounding / unit)
    return rises.claim("never_rises", "The loss never rises; largest relative rise.", 0.0, "The loss rises.")


def _line(at: Steps, moves: F64, s: float, off: F64, worst: Worst) -> None:
    """How steeply the loss rises before the step s or falls behind it, relative to the sum of the sizes of its slopes.

    A step may end, with the loss still falling, where the raw prediction of a row has moved by 32.
    """
    width, far = 1e-6 * max(abs(s), 1e-12), float(np.abs(s * moves).max()) >= FAR * (1 - 1e-9)
    for sign in (np.sign(s),) if far else (1.0, -1.0):
        g = loss_at(at.loss, at.y, at.f + (s - sign * width) * moves, at.level)[1]
        slopes = sign * at.w[:, None] * g * moves
        size = max(float(np.abs(slopes).sum()), TINY)
        worst.see(
            float(np.maximum(0.0, slopes.sum())) / size, gamma(slopes.size), float((off * np.abs(moves)).sum()) / size
        )
