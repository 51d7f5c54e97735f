"""The parameters that both random forests declare."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral
from typing import Annotated, Any, Literal

import numpy as np

from surefit._core.params import Range, Rule


def _share_or_count(value: Any, least: float) -> bool:
    whole = isinstance(value, Integral)
    return bool(value >= least) if whole else bool(0 < value <= 1)


TreeCount = Annotated[int, Range(1), "How many trees."]
MaxDepth = Annotated[int | None, Range(1), "Steps from the root to a leaf at most; None: no limit."]
SplitSamples = Annotated[
    Any,
    Rule(lambda v: _number(v) and _share_or_count(v, 2), "a whole number ≥ 2 or a share of the rows in (0, 1]"),
    "Nodes with fewer rows are leaves; a share is one of all rows. A row of weight two counts twice.",
]
LeafSamples = Annotated[
    Any,
    Rule(
        lambda v: _number(v) and (v >= 1 if isinstance(v, Integral) else 0 < v < 1),
        "a whole number ≥ 1 or a share of the rows in (0, 1)",
    ),
    "Splits that leave fewer rows on a side are not on offer.",
]
LeafWeight = Annotated[float, Range(0, 0.5), "The least weight of a leaf, as a share of the weight of the bag."]
Features = Annotated[
    Any,
    Rule(
        lambda v: (
            v is None
            or (isinstance(v, str) and v in ("sqrt", "log2"))
            or (_number(v) and (v >= 1 if isinstance(v, Integral) else 0 < v <= 1))
        ),
        "'sqrt', 'log2', None, a whole number ≥ 1 or a share of the features in (0, 1]",
    ),
    "Features looked at in each node, drawn anew for each; those that are constant in it do not count. None: all.",
]
LeafNodes = Annotated[
    int | None, Range(2), "Leaves at most, the split with the largest decrease first; grown by exact thresholds."
]
ImpurityDecrease = Annotated[float, Range(0), "Splits that decrease the impurity by less are not made."]
Bootstrap = Annotated[bool, "Each tree sees rows drawn with replacement; False: all rows."]
OobScore = Annotated[
    bool | Callable, "Judge the forest by rows outside the bags; a function of (y, prediction) gives the score."
]
Jobs = Annotated[int | None, "Threads at most; −1 or None: all."]
Verbose = Annotated[int | bool, Range(0), "1: a line for every tenth of the trees; above: for every tree."]
WarmStart = Annotated[bool, "Keep the trees of the last fit and add to them."]
Penalty = Annotated[float, Range(0), "Each tree is cut back to the subtree that is best at this price of a leaf."]
MaxSamples = Annotated[
    Any,
    Rule(
        lambda v: v is None or (_number(v) and (v >= 1 if isinstance(v, Integral) else 0 < v < math.inf)),
        "None, a whole number ≥ 1 or a finite number > 0",
    ),
    "Draws of each tree: a number, or a share of the total weight of the rows (None: all of it).",
]
Monotonic = Annotated[
    np.ndarray | None,
    "For each feature 1 (the prediction rises with it), −1 (falls) or 0; grown by exact thresholds.",
]
MaxBins = Annotated[
    int | None,
    Range(2, 255),
    "Bins of each column, between which splits are looked for; None: between all values (exact).",
]

Categorical = Annotated[
    np.ndarray | Literal["from_dtype"] | None,
    "Columns of categories, split by subsets: a mask, numbers or names; 'from_dtype' takes those a dataframe declares.",
]


def _number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))
