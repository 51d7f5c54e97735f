"""The loss of a node, its weight times its impurity, and what a cut of its rows into two lowers it by.

For a convex f, summed over the columns of Z, both are what Jensen's inequality lacks: with E = W f(Σ w z / W), W = Σ w,
the loss is Σ w f(z) − E, and a cut into L and R lowers it by E(L) + E(R) − E, since it changes no sum over rows.

    squared error   f = z²,  z the target less the mean; for several targets over √(their number)
    Gini            the squared error of the indicators of the classes: W Σ p(1 − p) = Σₖ Σ w (1ₖ − pₖ)²
    entropy         f = z log₂ z,  z the indicators

Rounding: sums of m terms are right to γₘ Σ|terms|. As Σ w|z| ≤ √(W Σ w z²), E of f = z² is right to 3γ Σ w z² of its
side; of f = z log₂ z to 3γ(|E| + 2W), and |E| of both sides is at most loss + W.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma


class Node:
    """The rows of one node: targets, or indicators of classes, Y (m, columns), and weights w > 0."""

    def __init__(self, Y: F64, w: F64, entropy: bool, n_targets: int) -> None:
        self.entropy, self.classes, self.weight = entropy, Y.shape[1] > n_targets, float(w.sum())
        self.unit = gamma(2 * len(w) + 16 + Y.shape[1])
        self.mean = np.where(Y.min(axis=0) == Y.max(axis=0), Y[0], w @ Y / self.weight)
        Z = Y if entropy else (Y - self.mean) / np.sqrt(n_targets)
        self.terms = np.column_stack([w, w[:, None] * Z])
        spread = 0.0 if entropy else float(w @ (Z * Z).sum(axis=1))  # Σ w f(z)
        self.loss = max(0.0, spread - float(self.explained(self.terms.sum(axis=0))))
        self.noise = 6 * self.unit * (self.loss + 8 * self.weight if entropy else spread)  # of a loss, a decrease here
        # a model that adds up targets as they are: squares of them, and what it may miss by of a decrease
        self.squares = float(w @ (Y * Y).sum(axis=1)) / n_targets
        self.excuse = 10 * UNIT * (1 + float(np.log2(len(w)))) * self.squares

    def explained(self, sums: F64) -> F64:
        """E, from sums of terms over rows."""
        z = sums[..., 1:] / sums[..., :1]
        f = z * np.log2(np.where(z > 0, z, 1.0)) if self.entropy else z * z
        return sums[..., 0] * f.sum(axis=-1)

    def lowers(self, left: F64, right: F64) -> F64:
        """What cuts lower the loss by, from the sums of terms on either side."""
        return self.explained(left) + self.explained(right) - self.explained(self.terms.sum(axis=0))
