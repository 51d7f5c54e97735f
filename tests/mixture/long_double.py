"""Gaussian mixtures in long double, written from the formulas: the log-likelihood, and what one more step gains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

L = np.longdouble
LOG_2PI = np.log(2 * np.arccos(L(-1)))


class Parameters(NamedTuple):
    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    """(K, d, d)."""
    kind: str
    prior: np.longdouble


def of_model(model) -> Parameters:
    """The stored parameters, every covariance as a matrix."""
    K, d = model.means_.shape
    S = np.asarray(model.covariances_, dtype=L)
    if model.covariance_type in ("full", "tied"):
        matrices = np.broadcast_to(S, (K, d, d))
    else:
        matrices = np.stack([np.eye(d, dtype=L) * np.broadcast_to(v, (d,)) for v in S])
    numbers = (np.asarray(a, dtype=L) for a in (model.weights_, model.means_, matrices))
    return Parameters(*numbers, model.covariance_type, L(model.reg_covar))


def lower_triangle(S):
    """Cholesky's L with L Lᵀ = S."""
    d = len(S)
    T = np.zeros((d, d), dtype=L)
    for j in range(d):
        T[j, j] = np.sqrt(S[j, j] - T[j, :j] @ T[j, :j])
        for i in range(j + 1, d):
            T[i, j] = (S[i, j] - T[i, :j] @ T[j, :j]) / T[j, j]
    return T


def solved(T, B):
    """T⁻¹ B for a lower triangle."""
    out = np.zeros_like(B)
    for i in range(len(T)):
        out[i] = (B[i] - T[i, :i] @ out[:i]) / T[i, i]
    return out


def log_joint(theta: Parameters, X):
    """log π_k + log N(x; m_k, Σ_k) − ½ prior tr Σ_k⁻¹."""
    X, columns = np.asarray(X, dtype=L), []
    d = X.shape[1]
    for p, m, S in zip(theta.weights, theta.means, theta.covariances, strict=True):
        T = lower_triangle(S)
        inverse = solved(T, np.eye(d, dtype=L))
        log_det = np.log(np.diagonal(T)).sum()
        z = inverse @ (X - m).T
        with np.errstate(divide="ignore"):
            constant = np.log(p) - log_det - d * LOG_2PI / 2 - theta.prior * (inverse**2).sum() / 2
        columns.append(constant - (z**2).sum(axis=0) / 2)
    return np.stack(columns, axis=1)


def log_rows(joint):
    top = joint.max(axis=1, keepdims=True)
    return top[:, 0] + np.log(np.exp(joint - top).sum(axis=1))


def mean_log_likelihood(theta: Parameters, X, w):
    return (np.asarray(w, dtype=L) @ log_rows(log_joint(theta, X))) / L(np.sum(w))


def next_step(theta: Parameters, X, w) -> Parameters:
    """Expectation and maximization, with the variance of measurement added."""
    X, w = np.asarray(X, dtype=L), np.asarray(w, dtype=L)
    joint = log_joint(theta, X)
    R = np.exp(joint - log_rows(joint)[:, None]) * w[:, None]
    N, d = R.sum(axis=0), X.shape[1]
    means, scatter = theta.means.copy(), []
    for k in range(len(N)):
        if N[k] > 0:
            means[k] = (R[:, k] @ X) / N[k]
        D = X - means[k]
        scatter.append((D * R[:, k : k + 1]).T @ D)
    S = np.stack(scatter)
    if theta.kind == "tied":
        S = np.broadcast_to(S.sum(axis=0) / N.sum(), S.shape)
    else:
        S = S / np.where(N > 0, N, 1)[:, None, None]
        if theta.kind != "full":
            S = np.stack([np.diag(np.diagonal(s)) for s in S])
        if theta.kind == "spherical":
            S = np.stack([np.eye(d, dtype=L) * np.trace(s) / d for s in S])
    return Parameters(N / N.sum(), means, S + theta.prior * np.eye(d, dtype=L), theta.kind, theta.prior)


def gain(theta: Parameters, X, w):
    """What one more step adds to the mean log-likelihood."""
    return mean_log_likelihood(next_step(theta, X, w), X, w) - mean_log_likelihood(theta, X, w)
