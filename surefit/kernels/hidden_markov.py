"""The hidden-Markov kernel: two sequences are alike when the same hidden states make both likely.

    k(x, x') = Σ_z p(x|z) p(x'|z) p(z)        z = z₁ z₂ …, a Markov chain; p(x|z) = Π_t p(x_t|z_t)

over all chains of hidden states (Bishop, equation 6.30). The sum has |states|^length terms; with
α_t(i) = Σ over z₁ … z_t = i it is

    α₁(i) = p(z₁ = i) b₁(i)      α_t(j) = b_t(j) Σᵢ α_{t−1}(i) p(z_t = j | z_{t−1} = i)      b_t(i) = p(x_t|i) p(x'_t|i)

and k = Σᵢ α(i) at the end. Where one sequence has ended, b_t is the other's alone. α is brought to size one at every
step and the logarithms of the factors are summed: long sequences do not underflow on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.kernels.blocks import written
from surefit.kernels.kernel import PRODUCT, Kernel, require
from surefit.kernels.rows import Rows

NUMBERS_AT_ONCE = 2**20


class HiddenMarkov(Kernel):
    """k(x, x') = Σ_z p(x|z) p(x'|z) p(z) over chains of hidden states

    `start`: p(z₁); `transition`: rows of p(z_{t+1} | z_t); `emission`: a row of p(symbol | state) for each state, or a
    function from a sequence to its table of p(x_t | state), length × states. `symbols` are the names of the columns of
    `emission`; None: 0, 1, 2 … `normalize`: k(x, x') / √(k(x, x) k(x', x')), which long sequences need.

    >>> import numpy as np
    >>> from surefit.kernels import HiddenMarkov
    >>> weather = HiddenMarkov([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.8, 0.2], [0.3, 0.7]], symbols="sr")
    >>> weather(["s", "r"])
    array([[0.365, 0.185],
           [0.185, 0.265]])
    """

    domain = "objects"

    def __init__(
        self,
        start: Any,
        transition: Any,
        emission: Any | Callable[[Any], Any],
        symbols: Any = None,
        normalize: bool = False,
    ) -> None:
        self.start, self.transition, self.emission = start, transition, emission
        self.symbols, self.normalize = symbols, normalize
        self._start = probabilities("start", np.atleast_2d(start))[0]
        n = len(self._start)
        self._transition = probabilities("transition", transition)
        require(self._transition.shape == (n, n), f"transition must be {n} × {n}; got {self._transition.shape}")
        self._table: np.ndarray | None = None
        self._places: dict[Any, int] = {}
        if not callable(emission):
            self._table = probabilities("emission", emission)
            require(len(self._table) == n, f"emission must have a row for each of {n} states; got {len(self._table)}")
            names = range(self._table.shape[1]) if symbols is None else list(symbols)
            require(len(names) == self._table.shape[1], f"symbols must name {self._table.shape[1]} columns")
            self._places = {name: place for place, name in enumerate(names)}

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        text = f"Σ_z p({x}|z) p({y}|z) p(z)"
        return (f"{text} / norm" if self.normalize else text), PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        a, b = self._likelihoods(A), self._likelihoods(B)
        length = max(len(p) for p in [*a, *b])
        left, right = self._filled(a, length), self._filled(b, length)
        K = np.empty((A.n, B.n))
        step = max(1, NUMBERS_AT_ONCE // (B.n * len(self._start)))
        for first in range(0, A.n, step):
            rows = slice(first, first + step)
            K[rows] = self._log_sums(left[:, rows, None, :], right[:, None, :, :])
        if self.normalize:
            K -= 0.5 * self._log_self(A)[:, None]
            K -= 0.5 * self._log_self(B)
        return written(np.exp(K, out=K).astype(A.dtype, copy=False), out)

    def self_values(self, A: Rows) -> np.ndarray:
        if self.normalize:
            self._likelihoods(A)
            return np.ones(A.n, dtype=A.dtype)
        return np.exp(self._log_self(A)).astype(A.dtype, copy=False)

    def _log_self(self, A: Rows) -> np.ndarray:
        def make(rows: Rows) -> np.ndarray:
            lists = self._likelihoods(rows)
            table = self._filled(lists, max(len(p) for p in lists))
            found = self._log_sums(table, table)
            if np.isneginf(found).any():
                i = int(np.flatnonzero(np.isneginf(found))[0])
                raise InvalidData(f"input {i} has probability zero under the model")
            return found

        return A.kept((self, "log self"), make)

    def _log_sums(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """log k by the forward recursion; time along the first axis, states along the last."""
        log_k: Any = 0.0
        alpha: Any = self._start
        with np.errstate(divide="ignore", invalid="ignore"):
            for t in range(len(left)):
                alpha = (alpha if t == 0 else alpha @ self._transition) * (left[t] * right[t])
                size = alpha.sum(axis=-1)
                log_k = log_k + np.log(size)
                alpha = alpha / np.where(size > 0, size, 1)[..., None]
        return log_k

    def _likelihoods(self, A: Rows) -> np.ndarray:
        """For every input the table p(x_t|i), length × states."""
        return A.kept((self, "likelihoods"), self._tables)

    def _tables(self, rows: Rows) -> np.ndarray:
        tables = np.empty(rows.n, dtype=object)
        for i, sequence in enumerate(rows.X):
            tables[i] = self._of_one(i, sequence)
        return tables

    def _of_one(self, i: int, sequence: Any) -> np.ndarray:
        if self._table is None:
            table = np.asarray(self.emission(sequence), dtype=np.float64)
        else:
            try:
                table = self._table.T[[self._places[symbol] for symbol in sequence]]
            except KeyError as error:
                known = ", ".join(repr(name) for name in list(self._places)[:10])
                raise InvalidData(f"input {i} holds the symbol {error.args[0]!r}; the model knows {known}") from error
            except TypeError as error:
                raise InvalidData(f"input {i} must be a sequence of symbols; got {type(sequence).__name__}") from error
        if table.ndim != 2 or len(table) == 0 or table.shape[1] != len(self._start):
            wanted = f"at least one symbol, and a table of {len(self._start)} states for it"
            raise InvalidData(f"input {i}: a sequence needs {wanted}; got shape {table.shape}")
        if not np.isfinite(table).all() or (table < 0).any():
            raise InvalidData(f"input {i}: p(x|state) must be finite numbers ≥ 0")
        return table

    @staticmethod
    def _filled(tables: np.ndarray, length: int) -> np.ndarray:
        """(length, inputs, states); ones where a sequence has ended."""
        filled = np.ones((length, len(tables), tables[0].shape[1]))
        for i, table in enumerate(tables):
            filled[: len(table), i] = table
        return filled


def probabilities(name: str, values: Any) -> np.ndarray:
    """Rows that sum to one."""
    p = np.asarray(values, dtype=np.float64)
    require(p.ndim == 2 and p.size > 0, f"HiddenMarkov({name}=…) must be a table of probabilities; got shape {p.shape}")
    require(bool(np.isfinite(p).all() and (p >= 0).all()), f"HiddenMarkov({name}=…) must be numbers ≥ 0")
    sums = p.sum(axis=1)
    worst = int(np.argmax(np.abs(sums - 1)))
    require(
        abs(sums[worst] - 1) <= 1e-9, f"HiddenMarkov({name}=…): row {worst} must sum to 1; it sums to {sums[worst]:.6g}"
    )
    return p
