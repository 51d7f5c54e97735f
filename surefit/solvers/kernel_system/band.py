"""A = Q B Qᵀ for a symmetric A, with Q orthogonal and B a narrow band: what a path of penalties needs of eigenvectors.

A + αI = Q (B + αI) Qᵀ for every α, and B + αI is factorized in O(n b²). The reduction is made of products of matrices,
which the one to a tridiagonal or diagonal form is not, so it is several times faster than an eigendecomposition.

Step j takes the columns of block j below the diagonal block, A[s:, j] = H [R; 0] with H = I − V T Vᵀ (a QR
decomposition), and changes the rest to

    Hᵀ A H = A − V Wᵀ − W Vᵀ ,     Y = A V T ,   W = Y − ½ V (Tᵀ Vᵀ Y) .

Q is the product of the H. All tiles are of a fixed size and updated in a fixed order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree
from surefit.solvers.numerics.blas import add_product, cholesky, divide_left, divide_right

WIDTH = 64
TILE = 512


class Reflectors(NamedTuple):
    """H = I − V T Vᵀ on the rows from `start` on."""

    start: int
    V: np.ndarray
    T: np.ndarray


class Band(NamedTuple):
    """A = Q B Qᵀ; B has the diagonal blocks D_j and below them E_j, upper triangles."""

    Q: np.ndarray
    D: list[np.ndarray]
    E: list[np.ndarray]


def reduce_to_band(A: np.ndarray) -> Band:
    """The band form of A, of which the lower triangle is read; A is overwritten."""
    n = len(A)
    n_threads = threads_for(n**3)
    steps, D, E = [], [], []
    for j in range(0, n, WIDTH):
        stop = min(j + WIDTH, n)
        D.append(_symmetric(A[j:stop, j:stop]))
        if stop < n:
            step, R = _reflectors(A[stop:, j:stop], stop)
            E.append(R)
            _two_sided(A[stop:, stop:], step, n_threads)
            steps.append(step)
    return Band(_product(n, steps, n_threads), D, E)


def _symmetric(lower: np.ndarray) -> np.ndarray:
    return np.tril(lower) + np.tril(lower, -1).T


def _reflectors(columns: np.ndarray, start: int) -> tuple[Reflectors, np.ndarray]:
    """H and R of columns = H [R; 0]; V takes the place of the columns."""
    (packed, tau), R = scipy.linalg.qr(columns, mode="raw")
    k = len(tau)
    V = columns[:, :k]
    V[:] = np.tril(packed[:, :k], -1)
    V[np.arange(k), np.arange(k)] = 1.0
    T = np.zeros((k, k))
    products = V.T @ V
    for i in range(k):  # H₁ … H_i = (I − V T Vᵀ)(I − τ v vᵀ)
        T[:i, i] = -tau[i] * (T[:i, :i] @ products[:i, i])
        T[i, i] = tau[i]
    return Reflectors(start, V, T), R[:k]


def _tiles(n: int) -> list[slice]:
    return [slice(s, min(s + TILE, n)) for s in range(0, n, TILE)]


def _two_sided(A: np.ndarray, step: Reflectors, n_threads: int) -> None:
    """The lower triangle of Hᵀ A H in the place of that of A (above the diagonal tiles nothing is kept in step)."""
    n, (_, V, T) = len(A), step
    tiles = _tiles(n)
    Y = np.zeros_like(V)

    def multiply(i: int) -> None:
        rows = tiles[i]
        for k, others in enumerate(tiles):
            if k < i:
                add_product(Y[rows], A[rows, others], V[others], 1.0)
            elif k > i:
                add_product(Y[rows], A[others, rows], V[others], 1.0, transpose_A=True)
            else:
                add_product(Y[rows], _symmetric(A[rows, rows]), V[others], 1.0)

    fold_tree(len(tiles), multiply, _nothing, n_threads)
    Y = Y @ T
    W = Y - 0.5 * V @ (T.T @ (V.T @ Y))
    left, right = np.hstack([V, W]), np.hstack([W, V])
    pairs = [(rows, columns) for i, rows in enumerate(tiles) for columns in tiles[: i + 1]]

    def update(i: int) -> None:
        rows, columns = pairs[i]
        add_product(A[rows, columns], left[rows], right[columns], -1.0, transpose_B=True)

    fold_tree(len(pairs), update, _nothing, n_threads)


def _product(n: int, steps: list[Reflectors], n_threads: int) -> np.ndarray:
    """H₁ H₂ … , from the last to the first: only the rows and columns from `start` on are touched."""
    Q = np.eye(n)
    for start, V, T in reversed(steps):
        part = Q[start:, start:]
        tiles = _tiles(len(part))

        def reflect(i: int, part: np.ndarray = part, tiles: list = tiles, V: np.ndarray = V, T: np.ndarray = T) -> None:
            columns = part[:, tiles[i]]
            shares = np.zeros((V.shape[1], columns.shape[1]))
            add_product(shares, V, columns, 1.0, transpose_A=True)
            add_product(columns, V, T @ shares, -1.0)

        fold_tree(len(tiles), reflect, _nothing, n_threads)
    return Q


def _nothing(left: None, right: None) -> None:
    return None


class BandFactor:
    """L of B + αI = L Lᵀ, block by block: diagonal blocks L_j, below them F_j."""

    def __init__(self, band: Band, alpha: float) -> None:
        self.L: list[np.ndarray] = []
        self.F: list[np.ndarray] = []
        self.inverse: list[np.ndarray] = []
        self.positive = True
        for j, D in enumerate(band.D):
            corner = D + alpha * np.eye(len(D))
            if j:
                F = np.zeros((len(D), len(self.L[-1])))
                F[: len(band.E[j - 1])] = band.E[j - 1]
                divide_right(F, self.L[-1])
                corner -= F @ F.T
                self.F.append(F)
            self.positive = cholesky(corner)
            if not self.positive:
                return
            self.L.append(corner)

    def forward(self, rows: np.ndarray) -> np.ndarray:
        """rows · L⁻ᵀ, in place; (m, n)."""
        s = 0
        for j, L in enumerate(self.L):
            part = rows[:, s : s + len(L)]
            if j:
                add_product(part, rows[:, s - len(self.L[j - 1]) : s], self.F[j - 1], -1.0, transpose_B=True)
            divide_right(part, L)
            s += len(L)
        return rows

    def backward(self, columns: np.ndarray) -> np.ndarray:
        """L⁻ᵀ · columns, in place; (n, m)."""
        stop = len(columns)
        for j in range(len(self.L) - 1, -1, -1):
            start = stop - len(self.L[j])
            part = columns[start:stop]
            if j + 1 < len(self.L):
                below = columns[stop : stop + len(self.L[j + 1])]
                add_product(part, self.F[j], below, -1.0, transpose_A=True)
            divide_left(self.L[j], part, transpose=True)
            stop = start
        return columns

    def invert_blocks(self) -> None:
        """[−(L_j⁻¹ F_j)ᵀ; L_j⁻ᵀ], with which `squared_lengths` is one product for each block."""
        self.inverse = []
        for j, L in enumerate(self.L):
            inverse = np.eye(len(L))
            divide_left(L, inverse)
            parts = [-(inverse @ self.F[j - 1]).T, inverse.T] if j else [inverse.T]
            self.inverse.append(np.vstack(parts))

    def squared_lengths(self, rows: np.ndarray) -> np.ndarray:
        """‖L⁻¹ rᵢ‖² for every row r: the block j of the solution is x_j = (r_j − x_{j−1} F_jᵀ) L_j⁻ᵀ."""
        lengths, s = np.zeros(len(rows)), 0
        both = np.empty((len(rows), 2 * len(self.L[0])))  # x_{j−1} and r_j side by side
        for inverse in self.inverse:
            height, width = inverse.shape
            before = height - width
            both[:, before:height] = rows[:, s : s + width]
            x = both[:, :height] @ inverse
            lengths += np.einsum("ij,ij->i", x, x)
            both[:, :width] = x
            s += width
        return lengths
