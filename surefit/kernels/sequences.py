"""Kernels of strings and other sequences of symbols.

Both count features, so they are positive definite: φ_u(s) is the number of times u occurs in s as a piece (spectrum),
or the sum of decay^span over the places where u is a subsequence of s, gaps allowed (subsequence).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit.kernels.blocks import product_block, written
from surefit.kernels.kernel import ATOM, Kernel, number, require
from surefit.kernels.products import finite, superscript
from surefit.kernels.rows import Rows
from surefit.kernels.vocabulary import codes_of, count_matrix, features_of

WHAT = "a string or a sequence of symbols"
PAIRS_AT_ONCE = 2**14


def whole(name: str, least: int, **values: Any) -> None:
    for parameter, value in values.items():
        fits = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least
        require(bool(fits), f"{name}({parameter}=…) must be a whole number ≥ {least}; got {value!r}")


class Spectrum(Kernel):
    """k(s, t) = Σ_u #u(s) #u(t) over all pieces u of `length` symbols in a row

    >>> from surefit.kernels import Spectrum
    >>> Spectrum(2)(["banana", "ananas", "bar"])
    array([[9., 8., 1.],
           [8., 9., 0.],
           [1., 0., 2.]])
    """

    domain = "objects"

    def __init__(self, length: int = 3) -> None:
        whole("Spectrum", 1, length=length)
        self.length = length

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"spectrum{subscript(self.length)}({x}, {y})", ATOM

    def pieces(self, s: Sequence[Any]) -> list[Any]:
        if not isinstance(s, (str, bytes)):
            s = tuple(s)
        return [s[i : i + self.length] for i in range(len(s) - self.length + 1)]

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return product_block(self._counts(A), self._counts(B), out)

    def self_values(self, A: Rows) -> np.ndarray:
        return A.kept((self, "self"), self._squares)

    def _counts(self, rows: Rows) -> Any:
        return count_matrix(rows, self, self.pieces, WHAT)

    def _squares(self, rows: Rows) -> np.ndarray:
        counters = features_of(rows, self.pieces, WHAT)
        return np.array([sum(c * c for c in counter.values()) for counter in counters], dtype=rows.dtype)


class Subsequence(Kernel):
    """k(s, t) = Σ_u Σ decay^(span in s + span in t) over common subsequences u of `length` symbols, gaps allowed

    The span is the number of symbols from the first to the last that is used. For all pairs at once by dynamic
    programming over the ends (p, q), with S the sum over subsequences that end at both, D over those that end before:

        S₁(p, q) = decay² [s_p = t_q]                    S_{l+1}(p, q) = decay² [s_p = t_q] D_l(p − 1, q − 1)
        R_l(p, q) = decay R_l(p, q − 1) + S_l(p, q)      D_l(p, q) = decay D_l(p − 1, q) + R_l(p, q)

    and k = Σ S_length(p, q): length · |s| · |t| steps, sums of numbers ≥ 0 only.

    >>> from surefit.kernels import Subsequence
    >>> Subsequence(length=2, decay=0.5)(["cat", "car"])
    array([[0.140625, 0.0625  ],
           [0.0625  , 0.140625]])
    """

    domain = "objects"

    def __init__(self, length: int = 3, decay: float = 0.5) -> None:
        whole("Subsequence", 1, length=length)
        finite("Subsequence", decay=decay)
        require(0 < decay <= 1, f"Subsequence(decay=…) must be a number > 0 and ≤ 1; got {decay!r}")
        self.length, self.decay = length, decay

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"subsequence{subscript(self.length)}({x}, {y}; {number(self.decay)})", ATOM

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        codes = codes_of([*A.X, *B.X], WHAT)
        a, b = padded(codes[: A.n], -1), padded(codes[A.n :], -2)
        K = np.empty((A.n, B.n))
        step = max(1, PAIRS_AT_ONCE // max(1, B.n))
        for first in range(0, A.n, step):
            part = a[first : first + step]
            K[first : first + step] = self._all_pairs(part[:, None, :], b[None, :, :])
        return written(K.astype(A.dtype, copy=False), out)

    def self_values(self, A: Rows) -> np.ndarray:
        def make(rows: Rows) -> np.ndarray:
            a = padded(codes_of(rows.X, WHAT), -1)
            b = np.where(a == -1, -2, a)
            return self._all_pairs(a, b).astype(rows.dtype)

        return A.kept((self, "self"), make)

    def _all_pairs(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        """s and t broadcast against each other, symbols along the last axis."""
        shape = np.broadcast_shapes(s.shape[:-1], t.shape[:-1])
        n_t, decay, square = t.shape[-1], self.decay, self.decay**2
        D = np.zeros((self.length, n_t + 1, *shape))  # D[l][q]: of the row p − 1, moved on by one symbol of t
        total = np.zeros(shape)
        for p in range(s.shape[-1]):
            equal = [square * (s[..., p] == t[..., q]) for q in range(n_t)]
            for level in reversed(range(self.length)):  # from long to short: D of the level below is still of p − 1
                R = np.zeros(shape)
                for q in range(n_t):
                    S = equal[q] if level == 0 else equal[q] * D[level - 1, q]
                    if level == self.length - 1:
                        total += S
                    else:
                        R = decay * R + S
                        D[level, q + 1] = decay * D[level, q + 1] + R
        return total


def padded(codes: list[np.ndarray], filler: int) -> np.ndarray:
    """One row for each sequence, filled up with a number that stands for no symbol."""
    table = np.full((len(codes), max(1, *(len(c) for c in codes)) if codes else 1), filler, dtype=np.int64)
    for i, c in enumerate(codes):
        table[i, : len(c)] = c
    return table


def subscript(value: int) -> str:
    return superscript(value).translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉")) or "₁"
