"""Two classes and a hyperplane: its margins recomputed, or Gordan's theorem that there is none.

**Theorem.** If φ ≥ 0, φ ≠ 0 and Σ φᵢσᵢ(xᵢ, 1) = 0 then no hyperplane separates the classes σ = ±1. *Proof.* One that
does has σᵢ(xᵢ·w + b) > 0 for every row, and the φ-weighted sum of that is zero. ∎ The proof is as good for a sum r that
misses zero by rounding, if κ < 1 for v = φ and no column is left out (see `piecewise_linear`): a θ that separates has
r·θ = Σ φᵢ|aᵢ·θ| > 0, and r·θ ≤ κ Σ φᵢ|aᵢ·θ|. Otherwise min σᵢ(xᵢ·w + b) ≤ r·θ/Σφ ≤ ν (Σ cⱼ|wⱼ| + |b + m·w|),
ν = max |rⱼ|/(cⱼ Σφ): no hyperplane has every row on its side by more than ν of the size of its typical score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import labels_claim, read_classes
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, Slice, scores, slices
from surefit.certificates.theorems.linear_program.piecewise_linear import Program, measure

BALANCED = 1e-9  # ν that still counts as none


class Margins(NamedTuple):
    """Rows without weight do not count."""

    least: Long  # min σ(x·w + b)
    certain: Long  # the same, from below
    size: Long  # |x|·|w| + |b|, the largest
    wrong: int  # rows surely on the other side
    doubtful: int  # rows whose side is a matter of rounding


def signs(part: Slice) -> F64:
    """−1 for the first class, +1 for the second."""
    if not ((part.y == 0) | (part.y == 1)).all():
        raise BadData("some labels are not in classes_")
    return 2.0 * part.y - 1.0


def read_plane(attrs: Attributes, blocks: Any) -> tuple[F64, float]:
    """w and b of a model of two classes; faults are noted."""
    d = blocks.n_features
    if read_classes(attrs) not in (2, None):
        attrs.faults.append("classes_ does not hold two labels")
    w, b = attrs.array("coef_", (1, d), (d,)), attrs.number("intercept_")
    if b and not attrs.flag("fit_intercept", True):
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    return (np.zeros(d) if w is None else w.reshape(-1)), b or 0.0


def margins(blocks: Blocks, w: F64, b: float) -> Margins:
    least = certain = LONG(np.inf)
    size, wrong, doubtful = LONG(0), 0, 0
    for part in slices(blocks):
        z, terms, off = scores(part.X, w, b)
        z, used = signs(part) * z, part.w > 0
        least, certain = (np.minimum(m, v[used].min(initial=LONG(np.inf))) for m, v in ((least, z), (certain, z - off)))
        wrong += int(np.count_nonzero(used & (z < -off)))
        doubtful += int(np.count_nonzero(used & ~(np.abs(z) > off)))
        size = np.maximum(size, terms[used].max(initial=LONG(0)))
    return Margins(least, certain, size, wrong, doubtful)


def separates(m: Margins, w: F64) -> Claim:
    """Every row on its own side, rounding included."""
    length = np.sqrt((w.astype(LONG) ** 2).sum())
    sure = bool(m.certain > 0 and 0 < length < np.inf)
    distance = float(m.least / length) if length > 0 else 0.0
    return at_most(
        "separates",
        f"Every row lies on its own side of the hyperplane, the nearest at a distance of {distance:.4g}; rows that do "
        "not.",
        Grade.EXACT,
        0 if sure else max(1, m.wrong + m.doubtful),
        0,
        {"margin": distance, "wrong": m.wrong, "doubtful": m.doubtful},
        lower=m.wrong,
        failure=f"{m.wrong} rows are not on their own side of the hyperplane and {m.doubtful} are too near to tell.",
    )


def stated_margin(attrs: Attributes, m: Margins, w: F64, tol: float) -> list[Claim]:
    """margin_ recomputed; nothing where the model does not state one."""
    if not attrs.has("margin_"):
        return []
    margin, length = attrs.number("margin_"), np.sqrt((w.astype(LONG) ** 2).sum())
    if margin is None or not (m.least > 0 and length > 0):
        return [failed("margin", "margin_ is not a number, or there is no margin.")]
    truth = m.least / length
    return [
        at_most(
            "margin",
            f"margin_ is the distance of the nearest row to the hyperplane, recomputed as {float(truth):.10g}; "
            "relative difference.",
            Grade.EXACT,
            float(abs(margin - truth) / truth),
            min(tol, 1e-6),
            error=float((m.least - m.certain) / m.least),
            excuse=float((w.size + 4) * np.finfo(np.float64).eps * m.size / m.least),
        )
    ]


def farkas_claims(attrs: Attributes, p: Program, w: F64, b: float, search: Any) -> list[Claim]:
    """farkas_ holds weights, and they prove that no hyperplane separates. `p`: boxes from 0 for rows with weight."""
    phi = attrs.array("farkas_", (p.blocks.n_rows,))
    if phi is None:
        return [failed("farkas", f"The classes are said not to be separable, without a proof: {attrs.faults[-1]}.")]
    used = np.concatenate([part.w > 0 for part in slices(p.blocks)])
    off = max(0.0, -float(phi.min()), abs(float(phi.sum()) - 1.0), float(np.abs(phi[~used]).max(initial=0.0)))
    given = np.where(used & (phi > 1e-12 * phi.max()), phi, 0.0).astype(LONG)  # smaller ones may be rounding
    boxes = replace(p, terms=lambda part: (signs(part), part.y, *_unit_box(part)))
    basis = search(boxes).basis(given)
    m = measure(boxes, w, b, given, basis)
    nu = float((m.missed / np.where(p.sizes > 0, p.sizes, LONG(1))).max() / m.give) if m.give > 0 else np.inf
    exact = bool(m.kappa < 1 and m.dependent == 0)
    how = "with what rounding leaves of the sum bounded" if exact else "up to rounding"
    none = "No hyperplane separates the classes" if exact else (
        f"No hyperplane has every row on its side by more than {nu:.1e} of the size of its scores"
    )  # fmt: skip
    weights = at_most(
        "farkas_weights",
        "farkas_ holds weights that are not negative and add up to one; largest violation.",
        Grade.EXACT,
        off,
        BALANCED,
    )
    balance = at_most(
        "farkas",
        f"{none}: with the weights of farkas_ the signed rows add up to zero, where a separating one would make the "
        f"sum positive ({how}). Largest sum, relative.",
        Grade.NO_SOLUTION if exact or (m.kappa < 1 and m.verified) else Grade.BOUNDED,
        nu,
        BALANCED,
        {"rows": int(np.count_nonzero(given)), "exact": exact},
        lower=0.0,
        failure="The signed rows, with the weights of farkas_, do not add up to zero: this proves nothing.",
    )
    return [weights, balance]


def _unit_box(part: Slice) -> tuple[Long, Long]:
    return np.zeros(part.w.size, dtype=LONG), (part.w > 0).astype(LONG)


def answers(model: Any, blocks: Blocks, W: F64, b: F64, unit: float) -> list[Claim]:
    """decision_function and predict on a sample of rows, for one plane (two classes) or one for each class."""
    rows = sample_rows(blocks)
    X, eps = rows.astype(np.float64), 2 * max(unit, float(rows.dtype == np.float32) * 2.0**-24)
    Z, room = X @ W.T + b, (W.shape[1] + 2) * eps * (np.abs(X) @ np.abs(W).T + np.abs(b))
    one = len(W) == 1
    both = np.hstack([-Z, Z]) if one else Z
    return [
        numbers_claim(model, "decision_function", rows, Z[:, 0] if one else Z, room[:, 0] if one else room),
        labels_claim(model, rows, both, room.max(axis=1)),
    ]
