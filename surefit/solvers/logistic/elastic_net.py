"""Logistic regression with an elastic net, binary and softmax:

    F(w, b) = Σ ω ℓ(x·w + b; k) + λ₂/2 ‖w‖² + λ₁ ‖w‖₁

in the coordinates of `logistic.py`; a scaled column has the threshold λ₁ s.

The gap that is proved. Let p be the probabilities at (w, b), δ = Σ ω (p − e_k), J = Σ ω (diag p − p pᵀ), κ = δᵀJ⁺δ and
Tⱼ = Σ ω (xⱼ − cⱼ)². As in `logistic.py`, where 2e²κ ≤ the smallest positive eigenvalue of J, intercepts moved a little
give probabilities q with Σ ω (q − e_k) = 0, Σ ω KL(q ‖ p) ≤ e κ, and a G = Σ ω (q − e_k)(x − c)ᵀ that differs from that
of p by at most ηⱼ = √(e κ Tⱼ / 2) in column j. Fenchel's inequality says, with Ω the penalty of one entry,

    F − F* ≤ Σ ω KL(q ‖ p) + Σ Ω(w) + Ω*(−G) + w G .

λ₂ > 0.  With v = −G, h = v cut to ±λ₁ and a = |w − (v − h)/λ₂|, an entry is λ₁|w| − h w + λ₂/2 a²; Ω* has slopes that
         change by 1/λ₂ at most, so η adds no more than a η + η²/(2λ₂).
λ₂ = 0.  Ω* is infinite beyond λ₁. θ q + (1 − θ) e_k keeps the sums and has θ G, within λ₁ for a θ ≤ 1; by convexity its
         divergence is at most θ e κ + (1 − θ) Σ ω ℓ. An entry is λ₁|w| + θ w G, and η adds θ |w| η.

Where rounding of (w, b) alone keeps this bound large, there is that of `logistic.py` by the Newton step v, here from
the minimum of the model: q = p + (diag p − p pᵀ)(x·v_w + v_b) has Σ ω KL(q ‖ p) ≤ vᵀ H v, sums of zero and a G that
satisfies the conditions of a minimum at w + v_w. These are probabilities where no two scores of a row are moved apart
by more than 1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit._core.memory import refuse_beyond_memory
from surefit.engine.block import Block, row_weights
from surefit.engine.source import Source
from surefit.engine.step import Step
from surefit.solvers.logistic.logistic import At, LogisticProblem
from surefit.solvers.logistic.logistic_pass import HessianStep, Point, curvature_twin

FIRST = 64
"""Columns in the first working set."""
MOST = 4096
"""Entries of a working set, whose second derivative is held; answers with more entries than that converge slowly."""


class SparseLogisticProblem(LogisticProblem):
    """F on a source; `penalty` is λ₂, `lasso` λ₁. The intercept has penalties of its own where it has any."""

    def __init__(
        self,
        data: Source,
        n_classes: int,
        class_weight: np.ndarray | None,
        penalty: float,
        lasso: float,
        fit_intercept: bool,
        intercept_penalty: float = 0.0,
        intercept_lasso: float = 0.0,
    ) -> None:
        free = intercept_penalty == 0 and intercept_lasso == 0
        super().__init__(data, n_classes, class_weight, penalty, fit_intercept, intercept_penalty, free)
        self.lasso, self.intercept_lasso = lasso, intercept_lasso
        t = np.append(lasso * self.scale, intercept_lasso) if fit_intercept else lasso * self.scale
        self.thresholds = np.tile(t, self.m)
        self.n_working = FIRST
        self.negligible = 0.0

    def evaluate(self, u: np.ndarray) -> At:
        at = super().evaluate(u)
        return at._replace(value=at.value + float(self.thresholds @ np.abs(u)))

    # --- steps ---------------------------------------------------------------------------------------------------

    def working_set(self, at: At, u: np.ndarray) -> np.ndarray:
        if self.whole:
            return np.arange(len(u))
        d = len(self.scale)
        U, G = (a.reshape(self.m, self.width)[:, :d] for a in (u, at.gradient))
        t = self.lasso * self.scale
        worst = np.where(U != 0, np.abs(G + t * np.sign(U)), np.maximum(np.abs(G) - t, 0.0)).max(axis=0)
        used = (U != 0).any(axis=0)
        most = max(1, MOST // self.m - 1)
        room = min(most, max(self.n_working, 2 * int(used.sum())))
        rank = np.where(used, np.inf, worst) if 2 * used.sum() <= most else worst
        columns = np.sort(np.argsort(-rank, kind="stable")[:room])
        columns = columns[(rank > 0)[columns]]
        self.n_working = min(2 * self.n_working, most)
        columns = np.append(columns, d) if self.fit_intercept else columns
        return (np.arange(self.m)[:, None] * self.width + columns).ravel()

    def second_of(self, u: np.ndarray, entries: np.ndarray) -> np.ndarray:
        d = len(self.scale)
        refuse_beyond_memory(
            32.0 * len(entries) ** 2, f"a second derivative for {self.m} classes", "Use l1_ratio=0, or fewer classes."
        )
        if self.whole:
            columns, H = np.arange(d), self.second(u)
        else:
            columns = entries[: len(entries) // self.m]
            columns = columns[columns < d]
            H = self._fold(columns, self.point(u))
            scale = np.append(self.scale[columns], 1.0) if self.fit_intercept else self.scale[columns]
            scales = np.tile(scale, self.m)
            H = H * scales[:, None] * scales
            penalties = self.penalties()
            kept = np.append(columns, d) if self.fit_intercept else columns
            H[np.diag_indices_from(H)] += np.tile(penalties[kept], self.m)
        if self.m > 1 and self.centred:  # intercepts that all move together change nothing: any curvature will do
            width = len(H) // self.m
            last = np.arange(self.m) * width + width - 1
            H[np.ix_(last, last)] += H[last, last].mean()
        return H

    def _fold(self, columns: np.ndarray, point: Point) -> np.ndarray:
        """The second derivative of the loss over these columns less their centres, and the intercept."""
        centre = self.centre[columns]
        if self.m > 1 or not self.data.is_sparse:
            return self.data.fold(HessianStep(centre, self.fit_intercept, columns), point)
        gram: SparseGram = self.data.fold(SparseGramStep(columns), point)
        # products of the stored entries, then the shift: right to rounding where the columns are mostly zero
        H = gram.products.toarray() + gram.weight * np.outer(centre, centre)
        H -= np.outer(gram.sums, centre) + np.outer(centre, gram.sums)
        if not self.fit_intercept:
            return H
        last = (gram.sums - gram.weight * centre)[:, None]
        return np.block([[H, last], [last.T, np.array([[gram.weight]])]])

    def settle(self, z: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Softmax does not notice a number added to one column's coefficients in all classes: the best such numbers."""
        if self.m == 1:
            return z
        Z, d = z.reshape(self.m, -1).copy(), len(self.scale)
        columns = entries[: Z.shape[1]]
        used = np.flatnonzero((Z != 0).any(axis=0) & (columns < d))
        scale = self.scale[columns[used]]
        Z[:, used] += best_shift(Z[:, used], self.penalty * scale**2, self.lasso * scale)
        return Z.ravel()

    # --- the gap -------------------------------------------------------------------------------------------------

    def gap(self, at: At, u: np.ndarray) -> float:  # type: ignore[override]
        point = self.point(u)
        apart = self.apart(at)
        if not math.isfinite(apart):
            return at.value
        W = point.coef
        G = at.passed.gradient - np.outer(at.passed.gradient_b, self.centre)
        eta = np.broadcast_to(np.sqrt(apart * self.column_ss / 2), W.shape)
        lasso, ridge = np.full(W.shape[1], self.lasso), np.full(W.shape[1], self.penalty)
        if self.fit_intercept and not self.centred:
            W, G = np.hstack([W, point.intercept[:, None]]), np.hstack([G, at.passed.gradient_b[:, None]])
            eta = np.pad(eta, ((0, 0), (0, 1)))
            lasso, ridge = np.append(lasso, self.intercept_lasso), np.append(ridge, self.intercept_penalty)
        return min(fenchel(W, G, eta, lasso, ridge, apart, at.passed.loss), at.value)

    def gap_by_step(self, at: At, u: np.ndarray, z: np.ndarray, H: np.ndarray) -> float:
        step = z - u
        if not self.whole or not self.reach(step).spread <= 1.0:
            return math.inf
        moved = H @ step
        ridge = np.tile(self.penalties(), self.m)
        G = at.gradient + moved - ridge * z
        some = self.thresholds > 0
        apart = max(float(step @ moved), 0.0)
        exact = np.zeros(int(some.sum()))
        return fenchel(u[some], G[some], exact, self.thresholds[some], ridge[some], apart, at.passed.loss)

    def apart(self, at: At) -> float:
        """e κ, a bound for Σ ω KL(q ‖ p); infinite where the intercepts are too far off."""
        if not self.centred:
            return 0.0
        values, vectors = np.linalg.eigh(at.passed.curvature)
        keep = values > 1e-12 * max(values[-1], 0.0) if self.m == 1 else np.arange(self.m) > 0
        if not keep.any() or values[keep].min() <= 0:
            return math.inf
        kappa = float(((vectors.T @ at.passed.gradient_b)[keep] ** 2 / values[keep]).sum())
        return math.e * kappa if 2 * math.e**2 * kappa <= values[keep].min() else math.inf


def fenchel(
    W: np.ndarray, G: np.ndarray, eta: np.ndarray, lasso: np.ndarray, ridge: np.ndarray, apart: float, loss: float
) -> float:
    """The bound of this file; `apart` is that of the divergence, `loss` Σ ω ℓ."""
    if ridge.all():
        held = np.clip(-G, -lasso, lasso)
        with np.errstate(over="ignore"):  # a bound that overflows is none
            miss = np.abs(W + (G + held) / ridge)
            return apart + float((lasso * np.abs(W) - held * W + 0.5 * ridge * (miss + eta / ridge) ** 2).sum())
    theta = 1.0 / max(1.0, float(((np.abs(G) + eta) / lasso).max(initial=0.0)))
    terms = lasso * np.abs(W) + theta * (W * G + np.abs(W) * eta)
    return theta * apart + (1 - theta) * loss + float(np.maximum(terms, 0.0).sum())


def best_shift(Z: np.ndarray, ridge: np.ndarray, lasso: np.ndarray) -> np.ndarray:
    """For every column z the s with the least  Σₖ ridge/2 (zₖ + s)² + lasso |zₖ + s| .

    Its slope ridge (Σz + m s) + lasso Σ sign(zₖ + s) jumps at s = −zₖ. While i of the zₖ are below −s it is zero at
    s = −mean(z) − lasso (m − 2i)/(m ridge), or s = −zₖ is best: the median of all these numbers.
    """
    m = len(Z)
    breaks = -Z
    if not ridge.all():
        return np.sort(breaks, axis=0)[(m - 1) // 2]
    balance = (m - 2 * np.arange(m + 1))[:, None]
    rests = -Z.mean(axis=0) - lasso / (m * ridge) * balance
    return np.sort(np.vstack([breaks, rests]), axis=0)[m]


class SparseGram(NamedTuple):
    products: Any
    """Σ ω p (1 − p) x xᵀ, CSR."""
    sums: np.ndarray
    weight: float


class SparseGramStep(Step):
    """The second derivative for two classes over a few columns of CSR rows: what is not stored costs nothing."""

    def __init__(self, columns: np.ndarray) -> None:
        self.columns = columns

    def map_leaf(self, state: Point, leaf: Block) -> SparseGram:
        w = curvature_twin(leaf.X, row_weights(leaf, state.class_weight), state)
        X = sp.csr_array(leaf.X)[:, self.columns].astype(np.float64)
        products = (X.T.multiply(w) @ X).tocsr()
        products.sort_indices()
        return SparseGram(products, X.T @ w, float(w.sum()))

    def combine(self, left: SparseGram, right: SparseGram) -> SparseGram:
        return SparseGram(left.products + right.products, left.sums + right.sums, left.weight + right.weight)
