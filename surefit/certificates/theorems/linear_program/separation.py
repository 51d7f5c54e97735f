"""Two classes and a hyperplane: every row on its own side, the margin, and what the model answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import labels_claim, read_classes
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import epsilon
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, Slice, scores, slices


class Plane(NamedTuple):
    w: F64
    b: float
    intercept: bool
    unit: float  # of the precision that these are stored in


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


def read_plane(attrs: Attributes, blocks: Blocks) -> Plane | None:
    """The hyperplane of a model of two classes, or None with the faults noted."""
    d, intercept = blocks.n_features, attrs.flag("fit_intercept", True)
    if read_classes(attrs) not in (2, None):
        attrs.faults.append("classes_ does not hold two labels")
    if not isinstance(getattr(attrs.model, "separable_", None), (bool, np.bool_, type(None))):
        attrs.faults.append("separable_ is neither True, False nor None")
    w, b = attrs.array("coef_", (1, d), (d,)), attrs.number("intercept_")
    if b and not intercept:
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or w is None or b is None:
        return None
    stored = epsilon(False, np.asarray(attrs.model.coef_), np.asarray(attrs.model.intercept_))
    return Plane(w.reshape(-1), b, intercept, stored / 2)


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
    sure, distance = bool(m.certain > 0 and 0 < length < np.inf), float(m.least / length) if length > 0 else 0.0
    sentence = f"Every row lies on its own side of the hyperplane, the nearest at {distance:.4g}; rows that do not."
    failure = f"{m.wrong} rows are not on their own side of the hyperplane and {m.doubtful} are too near to tell."
    count, detail = 0 if sure else max(1, m.wrong + m.doubtful), {"margin": distance, "wrong": m.wrong}
    return at_most("separates", sentence, Grade.EXACT, count, 0, detail, lower=m.wrong, failure=failure)


def stated_margin(attrs: Attributes, m: Margins, w: F64, tol: float) -> list[Claim]:
    """margin_ recomputed; nothing where the model does not state one."""
    if not attrs.has("margin_"):
        return []
    margin, length = attrs.number("margin_"), np.sqrt((w.astype(LONG) ** 2).sum())
    if margin is None or not (m.least > 0 and length > 0):
        return [failed("margin", "margin_ is not a number, or there is no margin.")]
    truth = m.least / length
    off, error, limit = float(abs(margin - truth) / truth), float((m.least - m.certain) / m.least), min(tol, 1e-6)
    excuse = float((w.size + 4) * np.finfo(np.float64).eps * m.size / m.least)
    sentence = f"margin_ is the distance of the nearest row, recomputed as {float(truth):.10g}; relative difference."
    return [at_most("margin", sentence, Grade.EXACT, off, limit, error=error, excuse=excuse)]


def answers(model: Any, blocks: Blocks, plane: Plane) -> list[Claim]:
    """decision_function and predict on a sample of rows."""
    rows = sample_rows(blocks)
    X, eps = rows.astype(np.float64), 2 * max(plane.unit, float(rows.dtype == np.float32) * 2.0**-24)
    z, room = X @ plane.w + plane.b, (X.shape[1] + 2) * eps * (np.abs(X) @ np.abs(plane.w) + abs(plane.b))
    both = np.stack([-z, z], axis=1)
    return [numbers_claim(model, "decision_function", rows, z, room), labels_claim(model, rows, both, room)]
