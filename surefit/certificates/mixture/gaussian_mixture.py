"""Checker of GaussianMixture: parameters that belong together, the likelihood recomputed, what one more step gains.

With r_ik = π_k N(x_i; m_k, Σ_k)/p(x_i), one step of expectation and maximization from the stored parameters θ gives θ',
and the mean log-likelihood can only rise. Its gain is measured by doing the step; at a stationary point it is zero.
For any θ' the mean log-likelihood is at least ELBO(r, θ') = mean of Σ_k r_ik (log π'_k N'_k(x_i) − log r_ik), with
equality at θ' = θ (docs/certificates/mixture.md). A variance c of measurement (reg_covar) takes ½ c tr Σ⁻¹ from each
log N.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.rounding import epsilon, gamma

LOG_2PI = float(np.log(2 * np.pi))
ROUNDINGS = 10.0
NEXT_STEP = 4.0  # the step after the last may gain more than the last, by so much
KINDS = ("full", "tied", "diag", "spherical")


@dataclass
class Model:
    """π, m, and for each component U with U Uᵀ = Σ⁻¹ as a matrix; every number in double precision."""

    weights: F64
    means: F64
    covariances: F64  # (K, d, d)
    kind: str
    prior: float

    def roots(self) -> F64:
        return np.stack([np.linalg.inv(np.linalg.cholesky(S)).T for S in self.covariances])

    def log_joint(self, X: F64, U: F64, prior: float) -> F64:
        """log π_k + log N(x; m_k, Σ_k) − ½ prior tr Σ_k⁻¹."""
        d = X.shape[1]
        out = np.empty((len(X), len(self.means)))
        for k, m in enumerate(self.means):
            T = (X - m) @ U[k]
            constant = np.log(self.weights[k]) + np.log(np.diagonal(U[k])).sum() - d / 2 * LOG_2PI
            out[:, k] = constant - (T * T).sum(axis=1) / 2 - prior / 2 * (U[k] ** 2).sum()
        return out

    def slip(self, X: F64, U: F64, joint: F64) -> F64:
        """What roundings here may change in `log_joint`: of the products T = (x − m)U, of their squares and of sums.

        With UᵀΣU = I + E, of norm e < 1, the quadratic forms and traces of U are off by a share of e/(1 − e), and
        log det by d e/(1 − e).
        """
        d = X.shape[1]
        out, one = np.empty_like(joint), gamma(d + 8)
        for k, m in enumerate(self.means):
            D = X - m
            T = D @ U[k]
            terms = (np.abs(T) * (np.abs(D) @ np.abs(U[k]))).sum(axis=1)
            e = inverse_error(self.covariances[k], U[k])
            inverse = e * ((T * T).sum(axis=1) + d + self.prior * (U[k] ** 2).sum())
            logs = np.abs(np.log(np.abs(np.diagonal(U[k])))).sum() + d * LOG_2PI
            out[:, k] = one * (terms + logs + np.where(np.isfinite(joint[:, k]), np.abs(joint[:, k]), 0.0)) + inverse
        return out


def inverse_error(S: F64, U: F64) -> float:
    """e/(1 − e) with e ≥ the norm of UᵀSU − I, which is reckoned in long double."""
    wide, root = S.astype(np.longdouble), U.astype(np.longdouble)
    E = root.T @ wide @ root - np.eye(len(S))
    size = np.abs(root.T) @ np.abs(wide) @ np.abs(root)
    unit = float(np.finfo(np.longdouble).eps) / 2
    e = float(np.sqrt((E * E).sum())) + gamma(2 * len(S) + 4, unit) * float(np.sqrt((size * size).sum()))
    return e / (1 - e) if e < 0.5 else np.inf


@checker("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bound_", "lower_bounds_",
         "converged_", "n_iter_", "collapsed_", "predict", "predict_proba", "score_samples")  # fmt: skip
def check_gaussian_mixture(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three passes over the rows."""
    attrs = Attributes(model, "means_")
    found = read_components(attrs, blocks.n_features)
    bound = attrs.number("lower_bound_")
    if found is None or bound is None:
        return [bad_attributes(attrs)], "nothing"
    eps = epsilon(any(X.dtype == np.float32 for X, _, _ in blocks), np.asarray(model.means_))
    try:
        U = found.roots()
        now, error = likelihood(blocks, found, U, found.prior)
        after = next_step(blocks, found, U)
        best, also = likelihood(blocks, after, after.roots(), found.prior)
        gained = best - now
    except np.linalg.LinAlgError:
        return [
            failed("covariances", "A covariance of the fit, or of the next step, is not positive definite.")
        ], "a pass"
    plain, _ = likelihood(blocks, found, U, 0.0)
    slack = rounding(found, U, eps, blocks.n_rows)
    return [
        *consistent(attrs, found, U, eps),
        _bound(attrs, bound, now, plain, gained, slack, tol, error),
        history_claim(attrs, bound, slack, tol, ours=hasattr(model, "collapsed_")),
        *_collapsed(attrs, found, eps),
        _gain(attrs, gained, now, slack, tol, error + also),
        *_answers(model, blocks, found, U, eps),
    ], "four passes over the rows"


def read_components(attrs: Attributes, d: int) -> Model | None:
    kind, K = attrs.text("covariance_type", "full"), whole(attrs.parameter("n_components", 1))
    if kind not in KINDS or K < 1:
        attrs.faults.append(f"covariance_type={kind!r} or n_components={K} is not known")
        return None
    shape: dict[str, tuple[int, ...]] = {"full": (K, d, d), "tied": (d, d), "diag": (K, d), "spherical": (K,)}
    w, m, S = attrs.array("weights_", (K,)), attrs.array("means_", (K, d)), attrs.array("covariances_", shape[kind])
    if w is None or m is None or S is None:
        return None
    if (w < 0).any():
        attrs.faults.append("weights_ has negative entries")
        return None
    prior = real(attrs.parameter("reg_covar", 0.0))
    return Model(w, m, as_matrices(S, kind, K, d), kind, prior if prior >= 0 else 0.0)


def as_matrices(S: F64, kind: str, K: int, d: int) -> F64:
    if kind in ("full", "tied"):
        return np.broadcast_to(S, (K, d, d)).copy()
    return np.stack([np.diag(np.broadcast_to(v, (d,))) for v in S])


def consistent(attrs: Attributes, found: Model, U: F64, eps: float) -> list[Claim]:
    """Weights add up to one; precisions are inverses of covariances, and their roots are roots."""
    K, d = found.means.shape
    given = {name: attrs.raw(name) for name in ("precisions_", "precisions_cholesky_")}
    off = abs(float(found.weights.sum()) - 1.0)
    deviations = np.sqrt(np.diagonal(found.covariances, axis1=1, axis2=2))
    units = deviations[:, :, None] * deviations[:, None, :]
    correlations = found.covariances / units  # in units of the columns, whose sizes do not matter
    condition = max(float(np.linalg.cond(R)) for R in correlations)
    worst = error = 0.0
    for name, array in given.items():
        try:
            square = as_matrices(np.asarray(array, dtype=np.float64), found.kind, K, d)
        except (TypeError, ValueError):
            square = np.full((K, d, d), np.nan)
        if name == "precisions_cholesky_":
            square = square @ square.transpose(0, 2, 1)
        product = (square * units) @ correlations - np.eye(d)
        worst = max(worst, float(np.max(np.where(np.isnan(product), np.inf, np.abs(product)))))
        error = max(error, gamma(2 * d + 8) * float(np.nan_to_num(np.abs(square * units) @ np.abs(correlations)).max()))
    limit = ROUNDINGS * d * eps
    return [
        at_most("weights", "The weights are chances: they add up to one.", Grade.EXACT, off, ROUNDINGS * K * eps,
                failure=f"The weights add up to {1 + off:.6g} or {1 - off:.6g}, not to one."),
        at_most("precisions", "Precisions and their roots are inverses of the covariances; largest entry of PΣ − I.",
                Grade.EXACT, worst, limit, error=error, excuse=limit * max(condition, 1.0),
                failure=f"precisions_ or precisions_cholesky_ do not belong to covariances_: off by {worst:.2g}."),
    ]  # fmt: skip


def rows_of(blocks: Blocks) -> Any:
    for X, _, w in blocks:
        if not all_finite(X):
            raise BadData("the data have entries that are NaN or infinite")
        yield dense(X), np.ones(X.shape[0]) if w is None else np.asarray(w, dtype=np.float64)


def likelihood(blocks: Blocks, found: Model, U: F64, prior: float) -> tuple[float, float]:
    """The mean log-likelihood of the rows, and what roundings here may change in it.

    A change e_k of log π_k N_k changes log Σ by Σ_k r_k e_k.
    """
    total = weight = error = size = 0.0
    for X, w in rows_of(blocks):
        joint = found.log_joint(X, U, prior)
        logs = log_sum(joint)
        shares = np.exp(joint - logs[:, None])
        total, weight, size = total + float(w @ logs), weight + float(w.sum()), size + float(w @ np.abs(logs))
        error += float(w @ (shares * found.slip(X, U, joint)).sum(axis=1))
    return total / weight, 2 * (error + gamma(blocks.n_rows + 64) * size) / weight


def log_sum(joint: F64) -> F64:
    top = joint.max(axis=1)
    return top + np.log(np.exp(joint - top[:, None]).sum(axis=1))


def next_step(blocks: Blocks, found: Model, U: F64) -> Model:
    """One step of expectation and maximization; sums about the present means."""
    K, d = found.means.shape
    N, first, second = np.zeros(K), np.zeros((K, d)), np.zeros((K, d, d))
    for X, w in rows_of(blocks):
        joint = found.log_joint(X, U, found.prior)
        R = np.exp(joint - log_sum(joint)[:, None]) * w[:, None]
        N += R.sum(axis=0)
        for k, m in enumerate(found.means):
            D = X - m
            first[k] += R[:, k] @ D
            second[k] += (D * R[:, k : k + 1]).T @ D
    some = np.where(N > 0, N, 1.0)
    step = first / some[:, None]
    scatter = second - N[:, None, None] * step[:, :, None] * step[:, None, :]
    S = scatter / some[:, None, None]
    if found.kind == "tied":
        S = np.broadcast_to(scatter.sum(axis=0) / N.sum(), S.shape)
    elif found.kind != "full":
        variances = np.diagonal(S, axis1=1, axis2=2)
        if found.kind == "spherical":
            variances = np.broadcast_to(variances.mean(axis=1, keepdims=True), variances.shape)
        S = np.stack([np.diag(v) for v in variances])
    return Model(N / N.sum(), found.means + step, S + found.prior * np.eye(d), found.kind, found.prior)


def rounding(found: Model, U: F64, eps: float, n: int) -> float:
    """What roundings of the stored parameters and of the sums may change in the mean log-likelihood.

    Stored to a relative eps, a mean moves by δ = eps |m| and a covariance by a relative eps: the mean log-likelihood,
    near its maximum, by about δᵀΣ⁻¹δ and d·eps; the sums of n terms by γ_n of their size.
    """
    moved = eps * np.abs(found.means)
    second = float(max(((d @ u) ** 2).sum() for d, u in zip(moved, U, strict=True)))
    d = found.means.shape[1]
    size = 1.0 + d * LOG_2PI + float(np.abs(np.log(np.abs(np.diagonal(U, axis1=1, axis2=2)))).sum(axis=1).max())
    return ROUNDINGS * (second + d * eps * (1 + d) * 0.5) + gamma(n + 4 * d * d + 64) * size * 8


def _bound(
    attrs: Attributes, claimed: float, now: float, plain: float, gained: float, slack: float, tol: float, error: float
) -> Claim:
    """lower_bound_ is the mean log-likelihood of the stored parameters.

    scikit-learn's is that of the parameters one step before, without the prior: within the gain of a step, or its tol.
    """
    off = abs(claimed - now)
    if not hasattr(attrs.model, "collapsed_"):
        off = min(off, max(0.0, abs(claimed - plain) - max(2 * gained, real(attrs.parameter("tol", 1e-3)))))
    return at_most(
        "lower_bound",
        f"lower_bound_ is the mean log-likelihood of a row, recomputed as {now:.10g} ({plain:.10g} without what "
        "reg_covar takes); difference.",
        Grade.EXACT, off, tol, {"recomputed": now, "claimed": claimed}, error=error, excuse=slack,
        failure=f"lower_bound_ is {claimed:.10g}, but the mean log-likelihood of the rows is {now:.10g}.",
    )  # fmt: skip


def history_claim(attrs: Attributes, bound: float, slack: float, tol: float, *, ours: bool) -> Claim:
    """lower_bounds_ has an entry for each iteration (ours one more, for the start), ends in lower_bound_ and rises, and
    its last rise is below the fit's tol where converged_ says so.

    scikit-learn's may fall, since what it adds to variances (reg_covar) is not in its log-likelihood.
    """
    history, asked = attrs.raw("lower_bounds_"), real(attrs.parameter("tol", 1e-3))
    converged, n_iter = attrs.raw("converged_"), attrs.number("n_iter_")
    if history is None or history.ndim != 1 or converged is None or converged.shape or converged.dtype.kind != "b":
        return failed("history", "lower_bounds_ is not a list of numbers, or converged_ neither True nor False.")
    rises = np.diff(history.astype(float))
    off = abs(float(history[-1]) - bound) if history.size else 0.0
    falls = float(np.max(-rises, initial=0.0)) if ours else 0.0
    off = np.inf if np.isnan([off, falls]).any() else max(off, falls)
    last = (float(rises[-1]) if ours else abs(float(rises[-1]))) if rises.size else np.inf
    if n_iter is None or n_iter != len(history) - ours:
        off = np.inf
    room = gamma(64) * (1 + abs(bound)) if ours else slack  # ours are reckoned in double precision
    if (rises.size or ours) and bool(converged) != (last < asked) and not abs(last - asked) <= room:
        off = np.inf
    return at_most(
        "history", "The bound never fell, ends in lower_bound_, and converged_ says whether its last rise was "
        f"below tol={asked:g}; largest fall or difference.", Grade.EXACT, off, tol, excuse=slack,
        failure="lower_bounds_ falls, ends elsewhere than lower_bound_, or does not fit n_iter_ or converged_.",
    )  # fmt: skip


def _collapsed(attrs: Attributes, found: Model, eps: float) -> list[Claim]:
    """Components whose least variance is reg_covar and nothing else; scikit-learn's model does not tell."""
    if not hasattr(attrs.model, "collapsed_"):
        return []
    given = attrs.raw("collapsed_")
    values = np.linalg.eigvalsh(found.covariances)
    least, error = values[:, 0], ROUNDINGS * len(values[0]) * eps * values[:, -1]
    edge = found.prior * (1 + 1e-6)
    fine = given is not None and given.shape == least.shape and given.dtype.kind == "b"
    wrong = int(np.count_nonzero((given != (least <= edge)) & (np.abs(least - edge) > error))) if fine else len(least)
    return [at_most(
        "collapsed", "collapsed_ marks the components whose least variance is reg_covar; components where it is wrong.",
        Grade.EXACT, wrong, 0, failure=f"collapsed_ is wrong for {wrong} components.",
    )]  # fmt: skip


def _gain(attrs: Attributes, gained: float, now: float, slack: float, tol: float, error: float) -> Claim:
    """The gain of one more step, in units of log-likelihood a row."""
    asked = real(attrs.parameter("tol", 1e-3))
    settled = gained + error <= tol + slack
    limit = tol if settled else max(tol, NEXT_STEP * asked if asked > 0 else 0.0)
    return at_most(
        "stationary",
        "One more step of expectation and maximization gains at most this log-likelihood a row."
        if settled else
        f"The fit stopped by its tol={asked:g}, before a stationary point: one more step gains this log-likelihood a "
        "row, and later steps may gain more; for a stationary point lower tol.",
        Grade.FIXED_POINT if settled else Grade.BOUNDED, max(gained, 0.0), limit, {"log_likelihood": now},
        error=error, excuse=slack,
        failure=f"Not stationary: one more step gains {gained:.2g} log-likelihood a row; lower tol or raise max_iter.",
    )  # fmt: skip


def _answers(model: Any, blocks: Blocks, found: Model, U: F64, eps: float) -> list[Claim]:
    """score_samples, predict_proba and predict on sampled rows."""
    X = sample_rows(blocks)
    rows = np.asarray(X, dtype=np.float64)
    joint = found.log_joint(rows, U, 0.0)
    d = rows.shape[1]
    size = np.abs(rows) + np.abs(found.means).max(axis=0)
    quadratic = np.stack(
        [(np.abs(rows - m) @ np.abs(u) * (size @ np.abs(u))).sum(axis=1) for m, u in zip(found.means, U, strict=True)],
        axis=1,
    )
    slip = ROUNDINGS * eps * (d + 8) * (1 + np.abs(joint) + quadratic)
    log_p = log_sum(joint)
    chances = np.exp(joint - log_p[:, None])
    worst = slip.max(axis=1)
    claims = [
        numbers_claim(model, "score_samples", X, log_p, worst),
        numbers_claim(model, "predict_proba", X, chances, 2 * worst[:, None] + ROUNDINGS * eps),
    ]
    labels = answer_of(model, "predict", X)
    if isinstance(labels, Claim):
        return [*claims, labels]
    labels = np.asarray(labels)
    K = joint.shape[1]
    fine = labels.shape == (len(X),) and labels.dtype.kind in "iu" and bool(((labels >= 0) & (labels < K)).all())
    behind = joint.max(axis=1) - joint[np.arange(len(X)), labels] if fine else np.full(len(X), np.inf)
    wrong = int(np.count_nonzero(~(behind <= 2 * worst)))
    return [*claims, at_most(
        "predict", f"predict gives a likeliest component; rows of {len(X)} where it does not.", Grade.EXACT, wrong, 0,
        failure=f"predict gives another component than the likeliest on {wrong} of {len(X)} rows.",
    )]  # fmt: skip
