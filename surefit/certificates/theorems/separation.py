"""Two classes and a hyperplane: the margins recomputed, or Farkas' vector as the proof that none separates them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Block, Blocks, Rows, dense, magnitude, matmul, sq_norms, tmatmul
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import gamma, power_of_two, typical
from surefit.certificates.theorems.classes import Labels, signs, weights_of

EXACT_COLUMNS = 12  # up to here, Farkas' vector is solved for again in rational numbers
EXACT_ROWS = 2000  # likewise, rows with a weight in it
HUGE = 1e150  # beyond, products of coefficients and rows may overflow
SMALLEST = 5e-324  # a product that underflows is wrong by no more
BALANCED = {False: 1e-9, True: 1e-5}


@dataclass
class Margins:
    """Rows without weight do not count."""

    least: float  # the smallest y(x·w + b)
    certain: float  # the smallest y(x·w + b) less its rounding: positive when all rows are surely on their side
    wrong: int  # rows with y(x·w + b) ≤ 0
    wrong_weight: float
    doubtful: int  # rows whose side is decided by rounding
    radius: float  # R, the largest ‖(x, 1)‖ (‖x‖ without an intercept)
    norm: float  # ‖w‖
    full_norm: float  # ‖(w, b)‖


def read_binary(attrs: Attributes, d: int, intercept: bool) -> tuple[F64 | None, float]:
    """w and b of a model for two classes, or None with the fault noted."""
    coef, b = attrs.array("coef_", (1, d), (d,)), attrs.array("intercept_", (1,), ())
    if b is not None and not intercept and b.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if coef is None or b is None:
        return None, 0.0
    return coef.reshape(-1), float(b.reshape(()))


def margins_of(blocks: Blocks, w: F64, b: float, intercept: bool) -> Margins:
    """Huge coefficients are taken in units of their largest: sides and distances do not change."""
    unit = _unit(np.append(w, b))
    w, b = (w / unit, b / unit) if unit > HUGE else (w, b)
    least = certain = np.inf
    wrong = doubtful = 0
    wrong_weight = radius = 0.0
    for X, y, weight in blocks:
        omega = weights_of(X, weight)
        used = omega > 0
        margin = signs(np.asarray(y)) * (matmul(X, w) + b)
        room = gamma(w.size + 2) * (matmul(magnitude(X), np.abs(w)) + abs(b)) + (w.size + 2) * SMALLEST
        # np.minimum keeps a NaN, which overflow makes; min would drop it
        least = np.minimum(least, margin[used].min(initial=np.inf))
        certain = np.minimum(certain, (margin - room)[used].min(initial=np.inf))
        bad = used & ~(margin > 0)
        wrong += int(np.count_nonzero(bad))
        wrong_weight += float(omega[bad].sum())
        doubtful += int(np.count_nonzero(used & (np.abs(margin) <= room)))
        radius = max(radius, float(_lengths(X)[used].max(initial=0.0)))
    norm = length(w)
    return Margins(
        float(least), float(certain), wrong, wrong_weight, doubtful,
        float(np.hypot(radius, 1.0 if intercept else 0.0)), norm, float(np.hypot(norm, b)),
    )  # fmt: skip


def length(v: F64) -> float:
    """‖v‖, where squares may be beyond floating point."""
    unit = _unit(v)
    return float(np.linalg.norm(v / unit)) * unit


def _lengths(X: Block) -> F64:
    """‖x‖ of every row, likewise."""
    unit = _unit(X.data if isinstance(X, Rows) else X)
    shrunk = Rows(X.data / unit, X.indices, X.indptr, X.shape) if isinstance(X, Rows) else dense(X) / unit
    return np.sqrt(sq_norms(shrunk)) * unit


def _unit(numbers: F64) -> float:
    """A power of two near the largest of the numbers."""
    return power_of_two(float(np.abs(numbers).max(initial=0.0)))


def separates(m: Margins) -> Claim:
    """Every row on its own side, rounding included."""
    surely = 0 < m.certain < np.inf and 0 < m.norm < np.inf
    sentence = (
        f"Every row lies on its own side of the hyperplane, the nearest at a distance of {m.least / m.norm:.4g}; rows "
        "that do not."
        if surely
        else f"Some rows are not on their own side of the hyperplane ({m.wrong} wrong, {m.doubtful} too near to tell)."
    )
    return at_most(
        "separates",
        sentence,
        Grade.EXACT,
        0 if surely else max(1, m.wrong + m.doubtful),
        0,
        {"least": m.least, "wrong": m.wrong, "doubtful": m.doubtful},
    )


def stated_margin(attrs: Attributes, m: Margins, eps: float) -> list[Claim]:
    """margin_ recomputed; nothing where the model does not state one."""
    if not attrs.has("margin_"):
        return []
    margin = attrs.number("margin_")
    if margin is None:
        return [failed("margin", f"{attrs.faults[-1]}.")]
    if not (m.norm > 0 and m.least != 0):
        return [failed("margin", "The coefficients have no margin: they are zero, or a row lies on the hyperplane.")]
    truth = m.least / m.norm
    if not 0 < abs(truth) < np.inf:
        return [failed("margin", "The distance of the nearest row to the hyperplane is beyond floating point.")]
    room = 1e3 * eps + (m.least - m.certain) / abs(m.least) * (eps / np.finfo(float).eps)
    claim = at_most(
        "margin",
        f"margin_ is the distance of the nearest row to the hyperplane, recomputed as {truth:.10g}; relative error.",
        Grade.EXACT,
        abs(margin - truth) / abs(truth),
        min(room, 1e-3),
    )
    return [claim]


def farkas_claims(attrs: Attributes, blocks: Blocks, labels: Labels, intercept: bool, eps: float) -> list[Claim]:
    """λ ≥ 0 with Σ λ = 1 and Σ λᵢ yᵢ (xᵢ, 1) = 0: a separating (w, b) would make the same sum positive."""
    lam = attrs.array("farkas_", (blocks.n_rows,))
    if lam is None:
        return [failed("farkas", f"The classes are said not to be separable, without a proof: {attrs.faults[-1]}.")]
    d = blocks.n_features
    m = labels.x_mean if intercept else np.zeros(d)
    r, size, radius, idle, row = np.zeros(d), np.zeros(d), 0.0, 0.0, 0
    level, spread = 0.0, 0.0
    support: list[F64] = []
    rows = 0
    for X, y, weight in blocks:
        n = X.shape[0]
        part, s, omega = lam[row : row + n], signs(np.asarray(y)), weights_of(X, weight)
        row += n
        idle = max(idle, float(np.abs(part[omega <= 0]).max(initial=0.0)))
        part = np.where(omega > 0, part, 0.0)  # rows without weight prove nothing
        on = np.flatnonzero(part != 0)
        rows += on.size
        if not isinstance(X, np.ndarray):
            r += tmatmul(X, part * s) - m * float((part * s).sum())
            size += tmatmul(magnitude(X), np.abs(part)) + np.abs(m) * float(np.abs(part).sum())
        else:
            A = dense(X)[on] - m
            r += (part * s)[on] @ A
            size += np.abs(part)[on] @ np.abs(A)
        level += float((part * s).sum())
        spread += float(np.abs(part).sum())
        radius = max(radius, float(_lengths(X).max(initial=0.0)) + length(m))
        if on.size and d <= EXACT_COLUMNS and rows <= EXACT_ROWS:
            points = np.hstack([dense(X)[on], np.ones((on.size, 1))])[:, : d + int(intercept)]
            support.append(np.hstack([s[on, None] * points, part[on, None]]))
    missed = float((np.abs(r) / np.where(size > 0, size, 1.0)).max(initial=0.0))
    if intercept:
        missed = float(np.maximum(missed, abs(level) / spread if spread > 0 else 1.0))
    lost = typical(blocks.n_rows)
    largest = length(np.abs(r) + lost * size) + ((abs(level) + lost * spread) * radius if intercept else 0.0)
    exact = d <= EXACT_COLUMNS and 0 < rows <= EXACT_ROWS and _in_rationals(np.vstack(support), m, intercept)
    none = "No hyperplane separates the classes"
    none += ":" if exact else f" by a distance of more than {largest:.1e}, which rounding does not exclude:"
    how = "This was solved again in rational numbers, without rounding." if exact else "The sum has rounding."
    return [
        at_most(
            "farkas_weights",
            "farkas_ holds weights that are not negative and add up to one; largest violation.",
            Grade.EXACT,
            max(0.0, -float(lam.min(initial=0.0)), abs(float(lam.sum()) - 1.0), idle),
            BALANCED[eps > 1e-10],
        ),
        at_most(
            "farkas",
            f"{none} with the weights of farkas_ the signed rows add up to zero, where a "
            f"separating one would make the sum positive. {how} Largest sum relative to its terms.",
            Grade.EXACT if exact else Grade.NO_SOLUTION,
            missed,
            BALANCED[eps > 1e-10],
            {"rows": rows, "exact": bool(exact), "largest_margin": largest},
        ),
    ]


def _in_rationals(support: F64, m: F64, intercept: bool) -> bool:
    """Whether Σ λᵢpᵢ = 0, Σ λᵢ = 1, λ ≥ 0 can be solved exactly on some of these points: the columns are p and λ.

    Rounding only chooses the points: no more than their dimension and one (Carathéodory), so that the solution is
    unique. It is then found, and its signs are read, in rational numbers.
    """
    points, share = support[:, :-1], support[:, -1]
    if not (share >= 0).all():
        return False
    shifted = points - np.outer(points[:, -1], np.append(m, 0.0)) if intercept else points
    scale = np.abs(shifted).max(axis=0)
    chosen = _few(np.hstack([shifted / np.where(scale > 0, scale, 1.0), np.ones((len(points), 1))]), share)
    table = [[Fraction(float(v)) for v in points[chosen, j]] + [Fraction(0)] for j in range(points.shape[1])]
    table.append([Fraction(1)] * (len(chosen) + 1))
    rank = 0
    for j in range(len(chosen)):
        pivot = next((i for i in range(rank, len(table)) if table[i][j] != 0), None)
        if pivot is None:
            return False
        table[rank], table[pivot] = table[pivot], table[rank]
        head = table[rank][j]
        table[rank] = [v / head for v in table[rank]]
        for i in range(len(table)):
            if i != rank and table[i][j] != 0:
                factor = table[i][j]
                table[i] = [a - factor * b for a, b in zip(table[i], table[rank], strict=True)]
        rank += 1
    consistent = all(row[-1] == 0 for row in table[rank:])
    return consistent and all(table[i][-1] >= 0 for i in range(rank))


def _few(points: F64, share: F64) -> list[int]:
    """The numbers of points that carry the same sum with weights ≥ 0 and are linearly independent."""
    chosen: list[int] = []
    share = share.copy()
    for i in range(len(points)):
        chosen.append(i)
        while len(chosen) > 1:
            S, Vt = np.linalg.svd(points[chosen].T, full_matrices=True)[1:]
            if len(chosen) <= S.size and S[-1] > 1e-9 * S[0]:
                break
            # Σ vᵢpᵢ = 0: go along v until a weight is zero, and drop that point
            v = Vt[-1] if Vt[-1].max() > 0 else -Vt[-1]
            now = share[chosen]
            reach = np.where(v > 0, now / np.where(v > 0, v, 1.0), np.inf)
            drop = int(np.argmin(reach))
            share[chosen] = np.maximum(now - reach[drop] * v, 0.0)
            del chosen[drop]
    return chosen


def read_separable(attrs: Attributes) -> bool | None:
    """separable_ as a truth value, or None with the fault noted."""
    value = getattr(attrs.model, "separable_", None)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    attrs.faults.append("separable_ is neither True nor False")
    return None


def two_classes(k: int | None, attrs: Attributes) -> bool:
    if k is not None and k != 2:
        attrs.faults.append(f"classes_ has {k} classes, expected 2")
    return k == 2
