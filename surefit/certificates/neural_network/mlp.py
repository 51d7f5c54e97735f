"""Checker of MLPClassifier and MLPRegressor: answers from the weights, the loss recomputed, its gradient in two ways.

The loss of a network on its data is f(W, b) = Σω ℓ/Σω + (α/2) Σ‖W‖²/Σω. Its gradient, by the chain rule through the
layers, is held against differences of the loss of each row: (ℓ(θ + hv) − ℓ(θ − hv))/2h = ∇ℓ·v + O(h²). (At zero 'relu'
has the slope zero.) Training ends where it ends: a stationary point is claimed where no entry of ∇f is above the
model's tol; elsewhere the gradient is told.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.neural_network.network import (
    ROUNDINGS,
    Layer,
    Net,
    answers_of,
    deltas_of,
    layers_of,
    losses_of,
)
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, gamma

DIRECTIONS = 3
MOST_EXCUSED = 0.01  # of the loss
STEP = 1e-5
OUT = {"identity": "squared", "logistic": "logistic", "softmax": "softmax", "exp": "poisson"}


class Loss(NamedTuple):
    f: float
    off: float  # what roundings here may change in it
    score: float  # mean over rows of |∂ℓ/∂z| times the size of the terms of z, in the last layer


@checker("classes_", "coefs_", "intercepts_", "n_layers_", "n_outputs_", "out_activation_", "loss_", "final_loss_",
         "loss_curve_", "best_loss_", "n_iter_", "predict", "predict_proba")  # fmt: skip
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
    last = layers_of(net, np.asarray(X, dtype=float), net.eps)[-1]
    (p, off), z = answers_of(net.out, last, net.eps), last.z
    if K == 2 and z.shape[1] == 1:
        p, off, z = np.hstack([1 - p, p]), np.hstack([off, off]), np.hstack([-z, z])
    p = np.ones_like(p) if K == 1 else p
    claims = [
        numbers_claim(model, "predict_proba", X, p, off),
        labels_claim(model, X, z, last.z_off.max(axis=1)),
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
    said, room = answers_of(net.out, layers_of(net, np.asarray(X, dtype=float), net.eps)[-1], net.eps)
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


def _training(attrs: Attributes, net: Net, blocks: Blocks, targets: Any, tol: float) -> list[Claim]:
    """f, its gradient, and what roundings here may change in them; no sum of f has terms of two signs."""
    many, L, rng = gamma(blocks.n_rows + 64), len(net.coefs), np.random.default_rng(0)
    f = f_off = score = weight = 0.0
    slopes = [np.zeros_like(p) for p in (*net.coefs, *net.intercepts)]
    off = [np.zeros_like(p) for p in slopes]
    tried = np.zeros(4)
    for block, y, w in looked_over(blocks, needs_y=True):
        X, Y, omega = dense(block), targets(y), w[:, None]
        layers = layers_of(net, X, 2 * UNIT)
        deltas = deltas_of(net, layers, Y, omega)
        losses, sizes = losses_of(net.out, layers[-1].z, Y)
        f, weight = f + float(w @ losses), weight + float(w.sum())
        steep, steep_off = np.abs(deltas[-1][0]), deltas[-1][1]
        f_off += gamma(64) * float(w @ sizes) + float(((steep + steep_off) * layers[-1].z_off).sum())
        score += float((steep * layers[-1].size).sum())
        for i, (layer, (delta, delta_off)) in enumerate(zip(layers, deltas, strict=True)):
            most = delta_off + many * np.abs(delta)
            slopes[i] += layer.inputs.T @ delta
            slopes[L + i] += delta.sum(axis=0)
            off[i] += np.abs(layer.inputs).T @ most + layer.inputs_off.T @ (np.abs(delta) + most)
            off[L + i] += most.sum(axis=0)
        for _ in range(DIRECTIONS):
            tried += _tried(net, layers, [delta for delta, _ in deltas], Y, w, rng)
    half = net.alpha / 2 * sum(float((W * W).sum()) for W in net.coefs)
    f_off += gamma(blocks.n_rows + 64 + max(W.size for W in net.coefs)) * (f + half)
    for i, W in enumerate(net.coefs):
        slopes[i] += net.alpha * W
        off[i] += gamma(4) * net.alpha * np.abs(W)
    steepest = [(np.abs(g) + e) / weight for g, e in zip(slopes, off, strict=True)]
    loss = Loss((f + half) / weight, f_off / weight, score / weight)
    if not all(np.isfinite(part).all() for part in (loss, tried, *steepest)):
        return [failed("finite", "The loss or its gradient leaves the range of floating-point numbers.")]
    return [
        _by_differences(tried / weight),
        _trace(attrs, loss, net.eps, tol),
        _stationary(attrs, net, loss.f, steepest),
    ]


def _tried(net: Net, layers: list[Layer], deltas: list[F64], Y: F64, w: F64, rng: np.random.Generator) -> F64:
    """Along a random direction v, Σω over rows of |(ℓ(θ + hv) − ℓ(θ − hv))/2h − ∇ℓ·v|, of the roundings in it, of the
    size of ∇ℓ·v, and of 1 for rows left out: those with a unit of 'relu' that switches between the points.

    v moves the scores of each layer by about one, apart from what the layers below it hand on.
    """
    lengths = [1 + float(np.linalg.norm(layer.inputs, axis=1).max(initial=0.0)) for layer in layers]
    V = [rng.choice([-1.0, 1.0], W.shape) / s for W, s in zip(net.coefs, lengths, strict=True)]
    v = [rng.choice([-1.0, 1.0], b.shape) / s for b, s in zip(net.intercepts, lengths, strict=True)]
    terms = [(one.inputs @ A + a) * d for one, A, a, d in zip(layers, V, v, deltas, strict=True)]
    ends, values = [], []
    for h in (STEP, -STEP):
        coefs = [W + h * A for W, A in zip(net.coefs, V, strict=True)]
        intercepts = [b + h * a for b, a in zip(net.intercepts, v, strict=True)]
        ends.append(layers_of(replace(net, coefs=coefs, intercepts=intercepts), layers[0].inputs, 2 * UNIT))
        values.append(losses_of(net.out, ends[-1][-1].z, Y)[0])
    signs = [np.hstack([np.zeros((len(w), 0)), *(one.z > 0 for one in way[:-1])]) for way in (layers, *ends)]
    kept = ((signs[0] == signs[1]) & (signs[0] == signs[2]) | (net.activation != "relu")).all(axis=1)
    gap = np.abs(w * (values[0] - values[1]) / (2 * STEP) - sum(one.sum(axis=1) for one in terms))
    size = sum(np.abs(one).sum(axis=1) for one in terms)
    sizes = w * losses_of(net.out, layers[-1].z, Y)[1]
    rounding = (np.abs(deltas[-1]) * layers[-1].z_off).sum(axis=1) + gamma(64) * sizes
    return np.array([(gap * kept).sum(), (rounding * kept).sum() / STEP, (size * kept).sum(), (w * ~kept).sum()])


def _by_differences(tried: F64) -> Claim:
    gap, rounding, size, left_out = tried / DIRECTIONS
    return at_most(
        "gradient",
        f"The gradient of a row by the chain rule is that of its loss: differences along {DIRECTIONS} directions; mean "
        f"difference. ({left_out:.2%} of rows are left out: a unit of 'relu' switches between the two points.)",
        Grade.EXACT, gap, 1e-3 * size, error=rounding, excuse=2 * rounding,
        failure=f"The gradient by the chain rule differs from differences of the loss by {gap:.2g}.",
    )  # fmt: skip


def _trace(attrs: Attributes, loss: Loss, eps: float, tol: float) -> Claim:
    """final_loss_, where it is told, and loss_ of 'lbfgs' are the loss of the weights; the history fits itself."""
    said, n_iter, told = attrs.number("loss_"), attrs.number("n_iter_"), list[float | None]()
    if attrs.has("final_loss_"):
        told.append(attrs.number("final_loss_"))
    if attrs.text("solver", "adam") == "lbfgs":
        told.append(said)
    fits = said is not None and n_iter is not None and _history_fits(attrs, said, n_iter)
    if attrs.faults or said is None:
        return bad_attributes(attrs)
    size = max(abs(loss.f) - loss.off, 1e-300)
    off = max((abs(real(one) - loss.f) / size for one in told), default=0.0) if fits else np.inf
    words = "and it is said to be that" if told else "the model does not say it, so weights are not checked"
    return at_most(
        "trace",
        f"The loss of the weights is {loss.f:.8g}, {words}. loss_ ends loss_curve_, and best_loss_ is its least; "
        "largest difference.",
        Grade.EXACT, off, tol, {"recomputed": loss.f, "claimed": said}, error=loss.off * (1 + off) / size,
        excuse=min(MOST_EXCUSED, ROUNDINGS * eps * (1 + loss.score / size)),
        failure=f"loss_, best_loss_, loss_curve_ or n_iter_ do not fit each other, or the loss {loss.f:.8g} of the "
        "weights.",
    )  # fmt: skip


def _history_fits(attrs: Attributes, said: float, n_iter: float) -> bool:
    """n_iter_ is the length of loss_curve_, or less where a warm start went on; loss_ ends it; best_loss_, if told, is
    the least of these rounds. The losses of 'lbfgs' only fall: both are that of the weights, with or without a curve.
    """
    exact = attrs.text("solver", "adam") == "lbfgs"
    best = attrs.number("best_loss_") if attrs.has("best_loss_") else None
    if exact and not attrs.has("loss_curve_"):
        return best is None or best == said
    curve = attrs.array("loss_curve_")
    if curve is None or curve.ndim != 1:
        return False
    fewer = attrs.parameter("warm_start", False) is True and (0 if exact else 1) <= whole(n_iter) < len(curve)
    if n_iter != len(curve) and not fewer:
        return False
    rounds = np.full(1, said) if exact else curve[-whole(n_iter) :]
    return len(rounds) > 0 and said == rounds[-1] and (best is None or best == rounds.min())


def _stationary(attrs: Attributes, net: Net, f: float, steepest: list[F64]) -> Claim:
    """`steepest` is above the size of each entry of the gradient."""
    asked, n_iter, most = real(attrs.parameter("tol", 1e-4)), attrs.number("n_iter_") or 0.0, attrs.raw("max_iter")
    largest = max(float(g.max()) for g in steepest)
    if largest <= asked:
        sentence = "No entry of the gradient is larger than this: the model's tol."
        return at_most("stationary", sentence, Grade.STATIONARY, largest, asked)
    length = np.sqrt(sum(float((p * p).sum()) for p in (*net.coefs, *net.intercepts)))
    share = 0.01 * length * np.sqrt(sum(float((g * g).sum()) for g in steepest)) / f if f > 0 else np.inf
    stopped = most is not None and most.ndim == 0 and n_iter >= most
    sentence = (
        f"Training ended after {n_iter:g} rounds{', stopped by max_iter,' if stopped else ''} where an entry of the "
        f"gradient is {largest:.2g}: no stationary point. To first order a change of the weights by 1 % of their "
        f"length lowers the loss by a share of {share:.2g} or less. A higher max_iter or a lower tol come nearer, or "
        "solver='lbfgs' where there are few rows."
    )
    return Claim("stationary", sentence, Grade.UNPROVED, None, asked, True, {"largest": largest, "share": float(share)})
