"""The compiled products, sums of a mixture and steps of Adam against NumPy; sizes that do not fit are refused."""

from __future__ import annotations

import numpy as np
import pytest

from surefit import _native


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (200, 10, 784), (5, 130, 3), (97, 65, 257), (3, 4, 0)])
def test_products_are_numpys_for_any_number_of_threads(m, n, k, turned, dtype):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(k, m) if turned else (m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
    out = [np.full((m, n), np.nan, dtype) for _ in range(3)]
    for threads, one in zip((1, 2, 3), out, strict=True):
        _native.multiply(a, b, one, turned, threads)
    wide = (a.T if turned else a).astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(out[0], wide, atol=4 * np.finfo(dtype).eps * np.sqrt(k + 1) * 4)
    assert np.array_equal(out[0], out[1]) and np.array_equal(out[0], out[2])


def test_sizes_that_do_not_fit_are_refused():
    a, b = np.ones((2, 3)), np.ones((4, 2))
    with pytest.raises(ValueError, match="the rows of the second matrix has length 4, expected 3"):
        _native.multiply(a, b, np.empty((2, 2)), False, 1)
    rule = _native.Adam(0.0, 0.0, 0.9, 0.99, 1e-8, 0.1, 0)
    with pytest.raises(ValueError, match="the gradient has length 2, expected 3"):
        _native.adam_step(np.ones(3), np.ones(2), np.ones(3), np.ones(3), rule, 1.0, 1)
    with pytest.raises(ValueError, match="a row of coef has length 3, expected 6"):
        _native.mixture_sums(np.ones((5, 2)), None, np.zeros(2), np.ones(2), np.ones((1, 3)), True, 64, 1)


def test_a_step_of_adam_is_its_formula():
    rng = np.random.default_rng(1)
    w, g, m = rng.normal(size=(3, 1000))
    s = rng.exponential(size=1000)
    moved, means, squares = w.copy(), m.copy(), s.copy()
    rule = _native.Adam(0.5, 0.0, 0.9, 0.99, 1e-8, 0.1, 0)
    _native.adam_step(moved, 4 * g - 0.5 * w, means, squares, rule, 0.25, 2)
    np.testing.assert_allclose(means, 0.9 * m + 0.1 * g, atol=1e-15)
    np.testing.assert_allclose(squares, 0.99 * s + 0.01 * g * g, rtol=1e-14)
    np.testing.assert_allclose(moved, w - 0.1 * means / (np.sqrt(squares) + 1e-8), atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1, 1), (200, 784, 256), (37, 5, 130)])
def test_layers_end_in_their_products_for_any_number_of_threads(shape, dtype):
    (rows, inputs, units), rng = shape, np.random.default_rng(3)
    X = rng.normal(size=(2 * rows, inputs)).astype(dtype)
    W, delta = (rng.normal(size=(n, units)).astype(dtype) for n in (inputs, rows))
    b, places = rng.normal(size=units).astype(dtype), rng.permutation(2 * rows)[:rows]
    found = []
    for threads in (1, 2, 3):
        a, z, back = np.empty((rows, inputs), dtype), np.empty((rows, units), dtype), np.empty((rows, inputs), dtype)
        _native.gather_rows(X, places, a, threads)
        _native.layer_forward(a, W, b, z, True, threads)
        _native.layer_backward(delta, np.ascontiguousarray(W.T), a, back, threads)
        found.append((a, z, back))
    for one in found[1:]:
        assert all(np.array_equal(x, y) for x, y in zip(found[0], one, strict=True))
    a, z, back = found[0]
    wide = X[places].astype(np.float64)
    near = {"rtol": 0, "atol": 200 * np.finfo(dtype).eps * np.sqrt(inputs + rows)}
    np.testing.assert_array_equal(a, X[places])
    np.testing.assert_allclose(z, np.maximum(wide @ W + b, 0), **near)
    np.testing.assert_allclose(back, np.where(wide > 0, delta.astype(np.float64) @ W.T, 0), **near)


def test_places_beyond_the_rows_are_refused():
    X = np.ones((3, 2))
    for place in (-1, 3):
        with pytest.raises(ValueError, match="a place beyond the rows"):
            _native.gather_rows(X, np.array([0, place]), np.empty((2, 2)), 1)


def test_a_component_without_weight_takes_no_rows():
    X = np.random.default_rng(2).normal(size=(300, 2))
    coef = np.array([[-0.5, -0.5, 0.0, 0.0, 0.0], [-0.5, -0.5, 0.0, 0.0, -np.inf]])
    sums, value, total = _native.mixture_sums(X, None, np.zeros(2), np.ones(2), coef, False, 64, 2)
    np.testing.assert_allclose(sums[0], [*(X**2).sum(axis=0), *X.sum(axis=0), 300], rtol=1e-12)
    assert not sums[1].any() and total == 300
    assert value == pytest.approx(-0.5 * (X**2).sum(), rel=1e-12)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize(("d", "components"), [(1, 1), (3, 5), (8, 8), (13, 17), (16, 16)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [True, False])
def test_sums_of_a_mixture_are_those_of_numpy_in_any_number_of_columns(full, d, components, dtype, weighted):
    rng = np.random.default_rng(d)
    X, w = rng.normal(size=(517, d)).astype(dtype), rng.exponential(size=517) if weighted else None
    shift, scale = rng.normal(size=d), rng.uniform(0.5, 1.5, size=d)
    Z = (X - shift) * scale
    squares = [Z[:, i] * Z[:, j] for i in range(d) for j in range(i, d)] if full else list((Z * Z).T)
    phi = np.column_stack([*squares, Z, np.ones(517)])
    coef = rng.normal(size=(components, phi.shape[1])) / phi.shape[1]
    joint = phi @ coef.T
    shares = np.exp(joint) * (1.0 if w is None else w[:, None]) / np.exp(joint).sum(axis=1, keepdims=True)
    logs = np.log(np.exp(joint).sum(axis=1))
    found = [_native.mixture_sums(X, w, shift, scale, coef, full, 128, threads) for threads in (1, 2, 3)]
    for sums, value, total in found:
        np.testing.assert_allclose(sums, shares.T @ phi, rtol=1e-11, atol=1e-11)
        assert value == pytest.approx(logs.sum() if w is None else w @ logs, rel=1e-11)
        assert total == pytest.approx(517 if w is None else w.sum(), rel=1e-13)
        assert np.array_equal(sums, found[0][0]) and value == found[0][1]
