"""Checker of Perceptron: the mistakes of the final hyperplanes recounted, and the margin where there are none.

A perceptron minimises nothing where the classes are not separable; what can be stated is what its answers are worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks, magnitude, matmul
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.classes import Labels, codes, label_pass, read_classes, weights_of


@dataclass
class Count:
    wrong: int  # rows with a wrong answer, rows without weight left out
    doubtful: int  # rows whose answer is decided by rounding
    everywhere: int  # rows with a wrong answer, weight or not
    wrong_weight: float
    least: float  # the smallest distance of a row to a hyperplane, negative on the wrong side
    certain: bool  # every row surely on its side of every hyperplane


@checker()
def check_perceptron(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the rows."""
    return _claims(model, blocks), "two passes over the rows"


def _claims(model: Any, blocks: Blocks) -> list[Claim]:
    attrs = Attributes(model, "coef_")
    k = read_classes(attrs)
    if k is None:
        return [bad_attributes(attrs)]
    labels = label_pass(blocks, k)
    d, rows = blocks.n_features, 1 if k == 2 else k
    coef, b = attrs.array("coef_", (rows, d)), attrs.array("intercept_", (rows,))
    if b is not None and not attrs.flag("fit_intercept", True) and b.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or coef is None or b is None:
        return [bad_attributes(attrs)]
    eps = epsilon(labels.single, np.asarray(model.coef_))
    count = recount(blocks, coef, b, eps)
    claims = [_mistakes(attrs, count, labels, blocks.n_rows)]
    if count.certain:
        claims.append(
            at_most(
                "separates",
                f"Every row lies on its side of every hyperplane, the nearest at a distance of {count.least:.4g}; rows "
                "that do not.",
                Grade.EXACT,
                0,
                0,
                {"margin": count.least},
            )
        )
    return claims


def recount(blocks: Blocks, coef: F64, b: F64, eps: float) -> Count:
    """One hyperplane per class, or one for two classes: the answer is the largest score, or the sign."""
    W = np.ascontiguousarray(coef.T)
    norms = np.linalg.norm(coef, axis=1)
    binary = len(coef) == 1
    wrong = doubtful = everywhere = 0
    wrong_weight, least, certain = 0.0, np.inf, bool((norms > 0).all())
    unit = gamma(W.shape[0] + 2) * (eps / np.finfo(float).eps)
    for X, y, weight in blocks:
        omega, code = weights_of(X, weight), codes(np.asarray(y))
        used, at = omega > 0, np.arange(code.size)
        Z = matmul(X, W) + b
        room = unit * (matmul(magnitude(X), np.abs(W)) + np.abs(b))
        sign = (
            np.where(code == 1, 1.0, -1.0)[:, None] if binary else np.where(np.arange(len(b)) == code[:, None], 1, -1)
        )
        if binary:
            bad, close = (Z[:, 0] > 0) != (code == 1), np.abs(Z[:, 0]) <= room[:, 0]
        else:
            others = Z.copy()
            others[at, code] = -np.inf
            lead = Z[at, code] - others.max(axis=1)
            bad, close = np.argmax(Z, axis=1) != code, np.abs(lead) <= 2 * room.max(axis=1)
        everywhere += int(np.count_nonzero(bad))
        wrong += int(np.count_nonzero(bad & used))
        doubtful += int(np.count_nonzero(close & (room.max(axis=1) > 0)))
        wrong_weight += float(omega[bad].sum())
        margin = sign * Z
        certain = certain and bool((margin > room)[used].all())
        least = np.minimum(least, (margin / np.where(norms > 0, norms, 1.0))[used].min(initial=np.inf))
    return Count(wrong, doubtful, everywhere, wrong_weight, float(least), certain and bool(np.isfinite(least)))


def _mistakes(attrs: Attributes, count: Count, labels: Labels, n_rows: int) -> Claim:
    if attrs.has("n_mistakes_"):
        stated = attrs.array("n_mistakes_", (), (1,))
        if stated is None:
            return failed("mistakes", f"{attrs.faults[-1]}.")
        off = min(abs(float(stated.reshape(())) - c) for c in (count.wrong, count.everywhere))
        return at_most(
            "mistakes",
            f"n_mistakes_ counts the rows that the coefficients answer wrongly, recounted as {count.wrong} of {n_rows}"
            "; difference, beyond rows decided by rounding.",
            Grade.EXACT,
            max(0.0, off - count.doubtful),
            0,
            {"wrong": count.wrong, "doubtful": count.doubtful},
        )
    share, constant = count.wrong_weight / labels.total, 1.0 - float(labels.weight.max()) / labels.total
    return at_most(
        "mistakes",
        f"{count.wrong} of {n_rows} rows are answered wrongly, a share of {share:.3g} by weight: fewer than by giving "
        f"always the most frequent class, wrong on {constant:.3g}.",
        Grade.BOUNDED,
        share,
        constant * (1.0 - 1e-12),
        {"wrong": count.wrong},
    )
