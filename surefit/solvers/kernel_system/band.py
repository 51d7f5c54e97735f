"""A = Q B Qᵀ for a symmetric A, with Q orthogonal and B a narrow band: what a path of penalties needs of eigenvectors.

A + αI = Q (B + αI) Qᵀ for every α, and B + αI is factorized in O(n b²). The reduction is made of products of matrices,
which the one to a tridiagonal or diagonal form is not, so it is several times faster than an eigendecomposition.

Step j takes the columns of block j below the diagonal block, A[s:, j] = H [R; 0] with H = I − V T Vᵀ (a QR
decomposition), and changes the rest to

    Hᵀ A H = A − V Wᵀ − W Vᵀ ,     Y = A V T ,   W = Y − ½ V (Tᵀ Vᵀ Y) .

Q is the product of the H. The columns of the next block are changed first: their QR decomposition is made while other
threads change the rest. Tiles depend on n alone and are updated in a fixed order.
"""

from __future__ import annotations

import itertools
import operator
from typing import NamedTuple

import numpy as np

from surefit import _native
from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree
from surefit.solvers.numerics.blas import add_product, factorize_band, qr

WIDTH = 64
TILE = 512
TOGETHER = 4
"""Steps whose reflectors are applied to Q at once: wider products are faster."""


class Reflectors(NamedTuple):
    """H = I − V T Vᵀ on the rows from `start` on, with which Hᵀ (the columns before `start`) = [R; 0]."""

    start: int
    V: np.ndarray
    T: np.ndarray
    R: np.ndarray


class Band(NamedTuple):
    """A = Q B Qᵀ; `turned` is Qᵀ, and lower[c, d] is B_{c+d, c} for 0 ≤ d ≤ WIDTH, as LAPACK has it."""

    turned: np.ndarray
    lower: np.ndarray


def reduce_to_band(A: np.ndarray) -> Band:
    """The band form of A, of which the lower triangle is read; A is overwritten."""
    n = len(A)
    n_threads = threads_for(n**3)
    steps: list[Reflectors] = []
    step = _reflectors(A, WIDTH) if n > WIDTH else None
    while step is not None:
        steps.append(step)
        step = _two_sided(A, step, n_threads)
    return Band(_turned(n, steps, n_threads), _lower_band(A, steps))


def band_factors(band: Band, alphas: np.ndarray) -> np.ndarray | None:
    """L of B + αI = L Lᵀ for every penalty, (A, n, WIDTH + 1); None where one is not positive definite."""
    factors = np.repeat(band.lower[None], len(alphas), axis=0)
    factors[:, :, 0] += alphas[:, None]
    n_threads = threads_for(factors.size * WIDTH)
    positive = fold_tree(len(alphas), lambda k: factorize_band(factors[k]), operator.and_, n_threads)
    return factors if positive else None


def _reflectors(A: np.ndarray, start: int) -> Reflectors:
    """Those of the columns of A before `start`; V takes the place of the columns."""
    columns = A[start:, start - WIDTH : start]
    packed, tau = qr(columns)
    k = len(tau)
    V = columns[:, :k]
    V[:] = packed[:, :k]
    V[:k] = np.tril(V[:k], -1)
    V[np.arange(k), np.arange(k)] = 1.0
    T = np.zeros((k, k))
    products = V.T @ V
    for i in range(k):  # H₁ … H_i = (I − V T Vᵀ)(I − τ v vᵀ)
        T[:i, i] = -tau[i] * (T[:i, :i] @ products[:i, i])
        T[i, i] = tau[i]
    return Reflectors(start, V, T, np.triu(packed[:k]))


def _lower_band(A: np.ndarray, steps: list[Reflectors]) -> np.ndarray:
    """B, from the diagonal blocks of A and the R below them."""
    n = len(A)
    lower = np.zeros((n, WIDTH + 1))
    for c in range(n):
        j = c % WIDTH
        stop = min(c - j + WIDTH, n)
        lower[c, : stop - c] = A[c:stop, c]
        if stop < n:
            below = steps[c // WIDTH].R[: j + 1, j]
            lower[c, WIDTH - j : WIDTH - j + len(below)] = below
    return lower


def _tiles(first: int, stop: int) -> list[slice]:
    """Equal parts of first … stop − 1, at most TILE long: an even number of them, as threads mostly are."""
    size = stop - first
    count = 1 if size < TILE // 2 else max(4, 2 * -(-size // (2 * TILE)))
    cuts = [first + size * i // count for i in range(count + 1)]
    return [slice(*ends) for ends in itertools.pairwise(cuts)]


def _two_sided(A: np.ndarray, step: Reflectors, n_threads: int) -> Reflectors | None:
    """The lower triangle of Hᵀ A H in the place of that of A, from `start` on; the next reflectors, if any."""
    start, V, _, _ = step
    rest = A[start:, start:]
    m, k = V.shape
    Y, S = _image(rest, step, n_threads)
    left, right = np.empty((m, 2 * k)), np.empty((m, 2 * k))
    top = np.hstack([Y[:WIDTH] - V[:WIDTH] @ S, V[:WIDTH]])
    tiles = _tiles(0, m)

    def begin(i: int) -> None:
        """W, and the columns of the next block."""
        rows = tiles[i]
        left[rows, :k] = right[rows, k:] = V[rows]
        left[rows, k:] = right[rows, :k] = Y[rows] - V[rows] @ S
        add_product(rest[rows, :WIDTH], left[rows], top, -1.0, transpose_B=True)

    fold_tree(len(tiles), begin, _nothing, n_threads)
    if m <= WIDTH:
        return None
    others = _tiles(WIDTH, m)
    pairs = [(rows, columns) for i, rows in enumerate(others) for columns in others[: i + 1]]

    def update(i: int) -> Reflectors | None:
        if i == 0:
            return _reflectors(A, start + WIDTH)
        rows, columns = pairs[i - 1]
        add_product(rest[rows, columns], left[rows], right[columns], -1.0, transpose_B=True)
        return None

    return fold_tree(len(pairs) + 1, update, lambda first, second: first, n_threads)


def _image(rest: np.ndarray, step: Reflectors, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Y = A V T and S = ½ Tᵀ Vᵀ Y, of which W = Y − V S is made."""
    _, V, T, _ = step
    Y = np.empty(V.shape)
    _native.multiply_symmetric(rest, V, Y, n_threads)
    tiles = _tiles(0, len(V))

    def finish(i: int) -> np.ndarray:
        rows = tiles[i]
        Y[rows] = Y[rows] @ T
        return V[rows].T @ Y[rows]

    return Y, 0.5 * T.T @ fold_tree(len(tiles), finish, np.add, n_threads)


def _turned(n: int, steps: list[Reflectors], n_threads: int) -> np.ndarray:
    """Qᵀ of Q = H₁ H₂ … , from the last to the first: only the rows and columns from `start` on are touched."""
    turned = np.eye(n)
    for first in reversed(range(0, len(steps), TOGETHER)):
        start, V, T = _together(steps[first : first + TOGETHER])
        part = turned[start:, start:]
        tiles = _tiles(0, len(part))

        def reflect(i: int, part: np.ndarray = part, tiles: list = tiles, V: np.ndarray = V, T: np.ndarray = T) -> None:
            rows = part[tiles[i]]
            add_product(rows, (rows @ V) @ T.T, V, -1.0, transpose_B=True)

        fold_tree(len(tiles), reflect, _nothing, n_threads)
    return turned


def _together(steps: list[Reflectors]) -> tuple[int, np.ndarray, np.ndarray]:
    """H₁ H₂ … = I − V T Vᵀ on the rows from the start of H₁ on.

    (I − V T Vᵀ)(I − V₂ T₂ V₂ᵀ) has [V V₂] and [T, −T Vᵀ V₂ T₂; 0, T₂].
    """
    start, k = steps[0].start, sum(len(step.T) for step in steps)
    V, T, s = np.zeros((len(steps[0].V), k)), np.zeros((k, k)), 0
    for step in steps:
        stop = s + len(step.T)
        below = slice(step.start - start, None)
        V[below, s:stop], T[s:stop, s:stop] = step.V, step.T
        T[:s, s:stop] = -T[:s, :s] @ (V[below, :s].T @ step.V) @ step.T
        s = stop
    return start, V, T


def _nothing(left: None, right: None) -> None:
    return None
