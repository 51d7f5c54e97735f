"""The parameters that estimators on neighbors share, each declared once, and the metric they name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit._core.params import Range, Rule

TREE_METRICS = ("euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev", "infinity")


def _metric(value: Any) -> bool:
    return isinstance(value, str) or callable(value) or hasattr(value, "pairwise")


def _whole_numbers(value: Any) -> bool:
    try:
        numbers = list(value)
    except TypeError:
        return False
    return bool(numbers) and all(
        isinstance(k, (int, np.integer)) and not isinstance(k, bool) and k >= 1 for k in numbers
    )


NeighborCount = Annotated[int | None, Range(1), "Number of neighbors that queries ask for, unless they say otherwise."]
NeighborChoice = Annotated[
    int | Literal["cv"] | np.ndarray | None,
    Range(1),
    Rule(_whole_numbers, "of whole numbers ≥ 1"),
    'Number of neighbors that have a vote; or numbers to choose from by cross-validation, "cv" for a usual list.',
]
Radius = Annotated[float | None, Range(0), "Queries by radius find all rows at most so far away."]
Weights = Annotated[
    Literal["uniform", "distance"] | Callable | None,
    'What a neighbor counts: "uniform" (or None) one, "distance" the inverse of its distance, or a function that makes '
    "an array of weights from one of distances.",
]
Algorithm = Annotated[
    Literal["auto", "ball_tree", "kd_tree", "brute"],
    'How neighbors are searched; answers are exact and do not depend on it ("ball_tree" is "kd_tree").',
]
LeafSize = Annotated[int, Range(1), "Rows in a leaf of the tree; for speed alone."]
P = Annotated[float | None, Range(0, open="low"), "The power of the Minkowski metric."]
MetricName = Annotated[
    Any,
    Rule(_metric, "the name of a metric or a function of two rows"),
    'The distance: a name ("euclidean", "manhattan", "cosine", "haversine", "hamming", "jaccard", … as in SciPy), '
    '"precomputed" for X a matrix of distances, or a function of two rows.',
]
MetricParams = Annotated[dict | None, "Further parameters of the metric."]
Jobs = Annotated[int | None, "Most threads to use; None is what the machine and the settings allow."]
Folds = Annotated[
    Any,
    "How the number of neighbors is chosen: None leaves out one row after the other, else the number of folds, a "
    "splitter or a list of splits.",
]


def effective_metric(p: Any) -> tuple[Any, dict[str, Any]]:
    """The metric and its parameters in their simplest words: Minkowski's for p = 1, 2, ∞ has a name of its own."""
    params = dict(p.metric_params or {})
    if "p" in params and p.p is not None:
        warnings.warn(
            "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
            SyntaxWarning,
            stacklevel=5,
        )
    if not (isinstance(p.metric, str) and p.metric == "minkowski"):
        return p.metric, params
    power, w = params.pop("p", p.p), params.pop("w", None)
    power = 2 if power is None else power
    if not isinstance(power, (int, float, np.integer, np.floating)) or not power > 0:
        raise InvalidParameter(f"the power p of the Minkowski metric must be a number > 0; got {power!r}")
    name = {1: "manhattan", 2: "euclidean", math.inf: "chebyshev"}.get(float(power))
    if name is not None and w is None:
        return name, params
    return "minkowski", {**params, "p": power, "w": w}


def refuse_unsuited_trees(p: Any, metric: Any, params: dict[str, Any]) -> None:
    """A tree cuts space along its columns: not every metric agrees with that."""
    power = params.get("p", 2) if metric == "minkowski" else 2
    if power < 1:
        if p.algorithm in ("kd_tree", "ball_tree"):
            raise InvalidParameter(
                f'algorithm="{p.algorithm}" does not support 0 < p < 1 for the Minkowski metric. To resolve this '
                'problem either set p >= 1 or algorithm="brute".'
            )
        warnings.warn(
            "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution with "
            "`algorithm='brute'`.",
            stacklevel=5,
        )
    if p.algorithm != "kd_tree":
        return
    if callable(metric):
        raise InvalidParameter("kd_tree does not support callable metrics: use algorithm='auto' or 'brute'")
    if isinstance(metric, str) and (metric not in TREE_METRICS or params.get("w") is not None):
        weighted = " with weights" if params.get("w") is not None else ""
        raise InvalidParameter(
            f"algorithm='kd_tree' is not valid for metric={metric!r}{weighted}: use algorithm='auto'"
        )
