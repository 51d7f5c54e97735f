"""The parameters that both decision trees have, declared once."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Annotated, Any, Literal

import numpy as np

from surefit._core.params import Range, Rule
from surefit._core.random import RandomStateLike


def _count_or_share(least: int, *, whole_share: bool) -> Rule:
    """A whole number ≥ `least`, or a share of the rows."""
    end = "≤" if whole_share else "<"

    def holds(value: Any) -> bool:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
            return False
        if isinstance(value, Integral):
            return int(value) >= least
        share = float(value)
        return 0 < share <= 1 if whole_share else 0 < share < 1

    return Rule(holds, f"a whole number ≥ {least}, or a share > 0 and {end} 1")


def _features(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value in ("sqrt", "log2")):
        return True
    return _count_or_share(1, whole_share=True).predicate(value)


def _directions(value: Any) -> bool:
    return value is None or (hasattr(value, "__len__") and not isinstance(value, (str, bytes, dict)))


def _columns(value: Any) -> bool:
    return value is None or isinstance(value, str) or hasattr(value, "__len__")


ClassCriterion = Annotated[
    Literal["gini", "entropy", "log_loss"], "The impurity of a node; log_loss is another name for entropy."
]
NumberCriterion = Annotated[
    Literal["squared_error", "friedman_mse", "absolute_error", "poisson"],
    "The impurity of a node: variance, mean absolute deviation from the median, or half the mean Poisson deviance. "
    "friedman_mse compares splits as squared_error does.",
]
Splitter = Annotated[
    Literal["best", "random"], "The best threshold of a column, or the best of one random threshold for each column."
]
MaxDepth = Annotated[int | None, Range(1), "The most steps from the root to a leaf."]
MinSamplesSplit = Annotated[
    Any, _count_or_share(2, whole_share=True), "A node of fewer rows is not split; a share is of all rows."
]
MinSamplesLeaf = Annotated[
    Any, _count_or_share(1, whole_share=False), "Every leaf has at least so many rows; a share is of all rows."
]
MinWeightShare = Annotated[float, Range(0, 0.5), "Every leaf has at least this share of the weight."]
MaxFeatures = Annotated[
    Any,
    Rule(_features, 'None, "sqrt", "log2", a whole number ≥ 1, or a share > 0 and ≤ 1'),
    "How many columns, drawn anew at each node, are looked at; None: all.",
]
Seed = Annotated[
    RandomStateLike, "The seed; None is 0. It is read only if columns or thresholds are drawn, or max_features is set."
]
MaxLeafNodes = Annotated[
    int | None, Range(2), "The most leaves; the split with the largest decrease is made first (best-first)."
]
MinDecrease = Annotated[float, Range(0), "A split must decrease the weighted impurity (a share of all) by so much."]
ClassWeight = Annotated[
    dict | list | Literal["balanced"] | None,
    "Weights of the classes, {label: weight} (a list of such for several outputs), or balanced: n / (classes · n_c).",
]
Penalty = Annotated[
    float | Literal["cv"],
    Range(0),
    "The price of a leaf in cost-complexity pruning; cv: chosen by cross-validation on five folds.",
]
Monotonic = Annotated[
    Any,
    Rule(_directions, "None or an array of −1, 0 and 1, one for each column"),
    "Whether the prediction may only rise (1) or only fall (−1) with a column; for two classes that of the second.",
]
Categorical = Annotated[
    Any,
    Rule(_columns, 'None, "from_dtype", or an array: column numbers, column names, or True and False'),
    "Columns that hold categories, split by subsets: numbers 0 … 255, or a dataframe's own categories.",
]
