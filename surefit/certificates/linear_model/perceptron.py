"""Checker of Perceptron: every row on its side of every hyperplane, or how many answers are wrong.

A perceptron minimizes nothing where the classes are not separable: then its errors lie between the fewest possible
(at least none) and those that are counted, and answering always the most frequent class must not be as good.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, scores, slices


class Count(NamedTuple):
    """Rows without weight do not count."""

    wrong: int  # rows with a wrong answer
    doubtful: int  # rows whose answer is a matter of rounding
    wrong_weight: Long  # surely wrong
    doubtful_weight: Long
    margin: Long  # the least distance of a row to a hyperplane on its own side, from below
    classes: Long  # the weight of every class


@checker("classes_", "coef_", "intercept_", "n_mistakes_", "decision_function", "predict")
@reads_labels
def check_perceptron(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the rows in long double for each hyperplane."""
    attrs, d = Attributes(model, "coef_"), blocks.n_features
    k = read_classes(attrs) or 0
    planes = 1 if k == 2 else k
    W, b = attrs.array("coef_", (planes, d)), attrs.array("intercept_", (planes,))
    if b is not None and b.any() and not attrs.flag("fit_intercept", True):
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or W is None or b is None:
        return [bad_attributes(attrs)], "no pass"
    count = recount(blocks, W, b, k)
    claims = [_separates(count) if count.margin > 0 else _errors(count, blocks.n_rows, bool(W.any()))]
    claims += _stated(attrs, count) if attrs.has("n_mistakes_") else []
    rows = sample_rows(blocks)
    X, single = rows.astype(np.float64), np.float32 in (rows.dtype, np.asarray(attrs.raw("coef_")).dtype)
    eps = float(np.finfo(np.float32 if single else np.float64).eps)
    Z, room = X @ W.T + b, (d + 2) * eps * (np.abs(X) @ np.abs(W).T + np.abs(b))
    one = planes == 1
    claims.append(numbers_claim(model, "decision_function", rows, Z[:, 0] if one else Z, room[:, 0] if one else room))
    claims.append(labels_claim(model, rows, np.hstack([-Z, Z]) if one else Z, room.max(axis=1)))
    return claims, f"{planes} passes over the rows in long double"


def recount(blocks: Blocks, W: F64, b: F64, k: int) -> Count:
    """The answer is the class of the largest score; with one hyperplane, of its sign."""
    lengths = np.sqrt((W.astype(LONG) ** 2).sum(axis=1))
    wrong = doubtful = 0
    wrong_weight = doubtful_weight = LONG(0)
    margin, classes = LONG(np.inf), np.zeros(k, dtype=LONG)
    for part in slices(blocks):
        code, used = part.y.astype(np.intp), part.w > 0
        if not ((code >= 0) & (code < k)).all():
            raise BadData("some labels are not in classes_")
        np.add.at(classes, code, part.w.astype(LONG))
        Z, off = (
            np.stack(v, axis=1)
            for v in zip(*(scores(part.X, w, c)[::2] for w, c in zip(W, b, strict=True)), strict=True)
        )
        own = 2.0 * (code[:, None] == (np.arange(k) if k > 2 else 1)) - 1.0
        margin = np.minimum(
            margin, ((own * Z - off) / np.where(lengths > 0, lengths, np.inf))[used].min(initial=LONG(np.inf))
        )
        lead, doubt = _lead(Z, code, off)
        bad, close = used & (lead < -doubt), used & ~(np.abs(lead) > doubt)
        wrong, doubtful = wrong + int(np.count_nonzero(bad)), doubtful + int(np.count_nonzero(close))
        wrong_weight, doubtful_weight = wrong_weight + part.w[bad].sum(), doubtful_weight + part.w[close].sum()
    return Count(wrong, doubtful, wrong_weight, doubtful_weight, margin, classes)


def _lead(Z: Long, code: F64, off: Long) -> tuple[Long, Long]:
    """By how much the score of the row's own class is ahead, and the rounding of that."""
    if Z.shape[1] == 1:
        return np.where(code == 1, Z[:, 0], -Z[:, 0]), off[:, 0]
    rows, others = np.arange(code.size), Z.copy()
    others[rows, code] = -np.inf
    return Z[rows, code] - others.max(axis=1), 2 * off.max(axis=1)


def _separates(count: Count) -> Claim:
    return at_most(
        "separates",
        f"Every row lies on its side of every hyperplane, the nearest at a distance of {float(count.margin):.4g}; rows "
        "that do not.",
        Grade.EXACT,
        0,
        0,
        {"margin": float(count.margin), "wrong": count.wrong},
    )


def _errors(count: Count, n_rows: int, planes: bool) -> Claim:
    if not planes:
        return refuted("mistakes", "All coefficients are zero: there is no hyperplane.")
    total = count.classes.sum()
    share, constant = float(count.wrong_weight / total), float(1 - count.classes.max() / total)
    said = f"{count.wrong} of {n_rows} rows are answered wrongly, a share of {share:.3g} by weight"
    return at_most(
        "mistakes",
        f"{said}: the least possible lies between 0 and that, and always giving the most frequent class is wrong on "
        f"{constant:.3g}.",
        Grade.BOUNDED,
        share,
        constant * (1.0 - 1e-12),
        {"wrong": count.wrong, "doubtful": count.doubtful},
        error=float(count.doubtful_weight / total) + 1e-15,
        lower=share,
        failure=f"{said}, no fewer than by always giving the most frequent class ({constant:.3g}): raise max_iter, or "
        "bring the columns to a common scale.",
    )


def _stated(attrs: Attributes, count: Count) -> list[Claim]:
    stated = attrs.number("n_mistakes_")
    if stated is None:
        return [failed("n_mistakes", f"{attrs.faults[-1]}.")]
    return [
        at_most(
            "n_mistakes",
            f"n_mistakes_ counts the rows that are answered wrongly, recounted as {count.wrong}; difference, beyond "
            f"{count.doubtful} rows decided by rounding.",
            Grade.EXACT,
            max(0.0, abs(stated - count.wrong - count.doubtful / 2) - count.doubtful / 2),
            0,
        )
    ]
