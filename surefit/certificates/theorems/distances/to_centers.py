"""Distances of rows from centers, with their rounding, and `transform` held against them."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.predictions import numbers_claim


def squared_distances(X: Any, C: F64, mean: F64, eps: float) -> tuple[F64, F64]:
    """Squared distances, and an error δ of each from raw products: of the distance an error of δ/dist, at most √δ."""
    A, C = np.asarray(X, dtype=np.float64) - mean, C - mean
    sq_dist = np.stack([((A - c) ** 2).sum(axis=1) for c in C], axis=1)
    size = np.sqrt((A**2).sum(axis=1))[:, None] + np.sqrt((C**2).sum(axis=1)) + np.sqrt((mean**2).sum())
    return sq_dist, (C.shape[1] + 8) * eps * size**2


def transform_claim(model: Any, X: Any, C: F64, mean: F64, eps: float) -> Claim:
    """transform gives the distances; distances may be formed from raw products."""
    sq_dist, rounding = squared_distances(X, C, mean, eps)
    distance = np.sqrt(sq_dist)
    room = np.minimum(rounding / np.maximum(distance, np.finfo(float).tiny), np.sqrt(rounding)) + eps * distance
    return numbers_claim(model, "transform", X, distance, room)
