"""What SVC and SVR share: support vectors are rows of the data, and the objective is within a proved gap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Block, Blocks, dense
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.rounding import UNIT, epsilon
from surefit.certificates.search.kernel_dual import better_dual
from surefit.certificates.theorems.kernel_machine.duality import Function, Primal, Task, dual, kkt, primal, sq_norm
from surefit.certificates.theorems.kernel_machine.expansion import (
    LONG,
    Data,
    expansion,
    pieces,
    rows_at,
    stacked,
    weights_of,
)
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import read_kernel
from surefit.certificates.theorems.kernel_machine.positive import Definite, definite

ROUNDINGS = 4.0  # times what storing every coefficient rounded once may cost
LONG_WORK = 3e7  # products up to which the Gram matrix is computed in long double
ADVICE = "lower tol, raise max_iter or scale the columns"


class Machine(NamedTuple):
    """A fitted machine: f_p = Σⱼ coef[j, p] k(xⱼ, ·) + b[p] for every task p."""

    blocks: Blocks
    kernel: Kernel
    data: Data
    places: NDArray  # of the support vectors among the rows
    centers: list[Block]
    coef: F64
    b: F64
    unit: float  # the machine epsilon the model was fitted in

    def diagonal(self, j: int) -> float:
        """K(j, j), from above."""
        x = stacked(rows_at(self.blocks, np.array([j])))
        entry = self.kernel.block(x, x, np.array([j]))
        return abs(float(entry.value[0, 0])) + float(entry.error[0, 0])

    def cost(self) -> str:
        size = self.blocks.n_rows * len(self.centers)
        return f"{size:.1e} entries of the Gram matrix, in blocks; twice where the fit is not converged"


def read_machine_kernel(attrs: Attributes, blocks: Blocks) -> Kernel | None:
    """The kernel; "scale" is 1 / (d · variance of all entries), "auto" 1/d.

    scikit-learn's variance is that of the rows as they are; a model with a `gamma_` counts them by their weights.
    """

    def number(word: str) -> float:
        if word != "scale":
            return 1.0 / blocks.n_features if word == "auto" else np.nan
        size = mean = squares = LONG(0)
        weights = [
            np.asarray(w, dtype=LONG) if w is not None and attrs.has("gamma_") else np.ones(X.shape[0])
            for X, _, w in blocks
        ]
        for omega, (X, _, _) in zip(weights, blocks, strict=True):
            size, mean = size + omega.sum() * X.shape[1], mean + omega @ dense(X).sum(axis=1, dtype=LONG)
        for omega, (X, _, _) in zip(weights, blocks, strict=True):
            squares += omega @ ((dense(X).astype(LONG) - mean / size) ** 2).sum(axis=1)
        return float(size / (squares * blocks.n_features)) if squares > 0 else 1.0

    return read_kernel(attrs, blocks, gamma="scale", coef0=0.0, words=number)


def read_places(attrs: Attributes, n: int) -> NDArray | None:
    """support_: different row numbers."""
    array, raw = attrs.array("support_"), attrs.raw("support_")
    if array is None or raw is None:
        return None
    if array.ndim != 1 or raw.dtype.kind not in "iu" or not ((raw >= 0) & (raw < n)).all():
        attrs.faults.append(f"support_ does not hold numbers of the {n} rows")
    elif len(np.unique(raw)) < len(raw):
        attrs.faults.append("support_ names a row twice")
    else:
        return raw.astype(np.intp)
    return None


def machine(
    attrs: Attributes, blocks: Blocks, kernel: Kernel, data: Data, places: NDArray, coef: F64, b: F64
) -> Machine:
    stored = [a for a in (attrs.raw("dual_coef_"), attrs.raw("intercept_")) if a is not None]
    return Machine(blocks, kernel, data, places, rows_at(blocks, places), coef, b, epsilon(data.single, *stored))


def support_claims(attrs: Attributes, m: Machine) -> list[Claim]:
    """support_vectors_ are rows of the data; coef_ is their sum where the kernel is linear."""
    claims, held = [], attrs.raw("support_vectors_")
    rows = stacked(m.centers) if m.centers else np.zeros((0, m.blocks.n_features))
    if m.kernel.name not in ("precomputed", "callable") or (held is not None and held.size):
        same = held is not None and held.shape == rows.shape and bool((held.astype(np.float64) == rows).all())
        claims.append(
            at_most("support_vectors", "support_vectors_ are the rows that support_ names; 0 where they are.",
                    Grade.EXACT, float(not same), 0)
        )  # fmt: skip
    if m.kernel.name == "linear" and m.centers:
        W, _, size = weights_of(m.centers, m.coef, m.blocks.n_features)
        coef = attrs.array("coef_", W.T.shape)
        if coef is None:
            return [*claims, refuted("coef", f"{attrs.faults[-1]}.")]
        off = np.abs(coef - W.T) / np.maximum((len(m.centers) + 8) * m.unit * size.T, np.finfo(float).tiny)
        claims.append(
            at_most("coef", "coef_ is Σ dual_coef_ · support_vectors_; largest difference, in roundings.", Grade.EXACT,
                    float(off.max(initial=0.0)), 1.0)
        )  # fmt: skip
    return claims


def functions(m: Machine, places: NDArray, centers: list[Block], coef: F64, b: F64) -> list[Function]:
    beta = np.zeros((m.blocks.n_rows, coef.shape[1]))
    beta[places] = coef
    work = m.blocks.n_rows * len(places) * (m.blocks.n_features + len(b))
    long = m.kernel.name not in ("precomputed", "callable") and work <= LONG_WORK
    e = expansion(m.kernel, pieces(m.blocks), centers, places, coef, long)
    return [Function(beta[:, p], float(b[p]), e.value[:, p], e.error[:, p], e.moved[:, p]) for p in range(len(b))]


def optimal(m: Machine, tasks: list[Task], names: list[str], tol: float) -> Claim:
    """The worst task's gap; a better dual point is searched for where the model's own is not good enough."""
    known = definite(m.kernel, m.blocks)
    own = functions(m, m.places, m.centers, m.coef, m.b)
    values = [primal(t, f) for t, f in zip(tasks, own, strict=True)]
    bounds = [dual(t, f, m.diagonal, known.shift) for t, f in zip(tasks, own, strict=True)]
    bounds = [max(0.0, d) if known.shift == 0 else d for d in bounds]  # β = 0 gives D = 0
    others = [p.high for p in values]
    if known.shift < np.inf and any(not p.high - d <= tol * p.high for p, d in zip(values, bounds, strict=True)):
        places, coef, b = better_dual(m, tasks, own, tol)
        found = functions(m, places, rows_at(m.blocks, places), coef, b)
        bounds = [max(d, dual(t, f, m.diagonal, known.shift)) for d, t, f in zip(bounds, tasks, found, strict=True)]
        others = [min(o, primal(t, f).high) for o, t, f in zip(others, tasks, found, strict=True)]
    claims = [
        gap_claim(known, values[p], bounds[p], others[p], names[p], tol, ROUNDINGS * m.unit / 2, details(t, f))
        for p, (t, f) in enumerate(zip(tasks, own, strict=True))
    ]
    return max(claims, key=lambda c: (not c.holds, c.value or 0.0))


def details(task: Task, f: Function) -> dict[str, float]:
    """The width of the margin 2/‖f‖, and the largest violation of the Karush–Kuhn–Tucker conditions."""
    q = float(sq_norm(f)[0])
    return {"margin": 2 / np.sqrt(q) if q > 0 else np.inf, "kkt_violation": kkt(task, f)}


def gap_claim(
    known: Definite, p: Primal, bound: float, other: float, name: str, tol: float, unit: float, more: dict[str, float]
) -> Claim:
    """P is at most a share (P − D)/P above its least value; for D ≥ 0 that grows with P."""
    if p.high == np.inf:
        return failed("optimal", f"C is infinite, and it is not proved that no row is violated{name}.", np.inf, tol)
    whole = p.high if bound >= 0 else p.scale
    value = (p.high - bound) / whole if whole > 0 else 0.0 if p.high <= bound else np.inf
    numbers = f"primal value {p.high:.10g}, dual value {bound:.10g}, gap {p.high - bound:.3g}"
    detail = {"primal": p.high, "dual": bound, "gap": p.high - bound, **more}
    if known.shift == np.inf:
        said = (
            f"Karush–Kuhn–Tucker conditions{name}: {numbers}, relative. No bound of the distance from the least value"
        )
        sentence, grade = f"{said}: {known.words}.", Grade.STATIONARY
        failure = f"{said}: {known.words}; the conditions are not met: {ADVICE}."
    else:
        sentence = f"No function has an objective lower by more than this share{name}: {numbers}; {known.words}."
        grade = Grade.OPTIMAL if known.proved else Grade.BOUNDED
        failure = (
            f"The objective could be lower by up to {value:.3g} of itself{name}: {numbers}. {ADVICE.capitalize()}."
        )
    lower = max(0.0, 1 - other / p.low) if 0 < p.low < np.inf and known.shift < np.inf else 0.0
    excuse = unit * p.rounding / p.scale if p.scale > 0 else 0.0
    return at_most("optimal", sentence, grade, value, tol, detail, excuse=excuse, lower=lower, failure=failure)


def answers(m: Machine, rows: NDArray) -> tuple[F64, F64]:
    """f + b of every task at some rows, and how far rounding in the model's own precision may carry it."""
    e = expansion(m.kernel, iter([rows.astype(np.float64)]), m.centers, m.places, m.coef)
    value = e.value + m.b
    few = m.blocks.n_features + len(m.centers) + 8
    rounding = 2 * m.unit / UNIT * e.error + few * m.unit * (e.size + np.abs(m.b))
    return value.astype(np.float64), rounding
