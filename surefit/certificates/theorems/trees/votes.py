"""What the members of an ensemble say together: means, of all or of the members that did not see a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import gamma

OOB_WORK = 1 << 24  # rows × members that are asked again


def asked_again(n_rows: int, n_members: int) -> NDArray[np.intp]:
    """The rows whose out-of-bag answers are recomputed: all, or as many as the work allows, spread evenly."""
    return np.unique(np.linspace(0, n_rows - 1, max(1, min(n_rows, OOB_WORK // max(1, n_members)))).astype(np.intp))


class OutOfBag:
    """Sums of the answers of the members that did not see a row."""

    def __init__(self, n_rows: int, width: int, slack: float = 0.0) -> None:
        """slack: what the answers of members may differ by when they are asked again, relative to the largest."""
        self.slack, self.total, self.votes, self.largest = slack, np.zeros((n_rows, width)), np.zeros(n_rows), 0.0

    def add(self, outside: NDArray[np.bool_], answers: F64) -> None:
        self.total[outside] += answers[outside]
        self.votes[outside] += 1
        self.largest = max(self.largest, float(np.abs(answers).max()))

    def claims(
        self, attrs: Attributes, name: str, rows: NDArray[np.intp], Y: F64, w: F64, K: int, answered: bool = False
    ) -> list[Claim]:
        """The stated answers are the means of those of the members; the stated score is that of the stated answers.

        A row that every member saw has no answer: zero or NaN. It counts as zero in the score (the first class), or,
        `answered`, not at all. w weighs the rows of the score.
        """
        given = attrs.array(name, (len(Y), self.total.shape[1]), (len(Y),), finite=False)
        if given is None:
            return [refuted("oob", f"{name} is not an array of an answer for each row.")]
        given, none = given.reshape(len(Y), -1), self.votes == 0
        off = np.abs(given[rows] - self.total / np.maximum(self.votes, 1)[:, None])
        off = np.where(none[:, None] & np.isnan(given[rows]), 0.0, off)
        wrong = np.count_nonzero(~(off <= (2 * gamma(self.votes.max() + 8) + self.slack) * self.largest))
        what = "the mean over the members that did not see the row"
        told = f"{name} is {what}, on {len(rows)} rows ({none.sum()} seen by all); numbers that are not."
        answers = at_most("oob", told, Grade.EXACT, float(wrong), 0, failure=f"{name} is not {what}, {wrong} times.")
        return [answers, _score(attrs, given, Y, np.where(answered & np.isnan(given).any(axis=1), 0.0, w), K)]


def _score(attrs: Attributes, given: F64, Y: F64, w: F64, K: int) -> Claim:
    """The share of the weight whose class has the largest stated share, or R²."""
    if callable(getattr(attrs.model, "oob_score", None)):
        return at_most("oob_score", "oob_score_ comes from a function of the user: not recomputed.", Grade.EXACT, 0, 0)
    stated, given = real(getattr(attrs.model, "oob_score_", None)), np.where(np.isnan(given), 0.0, given)
    score, rounding = float(w @ (given.argmax(axis=1) == Y[:, 0]) / w.sum()), 1e-12
    if not K:
        score = float(np.mean(1 - (w @ (Y - given) ** 2) / (w @ (Y - w @ Y / w.sum()) ** 2)))
        rounding = 1e-9 * (1 + abs(score))
    failure = f"oob_score_ is {stated:.6g}, the out-of-bag answers have {score:.6g}."
    sentence = "oob_score_ is the score of the out-of-bag answers; difference."
    return at_most("oob_score", sentence, Grade.EXACT, abs(stated - score), rounding, failure=failure)
