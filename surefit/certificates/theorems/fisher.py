"""Fisher's directions: S_B v = λ S_W v, scaled so that vᵀS_W v = 1, the largest ratios λ first."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.class_moments import Estimates
from surefit.certificates.theorems.whitening import Whitening


def fisher_claims(
    attrs: Attributes, data: Estimates, white: Whitening, solver: str, tol: float, slack: float, tight: float
) -> list[Claim]:
    """Claims on scalings_, explained_variance_ratio_, xbar_ and fisher_eigenvalues_, those that the model has."""
    means, priors = data.moments.means, data.priors
    k, d = means.shape
    claims = []
    if attrs.has("xbar_") or solver == "svd":
        xbar = attrs.array("xbar_", (d,))
        if xbar is None:
            return [bad_attributes(attrs)]
        size = data.moments.size
        off = np.abs(xbar - data.centre) / np.where(size > 0, size, 1.0)
        claims.append(
            at_most(
                "xbar_",
                "xbar_ is the mean of the class means by the priors; largest error relative to the column's size.",
                Grade.EXACT,
                off.max(initial=0.0),
                tight + slack,
            )
        )
    if solver == "lsqr" and not attrs.has("scalings_"):
        return claims
    S = attrs.array("scalings_")
    if S is not None and (S.ndim != 2 or S.shape[0] != d or not 1 <= S.shape[1] <= max(d, k)):
        attrs.faults.append(f"scalings_ has shape {S.shape}, expected ({d}, number of directions)")
    if S is None or attrs.faults:
        return [*claims, bad_attributes(attrs)]
    off_centre = means - data.centre
    between = [off_centre.T @ (off_centre * priors[:, None])]
    if data.total is not None:
        between.insert(0, data.total - white.sigma)
    readings = [_Directions(white, B, S) for B in between]
    readings.sort(key=lambda r: r.residual if np.isfinite(r.residual) else np.inf)
    limit = tight + slack
    # The same directions may solve both readings, with other ratios: the first under which everything is right counts.
    answers = []
    for reading in readings:
        answers.append([_orthonormal(reading, limit), *_eigen(reading, limit), _directions(reading, solver, k, tol)])
        answers[-1] += _derived(attrs, reading, k, d, limit)
        if attrs.faults:
            return [*claims, *answers[-1], bad_attributes(attrs)]
    return claims + next((found for found in answers if all(claim.holds for claim in found)), answers[0])


class _Directions:
    """S and the pencil (S_B, S_W), in coordinates where S_W is the identity."""

    def __init__(self, white: Whitening, between: F64, S: F64) -> None:
        W, sigma = white.W, white.sigma
        self.count = S.shape[1]
        self.rank = white.rank
        G = W.T @ between @ W
        self.values = np.linalg.eigvalsh(0.5 * (G + G.T))[::-1] if np.isfinite(G).all() else np.full(len(G), np.nan)
        self.top = max(float(np.abs(self.values).max(initial=0.0)), 1e-300)
        H = S.T @ sigma @ S
        self.orthonormal = float(np.abs(H - np.eye(self.count)).max()) + white.outside(S)
        held = np.einsum("ij,ij->j", S, between @ S)
        self.ratios = held / np.where(np.diag(H) > 0, np.diag(H), 1.0)
        Y = W.T @ (between @ S - sigma @ S * self.ratios)
        size = float(np.abs(Y).max(initial=0.0)) if np.isfinite(Y).all() else np.inf
        # spectral norm, scaled so that it does not overflow
        norm = size * float(np.linalg.norm(Y / size, 2)) if 0 < size < np.inf else size
        self.residual = norm / self.top
        # classes at the same place: ratios of rounding errors mean nothing
        self.void = self.top < 1e-24


def _orthonormal(best: _Directions, limit: float) -> Claim:
    return at_most(
        "orthonormal",
        "Projected on scalings_ the rows have variance one within classes and no covariances; largest error.",
        Grade.EXACT,
        best.orthonormal,
        limit,
    )


def _eigen(best: _Directions, limit: float) -> list[Claim]:
    n = min(best.count, best.rank)
    off = np.abs(best.ratios[:n] - best.values[:n]).max(initial=0.0) / best.top
    first = float(best.values[0])
    return [
        at_most(
            "eigen_residual",
            "Every direction solves S_B v = λ S_W v; residual relative to the largest λ.",
            Grade.EXACT,
            0.0 if best.void else best.residual,
            limit,
        ),
        at_most(
            "largest",
            f"No direction has a ratio of scatter between to scatter within classes above {first:.6g}, that of the "
            "first; the others follow in order. Largest difference, relative to the first.",
            Grade.OPTIMAL,
            0.0 if best.void else off,
            limit,
            {"ratios": best.values[: min(n, 10)].tolist()},
        ),
    ]


def _directions(best: _Directions, solver: str, k: int, tol: float) -> Claim:
    """All that differ from zero are there (the svd solver drops those below tol² of the first)."""
    share = max(tol, 1e-7) * (1 + 1e-6)
    needed = int(np.count_nonzero(best.values > share**2 * best.top)) if not best.void else 0
    most = min(k - 1, best.rank)
    good = needed <= best.count <= max(needed, most)
    if solver != "svd":
        good = best.count == best.rank or (good and best.count == most)
    return at_most(
        "directions",
        f"scalings_ has all {needed} directions in which the classes differ; one where some are missing or too many.",
        Grade.EXACT,
        0 if good else 1,
        0,
        {"directions": best.count, "needed": needed},
    )


def _derived(attrs: Attributes, best: _Directions, k: int, d: int, limit: float) -> list[Claim]:
    asked = real(getattr(attrs.model, "n_components", None))
    most = min(k - 1, d)
    if 1 <= asked <= most and asked == int(asked):
        most = int(asked)
    most = min(most, best.rank)
    total = float(best.values.sum())
    claims = []
    stated = attrs.array("explained_variance_ratio_", (most,), finite=not best.void)
    if stated is not None:
        shares = best.values / (total if total != 0 else 1.0)
        # shrinking may leave a sum that is not positive: no shares then, and none are stated or the order is another
        options = [shares] if total > 0 else [shares, np.sort(shares)[::-1], np.zeros_like(shares)]
        off = min(np.abs(stated - option[:most]).max(initial=0.0) for option in options)
        off /= max(1.0, float(np.abs(shares).sum()))
        claims.append(
            at_most(
                "explained",
                "explained_variance_ratio_ is the share of every direction in the sum of the ratios; largest error.",
                Grade.EXACT,
                0.0 if best.void else off,
                limit,
            )
        )
    if attrs.has("fisher_eigenvalues_"):
        shapes = {min(n, best.rank) for n in (most, best.count, min(k - 1, d))}
        values = attrs.array("fisher_eigenvalues_", *((n,) for n in sorted(shapes)))
        if values is not None:
            off = np.abs(values - best.values[: len(values)]).max(initial=0.0) / best.top
            claims.append(
                at_most(
                    "fisher_eigenvalues_",
                    "fisher_eigenvalues_ are the ratios λ; largest difference, relative to the first.",
                    Grade.EXACT,
                    0.0 if best.void else off,
                    limit,
                )
            )
    return claims
