"""Checker of MLPClassifier and MLPRegressor: answers from the weights, the loss recomputed, its gradient in two ways.

The loss of a network on its data is f(W, b) = Σω ℓ/Σω + (α/2) Σ‖W‖²/Σω. Its gradient, by the chain rule through the
layers, is held against differences of f along directions: (f(θ + hv) − f(θ − hv))/2h = ∇f·v + O(h²). Training by
batches ends where it ends: the size of the gradient is told, and bounded only where the solver asked for it (lbfgs).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, gamma

ROUNDINGS = 10.0
DIRECTIONS = 3
STEP = 1e-6
OUT = {"identity": "squared", "logistic": "logistic", "softmax": "softmax", "exp": "poisson"}


@dataclass
class Net:
    coefs: list[F64]
    intercepts: list[F64]
    activation: str
    out: str
    alpha: float
    eps: float


@checker("coefs_", "intercepts_", "n_layers_", "n_outputs_", "out_activation_", "loss_", "final_loss_", "loss_curve_",
         "best_loss_", "n_iter_", "predict", "predict_proba")  # fmt: skip
@reads_labels
def check_mlp_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """About ten passes over the rows."""
    attrs = Attributes(model, "coefs_")
    K = read_classes(attrs, least=1)
    net = _read(attrs, blocks)
    if K is None or net is None or net.coefs[-1].shape[1] != (1 if K == 2 and net.out == "logistic" else K):
        attrs.faults.append("the last layer has another number of outputs than classes_ asks for")
        return [bad_attributes(attrs)], "nothing"

    def targets(y: Any) -> F64:
        codes = np.asarray(y).astype(np.intp)
        if codes.ndim != 1 or (codes < 0).any():
            raise BadData("labels that are not among classes_, or several labels a row")
        return codes[:, None].astype(float) if net.coefs[-1].shape[1] == 1 else np.eye(K)[codes]

    X = sample_rows(blocks)
    z, slip = _scores(net, np.asarray(X, dtype=float), net.eps)
    p = _answers(net.out, z)
    p = np.column_stack([1 - p[:, 0], p[:, 0]]) if p.shape[1] == 1 and K == 2 else p
    p = np.ones_like(p) if K == 1 else p
    wide = np.column_stack([-z[:, 0], z[:, 0]]) if z.shape[1] == 1 and K == 2 else z
    off = 2 * slip.max(axis=1)[:, None] + ROUNDINGS * net.eps
    claims = [
        numbers_claim(model, "predict_proba", X, p, off * np.ones_like(p)),
        labels_claim(model, X, wide, slip.max(axis=1)),
    ]
    return [*_training(attrs, net, blocks, targets, tol), *claims], "about ten passes over the rows"


@checker("coefs_", "intercepts_", "n_layers_", "n_outputs_", "out_activation_", "loss_", "final_loss_", "loss_curve_",
         "best_loss_", "n_iter_", "predict")  # fmt: skip
def check_mlp_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """About ten passes over the rows."""
    attrs = Attributes(model, "coefs_")
    net = _read(attrs, blocks)
    if net is None:
        return [bad_attributes(attrs)], "nothing"
    outputs = net.coefs[-1].shape[1]

    def targets(y: Any) -> F64:
        Y = np.asarray(y, dtype=float).reshape(len(y), -1)
        if Y.shape[1] != outputs:
            raise BadData(f"y has {Y.shape[1]} columns, the network {outputs} outputs")
        return Y

    X = sample_rows(blocks)
    z, slip = _scores(net, np.asarray(X, dtype=float), net.eps)
    said, room = _answers(net.out, z), slip * (np.exp(z) if net.out == "poisson" else 1.0)
    one = next((np.asarray(y).ndim for _, y, _ in blocks if y is not None), 1) == 1
    answer = numbers_claim(model, "predict", X, said[:, 0] if one else said, room[:, 0] if one else room)
    return [*_training(attrs, net, blocks, targets, tol), answer], "about ten passes over the rows"


def _read(attrs: Attributes, blocks: Blocks) -> Net | None:
    """The layers, if they fit on each other."""
    try:
        coefs = [np.asarray(W, dtype=np.float64) for W in attrs.model.coefs_]
        intercepts = [np.asarray(b, dtype=np.float64) for b in attrs.model.intercepts_]
        single = any(np.asarray(W).dtype == np.float32 for W in attrs.model.coefs_)
    except (TypeError, ValueError):
        coefs, intercepts, single = [], [], False
    single = single or any(X.dtype == np.float32 for X, _, _ in blocks)
    widths = [blocks.n_features, *(len(b) if b.ndim == 1 else -1 for b in intercepts)]
    shapes = list(pairwise(widths))
    fit = bool(coefs) and len(coefs) == len(intercepts) and [W.shape for W in coefs] == shapes
    if not fit or not all(np.isfinite(a).all() for a in (*coefs, *intercepts)):
        attrs.faults.append("coefs_ and intercepts_ are not finite layers that fit on each other and on the columns")
        return None
    hidden = attrs.parameter("hidden_layer_sizes", (100,))
    asked = list(hidden) if isinstance(hidden, (list, tuple)) else np.atleast_1d(np.asarray(hidden)).tolist()
    out, alpha = OUT.get(attrs.text("out_activation_", ""), ""), real(attrs.parameter("alpha", 1e-4))
    activation = attrs.text("activation", "relu")
    if asked != widths[1:-1] or attrs.number("n_layers_") != len(coefs) + 1 or attrs.number("n_outputs_") != widths[-1]:
        attrs.faults.append("the layers are not those that hidden_layer_sizes, n_layers_ and n_outputs_ say")
    if not out or activation not in ("identity", "logistic", "tanh", "relu") or not alpha >= 0:
        attrs.faults.append("out_activation_, activation or alpha is not known")
    eps = float(np.finfo(np.float32 if single else np.float64).eps)
    return None if attrs.faults else Net(coefs, intercepts, activation, out, alpha, eps)


def _active(kind: str, z: F64) -> F64:
    if kind == "relu":
        return np.maximum(z, 0)
    if kind == "tanh":
        return np.tanh(z)
    return 1 / (1 + np.exp(-z)) if kind == "logistic" else z


def _slope(kind: str, a: F64) -> F64:
    if kind == "relu":
        return (a > 0).astype(float)
    if kind == "tanh":
        return 1 - a * a
    return a * (1 - a) if kind == "logistic" else np.ones_like(a)


def _steepest(kind: str, z: F64, off: F64) -> F64:
    """The largest slope of an activation between z − off and z + off: those of 'tanh' and 'logistic' fall with |z|."""
    if kind == "relu":
        return (z + off > 0).astype(float)
    return _slope(kind, _active(kind, np.maximum(np.abs(z) - off, 0.0)))


def _scores(net: Net, X: F64, eps: float) -> tuple[F64, F64]:
    """z of each row, and what roundings in precision eps may change in it.

    A sum of terms of size s is off by (width + 8) eps s, and by |W| times what its inputs are off by; a unit hands on
    its input's error times its steepest slope there, so that of a saturated one little is left.
    """
    z = a = X
    off = np.zeros_like(X)
    for i, (W, b) in enumerate(zip(net.coefs, net.intercepts, strict=True)):
        size = np.abs(a) @ np.abs(W) + np.abs(b)
        off = off @ np.abs(W) + (len(W) + 8) * eps * size
        z = a @ W + b
        if i + 1 < len(net.coefs):
            a = _active(net.activation, z)
            off = off * _steepest(net.activation, z, off) + 4 * eps * np.abs(a)
    return z, off + eps * np.abs(z)


def _answers(out: str, z: F64) -> F64:
    if out == "softmax":
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    if out == "logistic":
        return 1 / (1 + np.exp(-z))
    return np.exp(z) if out == "poisson" else z


def _losses(out: str, z: F64, Y: F64) -> F64:
    if out == "squared":
        return ((z - Y) ** 2).sum(axis=1) / 2
    if out == "softmax":
        top = z.max(axis=1)
        return np.log(np.exp(z - top[:, None]).sum(axis=1)) + top - (z * Y).sum(axis=1)
    if out == "logistic":
        return (np.logaddexp(0, z) - Y * z).sum(axis=1)
    logs = np.where(Y > 0, Y * np.log(np.where(Y > 0, Y, 1.0)), 0.0)
    return (np.exp(z) - Y * z + logs - Y).sum(axis=1)


@dataclass
class Sizes:
    """Means over the rows: of |ℓ|, of what one rounding of the terms of the scores changes in ℓ, of the longest input
    of a layer, of what all roundings here may change in ℓ (in units of eps), and of the slopes at units of 'relu' that
    a step may switch; and of the largest score, which is taken from itself where a loss is small."""

    loss: float = 0.0
    top: float = 0.0
    score: float = 0.0
    input: float = 0.0
    rounding: float = 0.0
    kinks: float = 0.0


def _objective(net: Net, blocks: Blocks, targets: Any, slopes: bool) -> tuple[float, list[F64], Sizes]:
    """f; if asked for its gradient, and sizes."""
    total, weight, sizes = 0.0, 0.0, Sizes()
    parts = [np.zeros_like(p) for p in (*net.coefs, *net.intercepts)]
    L = len(net.coefs)
    most = float(np.prod([max(1.0, float(np.linalg.norm(W))) for W in net.coefs]))  # a step times this moves units
    for block, y, omega in blocks:
        if not all_finite(block):
            raise BadData("the data have entries that are NaN or infinite")
        X, Y = dense(block), targets(y)
        w = np.ones(len(X)) if omega is None else np.asarray(omega, dtype=float)
        active = [X]
        for W, b in zip(net.coefs[:-1], net.intercepts[:-1], strict=True):
            active.append(_active(net.activation, active[-1] @ W + b))
        z = active[-1] @ net.coefs[-1] + net.intercepts[-1]
        losses = _losses(net.out, z, Y)
        total, weight = total + float(w @ losses), weight + float(w.sum())
        delta = (_answers(net.out, z) - Y) * w[:, None] if slopes else z
        if slopes:
            sizes.loss += float(w @ np.abs(losses))
            sizes.top += float(w @ np.abs(z).max(axis=1))
            terms = np.abs(active[-1]) @ np.abs(net.coefs[-1]) + np.abs(net.intercepts[-1])
            sizes.score += float((np.abs(delta) * terms).sum())
            sizes.input += float(w @ np.max([np.linalg.norm(a, axis=1) for a in active], axis=0))
            sizes.rounding += float((np.abs(delta) * _scores(net, X, 2 * UNIT)[1]).sum()) / (2 * UNIT)
        for layer in range(L - 1, -1, -1) if slopes else ():
            parts[layer] += active[layer].T @ delta
            parts[L + layer] += delta.sum(axis=0)
            if layer:
                delta = delta @ net.coefs[layer].T
                if net.activation == "relu":
                    inputs = active[layer - 1]
                    near = np.abs(inputs @ net.coefs[layer - 1] + net.intercepts[layer - 1]) <= ROUNDINGS * STEP * most
                    length = 1 + np.linalg.norm(inputs, axis=1)
                    sizes.kinks += most * float(length @ (near * np.abs(delta)).sum(axis=1))
                delta = delta * _slope(net.activation, active[layer])
    squares = sum(float((W * W).sum()) for W in net.coefs)
    for layer, W in enumerate(net.coefs):
        parts[layer] += net.alpha * W
    means = Sizes(*(value / weight for value in vars(sizes).values()))
    return (total + net.alpha / 2 * squares) / weight, [g / weight for g in parts], means


def _moved(net: Net, v: list[F64], h: float) -> Net:
    moved = [p + h * u for p, u in zip((*net.coefs, *net.intercepts), v, strict=True)]
    L = len(net.coefs)
    return Net(moved[:L], moved[L:], net.activation, net.out, net.alpha, net.eps)


def _training(attrs: Attributes, net: Net, blocks: Blocks, targets: Any, tol: float) -> list[Claim]:
    f, slopes, sizes = _objective(net, blocks, targets, True)
    norm = float(np.sqrt(sum(float((g * g).sum()) for g in slopes)))
    largest = max(float(np.abs(g).max()) for g in slopes)
    if not np.isfinite(norm + f):
        return [failed("finite", "The loss or its gradient leaves the range of floating-point numbers.")]
    return [
        _by_differences(net, blocks, targets, slopes, norm, sizes),
        _trace(attrs, f, sizes, net.eps, tol, blocks.n_rows),
        _stationary(attrs, f, largest, _slope_error(net, blocks, targets)),
    ]


def _by_differences(net: Net, blocks: Blocks, targets: Any, slopes: list[F64], norm: float, sizes: Sizes) -> Claim:
    """Along the gradient itself and along random directions; a step moves the inputs of units by about STEP."""
    rng, worst, noise = np.random.default_rng(0), 0.0, 0.0
    step = STEP / max(1.0, sizes.input)
    for i in range(DIRECTIONS):
        v = [g / norm for g in slopes] if i == 0 and norm > 0 else [rng.standard_normal(g.shape) for g in slopes]
        length = np.sqrt(sum(float((u * u).sum()) for u in v))
        v = [u / length for u in v]
        ends = [_objective(_moved(net, v, s * step), blocks, targets, False)[0] for s in (1, -1)]
        along = sum(float((g * u).sum()) for g, u in zip(slopes, v, strict=True))
        worst = max(worst, abs((ends[0] - ends[1]) / (2 * step) - along))
        noise = max(noise, ROUNDINGS * UNIT * (64 * (sizes.loss + abs(ends[0])) + sizes.rounding) / step)
    limit = 1e-3 * (norm + sizes.loss)
    return at_most(
        "gradient",
        f"The gradient by the chain rule is that of the loss: differences along {DIRECTIONS} directions; largest "
        "difference. (Excused: rounding of the differences, and slopes of units of 'relu' that may switch between the "
        "two points.)",
        Grade.EXACT, worst, limit, {"norm": norm}, error=noise, excuse=2 * noise + sizes.kinks,
        failure=f"The gradient by the chain rule differs from differences of the loss by {worst:.2g}.",
    )  # fmt: skip


def _trace(attrs: Attributes, f: float, sizes: Sizes, eps: float, tol: float, n_rows: int) -> Claim:
    """loss_ ends loss_curve_ and best_loss_ is its least; final_loss_ (of lbfgs loss_) is the loss of the weights."""
    curve, loss, exact = attrs.raw("loss_curve_"), attrs.number("loss_"), attrs.text("solver", "adam") == "lbfgs"
    best = attrs.raw("best_loss_") if attrs.has("best_loss_") else None
    n_iter = attrs.number("n_iter_")
    if attrs.has("best_loss_") and best is None:
        attrs.faults.append("best_loss_ is not a number")
    if curve is not None and curve.ndim != 1:
        attrs.faults.append("loss_curve_ is not a list")
    if loss is None or n_iter is None or attrs.faults:
        return bad_attributes(attrs)
    size = max(abs(f), 1e-300)
    final = attrs.number("final_loss_") if attrs.has("final_loss_") else loss if exact else f
    off = np.inf if final is None else max(abs(final - f), abs(loss - f) if exact else 0.0) / size
    if curve is not None and curve.size and not exact:
        whole = n_iter == len(curve) or (1 <= n_iter < len(curve) and attrs.parameter("warm_start", False) is True)
        least = float(curve[-int(n_iter) :].min()) if whole else np.inf
        same = loss == float(curve[-1]) and whole and (best is None or _scalar(best) == least)
        off = off if same else np.inf
    elif not exact:
        off = np.inf
    off = np.inf if np.isnan(off) else off
    if exact and attrs.has("final_loss_"):
        again, length = attrs.parameter("warm_start", False) is True, 0 if curve is None else len(curve)
        counted = n_iter == length or (again and 0 <= n_iter <= length)
        off = off if counted and loss == final and best is not None and _scalar(best) == loss else np.inf
    known = exact or attrs.has("final_loss_")
    said = (
        "final_loss_ (of 'lbfgs' loss_) is that" if known else "the model does not say it, so weights are not checked"
    )
    return at_most(
        "trace",
        f"The loss of the weights is {f:.8g}: {said}. loss_ ends loss_curve_, and best_loss_ is its least; largest "
        "difference.",
        Grade.EXACT, off, tol, {"recomputed": f, "claimed": loss}, excuse=ROUNDINGS * eps * (1 + sizes.score / size),
        error=(2 * UNIT * sizes.rounding + gamma(n_rows + 64) * (sizes.loss + abs(f)) + gamma(16) * sizes.top)
        * (1 + off) / size,
        failure=f"loss_, best_loss_, loss_curve_ or n_iter_ do not fit each other, or the loss {f:.8g} of the weights.",
    )  # fmt: skip


def _scalar(array: Any) -> float:
    return float(array) if array.shape == () else np.nan


def _slope_error(net: Net, blocks: Blocks, targets: Any) -> float:
    """What roundings here may change in an entry of the gradient, to first order.

    With absolute values in all terms B₀ = |x|, B_l = B_{l−1}|W| + |b|, an activation is off by γB, an answer by γB_L, a
    slope (which turns by at most 2 for each unit of its input) by 2γB; products of these bound the terms of an entry.
    """
    L, weight = len(net.coefs), 0.0
    parts = [np.zeros_like(p) for p in (*net.coefs, *net.intercepts)]
    for block, y, omega in blocks:
        Y, B = targets(y), [np.abs(dense(block))]
        w = np.ones(len(Y)) if omega is None else np.asarray(omega, dtype=float)
        for W, b in zip(net.coefs, net.intercepts, strict=True):
            B.append(B[-1] @ np.abs(W) + np.abs(b))
        D = (np.abs(Y) + np.maximum(1.0, B[-1])) * w[:, None]
        for layer in range(L - 1, -1, -1):
            parts[layer] += B[layer].T @ D
            parts[L + layer] += D.sum(axis=0)
            D = (D @ np.abs(net.coefs[layer]).T) * (1 + 2 * B[layer]) if layer else D
        weight += float(w.sum())
    for layer, W in enumerate(net.coefs):
        parts[layer] += net.alpha * np.abs(W)
    terms = blocks.n_rows + sum(len(W) + 16 for W in net.coefs)
    return 2 * gamma(terms) * max(float(p.max()) for p in parts) / weight


def _stationary(attrs: Attributes, f: float, largest: float, error: float) -> Claim:
    asked = real(attrs.parameter("tol", 1e-4))
    if attrs.text("solver", "adam") == "lbfgs" and largest + error <= asked:
        sentence = "No entry of the gradient is larger than this: the solver's tol."
        return at_most("stationary", sentence, Grade.STATIONARY, largest, asked, error=error)
    sentence = (
        f"Training ended at the loss {f:.6g} with a largest entry of the gradient of {largest:.2g}: no stationary "
        "point is claimed, and other weights may do better. More epochs (max_iter, a lower tol) come nearer, or "
        "solver='lbfgs' where there are few rows."
    )
    return Claim("stationary", sentence, Grade.UNPROVED, None, asked, True, {"largest": largest})
