"""The compiled class moments against exact rational arithmetic, the NumPy reference, and themselves cut and merged."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from surefit import _native
from surefit.engine.leaves import merge_in_order
from surefit.summaries.class_moments import ClassMoments, combine
from tests.reference.summaries import class_moments_reference


def native(X, classes, n_classes, w=None, pooled=True, leaf_rows=64, n_threads=1):
    return ClassMoments(*_native.class_moments(X, classes.astype(np.int32), n_classes, w, pooled, leaf_rows, n_threads))


def labelled(n, d, n_classes, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(n_classes, d))[classes] + 5
    return X.astype(dtype), classes, rng.integers(0, 4, n).astype(np.float64)


def exact(X, classes, n_classes, w):
    """W_k, m_k and Σ_k S_k in rational arithmetic, rounded once at the end."""
    d = X.shape[1]
    weights, means = np.zeros(n_classes), np.zeros((n_classes, d))
    products = [[Fraction(0)] * d for _ in range(d)]
    for k in range(n_classes):
        there = zip(X[classes == k], w[classes == k], strict=True)
        rows = [([Fraction(float(v)) for v in x], Fraction(float(o))) for x, o in there]
        W = sum(o for _, o in rows)
        if W == 0:
            continue
        m = [sum(o * x[j] for x, o in rows) / W for j in range(d)]
        weights[k], means[k] = float(W), [float(v) for v in m]
        for i in range(d):
            for j in range(d):
                products[i][j] += sum(o * (x[i] - m[i]) * (x[j] - m[j]) for x, o in rows)
    return weights, means, np.array([[float(v) for v in row] for row in products])


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_exact_to_rounding(offset):
    X, classes, w = labelled(150, 3, 4)
    X = np.round(X * 64) / 64 + offset
    classes[classes == 2] = 1  # a class without rows
    got = native(X, classes, 4, w)
    weights, means, products = exact(X, classes, 4, w)
    np.testing.assert_array_equal(got.weights, weights)
    np.testing.assert_allclose(got.means, means, rtol=1e-15)
    # means are rounded by offset · eps, and squares would be by offset² · eps
    tolerance = 1e-13 + 4 * offset * np.finfo(float).eps
    np.testing.assert_allclose(got.products, products, rtol=0, atol=tolerance * products.max())
    np.testing.assert_array_equal(got.counts, [np.sum((classes == k) & (w > 0)) for k in range(4)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    ("n", "d", "n_classes"), [(1, 1, 1), (700, 8, 2), (3000, 33, 12), (500, 5, 300), (40, 1500, 3)]
)
def test_the_reference_agrees(n, d, n_classes, dtype, pooled, weighted):
    X, classes, w = labelled(n, d, n_classes, dtype)
    w = w + 1 if n == 1 else w
    w = w if weighted else None
    reference = class_moments_reference(X, classes, n_classes, w, pooled)
    one = native(X, classes, n_classes, w, pooled, leaf_rows=512)
    for mine, theirs in zip(one, reference, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11 * max(1.0, np.abs(theirs).max()))
    three = native(X, classes, n_classes, w, pooled, leaf_rows=512, n_threads=3)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, three, strict=True))


@pytest.mark.parametrize("pooled", [True, False])
def test_cut_and_merged_is_whole(pooled):
    X, classes, w = labelled(1000, 9, 5)
    classes[:300] = np.minimum(classes[:300], 1)  # classes that the first leaves do not have
    whole = native(X, classes, 5, w, pooled, leaf_rows=64, n_threads=2)
    parts = [native(X[i : i + 64], classes[i : i + 64], 5, w[i : i + 64], pooled) for i in range(0, 1000, 64)]
    merged = merge_in_order(parts, combine)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(whole, merged, strict=True))


def test_bad_classes_are_refused():
    X, classes, _ = labelled(50, 2, 3)
    for wrong in (3, -1):
        broken = classes.copy()
        broken[17] = wrong
        with pytest.raises(ValueError, match=f"row 17 has class {wrong}"):
            native(X, broken, 3)
    with pytest.raises(ValueError, match="classes has length 49, expected 50"):
        native(X, classes[:-1], 3)
