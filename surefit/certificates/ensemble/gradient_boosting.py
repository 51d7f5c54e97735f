"""Checkers of GradientBoostingClassifier and GradientBoostingRegressor: every stage re-derived.

f starts at the best constant (or zero, or what `init` predicts). Each stage's tree is a greedy tree of the weighted
squared error for minus the slopes g of the loss (in sampled stages), and its leaves hold the step of the loss; for
several classes (K − 1) / K of it. Then f ← f + learning_rate · tree.

With `line_search` leaves hold the mean of −g, and f ← f + learning_rate · s · tree, where s minimizes the loss: before
s (1 − 1e-6) it falls, behind s (1 + 1e-6) it rises, so by convexity the minimum is in between. Of a base regressor of
one's own the answers are taken as they are.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, failed
from surefit.certificates.ensemble.boosted_rows import kept_rows, read_rows
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import answer_of
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.boosting.answers import class_answers, number_answers, trace_claim
from surefit.certificates.theorems.boosting.kinks import Huber, Kinks, pinball
from surefit.certificates.theorems.boosting.losses import exponential, log_loss, poisson, squared_error
from surefit.certificates.theorems.boosting.splits import Splits
from surefit.certificates.theorems.boosting.steps import TINY, Steps
from surefit.certificates.theorems.boosting.trees import Tree
from surefit.certificates.theorems.worst import Worst

COVERS = ("estimators_", "init_", "train_score_", "validation_score_", "n_estimators_", "n_trees_per_iteration_",
          "max_features_", "step_sizes_", "predict")  # fmt: skip


@checker(*COVERS, "classes_", "n_classes_", "predict_proba", "decision_function")
@reads_labels
def check_gradient_boosting_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All stages: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "estimators_")
    K, loss = read_classes(attrs) or 0, str(attrs.parameter("loss", ""))
    log_steps = partial(Steps, log_loss, flat=4 * UNIT, factor=2.0 if K == 2 else 1.0)
    losses, half = {"log_loss": log_steps, "exponential": partial(Steps, exponential)}, 0.5 + 0.5 * (loss != "log_loss")

    def started(X: Any) -> F64:
        p = np.clip(answer_of(model.init_, "predict_proba", X), 2 * UNIT, 1 - 2 * UNIT)
        logs = np.log(p) - np.log(p).mean(axis=1, keepdims=True)
        return logs if K > 2 else logs[:, 1:] / half

    claims, end = _replayed(attrs, read_rows(blocks, True), tol, K, losses.get(loss), started)
    return [*claims, *class_answers(model, blocks, end, half)], "rows × trees; in some also × columns"


@checker(*COVERS)
def check_gradient_boosting_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All stages: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "estimators_")
    loss, q = str(attrs.parameter("loss", "")), real(attrs.parameter("alpha", 0.9))
    losses = {
        "squared_error": partial(Steps, squared_error, factor=2.0),
        "poisson": partial(Steps, poisson, log_link=True),
        "absolute_error": partial(Kinks, partial(pinball, up=1.0, down=1.0)),
        "quantile": partial(Kinks, partial(pinball, up=q, down=1 - q), q=q),
        "huber": partial(Huber, None, share=q),
    }

    def started(X: Any) -> F64:
        means = np.asarray(answer_of(model.init_, "predict", X), dtype=np.float64).reshape(len(X), 1)
        return np.log(np.maximum(means, 2 * UNIT)) if loss == "poisson" else means

    claims, end = _replayed(attrs, read_rows(blocks, False), tol, 1, losses.get(loss), started)
    return [*claims, *number_answers(model, blocks, end)], "rows × trees; in some also × columns"


def _replayed(attrs: Attributes, data: Any, tol: float, K: int, steps: Any, started: Any) -> tuple[list[Claim], Steps]:
    """The claims about all stages, and the raw predictions after them."""
    model, theirs, (X, y, w) = attrs.model, not hasattr(attrs.model, "step_sizes_"), data
    if steps is None:
        raise BadData(f"stages of the loss {model.loss!r} are not replayed")
    init, stops, line = (attrs.parameter(name, None) for name in ("init", "n_iter_no_change", "line_search"))
    X, stages = X.astype(np.float32) if theirs else X, _stages(attrs, K, X.shape[1], stops is not None)
    f = np.zeros((len(y), stages.shape[1])) if isinstance(init, str) and init == "zero" else started(X)
    train = np.where(kept_rows(attrs, X, y, w, K > 1), 0.0, w) if stops and not theirs else w
    at = steps(y=y, w=train, f=f, newton=not line and not attrs.has("estimator"))
    hidden = "which rows were kept for validation" if stops and theirs else ""
    hidden = "the rows drawn for each stage" if real(attrs.parameter("subsample", 1.0)) < 1 else hidden
    if init is None and not hidden:
        at.start(theirs and bool((w == 1).all()))
    claims = _claims(attrs, at, stages, X, w - train, tol)
    return [failed("stages", f"Stages cannot be replayed: {hidden} cannot be seen.")] if hidden else claims, at


def _stages(attrs: Attributes, K: int, d: int, stops: bool) -> Any:
    """estimators_ (stages, width), as many as n_estimators_ and, unless stopped early, n_estimators say."""
    stages, asked = np.asarray(attrs.model.estimators_, dtype=object), whole(attrs.parameter("n_estimators", 100))
    n, width, d = len(stages), K if K > 2 else 1, -1 if attrs.has("max_features") else d
    said = {"n_estimators_": n, "n_trees_per_iteration_": width, "n_classes_": K, "max_features_": d}
    attrs.faults += [f"{name} is not {v}" for name, v in said.items() if v >= 0 and getattr(attrs.model, name, v) != v]
    if not attrs.parameter("line_search", False) and list(getattr(attrs.model, "step_sizes_", [1] * n)) != [1] * n:
        attrs.faults.append("step_sizes_ are not one without a line search")
    if attrs.faults or stages.shape != (n, width) or not 0 < n <= asked or (n < asked and not stops):
        raise BadData("; ".join([*attrs.faults, f"there are {n} stages, and n_estimators={asked} of {width} members"]))
    return stages


def _claims(attrs: Attributes, at: Steps, stages: Any, X: Any, w_kept: F64, tol: float) -> list[Claim]:
    """Every stage replayed: leaf values of all trees, splits of some, steps, the trace of the loss."""
    (T, width), line, own = stages.shape, attrs.parameter("line_search", False), attrs.has("estimator")
    rate, steps = real(attrs.parameter("learning_rate", 0.1)), attrs.model.step_sizes_ if line else np.ones(T)
    searched, rises, share = Worst(), Worst(), (width - 1) / width if width > 1 and at.newton else 1.0
    traces: Any = [("train_score_", at.w, []), ("validation_score_", w_kept, [])]
    splits, pure = _splits(attrs, X, at.w, stages.size), 2.0**-52 * (not hasattr(attrs.model, "step_sizes_"))
    for t, stage in enumerate(stages):
        slopes, moves = at.slopes(), np.zeros_like(at.f)
        for k, member in enumerate(stage):
            if own:
                moves[:, k] = answer_of(member, "predict", X, (len(X),))
                continue
            nodes = member.tree_
            tree = Tree(nodes.children_left, nodes.children_right, nodes.feature, nodes.threshold, nodes.value)
            rows = tree.rows(X)
            for leaf in tree.leaves:
                moves[rows[leaf], k] = tree.value[leaf]
                at.leaf(float(tree.value[leaf]), share, rows[leaf], k, slopes)
            if t * width + k in splits.chosen:
                terms = np.column_stack([slopes[0][:, k], at.w, at.w > 0])
                splits.see(tree, rows, terms, np.column_stack([slopes[2][:, k], 1e-12 * at.w]), pure)
                splits.midway(tree, rows, X, at.w)
        if line:
            _line(at, moves, float(steps[t]), slopes[2], searched)
        at.add(rate * float(steps[t]) * moves)
        for _, w, trace in traces:
            trace.append(at.mean_loss(w))
    told = "How members of one's own were fitted is not checked."
    claims = [at.claim(tol), Claim("splits", told, Grade.UNPROVED, None, None, True) if own else splits.claim(tol)]
    if line:
        sentence = f"Each of {T} steps minimizes the loss along its member, or ends at a move of 32; relative slope."
        claims.append(searched.claim("line_search", sentence, tol, "A step does not minimize the loss."))
        for (before, _), (after, rounding) in pairwise(traces[0][2]):
            unit = max(abs(before), TINY)
            rises.see(float(np.maximum(0.0, after - before)) / unit, 0.0, 2 * rounding / unit)
        claims.append(rises.claim("never_rises", "The loss never rises; largest rise, relative.", 0.0, "It rises."))
    return claims + [trace_claim(attrs.model, name, trace, at.factor, tol) for name, w, trace in traces if w.any()]


def _splits(attrs: Attributes, X: Any, w: F64, n_trees: int) -> Splits:
    """Edges are all values; scikit-learn takes neighbors within 1e-7 as equal."""
    theirs, values = not hasattr(attrs.model, "step_sizes_"), [np.unique(x) for x in X.T]
    edges = [v[:-1][v[1:] > v[:-1] + np.float32(1e-7 * theirs)] for v in values]
    n, share = len(w) if theirs else np.count_nonzero(w), real(attrs.parameter("min_weight_fraction_leaf", 0.0))
    return Splits(attrs, X, edges, int(n), share * float(w.sum()), n_trees)


def _line(at: Steps, moves: F64, s: float, off: F64, worst: Worst) -> None:
    """How steeply the loss rises before the step s or falls behind it, relative to the sum of the sizes of its slopes.

    A step may end, with the loss still falling, where the raw prediction of a row has moved by 32.
    """
    width, far = 1e-6 * max(abs(s), 1e-12), float(np.abs(s * moves).max()) >= 32 * (1 - 1e-9)
    for sign in (np.sign(s),) if far else (1.0, -1.0):
        _, g, _ = at.loss(at.y, at.f + (s - sign * width) * moves)
        slopes = sign * at.w[:, None] * g * moves
        size, excuse = max(float(np.abs(slopes).sum()), TINY), float((off * np.abs(moves)).sum())
        worst.see(float(np.maximum(0.0, slopes.sum())) / size, gamma(slopes.size), excuse / size)
