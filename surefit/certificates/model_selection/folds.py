"""Checker of cross-validation's folds: disjoint, covering, and those that the fingerprint names.

The folds are read from the result as row numbers; nothing that drew them is used. What is proved: which rows each
model was trained on and which it was tested on. The scores themselves are the scorer's own and are not checked.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from surefit.certificates.blocks import BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.theorems.folds import Fold, covering_claim, disjoint_claim, read_folds

MOST = 2 * 10**8  # row numbers that are looked at


@checker("folds", "fingerprint", any_input=True)
def check_folds(scores: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the row numbers of all folds."""
    folds = folds_of(scores, blocks.n_rows)
    return fold_claims(scores, folds, blocks.n_rows), f"{len(folds)} folds of {blocks.n_rows} rows, counted"


def folds_of(scores: Any, n: int) -> list[Fold]:
    """The folds of a result on n rows."""
    count = len(next((value for key, value in dict(scores).items() if str(key).startswith("test_")), ()))
    if count * n > MOST:
        raise BadData(f"{count} folds of {n} rows are more row numbers than are looked at")
    folds = read_folds(getattr(scores, "folds", None), n)
    if not folds or len(folds) != count:
        raise BadData("the result has no folds of these rows, one for each score: pass the rows that were cut")
    return folds


def fold_claims(scores: Any, folds: list[Fold], n: int) -> list[Claim]:
    times = np.bincount(np.concatenate([test for _, test in folds]), minlength=n)
    all_used = all(len(train) + len(test) == n for train, test in folds)
    even = all_used and np.unique(times).size == 1
    told = f"{', '.join(map(str, dict(scores)))}: what was measured, and not computed again."
    unseen = Claim("scores", told, Grade.UNPROVED, None, None, True)
    return [disjoint_claim(folds, n), covering_claim(folds, n, partition=even), _named(scores, folds), unseen]


def _named(scores: Any, folds: list[Fold]) -> Claim:
    """The fingerprint: SHA-256 of the parts in their order, each as its length and its rows in 64 bits."""
    found = hashlib.sha256()
    for fold in folds:
        for part in fold:
            found.update(len(part).to_bytes(8, "little") + np.ascontiguousarray(part, dtype="<i8").tobytes())
    if str(getattr(scores, "fingerprint", "")) != found.hexdigest():
        return refuted("fingerprint", "fingerprint is not that of these folds: the scores were made on others.")
    sentence = f"fingerprint {found.hexdigest()[:12]}… is that of these folds, derived again; differences."
    return at_most("fingerprint", sentence, Grade.EXACT, 0, 0)
