"""The compiled pass against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.engine.sources.block import Block
from surefit.solvers.hinge.clipped_pass import clipped_pass
from tests.reference import linear_svm as reference


@pytest.mark.parametrize("n, d", [(1, 1), (5, 3), (257, 8), (1000, 37), (300, 130)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("bounded", [True, False])
def test_against_numpy(n, d, dtype, kind, bounded):
    rng = np.random.default_rng(n + d)
    X = (rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)).astype(dtype)
    sign, slope = rng.choice([-1.0, 1.0], n), rng.uniform(0.0, 2.0, n)
    shift, top = (rng.uniform(0.0, 1.0, n), rng.uniform(0.5, 2.0, n)) if bounded else (None, None)
    theta, base = rng.normal(size=(2, d + 1)) / np.sqrt(d)
    block = Block(sp.csr_array(X) if kind == "csr" else X, None, None, 0, 256)
    got = clipped_pass(block, theta, sign, slope, 2, shift=shift, top=top, base=base)
    zeros, infinite = np.zeros(n), np.full(n, np.inf)
    want = reference.clipped_pass(
        X, sign, zeros if shift is None else shift, slope, infinite if top is None else top, theta
    )
    for mine, theirs in zip((got.slack, got.residual, got.sums), want, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got.base_slack, 1.0 - sign * (X @ base[:-1] + base[-1]), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_do_not_change_bits(n_threads):
    rng = np.random.default_rng(0)
    block = Block(rng.normal(size=(40_000, 20)), None, None, 0, 4096)
    sign, slope, theta = rng.choice([-1.0, 1.0], 40_000), np.ones(40_000), rng.normal(size=21)
    one = clipped_pass(block, theta, sign, slope, 1)
    many = clipped_pass(block, theta, sign, slope, n_threads)
    assert one.sums.tobytes() == many.sums.tobytes() and one.residual.tobytes() == many.residual.tobytes()
