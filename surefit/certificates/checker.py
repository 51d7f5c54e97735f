"""The frame around every checker: labels read, timed, quiet about overflow (which claims judge)."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import BadData, BlockOf, Blocks
from surefit.certificates.claim import Claim, failed

TOL = 1e-6  # the relative distance from the optimum that people call converged
KNOWN = ("n_features_in_", "feature_names_in_", "history_", "certificate_")  # follow from the data, or only tell
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "inverse_transform")

Findings = tuple[list[Claim], str]  # the claims about a model, and what checking them cost


class Checked(NamedTuple):
    """What a checker hands over: its claims, their cost, its time, and what of the model no claim covers."""

    claims: list[Claim]
    cost: str
    seconds: float
    not_checked: list[str]


def checker(*covers: str) -> Callable[[Callable[..., Findings]], Callable[..., Checked]]:
    """Makes the checker (model, blocks, tol) ↦ Checked from a function (model, blocks, tol) ↦ findings.

    `covers` names the fitted attributes and the methods that the claims speak of: a lie in any of them is refused.
    What a model has beyond these is listed as not checked.
    """

    def decorate(find: Callable[..., Findings]) -> Callable[..., Checked]:
        @functools.wraps(find)
        def check(model: Any, blocks: Blocks, tol: float = TOL) -> Checked:
            start = time.perf_counter()
            with np.errstate(all="ignore"):
                try:
                    coded = CodedBlocks(model, blocks) if hasattr(model, "classes_") else blocks
                    claims, cost = find(model, coded, float(tol))
                except BadData as fault:
                    claims, cost = [failed("data", f"Nothing can be checked: {fault}.")], "one pass"
                except np.linalg.LinAlgError as fault:  # numbers beyond floating point: a factor without an end
                    claims, cost = [failed("finite", f"A factor could not be computed: {fault}.")], "not known"
            return Checked(claims, cost, time.perf_counter() - start, not_checked(model, covers))

        return check

    return decorate


def not_checked(model: Any, covers: tuple[str, ...]) -> list[str]:
    """The public fitted attributes and the methods of the model that no claim covers."""
    fitted = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    methods = [name for name in METHODS if callable(getattr(type(model), name, None))]
    return [name for name in (*sorted(fitted), *methods) if name not in (*covers, *KNOWN)]


class CodedBlocks:
    """The blocks with each label as its place 0 … K−1 among the model's `classes_`; −1 for a label that is none.

    A row of weight zero belongs to no one: its label passes for the first class.
    """

    def __init__(self, model: Any, blocks: Blocks) -> None:
        self.blocks, self.n_rows, self.n_features = blocks, blocks.n_rows, blocks.n_features
        try:
            self.place = {label: k for k, label in enumerate(np.asarray(model.classes_).tolist())}
        except (TypeError, ValueError):  # nested or ragged lists
            self.place = {}

    def __iter__(self) -> Iterator[BlockOf]:
        for X, y, w in self.blocks:
            yield BlockOf(X, None if y is None else self._codes(y, w), w)

    def _codes(self, y: NDArray, w: NDArray | None) -> NDArray[np.float64]:
        y = np.asarray(y)
        y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
        if y.ndim != 1:
            raise BadData(f"labels must be one column, got the shape {y.shape}")
        codes = np.array([self.place.get(label, -1) for label in y.tolist()], dtype=np.float64)
        return codes if w is None else np.where((codes < 0) & (np.asarray(w) == 0), 0.0, codes)
