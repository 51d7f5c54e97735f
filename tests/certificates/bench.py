"""What the tests of checkers share: blocks of any data, and models with altered attributes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.certificates import ArrayBlocks, Certificate, Rows, check


def blocks(X: Any, y: Any = None, w: Any = None, rows: int = 97) -> ArrayBlocks:
    """Blocks of an odd length, so that the last one is short."""
    if sp.issparse(X):
        X = Rows(X.data, X.indices, X.indptr, X.shape)
    return ArrayBlocks(X, y, w, block_rows=rows)


def certify(model: Any, X: Any, y: Any = None, w: Any = None, rows: int = 97) -> Certificate:
    return check(model, blocks(X, y, w, rows))


def altered(model: Any, **attributes: Any) -> Any:
    """A copy of the model with other fitted attributes."""
    other = copy.deepcopy(model)
    for name, value in attributes.items():
        setattr(other, name, value)
    return other


def failing(certificate: Certificate) -> set[str]:
    return {claim.name for claim in certificate.failures}


def changed(a: np.ndarray, index: Any, by: float) -> np.ndarray:
    """A copy of the array with `by` added at one place."""
    out = np.array(a, dtype=float)
    out[index] += by
    return out
