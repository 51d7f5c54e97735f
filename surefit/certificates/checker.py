"""The frame around every checker: labels are read, and what cannot be computed is a claim that fails."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import BadData, BlockOf, Blocks
from surefit.certificates.claim import Claim, failed

TOL = 1e-6  # the relative distance from the optimum that people call converged
Findings = tuple[list[Claim], str]  # the claims about a model, and what checking them cost


def checker(*covers: str, any_input: bool = False) -> Callable[[Callable[..., Findings]], Callable[..., Findings]]:
    """Frames a function (model, blocks, tol) ↦ findings.

    `covers` names the fitted attributes and the methods that the claims speak of: a lie in any of them is refused.
    What a model has beyond these is listed as not checked. With `any_input` the data are handed over as they are: rows
    of numbers or any objects.
    """

    def decorate(find: Callable[..., Findings]) -> Callable[..., Findings]:
        @functools.wraps(find)
        def check(model: Any, blocks: Blocks, tol: float = TOL) -> Findings:
            with np.errstate(all="ignore"):
                try:
                    return find(model, CodedBlocks(model, blocks) if hasattr(model, "classes_") else blocks, float(tol))
                except BadData as fault:
                    return [failed("data", f"Nothing can be checked: {fault}.")], "one pass"
                except np.linalg.LinAlgError as fault:  # numbers beyond floating point: a factor without an end
                    return [failed("finite", f"A factor could not be computed: {fault}.")], "not known"

        check.covers, check.any_input = covers, any_input  # type: ignore[attr-defined]
        return check

    return decorate


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
