"""Rows of two classes that overlap, with weights, dense or CSR."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from surefit.engine.sources.source import MemorySource
from surefit.solvers.hinge.clipped_pass import Labels


def rows(n=300, d=8, seed=0, spread=0.0, offset=0.0):
    """(X, sign, weight); `spread`: scales of columns differ by 10^±spread."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    z = X @ rng.normal(size=d) + 0.7 * rng.normal(size=n) * np.sqrt(d)
    return X * 10.0 ** rng.uniform(-spread, spread, d) + offset, np.where(z > 0.3, 1.0, -1.0), rng.uniform(0.2, 2.0, n)


def problem(X, sign, weight, C=1.0, sparse=False):
    """(source, labels) as the solvers take them."""
    X = sp.csr_array(X) if sparse else X
    return MemorySource(X, (sign > 0).astype(np.float64), weight), Labels(1, np.full(2, C))
