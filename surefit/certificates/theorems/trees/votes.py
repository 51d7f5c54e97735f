"""What the members of an ensemble say of the rows that they did not see."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import gamma

OOB_WORK = 1 << 24  # rows × members that are asked again
Answers = Iterable[tuple[NDArray, F64]]  # of each member: which rows it did not see, what it says of all of them


def asked_again(n_rows: int, n_members: int) -> NDArray[np.intp]:
    """The rows whose out-of-bag answers are recomputed: all, or as many as the work allows, spread evenly."""
    return np.unique(np.linspace(0, n_rows - 1, max(1, min(n_rows, OOB_WORK // max(1, n_members)))).astype(np.intp))


def out_of_bag_claims(
    attrs: Attributes, said: Answers, rows: NDArray, Y: F64, w: F64, K: int, count: bool, slack: float
) -> list[Claim]:
    """The stated answers are the means over the members that did not see the row; the score is that of the answers.

    A row that every member saw has no answer: zero or NaN. It counts as zero in the score (the first class) or, without
    `count`, not at all. w weighs the rows of the score. slack: what members say otherwise when asked again, relative.
    """
    name, width = "oob_decision_function_" if K else "oob_prediction_", max(K, Y.shape[1])
    total, votes, largest = np.zeros((len(rows), width)), np.zeros((len(rows), 1)), 1e-300
    for outside, answers in said:
        total[outside] += answers[outside]
        votes[outside] += 1
        largest = max(largest, float(np.abs(answers).max()))
    given = attrs.array(name, (len(Y), width), (len(Y),), finite=False)
    if given is None:
        return [bad_attributes(attrs)]
    given = given.reshape(len(Y), -1)
    off = np.where((votes == 0) & np.isnan(given[rows]), 0.0, np.abs(given[rows] - total / np.maximum(votes, 1)))
    wrong = int(np.count_nonzero(~(off <= (2 * gamma(votes.max() + 8) + slack) * largest)))
    what = "the mean over the members that did not see the row"
    told = f"{name} is {what}, on {len(rows)} rows ({(votes == 0).sum()} seen by all); numbers that are not."
    means = at_most("oob", told, Grade.EXACT, wrong, 0, failure=f"{name} is not {what}, {wrong} times.")
    return [means, _score(attrs, given, Y, np.where(np.isnan(given).any(axis=1) & (not count), 0.0, w), K)]


def _score(attrs: Attributes, given: F64, Y: F64, w: F64, K: int) -> Claim:
    """The share of the weight whose class has the largest stated share, or R² (of a target that is constant 1 or 0)."""
    if callable(getattr(attrs.model, "oob_score", None)):
        told = "oob_score_ comes from a function of the user: it is not recomputed."
        return Claim("oob_score", told, Grade.UNPROVED, None, None, True)
    stated, given = real(getattr(attrs.model, "oob_score_", None)), np.where(np.isnan(given), 0.0, given)
    score = float(w @ (given.argmax(axis=1) == Y[:, 0]) / w.sum())
    if not K:
        missed, spread = w @ (Y - given) ** 2, w @ (Y - w @ Y / w.sum()) ** 2
        score = float(np.mean(np.where(spread > 0, 1 - missed / np.maximum(spread, 1e-300), missed == 0)))
    told, failure = "oob_score_ is the score of the out-of-bag answers; difference.", f"oob_score_ is not {score:.6g}."
    return at_most("oob_score", told, Grade.EXACT, abs(stated - score), 1e-9 * (1 + abs(score)), failure=failure)
