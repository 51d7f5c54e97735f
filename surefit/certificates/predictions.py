"""What a model answers on a sample of its rows, held against what its fitted attributes say it must answer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.claim import Claim, Grade, at_most, refuted

SAMPLE = 64


def sample_rows(blocks: Blocks) -> NDArray:
    """Rows spread evenly over all blocks, dense, in the type of the data."""
    places = np.unique(np.linspace(0, blocks.n_rows - 1, min(SAMPLE, blocks.n_rows)).astype(np.intp))
    found, first = [], 0
    for X, _, _ in blocks:
        inside = places[(places >= first) & (places < first + X.shape[0])] - first
        found += [dense(X[i : i + 1]).astype(X.dtype) for i in inside.tolist()]
        first += X.shape[0]
    return np.concatenate(found)


def answer_of(model: Any, method: str, X: NDArray | None, shape: tuple[int, ...] | None = None) -> Any:
    """What the model answers; where it raises or has another shape, a claim that fails with the reason."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = np.asarray(getattr(model, method)(X))
    except Exception as fault:
        return refuted(method, f"{method} fails on rows of the training data: {type(fault).__name__}: {fault}")
    right = shape is None or given.shape == shape
    return given if right else refuted(method, f"{method} gives an array of shape {given.shape}, expected {shape}.")


def numbers_claim(model: Any, method: str, X: NDArray, expected: F64, rounding: F64 | float) -> Claim:
    """|answer − expected| ≤ rounding entry by entry; the claim's number is the largest multiple of the rounding."""
    given = answer_of(model, method, X, expected.shape)
    if isinstance(given, Claim):
        return given
    if given.dtype.kind not in "biuf":
        return refuted(method, f"{method} gives {given.dtype}, expected numbers.")
    off = np.abs(given - expected)
    same = (given == expected) | (np.isnan(given) & np.isnan(expected))
    ratio, most = np.where(same, 0.0, off / np.maximum(rounding, np.finfo(float).tiny)), np.max(rounding, initial=0.0)
    sentence = f"{method} is what the attributes say, on {len(X)} rows; largest difference, in roundings ≤ {most:.1g}."
    failure = f"{method} gives something else than the fitted attributes say, by up to {off.max(initial=0.0):.3g}."
    return at_most(method, sentence, Grade.EXACT, float(ratio.max(initial=0.0)), 1.0, failure=failure)
