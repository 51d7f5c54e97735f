"""Checker of DictionarySelection: risks recounted, penalties recomputed, the choice and its interval re-derived.

What is taken as given, and said in the claim `risk`: that the rows are independent draws of one distribution, and that
each model is chosen from a dictionary of the VC dimension (or with the numbers of labelings) that is stated for it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.labels import places, read_classes, reads_labels
from surefit.certificates.predictions import answer_of, sample_rows
from surefit.certificates.theorems.members import parameters

ROUNDING = 1e-12  # relative, of a few logarithms and roots of numbers that are known exactly


@checker("estimators_", "empirical_risks_", "penalties_", "log_shattering_", "dictionaries_", "selected_",
         "selected_name_", "selected_estimator_", "risk_interval_", "remainder_", "classes_", "predict")  # fmt: skip
@reads_labels
def check_dictionary_selection(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Every model is asked for every row."""
    attrs = Attributes(model, "estimators_")
    members = list(model.estimators_) if isinstance(model.estimators_, (list, tuple)) else []
    M, n = len(members), blocks.n_rows
    confidence = real(getattr(model, "confidence", None))
    if read_classes(attrs) != 2:
        attrs.faults.append("there are not two classes")
    if not 0 < confidence < 1:
        attrs.faults.append("confidence is not between 0 and 1")
    risks = attrs.array("empirical_risks_", (M,))
    penalties = attrs.array("penalties_", (M,))
    logs = attrs.array("log_shattering_", (M,))
    chosen = whole(getattr(model, "selected_", None))
    if not 0 <= chosen < M:
        attrs.faults.append("selected_ is not the place of a model")
    elif getattr(model, "selected_estimator_", None) is not members[chosen]:
        attrs.faults.append("selected_estimator_ is not the model that selected_ says")
    elif model.models[chosen][0] != getattr(model, "selected_name_", None):
        attrs.faults.append("selected_name_ is not the name of the model that selected_ says")
    if [parameters(member) for member in members] != [parameters(asked) for _, asked in model.models]:
        attrs.faults.append("estimators_ are no copies of models")
    if model.dictionaries is not None and list(model.dictionaries) != list(model.dictionaries_):
        attrs.faults.append("dictionaries_ are not those that were asked for")
    stated = _labelings(getattr(model, "dictionaries_", None), M, n)
    if stated is None:
        attrs.faults.append("dictionaries_ does not say how many labelings each model can give")
    if attrs.faults or risks is None or penalties is None or logs is None or stated is None:
        return [bad_attributes(attrs)], "nothing was computed"
    wrong = _recount(members, blocks)
    if isinstance(wrong, Claim):
        return [wrong], "one pass"
    claims = [_risks(wrong, risks, n), _penalties(stated, logs, penalties, n)]
    own = 2 * np.sqrt(2 * stated / n)
    claims += [_choice(wrong / n + own, chosen), _predicts(model, members[chosen], sample_rows(blocks))]
    claims += _interval(model, float(wrong[chosen]) / n, float(own[chosen]), confidence, M, n)
    return claims, f"{M} models asked for {n} rows"


def _labelings(dictionaries: Any, M: int, n: int) -> F64 | None:
    """log(2 Sₙ) of each: by Sauer's lemma from a VC dimension, else what the dictionary itself says."""
    if not isinstance(dictionaries, (list, tuple)) or len(dictionaries) != M:
        return None
    found = []
    for one in dictionaries:
        if hasattr(one, "shattering"):
            count = one.shattering(n)
        else:
            d = real(one)
            if not d >= 0 or (d != math.inf and d != int(d)):
                return None
            count = 2**n if d >= n else _sauer(int(d), n)
        if not isinstance(count, int) or not 1 <= count <= 2**n:
            return None
        found.append(math.log(2 * count))
    return np.array(found)


def _sauer(d: int, n: int) -> int:
    """Σ_{k ≤ d} C(n, k), each term from the one before it."""
    total = term = 1
    for k in range(d):
        term = term * (n - k) // (k + 1)
        total += term
    return total


def _recount(members: list[Any], blocks: Blocks) -> F64 | Claim:
    """The rows that each model gets wrong."""
    wrong = np.zeros(len(members))
    for X, y, w in blocks:
        if y is None or w is not None:
            raise BadData("there is no target" if y is None else "bounds are for rows without weights")
        rows = dense(X).astype(X.dtype)
        codes = np.asarray(y, dtype=np.float64).reshape(-1)
        for m, member in enumerate(members):
            says = _codes(member, rows)
            if isinstance(says, Claim):
                return says
            wrong[m] += np.count_nonzero(says != codes)
    return wrong


def _codes(member: Any, X: NDArray) -> NDArray | Claim:
    """0 or 1 for the first or second class of the member, which is fitted to both."""
    says = answer_of(member, "predict", X, (len(X),))
    return says if isinstance(says, Claim) else places(member, says)


def _risks(wrong: F64, stated: F64, n: int) -> Claim:
    off = float(np.abs(wrong / n - stated).max(initial=0.0))
    return at_most(
        "empirical_risks",
        f"empirical_risks_ are the shares of {n} rows that each of {len(wrong)} models gets wrong; largest difference.",
        Grade.EXACT, off, ROUNDING,
        failure=f"empirical_risks_ are not the shares of wrong rows: off by {off:.3g}.",
    )  # fmt: skip


def _penalties(logs: F64, stated_logs: F64, stated: F64, n: int) -> Claim:
    off = np.abs(logs - stated_logs) / logs + np.abs(2 * np.sqrt(2 * logs / n) - stated) / (2 * np.sqrt(2 * logs / n))
    return at_most(
        "penalties",
        "penalties_ are 2 √(2 log(2 S) / n), with S by Sauer's lemma or as the dictionary says; relative difference.",
        Grade.EXACT, float(off.max(initial=0.0)), 4 * ROUNDING,
        failure="penalties_ are not those of the dictionaries.",
    )  # fmt: skip


def _choice(penalized: F64, chosen: int) -> Claim:
    return at_most(
        "selected",
        "No other model has a smaller sum of empirical risk and penalty; by how much one would be smaller.",
        Grade.EXACT, max(0.0, float(penalized[chosen] - penalized.min())), ROUNDING,
        failure="Another model has a smaller sum of empirical risk and penalty.",
    )  # fmt: skip


def _predicts(model: Any, member: Any, X: NDArray) -> Claim:
    given, wanted = answer_of(model, "predict", X, (len(X),)), answer_of(member, "predict", X)
    if isinstance(given, Claim) or isinstance(wanted, Claim):
        return given if isinstance(given, Claim) else wanted
    wrong = int(np.count_nonzero(given != wanted))
    return at_most("predict", f"predict says what the chosen model says; rows of {len(X)} where it does not.",
                   Grade.EXACT, wrong, 0, failure="predict says something else than the chosen model.")  # fmt: skip


def _interval(model: Any, risk: float, penalty: float, confidence: float, M: int, n: int) -> list[Claim]:
    """With probability 1 − e^−t:  |R − R_n| ≤ pen + √((log M + t) / 2n)  for all models at once."""
    price = math.log(M) - math.log1p(-confidence)
    half, remainder = penalty + math.sqrt(price / (2 * n)), math.sqrt(2 * price / n)
    low, high = max(0.0, risk - half), min(1.0, risk + half)
    given = getattr(model, "risk_interval_", None)
    pairs = [(real(getattr(given, "low", None)), low), (real(getattr(given, "high", None)), high),
             (real(getattr(given, "estimate", None)), risk), (real(getattr(given, "confidence", None)), confidence),
             (real(getattr(model, "remainder_", None)), remainder)]  # fmt: skip
    off = max(abs(a - b) if np.isfinite(a) else np.inf for a, b in pairs)
    same = at_most(
        "interval", "risk_interval_ and remainder_ are what the inequalities give; largest difference.",
        Grade.EXACT, off, ROUNDING, failure="risk_interval_ or remainder_ are not what the inequalities give.",
    )  # fmt: skip
    sentence = (
        f"With probability {confidence:g} the risk of the chosen model is in [{low:.4g}, {high:.4g}]: if the rows are "
        "independent draws of one distribution, and each model is from a dictionary as stated."
    )
    return [same, Claim("risk", sentence, Grade.STATISTICAL, high, 1.0, True, {"low": low, "high": high})]
