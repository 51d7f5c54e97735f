"""How many components a rule keeps, decided from variances that are known within errors."""

from __future__ import annotations

from math import lgamma, log, pi

import numpy as np

from surefit.certificates.blocks import F64


def may_be_share(k: int, variances: F64, total: float, share: float, slack: float) -> bool:
    """Whether k is the least number whose variances add up to more than the share, up to slack of the total."""
    sums = np.concatenate([[0.0], np.cumsum(variances)]) / (total if total > 0 else 1.0)
    full = k >= variances.size or not total > 0
    return bool(1 <= k <= variances.size and sums[k - 1] <= share + slack and (full or sums[k] > share - slack))


def minka_evidence(k: int, lam: F64, n: float) -> float:
    """log p(data | k components), T. P. Minka (NIPS 2000), equations 30 and 31; lam has all d variances."""
    d = lam.size
    noise = float(lam[k:].mean())
    m = d * k - k * (k + 1) / 2
    subspace = -k * log(2.0) + sum(lgamma((d - i) / 2) - (d - i) / 2 * log(pi) for i in range(k))
    likelihood = -n / 2 * float(np.log(lam[:k]).sum()) - n * (d - k) / 2 * log(noise)
    flat = np.concatenate([lam[:k], np.full(d - k, noise)])
    above = np.arange(d) > np.arange(k)[:, None]
    with np.errstate(all="ignore"):
        terms = np.log(lam[:k, None] - lam) + np.log(1 / flat - 1 / lam[:k, None]) + log(n)
    return subspace + likelihood + (m + k) / 2 * log(2 * pi) - float(terms[above].sum()) / 2 - k / 2 * log(n)


def may_be_minka(k: int, lam: F64, n: float, error: F64) -> bool:
    """Whether no other number of components has more evidence, for relative errors of the variances."""
    d = lam.size
    if d == 1 or not 1 <= k < d:
        return k == 1
    evidence = np.array([minka_evidence(j, lam, n) for j in range(1, d)])
    slack = n * float(np.minimum(error, 1.0).sum()) + 1e-9 * float(np.abs(evidence).max())
    return bool(not evidence[k - 1] < np.nanmax(evidence) - slack)
