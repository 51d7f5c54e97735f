"""Checkers of GradientBoostingClassifier and GradientBoostingRegressor: every stage re-derived.

f starts at the best constant (or at what `init` predicts). In each stage r = −ℓ′(y, f) is recomputed, the stage's tree
is a greedy tree of the weighted squared error for r (replayed in sampled stages), and its leaves hold the loss's step:

    squared_error        mean of r                             absolute_error, quantile   median, quantile of y − f
    log_loss, exponential, poisson    Σ w r / Σ w ℓ″           huber   median m, then the mean of y − f − m cut at ±δ
    multinomial          the same times (K − 1) / K

With `line_search` (or a base regressor of one's own) members are kept as fitted, and the step s of a stage minimizes
the loss along them: at s(1 ± 1e-6) its derivative has opposite signs, so by convexity nothing is lower by more than its
size times that distance. Then f ← f + learning_rate · s · tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, failed
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.boosting.answers import Trace, answer_claims, check_seed, start_claim
from surefit.certificates.theorems.boosting.holdout import held_out
from surefit.certificates.theorems.boosting.losses import POINTED, loss_at, quantile, raw_of_mean
from surefit.certificates.theorems.trees.examples import Examples, from_scikit_learn, read_examples
from surefit.certificates.theorems.trees.members import MEMBERS, answers_of, looked_at
from surefit.certificates.theorems.trees.nodes import nodes_of
from surefit.certificates.theorems.trees.replay import WORK, Replay
from surefit.certificates.theorems.worst import Worst

COVERS = ("estimators_", "init_", "train_score_", "validation_score_", "n_estimators_", "n_trees_per_iteration_",
          "max_features_", "step_sizes_", "seed_", "predict")  # fmt: skip
GROWN = ("max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_leaf_nodes",
         "min_impurity_decrease", "max_features", "ccp_alpha")  # fmt: skip
TINY, FAR = float(np.finfo(float).tiny), 32.0


@checker(*COVERS, "classes_", "n_classes_", "predict_proba", "predict_log_proba", "decision_function")
@reads_labels
def check_gradient_boosting_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All stages: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "estimators_")
    K = read_classes(attrs) or 2
    if whole(getattr(model, "n_classes_", K)) != K:
        attrs.faults.append("n_classes_ is not the number of classes")
    loss = attrs.text("loss", "log_loss")
    return _check(attrs, blocks, tol, "multinomial" if K > 2 and loss == "log_loss" else loss, K)


@checker(*COVERS)
def check_gradient_boosting_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All stages: rows × trees; splits in sampled trees: rows × columns each."""
    attrs = Attributes(model, "estimators_")
    return _check(attrs, blocks, tol, attrs.text("loss", "squared_error"), 0)


def _check(attrs: Attributes, blocks: Blocks, tol: float, loss: str, K: int) -> Findings:
    data, width = read_examples(attrs.model, blocks), max(1, K * (K > 2))
    if not isinstance(getattr(attrs.model, "loss", ""), str):
        return [failed("loss", "The loss is an object of the user's own: its stages are not replayed.")], "nothing"
    if data.Y.shape[1] != 1 or (K and (data.Y < 0).any()):
        raise BadData("the target is not one column, or has labels that are not in classes_")
    stages = _sizes(attrs, width, blocks.n_features)
    check_seed(attrs, 2**31 - 1)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    boost = Stages(attrs, data, loss, K, stages)
    claims = [*boost.claims(tol), *answer_claims(attrs.model, blocks, loss, boost.f, boost.df)]
    return claims, f"{len(data.X)} rows × {stages.size} trees; splits of {boost.n_replayed} trees"


def _sizes(attrs: Attributes, width: int, d: int) -> Any:
    """estimators_ (stages, width), as many as n_estimators_ and, without early stopping, n_estimators say."""
    model = attrs.model
    stages = np.asarray(model.estimators_, dtype=object)
    if stages.ndim != 2 or stages.shape[1] != width or not len(stages):
        attrs.faults.append(f"estimators_ is not an array of stages of {width} members")
        return stages
    asked, early = whole(attrs.parameter("n_estimators", 100)), getattr(model, "n_iter_no_change", None) is not None
    if len(stages) > asked or (len(stages) < asked and not early):
        attrs.faults.append(f"there are {len(stages)} stages, and n_estimators={asked}")
    for name, value in (("n_estimators_", len(stages)), ("n_trees_per_iteration_", width),
                        ("max_features_", whole(getattr(stages[0, 0], "max_features_", d)))):  # fmt: skip
        if whole(getattr(model, name, value)) != value:
            attrs.faults.append(f"{name} is not {value}")
    if hasattr(model, "step_sizes_"):
        steps = attrs.array("step_sizes_", (len(stages),))
        if steps is not None and not attrs.flag("line_search", False) and (steps != 1).any():
            attrs.faults.append("step_sizes_ are not one without a line search")
    return stages


class Stages:
    """The stages of one model on all rows: raw predictions f (n, K), which are right to df."""

    def __init__(self, attrs: Attributes, data: Examples, loss: str, K: int, stages: Any) -> None:
        self.attrs, self.data, self.loss, self.K, self.stages = attrs, data, loss, K, stages
        self.y, self.w, self.n_replayed = data.Y[:, 0], data.w, 0
        self.theirs, self.rate = from_scikit_learn(attrs.model), real(attrs.parameter("learning_rate", 0.1))
        self.alpha = real(attrs.parameter("alpha", 0.9))
        self.kept = attrs.flag("line_search", False) or getattr(attrs.model, "estimator", None) is not None
        self.w_kept = np.zeros_like(self.w)
        self.stops = getattr(attrs.model, "n_iter_no_change", None) is not None
        if self.stops and not self.theirs:
            share, seed = real(attrs.parameter("validation_fraction", 0.1)), whole(getattr(attrs.model, "seed_", None))
            kept = held_out(data.X, self.y, self.w, self.y if K else np.zeros(len(self.y)), share, max(seed, 0))
            self.w, self.w_kept = np.where(kept, 0.0, self.w), np.where(kept, self.w, 0.0)
        self.f = self.started()
        self.df = 4 * UNIT * np.abs(self.f)

    def started(self) -> F64:
        """What init_ predicts, as raw predictions."""
        init, n = self.attrs.model.init_, len(self.y)
        if isinstance(init, str) and init == "zero":
            return np.zeros((n, self.stages.shape[1]))
        try:
            rows = self.data.X.astype(np.float32 if self.theirs else self.data.dtype)  # as the model gives them to it
            out = np.asarray((init.predict_proba if self.K else init.predict)(rows))
        except Exception as fault:
            raise BadData(f"init_ cannot predict: {type(fault).__name__}: {fault}") from fault
        shares = out[:, 1:] if self.K == 2 and out.ndim == 2 else out.reshape(n, -1)
        if shares.shape != (n, self.stages.shape[1]) or not np.isfinite(shares).all():
            raise BadData("init_ does not predict one number for each row and class")
        return raw_of_mean(self.loss, shares.astype(np.float64))

    def start_claim(self, tol: float) -> list[Claim]:
        linear = self.theirs and not self.data.weighted
        ends = quantile(self.y, self.w, self.alpha if self.loss == "quantile" else 0.5, linear)
        own = getattr(self.attrs.model, "init", None) is not None  # then f starts at what it predicts
        return [] if own else [start_claim(self.loss, self.y, self.w, self.f, ends, tol)]

    def hidden(self) -> str:
        """Why the rows of a stage cannot be seen."""
        if real(self.attrs.parameter("subsample", 1.0)) < 1:
            return "the rows drawn for each stage cannot be seen"
        return "which rows were kept for validation cannot be seen" if self.stops and self.theirs else ""

    def claims(self, tol: float) -> list[Claim]:
        hidden, (T, width) = self.hidden(), self.stages.shape
        factor = 2.0 if self.loss in ("squared_error", "log_loss") else 1.0
        trace, kept = (Trace(self.loss, self.y, w, factor) for w in (self.w, self.w_kept))
        leaves, steps, found = Worst(), Worst(), Replay()
        start, trees = self.start_claim(tol) if not hidden else [], looked_at(self.data.X, T * width)
        rises, last = Worst(), np.inf
        for t in range(T):
            q = self.level()
            s = loss_at(self.loss, self.y, self.f, q)
            moves = np.zeros_like(self.f)
            for k, member in enumerate(self.stages[t]):
                if not hasattr(member, "tree_"):
                    moves[:, k] = answers_of(member, self.data.X.astype(self.data.dtype))
                    continue
                self.same_growth(member)
                nodes = nodes_of(member, self.data.X.shape[1])
                leaf = nodes.leaves(self.data.X)
                moves[:, k] = nodes.value[leaf, 0, 0]
                if hidden:
                    continue
                self.leaf_values(nodes.value[:, 0, 0], leaf, s.g[:, k], s.h[:, k], k, q, leaves)
                if t * width + k in trees:
                    found.tree(member, self.data.X, -s.g[:, [k]], self.w, 0, 2 * WORK / MEMBERS)
            step = float(np.asarray(getattr(self.attrs.model, "step_sizes_", np.ones(T)))[t])
            if not hidden and self.attrs.flag("line_search", False):
                self.line(moves, step, q, steps)
            self.f = self.f + self.rate * step * moves
            self.df += 4 * UNIT * (np.abs(self.f) + np.abs(self.rate * step * moves))
            trace.add(self.f, self.df, q)
            kept.add(self.f, self.df, q)
            if not hidden and self.attrs.flag("line_search", False):
                rises.see(
                    max(0.0, trace.means[-1] / last - 1) if last > 0 else 0.0, 0.0, trace.rounding[-1] / max(last, TINY)
                )
                last = trace.means[-1]
        if hidden:
            return [failed("stages", f"Stages cannot be replayed: {hidden}.")]
        return [*start, *self.summed(leaves, steps, rises, found, trees, tol), *self.traces(trace, kept, tol)]

    def summed(
        self, leaves: Worst, steps: Worst, rises: Worst, found: Replay, trees: list[int], tol: float
    ) -> list[Any]:
        claims, no_trees = [], not leaves.count
        if not no_trees:
            what = "the weighted means of the residuals" if self.kept else "the steps of the loss"
            sentence = f"All {leaves.count} leaf values are {what}; largest difference, relative."
            claims.append(leaves.claim("leaf_values", sentence, tol, f"A leaf value is not {what} for these rows."))
        self.n_replayed = 0 if no_trees else len(trees)
        if found.count["nodes"]:  # leaves have the values of the loss
            claims += found.claims(tol, f" of {len(trees)} of {self.stages.size} trees")[1:]
        if no_trees:
            told = "Whether each split was the best on offer is not told: the members are no trees."
            claims.append(Claim("splits", told, Grade.UNPROVED, None, None, True))
        if steps.count:
            sentence = f"Each of {steps.count} steps minimizes the loss along its member, or ends at a move of 32; "
            sentence += "largest share of the loss missed."
            claims.append(steps.claim("line_search", sentence, tol, "A step does not minimize the loss."))
            sentence = "The loss never rises; largest relative rise."
            claims.append(rises.claim("never_rises", sentence, 0.0, "The loss rises."))
        return claims

    def traces(self, trace: Trace, kept: Trace, tol: float) -> list[Claim]:
        named = [("train_score_", trace), ("validation_score_", kept)][: 1 + self.stops]
        return [t.claim(name, self.attrs.raw(name), tol) for name, t in named]

    def level(self) -> float:
        """The quantile; for huber δ, the alpha-quantile of |y − f|."""
        if self.loss == "huber":
            return quantile(np.abs(self.y - self.f[:, 0]), self.w, self.alpha)[0]
        return self.alpha if self.loss == "quantile" else 0.5

    def same_growth(self, member: Any) -> None:
        """A tree has the parameters that the ensemble asks for."""
        if self.kept:
            return
        for name in GROWN:
            if hasattr(self.attrs.model, name) and getattr(member, name, None) != getattr(self.attrs.model, name):
                raise BadData(f"a tree has {name}={getattr(member, name, None)!r}, not what the ensemble has")

    def leaf_values(self, value: F64, leaf: Any, g: F64, h: F64, k: int, q: float, worst: Worst) -> None:
        """Of every leaf |value − step| relative to Σ w|g| / Σ w h, for losses with a kink to the mean of |y − f|."""
        f, df, w = self.f[:, k], self.df[:, k], self.w
        for i in np.unique(leaf[w > 0]):
            rows = np.flatnonzero((leaf == i) & (w > 0))
            W, r = w[rows], self.y[rows] - f[rows]
            if self.loss in POINTED and not self.kept:
                low, high = self.middle(r, W, q)
                unit = max(float(np.abs(r).mean()), TINY)
                off = 16 * UNIT * float((np.abs(self.y[rows]) + np.abs(f[rows])).max()) + 4 * float(df[rows].max())
                worst.see(max(low - value[i], value[i] - high, 0.0) / unit, 0.0, off / unit)
                continue
            curve = np.ones(len(rows)) if self.kept else h[rows]
            G, H, size = float(W @ g[rows]), float(W @ curve), float(W @ np.abs(g[rows]))
            share = (self.K - 1) / self.K if self.loss == "multinomial" and not self.kept else 1.0
            step = -share * G / max(H, TINY)
            u = 8 * UNIT
            doubt = W @ (u * np.abs(g[rows]) + 2 * h[rows] * df[rows] + u) + abs(step) * (
                W @ (curve * (df[rows] + u) + u)
            )
            own = gamma(len(rows) + 16) * (size + abs(step) * H)
            unit = max(share * size / max(H, TINY), TINY)
            worst.see(abs(value[i] - step) / unit, own / max(size, TINY), float(doubt) / max(size, TINY))

    def middle(self, r: F64, W: F64, q: float) -> tuple[float, float]:
        """The step of a loss with a kink, as an interval."""
        low, high = quantile(r, W, q if self.loss == "quantile" else 0.5)
        if self.loss != "huber":
            return low, high
        ends = [m + float(W @ np.clip(r - m, -q, q)) / float(W.sum()) for m in (low, high)]
        return min(ends), max(ends)

    def line(self, moves: F64, s: float, q: float, worst: Worst) -> None:
        """The loss along the members: by convexity no step is better than s by more than width · steepest slope.

        A step may end, with the loss still falling, where the raw prediction of a row has moved by 32.
        """
        base = float(self.w @ np.abs(loss_at(self.loss, self.y, self.f + s * moves, q).value))
        width, ends = 1e-6 * max(abs(s), 1e-12), []
        for side in (-1, 1):
            g = loss_at(self.loss, self.y, self.f + (s + side * width) * moves, q).g
            ends.append((float(self.w @ (g * moves).sum(axis=1)), float(self.w @ np.abs(g * moves).sum(axis=1))))
        inside = ends[0][0] <= 1e-9 * ends[0][1] and ends[1][0] >= -1e-9 * ends[1][1]
        gap = width * max(abs(e[0]) for e in ends) if inside else np.inf
        flat = np.abs(moves).max() == 0 or max(e[1] for e in ends) <= 1e-12 * max(base, TINY)
        far = float(np.abs(s * moves).max()) >= FAR * (1 - 1e-9) and s * ends[0][0] <= 0
        worst.see(0.0 if flat or far else gap / max(base, TINY))
