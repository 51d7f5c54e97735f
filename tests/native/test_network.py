"""The compiled losses and epochs of Adam against SciPy and against the formulas in long double."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import log_expit, log_softmax, softmax, xlogy

from surefit import _native
from tests.reference import mlp

L = np.longdouble
SHOWN = {"squared_error": "identity", "logistic": "logistic", "softmax": "softmax"}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weights", [None, np.array([0.0, 2.0, 1.0])])
@pytest.mark.parametrize("loss", ["squared_error", "logistic", "softmax", "poisson"])
def test_losses_and_slopes_are_scipys(loss, dtype, weights):
    z = np.array([[1.0, -2.0, 3.0], [80.0 if loss == "poisson" else 800.0, 30.0, 0.0], [0.0, 0.0, -40.0]], dtype)
    Y, ones = np.eye(3, dtype=dtype)[[2, 1, 0]], np.ones(3) if weights is None else weights
    wide = z.astype(np.float64)
    losses, slopes = {
        "squared_error": lambda: ((wide - Y) ** 2 / 2, wide - Y),
        "logistic": lambda: (-Y * log_expit(wide) - (1 - Y) * log_expit(-wide), np.exp(log_expit(wide)) - Y),
        "softmax": lambda: (-Y * log_softmax(wide, axis=1), softmax(wide, axis=1) - Y),
        "poisson": lambda: (np.exp(wide) - Y * wide + xlogy(Y, Y) - Y, np.exp(wide) - Y),
    }[loss]()
    found = z.copy()
    total = _native.loss_slopes(loss, found, Y, weights)
    eps = float(np.finfo(dtype).eps)
    assert total == pytest.approx(float((ones[:, None] * losses).sum()), rel=200 * eps)
    np.testing.assert_allclose(found, ones[:, None] * slopes, rtol=200 * eps, atol=8 * eps)


def problem(widths, loss, dtype, n=23, seed=0):
    rng = np.random.default_rng(seed)
    arrays = [[0.5 * rng.normal(size=shape) for shape in pairwise(widths)]]
    arrays.append([0.5 * rng.normal(size=width) for width in widths[1:]])
    X, Y = rng.normal(size=(n + 4, widths[0])), rng.normal(size=(n + 4, widths[-1]))
    if loss in ("softmax", "logistic"):
        Y = np.eye(widths[-1])[rng.integers(widths[-1], size=n + 4)]
    coefs, intercepts = ([a.astype(dtype) for a in some] for some in arrays)
    return coefs, intercepts, X.astype(dtype), Y.astype(dtype), rng.permutation(n + 4)[:n]


def epoch(start, activation, loss, places, weights, size, masks, adam, threads):
    """Parameters after the epoch, and what it returned."""
    coefs, intercepts, X, Y = start
    kept = [[(p.copy(), np.zeros_like(p), np.zeros_like(p)) for p in some] for some in (coefs, intercepts)]
    seen = _native.adam_epoch(*kept, activation, loss, X, Y, places, weights, size, masks, _native.Adam(*adam), threads)
    return [p for some in kept for p, _, _ in some], seen


def plain_epoch(start, activation, loss, places, weights, size, adam):
    """The same in long double: gradients of the reference, steps by their formula."""
    alpha, decay, beta_1, beta_2, epsilon, rate, t = adam
    coefs, intercepts, X, Y = start
    model = SimpleNamespace(
        coefs_=[L(W) for W in coefs], intercepts_=[L(b) for b in intercepts],
        activation=activation, alpha=alpha, out_activation_=SHOWN[loss],
    )  # fmt: skip
    count = len(coefs)
    parameters = [*model.coefs_, *model.intercepts_]
    m, s = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    total, used = L(0), L(rate)
    for first in range(0, len(places), size):
        at, w = places[first : first + size], weights[first : first + size]
        if w.sum() == 0:
            continue
        total += mlp.loss(model, X[at], Y[at], w) * w.sum()
        slopes = mlp.gradient(model, X[at], Y[at], w)
        slopes = [*slopes[0::2][::-1], *slopes[1::2][::-1]]
        t += 1
        before, used = used, rate * np.sqrt(1 - L(beta_2) ** t) / (1 - L(beta_1) ** t)
        for i, (p, g) in enumerate(zip(parameters, slopes, strict=True)):
            m[i] = beta_1 * m[i] + (1 - L(beta_1)) * g
            s[i] = beta_2 * s[i] + (1 - L(beta_2)) * g * g
            p -= used * m[i] / (np.sqrt(s[i]) + epsilon)
            if i < count:
                p *= 1 - before * decay
    return parameters, total


@pytest.mark.parametrize("loss", SHOWN)
@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize("widths", [[3, 2], [5, 7, 2], [4, 70, 33, 3]])
def test_an_epoch_of_adam_is_its_formulas(widths, activation, loss):
    *start, places = problem(widths, loss, np.float64)
    weights = np.arange(len(places)) % 3.0
    weights[8:16] = 0  # a batch without weight
    adam = (0.1, 0.05, 0.9, 0.99, 1e-3, 0.02, 0)
    found, (total, weight, steps) = epoch(start, activation, loss, places, weights, 8, [], adam, 1)
    wanted, wanted_total = plain_epoch(start, activation, loss, places, weights, 8, adam)
    assert steps == 2 and weight == weights.sum()
    assert total == pytest.approx(float(wanted_total), rel=1e-12)
    for p, q in zip(found, wanted, strict=True):
        np.testing.assert_allclose(p, q.astype(float), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu"])
def test_the_bits_of_an_epoch_do_not_depend_on_threads(activation, dtype):
    *start, places = problem([130, 300, 10], "softmax", dtype, n=450)
    adam = (1e-4, 0.0, 0.9, 0.999, 1e-8, 0.001, 0)
    runs = [epoch(start, activation, "softmax", places, None, 200, [], adam, threads) for threads in (1, 2, 3)]
    for found, seen in runs[1:]:
        assert seen == runs[0][1]
        assert all(np.array_equal(p, q) for p, q in zip(found, runs[0][0], strict=True))


@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu"])
def test_rows_in_their_order_need_no_places_and_masks_of_one_change_nothing(activation):
    *start, _ = problem([3, 6, 2], "softmax", np.float64)
    n, adam = len(start[2]), (0.0, 0.0, 0.9, 0.999, 1e-8, 0.01, 3)
    plain = epoch(start, activation, "softmax", None, None, n, [], adam, 1)
    for places, masks in ((np.arange(n), []), (None, [np.ones((n, 6))])):
        found = epoch(start, activation, "softmax", places, None, n, masks, adam, 1)
        assert found[1] == plain[1]
        assert all(np.array_equal(p, q) for p, q in zip(found[0], plain[0], strict=True))


@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu"])
def test_units_that_are_masked_out_are_as_if_they_were_not_there(activation):
    """Doubled activations of the others are those of doubled weights behind them; a single step shows the slopes."""
    (V, W), (b, c), X, Y, _ = problem([3, 6, 2], "softmax", np.float64)
    kept, n = np.array([0, 2, 5]), len(X)
    mask = np.zeros((n, 6))
    mask[:, kept] = 2.0
    adam = (0.0, 0.0, 0.0, 0.0, 1e8, 1e6, 0)  # m/(√s + ε) is nearly g/ε: a step along the gradient
    whole, (loss, *_) = epoch(([V, W], [b, c], X, Y), activation, "softmax", None, None, n, [mask], adam, 1)
    small = [V[:, kept].copy(), 2 * W[kept]], [b[kept].copy(), c], X, Y
    part, (expected, *_) = epoch(small, activation, "softmax", None, None, n, [], adam, 1)
    assert loss == pytest.approx(expected, rel=1e-14)
    np.testing.assert_allclose(whole[0][:, kept] - V[:, kept], part[0] - V[:, kept], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(whole[1][kept] - W[kept], 2 * (part[1] - 2 * W[kept]), rtol=1e-6, atol=1e-12)
    out = np.setdiff1d(np.arange(6), kept)
    np.testing.assert_array_equal(whole[0][:, out], V[:, out])
    np.testing.assert_array_equal(whole[1][out], W[out])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["logistic", "tanh"])
def test_activations_keep_their_digits(kind, dtype):
    """Read off the slope of a weight behind them: with one input z, y = 0 and a weight of 1 it is a²."""
    sizes = np.concatenate([10.0 ** np.arange(-12, 2.5, 0.25), [0.0, 0.6249, 0.6251, 90.0]])
    for z in np.concatenate([sizes, -sizes]).astype(dtype):
        one = np.ones((1, 1), dtype)
        start = [np.array([[z]]), one], [np.zeros(1, dtype), np.zeros(1, dtype)], one, np.zeros((1, 1), dtype)
        _, (loss, *_) = epoch(start, kind, "squared_error", None, None, 1, [], (0, 0, 0.9, 0.9, 1, 0, 0), 1)
        expected = float(mlp.active(kind, L(z)))
        assert np.sqrt(2 * loss) == pytest.approx(abs(expected), rel=8 * float(np.finfo(dtype).eps), abs=1e-18)


def test_sizes_that_do_not_fit_are_refused():
    *start, places = problem([3, 4, 2], "softmax", np.float64)
    coefs, intercepts, X, Y = start
    adam = (0.0, 0.0, 0.9, 0.999, 1e-8, 0.01, 0)
    with pytest.raises(ValueError, match="the rows of the weights has length 3, expected 2"):
        epoch((coefs, intercepts, X[:, :2].copy(), Y), "relu", "softmax", places, None, 5, [], adam, 1)
    with pytest.raises(ValueError, match="the columns of the targets has length 1, expected 2"):
        epoch((coefs, intercepts, X, Y[:, :1].copy()), "relu", "softmax", places, None, 5, [], adam, 1)
    with pytest.raises(ValueError, match="a place beyond the rows"):
        epoch(start, "relu", "softmax", places + len(X), None, 5, [], adam, 1)
    with pytest.raises(ValueError, match="the weights has length 3"):
        epoch(start, "relu", "softmax", places, np.ones(3), 5, [], adam, 1)
    with pytest.raises(ValueError, match="the rows of a batch with masks"):
        epoch(start, "relu", "softmax", places, None, 5, [np.ones((len(places), 4))], adam, 1)
    with pytest.raises(ValueError, match="no such activation: sine"):
        epoch(start, "sine", "softmax", places, None, 5, [], adam, 1)
    with pytest.raises(ValueError, match="a batch a row"):
        epoch(start, "relu", "softmax", places, None, 0, [], adam, 1)
