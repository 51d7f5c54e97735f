"""Checker of MixtureSampler on labels that it drew: their frequencies are those of the weights.

Hoeffding: the frequency of one label among n independent draws is off its chance by more than t with a probability of
at most 2 exp(−2nt²). For all k labels together t = √(log(2k/δ) / (2n)) is passed with a probability of at most δ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.rounding import gamma

DELTA = 1e-9


@checker("weights", any_input=True)
def check_mixture_sampler(sampler: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the labels."""
    attrs, labels = Attributes(sampler, "weights"), np.asarray(getattr(blocks, "all", None))
    k = len(getattr(sampler, "components", ()))
    weights = attrs.array("weights", (k,))
    if weights is None or not k:
        return [bad_attributes(attrs)], "nothing"
    if labels.ndim != 1 or labels.dtype.kind not in "iu" or not labels.size:
        raise BadData("drawn labels are needed, a list of whole numbers: surefit.certify(sampler, labels)")
    if (weights < 0).any() or not abs(float(weights.sum()) - 1) <= 2 * gamma(k + 2):
        return [refuted("weights", f"The weights are no chances: they add up to {float(weights.sum()):.10g}.")], "none"
    known = (labels >= 0) & (labels < k)
    possible = known & (weights[np.where(known, labels, 0)] > 0)
    wrong = int(np.count_nonzero(~possible))
    claims = [
        at_most("labels", f"Every label is a component with a chance above zero; labels of {labels.size} that are not.",
                Grade.EXACT, wrong, 0, failure=f"{wrong} of {labels.size} labels have a chance of zero."),
    ]  # fmt: skip
    if not wrong:
        claims.append(_frequencies(np.bincount(labels, minlength=k) / labels.size, weights, labels.size))
    return claims, "one pass"


def _frequencies(found: np.ndarray, weights: np.ndarray, n: int) -> Claim:
    allowed = float(np.sqrt(np.log(2 * len(weights) / DELTA) / (2 * n)))
    off = np.abs(found - weights)
    j = int(off.argmax())
    if allowed >= float(np.maximum(weights, 1 - weights).max()):
        return failed("frequencies", f"{n} labels are too few: any frequencies could have been drawn. Draw more.")
    return at_most(
        "frequencies",
        f"The frequencies of the labels are those of the weights; largest difference: label {j}. True draws pass the "
        f"limit with a probability below {DELTA:g} (Hoeffding), if they are independent.",
        Grade.STATISTICAL, float(off[j]), allowed, error=gamma(4),
        failure=f"Label {j} has a frequency of {found[j]:.4g} and a weight of {weights[j]:.4g}: true draws differ so "
        f"with a probability below {DELTA:g}.",
    )  # fmt: skip
