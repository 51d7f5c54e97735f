"""The parameters of histogram boosting, declared once for both estimators, and its constraints read."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from numbers import Integral
from typing import Annotated, Any, Literal

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit._core.params import Range, Rule
from surefit._core.random import RandomStateLike

LearningRate = Annotated[float, Range(0, open="both"), "The factor of every step."]
MaxIter = Annotated[int, Range(1), "Most rounds; each grows one tree, or one for each of more than two classes."]
MaxLeafNodes = Annotated[int | None, Range(2), "Most leaves of a tree, grown by the largest gain; None for no limit."]
MaxDepth = Annotated[int | None, Range(1), "Most splits on the way from the root to a leaf; None for no limit."]
MinSamplesLeaf = Annotated[
    int, Range(1), "Least weight of a leaf: the sum of the weights of its rows (without weights their number)."
]
L2 = Annotated[float, Range(0, open="high"), "The penalty of squared steps: leaves take −G / (H + l2_regularization)."]
MaxFeatures = Annotated[float, Range(0, 1, open="low"), "The share of the features that every split chooses from."]
MaxBins = Annotated[int, Range(2, 255), "Most bins of a feature, besides that of missing values."]
CategoricalFeatures = Annotated[
    np.ndarray | Literal["from_dtype"] | None,
    "Columns of categories: a mask, numbers or names; 'from_dtype' takes those a dataframe declares; None for none.",
]
MonotonicCst = Annotated[
    np.ndarray | dict | None, "For each feature 1 (never falling), −1 (never rising) or 0; or a dict by names."
]
INTERACTION_WORDS = ("pairwise", "no_interactions")
InteractionCst = Annotated[
    Any,
    Rule(
        lambda v: v is None or isinstance(v, (list, tuple)) or (isinstance(v, str) and v in INTERACTION_WORDS),
        "None, 'pairwise', 'no_interactions' or a sequence of groups of feature numbers",
    ),
    "Groups of features that may stand together on one path; features in none form a group.",
]
WarmStart = Annotated[bool, "Whether to add rounds to those of the last fit."]
EarlyStopping = Annotated[
    bool | Literal["auto"], "Whether to stop when the score stays; 'auto': if the weights sum to more than 10,000."
]
Scoring = Annotated[str | Callable | None, "What early stopping looks at: 'loss', a scorer, or None for `score`."]
ValidationFraction = Annotated[
    float | int | None, Range(0, open="low"), "Share (or number) of rows held out for it; None: the training rows."
]
NIterNoChange = Annotated[int, Range(1), "Rounds without a better score (by `tol`) after which the fit stops."]
Tol = Annotated[float, Range(0), "The least change of the score that counts."]
Verbose = Annotated[int | bool, Range(0), "Above 0 prints the progress, above 1 of every round."]
RandomState = Annotated[
    RandomStateLike, "For the rows held out and the features that splits choose from; nothing else is random."
]


def monotonic_signs(estimator: Any, asked: Any, categorical: np.ndarray | None) -> np.ndarray | None:
    """−1, 0, 1 for each feature; None where there is no constraint."""
    if asked is None:
        return None
    n_features = estimator.n_features_in_
    if isinstance(asked, dict):
        names = getattr(estimator, "feature_names_in_", None)
        if names is None:
            raise InvalidParameter(
                f"{type(estimator).__name__} was not fitted on data with feature names. Pass monotonic_cst as an "
                "integer array instead."
            )
        strange = sorted(set(asked) - set(names))
        if strange:
            shown = [*strange[:5], "..."] if len(strange) > 5 else strange
            raise InvalidParameter(f"monotonic_cst contains {len(strange)} unexpected feature names: {shown}.")
        for name, sign in asked.items():
            if sign not in (-1, 0, 1):
                raise InvalidParameter(f"monotonic_cst['{name}'] must be either -1, 0 or 1. Got {sign!r}.")
        signs = np.array([asked.get(name, 0) for name in names], dtype=np.int8)
    else:
        others = np.setdiff1d(asked, [-1, 0, 1]).tolist()
        if others:
            raise InvalidParameter(f"monotonic_cst must be an array-like of -1, 0 or 1. Observed values: {others}.")
        signs = np.asarray(asked, dtype=np.int8)
        if signs.shape != (n_features,):
            raise InvalidParameter(
                f"monotonic_cst has shape {signs.shape} but the input data X has {n_features} features."
            )
    if categorical is not None and signs[categorical].any():
        raise InvalidParameter("Categorical features cannot have monotonic constraints.")
    return signs if signs.any() else None


def interaction_groups(asked: Any, n_features: int) -> np.ndarray | None:
    """(groups, features) of zeros and ones: the features that may stand on one path."""
    if asked is None:
        return None
    if isinstance(asked, str):
        asked = itertools.combinations(range(n_features), 2 if asked == "pairwise" and n_features > 1 else 1)
    try:
        groups = [set(group) for group in asked]
    except TypeError as error:
        raise InvalidParameter(
            f"Interaction constraints must be a sequence of tuples or lists, got: {asked!r}."
        ) from error
    for group in groups:
        if not all(isinstance(j, Integral) and 0 <= int(j) < n_features for j in group):
            raise InvalidParameter(
                "Interaction constraints must consist of integer indices in [0, n_features - 1] = "
                f"[0, {n_features - 1}], specifying the position of features, got invalid indices: {group!r}"
            )
    rest = set(range(n_features)).difference(*groups)
    table = np.zeros((len(groups) + bool(rest), n_features), dtype=np.uint8)
    for row, group in zip(table, [*groups, rest] if rest else groups, strict=True):
        row[list(group)] = 1
    return table
