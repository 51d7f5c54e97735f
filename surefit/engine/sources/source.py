"""What every source of rows offers, and the source whose rows are in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.threads import single_threaded_blas
from surefit.engine.leaves import leaf_rows, leaf_threads
from surefit.engine.sources.block import Block
from surefit.engine.step import Step


class Source(ABC):
    """Rows of features, perhaps with targets and weights, that can be passed over again and again."""

    n_rows: int
    n_features: int
    dtype: np.dtype
    is_sparse: bool
    has_weights: bool
    n_targets: int
    """0 without a target, 1 for a 1-D target, else the number of target columns."""
    target_ndim: int
    """0, 1 or 2: the shape of coefficients follows it."""
    classes: Any = None
    """The sorted labels, when the target is a class; y then holds codes."""
    feature_names: np.ndarray | None
    resident: bool = False
    """Rows stay in memory; `X`, `y` and `w` are there."""

    X: Any = None
    y: np.ndarray | None = None
    w: np.ndarray | None = None

    @property
    def leaf_rows(self) -> int:
        return leaf_rows(self.n_features)

    @abstractmethod
    def fold(self, step: Step, state: Any = None) -> Any:
        """The step's statistic over all rows, merged in the fixed tree."""

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """All rows, in order, block by block."""


class MemorySource(Source):
    resident = True

    def __init__(
        self,
        X: Any,
        y: np.ndarray | None = None,
        w: np.ndarray | None = None,
        feature_names: np.ndarray | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.is_sparse = sp.issparse(X)
        self.X = X if self.is_sparse else np.ascontiguousarray(X)
        self.y = None if y is None else np.ascontiguousarray(y)
        self.w = w
        self.n_rows, self.n_features = X.shape
        self.dtype = X.dtype
        self.has_weights = w is not None
        self.target_ndim = 0 if y is None else y.ndim
        self.n_targets = 0 if y is None else 1 if y.ndim == 1 else y.shape[1]
        self.feature_names = feature_names
        self._n_jobs = n_jobs
        self._scratch: dict[str, Any] = {}

    def _block(self) -> Block:
        return Block(self.X, self.y, self.w, 0, self.leaf_rows, self._scratch)

    def fold(self, step: Step, state: Any = None) -> Any:
        n_threads = leaf_threads(self.n_rows, self.leaf_rows, self._n_jobs)
        with single_threaded_blas():
            return step.map(state, self._block(), n_threads)

    def blocks(self) -> Iterator[Block]:
        yield self._block()
