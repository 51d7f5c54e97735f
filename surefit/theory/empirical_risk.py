"""The empirical risk: the mean loss of predictions on a sample, R_n(h) = Σ ωᵢ ℓ(yᵢ, h(xᵢ)) / Σ ωᵢ ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefit._core.errors import InvalidData, InvalidParameter

Loss = Literal["zero_one", "squared", "absolute"] | Callable[[Any, Any], Any]

LOSSES: dict[str, Callable[[NDArray, NDArray], NDArray]] = {
    "zero_one": lambda y, p: (y != p).astype(np.float64),
    "squared": lambda y, p: (y - p) ** 2,
    "absolute": lambda y, p: np.abs(y - p),
}


def empirical_risk(y_true: Any, y_pred: Any, *, loss: Loss = "zero_one", sample_weight: Any = None) -> float:
    """The weighted mean loss of predictions.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (n,)
        Labels, or numbers for the losses that subtract them.
    loss : "zero_one", "squared", "absolute" or callable
        A callable takes both arrays and gives the loss of each row.
    sample_weight : array of shape (n,), optional
        Weights ≥ 0; a weight of two counts as a row given twice.

    Examples
    --------
    >>> from surefit.theory import empirical_risk
    >>> empirical_risk(["a", "b", "b", "a"], ["a", "a", "b", "a"])
    0.25
    >>> empirical_risk([1.0, 2.0], [1.0, 4.0], loss="squared", sample_weight=[3, 1])
    1.0
    """
    losses = row_losses(y_true, y_pred, loss)
    if sample_weight is None:
        return float(losses.mean())
    w = np.asarray(sample_weight, dtype=np.float64)
    if w.shape != losses.shape or not np.isfinite(w).all() or (w < 0).any() or not w.any():
        raise InvalidData(
            f"sample_weight must hold one finite number ≥ 0 for each of {len(losses)} rows, not all zero; got the "
            f"shape {w.shape}"
        )
    return float(w @ losses / w.sum())


def row_losses(y_true: Any, y_pred: Any, loss: Loss = "zero_one") -> NDArray[np.float64]:
    """The loss of each row."""
    y, p = np.asarray(y_true), np.asarray(y_pred)
    if y.ndim != 1 or y.shape != p.shape or y.size == 0:
        raise InvalidData(
            f"y_true and y_pred must be columns of one length, of at least one row; got {y.shape} and {p.shape}"
        )
    if callable(loss):
        losses = np.asarray(loss(y, p), dtype=np.float64)
        if losses.shape != y.shape:
            raise InvalidData(f"loss must give one number for each of {len(y)} rows; got the shape {losses.shape}")
    elif loss == "zero_one":
        for name, values in (("y_true", y), ("y_pred", p)):
            if values.dtype.kind == "f" and np.isnan(values).any():
                raise InvalidData(f"{name} has a missing label in row {int(np.flatnonzero(np.isnan(values))[0])}")
        if (y.dtype.kind in "US") != (p.dtype.kind in "US") and "O" not in (y.dtype.kind, p.dtype.kind):
            raise InvalidData(f"labels must be of one kind; y_true has {y.dtype}, y_pred {p.dtype}")
        losses = LOSSES[loss](y, p)
    elif loss in LOSSES:
        losses = LOSSES[loss](_numbers(y, "y_true"), _numbers(p, "y_pred"))
    else:
        raise InvalidParameter(f"loss must be one of {', '.join(LOSSES)} or a callable; got {loss!r}")
    if not np.isfinite(losses).all():
        row = int(np.flatnonzero(~np.isfinite(losses))[0])
        raise InvalidData(f"the loss of row {row} is {losses[row]}; losses must be finite")
    return losses


def _numbers(values: NDArray, name: str) -> NDArray[np.float64]:
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as fault:
        raise InvalidData(f"{name} must hold numbers for this loss; got {values.dtype}") from fault
