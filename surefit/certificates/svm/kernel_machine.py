"""What SVC and SVR share: support vectors are rows of the data, and the objective is within a proved gap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.rounding import UNIT, epsilon
from surefit.certificates.search.machines.kernel_dual import better_dual
from surefit.certificates.theorems.kernel_machine.duality import Function, Task, dual, primal, sq_norm
from surefit.certificates.theorems.kernel_machine.expansion import (
    LONG,
    Data,
    Long,
    expansion,
    pieces,
    rows_at,
    weights_of,
)
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import read_kernel
from surefit.certificates.theorems.kernel_machine.positive import Definite, definite

LONG_WORK = 3e7  # products up to which the Gram matrix is computed in long double
ADVICE = "Lower tol, raise max_iter or scale the columns"


class Machine(NamedTuple):
    """A fitted machine: f_p = Σⱼ coef[j, p] k(xⱼ, ·) + b[p] for every task p."""

    blocks: Blocks
    kernel: Kernel
    places: NDArray  # of the support vectors among the rows
    coef: F64
    b: F64
    unit: float  # the machine epsilon of its answers

    def cost(self) -> str:
        size = self.blocks.n_rows * len(self.places)
        return f"{size:.1e} entries of the Gram matrix, in blocks; twice where the fit is not converged"


def counted(attrs: Attributes, data: Data) -> F64:
    """How often a row counts in the spread of the data: once in scikit-learn's models, which have no `gamma_`."""
    return data.w if attrs.has("gamma_") else np.ones_like(data.w)


def read_machine_kernel(attrs: Attributes, blocks: Blocks, counts: F64) -> Kernel | None:
    """The kernel; "scale" is 1 / (d · variance of all entries), "auto" 1/d."""

    def total(center: Long, power: int) -> Long:
        """Σ count · (entry − center)^power."""
        found, first = LONG(0), 0
        for A in pieces(blocks):
            found += counts[first : first + len(A)] @ ((A.astype(LONG) - center) ** power).sum(axis=1)
            first += len(A)
        return found

    def number(word: str) -> float:
        if word != "scale":
            return 1.0 / blocks.n_features if word == "auto" else np.nan
        size = LONG(counts.sum()) * blocks.n_features
        squares = total(total(LONG(0), 1) / size, 2)
        return float(size / (squares * blocks.n_features)) if squares > 0 else 1.0

    return read_kernel(attrs, blocks, gamma="scale", coef0=0.0, words=number)


def read_machine(attrs: Attributes, blocks: Blocks, data: Data, kernel: Kernel | None) -> Machine | None:
    """support_ (different row numbers) with a row of dual_coef_ for each, and intercept_; None with the fault noted."""
    places, coef, b = attrs.raw("support_"), attrs.array("dual_coef_"), attrs.array("intercept_")
    if places is None or places.dtype.kind not in "iu" or not ((places >= 0) & (places < blocks.n_rows)).all():
        attrs.faults.append(f"support_ does not hold numbers of the {blocks.n_rows} rows")
    elif len(np.unique(places)) < places.size:
        attrs.faults.append("support_ names a row twice")
    elif coef is not None and coef.shape[1:] != places.shape:
        attrs.faults.append(f"dual_coef_ has shape {coef.shape}, but support_ {places.shape}")
    elif kernel is not None and coef is not None and b is not None:
        unit = epsilon(data.single, *(a for a in (attrs.raw("dual_coef_"), attrs.raw("intercept_")) if a is not None))
        return Machine(blocks, kernel, places.astype(np.intp), coef.T, b, unit)
    return None


def support_claims(attrs: Attributes, m: Machine) -> list[Claim]:
    """support_vectors_ are rows of the data; coef_ is their sum where the kernel is linear."""
    claims, held = [], attrs.raw("support_vectors_")
    if m.kernel.name not in ("precomputed", "callable") or (held is not None and held.size):
        rows = rows_at(m.blocks, m.places)
        same = held is not None and held.shape == rows.shape and bool((held.astype(np.float64) == rows).all())
        claims.append(
            at_most("support_vectors", "support_vectors_ are the rows that support_ names; 0 where they are.",
                    Grade.EXACT, float(not same), 0)
        )  # fmt: skip
    if m.kernel.name == "linear" and len(m.places):
        w = weights_of(m.blocks, m.places, m.coef)
        coef = attrs.array("coef_", w.value.T.shape)
        if coef is None:
            return [*claims, refuted("coef", f"{attrs.faults[-1]}.")]
        off = np.abs(coef - w.value.T) / np.maximum((len(m.places) + 8) * m.unit * w.size.T, np.finfo(float).tiny)
        claims.append(
            at_most("coef", "coef_ is Σ dual_coef_ · support_vectors_; largest difference, in roundings.", Grade.EXACT,
                    float(off.max(initial=0.0)), 1.0)
        )  # fmt: skip
    return claims


def functions(m: Machine, places: NDArray, coef: F64, b: F64) -> list[Function]:
    beta = np.zeros((m.blocks.n_rows, coef.shape[1]))
    beta[places] = coef
    work = m.blocks.n_rows * len(places) * (m.blocks.n_features + len(b))
    e = expansion(m.kernel, m.blocks, places, coef, LONG if work <= LONG_WORK else np.float64)
    return [Function(beta[:, p], float(b[p]), e.value[:, p], e.error[:, p], e.size[:, p]) for p in range(len(b))]


def optimal(m: Machine, tasks: list[Task], names: list[str], tol: float) -> Claim:
    """The worst task's gap; a better dual point is searched for where the model's own is not good enough."""
    known, own = definite(m.kernel, m.blocks), functions(m, m.places, m.coef, m.b)
    claims = [gap_claim(known, t, f, f, name, tol) for t, f, name in zip(tasks, own, names, strict=True)]
    if known.shift < np.inf and not all(claim.holds for claim in claims):
        found = functions(m, *better_dual(m, tasks, own, tol))
        every = zip(tasks, own, found, names, strict=True)
        claims = [gap_claim(known, t, f, other, name, tol) for t, f, other, name in every]
    return max(claims, key=lambda c: (not c.holds, c.value or 0.0))


def gap_claim(known: Definite, task: Task, f: Function, other: Function, name: str, tol: float) -> Claim:
    """P is at most a share (P − D)/P above its least value, D that of either function; for D ≥ 0 it grows with P."""
    (p, off), q = primal(task, f), float(sq_norm(f)[0])
    high, best = p + off, sum(primal(task, other))
    if high == np.inf:
        return failed("optimal", f"C is infinite, and it is not proved that no row is violated{name}.", np.inf, tol)
    bound = max(dual(task, f, known.shift), dual(task, other, known.shift), 0.0 if known.shift == 0 else -np.inf)
    whole = high + (max(0.0, -q) if known.shift == np.inf else 0.0)  # ½|‖f‖²| + Σ U max(0, v)
    value = (high - bound) / whole if whole > 0 else 0.0 if high <= bound else np.inf
    numbers = f"primal value {high:.10g}, dual value {bound:.10g}, gap {high - bound:.3g}; {known.words}"
    detail = {"primal": high, "dual": bound, "gap": high - bound, "margin": 2 / np.sqrt(q) if q > 0 else np.inf}
    if known.shift == np.inf:
        said = f"Karush–Kuhn–Tucker conditions{name}, relative: {numbers}."
        return at_most("optimal", said, known.grade, value, tol, detail, lower=0.0, failure=f"{said} {ADVICE}.")
    sentence = f"No function has an objective lower by more than this share{name}: {numbers}."
    failure = f"The objective could be lower by up to {value:.3g} of itself{name}: {numbers}. {ADVICE}."
    lower = max(0.0, 1 - best / (p - off)) if p > off else 0.0
    return at_most("optimal", sentence, known.grade, value, tol, detail, lower=lower, failure=failure)


def answers(m: Machine, rows: NDArray) -> tuple[F64, F64]:
    """f + b of every task at some rows, and how far rounding in the model's own precision may carry it."""
    e = expansion(m.kernel, m.blocks, m.places, m.coef, np.float64, rows.astype(np.float64))
    few = m.blocks.n_features + len(m.places) + 8
    rounding = 2 * m.unit / UNIT * e.error + few * m.unit * (e.size + np.abs(m.b))
    return (e.value + m.b).astype(np.float64), rounding
