"""Checker of MLPClassifier and MLPRegressor: answers from the weights, the loss recomputed, its gradient in two ways.

The loss of a network on its data is f(W, b) = Σω ℓ/Σω + (α/2) Σ‖W‖²/Σω. Its gradient, by the chain rule through the
layers, is held against differences of f along directions, (f(θ + hv) − f(θ − hv))/2h = ∇f·v + O(h²), for a sample of
rows in long double. Training by batches ends where it ends: the size of the gradient is told, and bounded only where
the solver asked for it (lbfgs).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import SAMPLE, numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma

ROUNDINGS = 10.0
DIRECTIONS = 3
STEP = 1e-9
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
    held = [np.asarray(W) for W in (*attrs.model.coefs_, *attrs.model.intercepts_)]
    coefs, intercepts = (
        [W.astype(np.float64) for W in part] for part in (held[: len(held) // 2], held[len(held) // 2 :])
    )
    eps = epsilon(any(X.dtype == np.float32 for X, _, _ in blocks), *held)
    widths = [blocks.n_features, *(len(b) if b.ndim == 1 else -1 for b in intercepts)]
    if (
        not coefs
        or [W.shape for W in coefs] != list(pairwise(widths))
        or not all(np.isfinite(a).all() for a in (*coefs, *intercepts))
    ):
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


def _layers(net: Net, X: F64) -> tuple[list[F64], F64]:
    """What every layer is given, and the scores z."""
    inputs = [X]
    for W, b in zip(net.coefs[:-1], net.intercepts[:-1], strict=True):
        inputs.append(_active(net.activation, inputs[-1] @ W + b))
    return inputs, inputs[-1] @ net.coefs[-1] + net.intercepts[-1]


def _back(coefs: list[F64], inputs: list[F64], slopes: list[F64], delta: F64) -> list[F64]:
    """Derivatives in coefs and in intercepts: of a layer its inputs times δ, and Wδ times their slopes goes down."""
    by_coefs, by_intercepts = [], []
    for W, a, slope in zip(coefs[::-1], inputs[::-1], slopes[::-1], strict=True):
        by_coefs.append(a.T @ delta)
        by_intercepts.append(delta.sum(axis=0))
        delta = (delta @ W.T) * slope
    return [*by_coefs[::-1], *by_intercepts[::-1]]


def _gradient(net: Net, X: F64, Y: F64, w: F64) -> tuple[Any, list[F64]]:
    """Σωℓ and its derivatives."""
    inputs, z = _layers(net, X)
    delta = (_answers(net.out, z) - Y) * w[:, None]
    return w @ _losses(net.out, z, Y), _back(net.coefs, inputs, [_slope(net.activation, a) for a in inputs], delta)


@dataclass
class Sums:
    """Over all rows: of ω, of ωℓ and its derivatives, and of what bounds their roundings.

    With absolute values in all terms B₀ = |x|, B_l = B_{l−1}|W| + |b|, an activation is off by γB, an answer by γB_L, a
    slope (which turns by at most 2 for each unit of its input) by 2γB: `wide` are the products of these, which bound
    the terms of an entry of the gradient. `size` adds up |ℓ| and the largest score, `terms` what one rounding of the
    terms of the scores changes in ℓ, `slip` what all roundings here may.
    """

    weight: float
    loss: float
    slopes: list[F64]
    wide: list[F64]
    size: float = 0.0
    terms: float = 0.0
    slip: float = 0.0


def _sums(net: Net, blocks: Blocks, targets: Any) -> Sums:
    zeros = [np.zeros_like(p) for p in (*net.coefs, *net.intercepts)]
    s, sizes = Sums(0.0, 0.0, zeros, zeros), [np.abs(W) for W in net.coefs]
    for block, y, omega in blocks:
        if not all_finite(block):
            raise BadData("the data have entries that are NaN or infinite")
        X, Y = dense(block), targets(y)
        w = np.ones(len(X)) if omega is None else np.asarray(omega, dtype=float)
        loss, slopes = _gradient(net, X, Y, w)
        inputs, z = _layers(net, X)
        B = [np.abs(X)]
        for W, b in zip(sizes, net.intercepts, strict=True):
            B.append(B[-1] @ W + np.abs(b))
        off = np.abs(_answers(net.out, z) - Y) * w[:, None]
        wide = _back(sizes, B[:-1], [1 + 2 * b for b in B[:-1]], (np.abs(Y) + np.maximum(1.0, B[-1])) * w[:, None])
        s.weight, s.loss = s.weight + float(w.sum()), s.loss + float(loss)
        s.slopes, s.wide = (
            [p + q for p, q in zip(*pair, strict=True)] for pair in ((s.slopes, slopes), (s.wide, wide))
        )
        s.size += float(w @ (np.abs(_losses(net.out, z, Y)) + np.abs(z).max(axis=1)))
        s.terms += float((off * (np.abs(inputs[-1]) @ sizes[-1] + np.abs(net.intercepts[-1]))).sum())
        s.slip += float((off * _scores(net, X, 2 * UNIT)[1]).sum())
    s.loss += net.alpha / 2 * sum(float((W * W).sum()) for W in net.coefs)
    for i, W in enumerate(net.coefs):
        s.slopes[i], s.wide[i] = s.slopes[i] + net.alpha * W, s.wide[i] + net.alpha * np.abs(W)
    return s


def _training(attrs: Attributes, net: Net, blocks: Blocks, targets: Any, tol: float) -> list[Claim]:
    s, n = _sums(net, blocks, targets), blocks.n_rows
    f, largest = s.loss / s.weight, max(float(np.abs(g).max()) for g in s.slopes) / s.weight
    if not np.isfinite(largest + f):
        return [failed("finite", "The loss or its gradient leaves the range of floating-point numbers.")]
    terms = n + sum(len(W) + 16 for W in net.coefs)
    error = 2 * gamma(terms) * max(float(p.max()) for p in s.wide) / s.weight
    known = (s.slip + gamma(n + 64) * (s.size + abs(s.loss))) / s.weight
    X, y, _ = next(iter(blocks))
    return [
        _by_differences(net, dense(X[:SAMPLE]), targets(y)[:SAMPLE]),
        _trace(attrs, f, known, ROUNDINGS * net.eps * (abs(f) + s.terms / s.weight), tol),
        _stationary(attrs, f, largest, error),
    ]


def _by_differences(net: Net, X: F64, Y: F64) -> Claim:
    """Of the mean loss of the rows X, along its gradient and along random directions; rows at a kink are left out."""
    LONG, L = np.longdouble, len(net.coefs)
    wide = replace(net, coefs=[W.astype(LONG) for W in net.coefs], intercepts=[b.astype(LONG) for b in net.intercepts])
    most = float(np.prod([max(1.0, float(np.linalg.norm(W))) for W in net.coefs]))  # a step times this moves units
    inputs, _ = _layers(wide, X.astype(LONG))
    step = LONG(STEP / max(1.0, *(float(np.linalg.norm(a, axis=1).max()) for a in inputs)))
    clear = np.ones(len(X), dtype=bool)
    for a, W, b in zip(inputs[:-1], wide.coefs, wide.intercepts, strict=False):
        clear &= (np.abs(a @ W + b) > ROUNDINGS * STEP * most).all(axis=1) | (net.activation != "relu")
    X, Y = X[clear], Y[clear]
    w, X, Y = np.full(len(X), LONG(1) / max(len(X), 1)), X.astype(LONG), Y.astype(LONG)
    f, slopes = _gradient(wide, X, Y, w)
    norm, rng, worst = np.sqrt(sum((g * g).sum() for g in slopes)), np.random.default_rng(0), 0.0
    for i in range(DIRECTIONS):
        v = slopes if i == 0 and norm > 0 else [rng.standard_normal(g.shape) for g in slopes]
        length, ends = np.sqrt(sum((u * u).sum() for u in v)), []
        for h in (step / length, -step / length):
            moved = [p + h * u for p, u in zip((*wide.coefs, *wide.intercepts), v, strict=True)]
            ends.append(_gradient(replace(wide, coefs=moved[:L], intercepts=moved[L:]), X, Y, w)[0])
        along = sum((g * u).sum() for g, u in zip(slopes, v, strict=True)) / length
        worst = max(worst, float(abs((ends[0] - ends[1]) / (2 * step) - along)))
    noise = 64 * ROUNDINGS * float(np.finfo(LONG).eps * (1 + abs(f)) / step)
    return at_most(
        "gradient",
        f"The gradient by the chain rule is that of the loss of {len(X)} rows: differences along {DIRECTIONS} "
        "directions; largest difference.",
        Grade.EXACT, worst, 1e-3 * float(norm + abs(f)), {"norm": float(norm)}, error=noise, excuse=2 * noise,
        failure=f"The gradient by the chain rule differs from differences of the loss by {worst:.2g}.",
    )  # fmt: skip


def _trace(attrs: Attributes, f: float, error: float, excuse: float, tol: float) -> Claim:
    """loss_ ends loss_curve_ and best_loss_ is its least; final_loss_ (of lbfgs loss_) is the loss of the weights."""
    loss, n_iter, exact = attrs.number("loss_"), attrs.number("n_iter_"), attrs.text("solver", "adam") == "lbfgs"
    curve = attrs.array("loss_curve_") if attrs.has("loss_curve_") else np.zeros(0)
    best = attrs.number("best_loss_") if attrs.has("best_loss_") else None
    own, again = attrs.has("final_loss_"), attrs.parameter("warm_start", False) is True
    final = attrs.number("final_loss_") if own else loss if exact else f
    if loss is None or n_iter is None or curve is None or curve.ndim != 1 or final is None or attrs.faults:
        return bad_attributes(attrs)
    counted = n_iter == len(curve) or (again and 0 <= n_iter <= len(curve))
    if exact:
        fits = loss == final and (not own or (counted and best == loss))
    else:
        fits = counted and n_iter >= 1 and loss == curve[-1] and best in (None, curve[-int(n_iter) :].min())
    off, size = abs(final - f) if fits else np.inf, max(abs(f), 1e-300)
    said = "final_loss_ (of 'lbfgs' loss_) is that" if exact or own else "the model does not say it"
    return at_most(
        "trace",
        f"The loss of the weights is {f:.8g}: {said}. loss_ ends loss_curve_, and best_loss_ is its least; largest "
        "difference, relative.",
        Grade.EXACT, off / size, tol, {"recomputed": f, "claimed": loss}, excuse=excuse / size, error=error / size,
        failure=f"loss_, best_loss_, loss_curve_ or n_iter_ do not fit each other, or the loss {f:.8g} of the weights.",
    )  # fmt: skip


def _stationary(attrs: Attributes, f: float, largest: float, error: float) -> Claim:
    asked = real(attrs.parameter("tol", 1e-4))
    if attrs.text("solver", "adam") == "lbfgs" and largest + error <= asked:
        sentence = "No entry of the gradient is larger than this: the solver's tol."
        return at_most("stationary", sentence, Grade.STATIONARY, largest, asked, error=error)
    sentence = (
        f"Training ended at the loss {f:.6g} with a largest entry of the gradient of {largest:.2g}: no stationary "
        "point is claimed, and other weights may do better."
    )
    return Claim("stationary", sentence, Grade.UNPROVED, None, asked, True, {"largest": largest})
