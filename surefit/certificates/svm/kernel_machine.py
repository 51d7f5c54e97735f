"""What SVC and SVR share: support vectors are rows of the data, and the objective is within a proved gap."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import UNIT, epsilon
from surefit.certificates.search.machines.kernel_dual import proposals
from surefit.certificates.theorems.kernel_machine.duality import Task, expansion, values
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import read_kernel

COST = "entries of the Gram matrix of all rows and the support vectors; twice where the fit is not converged"
PROVED = "No function has an objective lower by more than this share (positive kernel, by construction or by Cholesky)"
NOT_PROVED = "Karush–Kuhn–Tucker conditions, relative (No bound of the distance: the kernel is not proved positive)"
ADVICE = "Lower tol, raise max_iter or scale the columns."


class Machine(NamedTuple):
    """A fitted machine: f_p = Σⱼ coef[j, p] k(xⱼ, ·) + b[p] for every task p."""

    kernel: Kernel
    X: F64
    places: NDArray  # of the support vectors among the rows
    coef: F64
    b: F64
    unit: float  # the machine epsilon of its answers


def counted(attrs: Attributes, w: F64) -> F64:
    """How often a row counts in the spread of the data: once in scikit-learn's models, which have no `gamma_`."""
    return w if attrs.has("gamma_") else np.ones_like(w)


def read_machine(attrs: Attributes, X: F64, w: F64, single: bool) -> Machine | None:
    """support_ (different row numbers) with a row of dual_coef_ for each, and intercept_; None with the fault noted."""
    kernel = read_kernel(attrs, X, gamma="scale", coef0=0.0, counts=counted(attrs, w))
    coef, b, places = attrs.array("dual_coef_"), attrs.array("intercept_"), attrs.raw("support_")
    if coef is None or b is None or places is None or places.dtype.kind not in "iu" or coef.shape[1:] != places.shape:
        attrs.faults.append("dual_coef_ does not have one column for each row that support_ names")
    elif not ((places >= 0) & (places < len(X))).all() or len(np.unique(places)) < places.size:
        attrs.faults.append(f"support_ does not hold different numbers of the {len(X)} rows")
    else:
        unit = epsilon(single, *map(np.asarray, (attrs.raw("dual_coef_"), attrs.raw("intercept_"))))
        return Machine(kernel, X, places.astype(np.intp), coef.T, b, unit)
    return None


def support_claim(attrs: Attributes, m: Machine) -> Claim:
    """support_vectors_ are rows of the data; there are none where the kernel is of pairs."""
    held, rows = attrs.raw("support_vectors_"), m.X[m.places]
    none = m.kernel.name in ("precomputed", "callable") and (held is None or not held.size)
    same = none or (held is not None and held.shape == rows.shape and bool((held.astype(np.float64) == rows).all()))
    sentence = "support_vectors_ are the rows that support_ names; 0 where they are."
    return at_most("support_vectors", sentence, Grade.EXACT, float(not same), 0)


def gap_claim(m: Machine, p: int, task: Task, name: str, shift: float, tol: float) -> Claim:
    """P is at most a share (P − D)/P above its least value; a better D is searched for where β is not good enough."""
    beta = np.zeros(len(m.X))
    beta[m.places] = m.coef[:, p]
    low, high, bound, norm = values(m.kernel, m.X, task, beta, m.b[p], shift)
    best, bound = high, max(bound, 0.0 if shift == 0 else -np.inf)
    for other, b in proposals(m.kernel, m.X, task, beta, m.b[p], tol):
        _, above, proved, _ = values(m.kernel, m.X, task, other, b, shift)
        best, bound = min(best, above), max(bound, proved)
        if shift == np.inf or high - bound <= tol * high:
            break
    whole = high + (max(0.0, -norm) if shift == np.inf else 0.0)  # ½|‖f‖²| + Σ U max(0, v)
    value = np.inf if high == np.inf else (high - bound) / whole if whole > 0 else 0.0
    numbers = f"primal value {high:.10g}, dual value {bound:.10g}, gap {high - bound:.3g}."
    detail = {"primal": high, "dual": bound, "gap": high - bound, "margin": 2 / norm**0.5 if norm > 0 else np.inf}
    said, grade = (PROVED, Grade.OPTIMAL) if shift < np.inf else (NOT_PROVED, Grade.STATIONARY)
    said, lower = f"{said}{name}: {numbers}", max(0.0, 1 - best / low) if shift < np.inf and low > 0 else 0.0
    return at_most("optimal", said, grade, value, tol, detail, lower=lower, failure=f"{said} {ADVICE}")


def answers(m: Machine, rows: NDArray) -> tuple[F64, F64]:
    """f + b of every task at some rows, and how far rounding may carry it: of sums in float64, and of the answer."""
    f, error = expansion(replace(m.kernel, raw=2 * UNIT), m.X, rows.astype(np.float64), m.places, m.coef)
    return (f + m.b).astype(np.float64), error + 4 * m.unit * (np.abs(f) + np.abs(m.b)).astype(np.float64)
