"""Parameters that both gradient boosting estimators have, declared once: scikit-learn's names, rules and meanings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from surefit._core.params import Range, Rule
from surefit._core.random import RandomStateLike
from surefit.objectives.own_loss import is_own_loss


def _base_regressor(given: Any) -> bool:
    return hasattr(given, "fit") and hasattr(given, "predict") and not isinstance(given, type)


def _base_classifier(given: Any) -> bool:
    return hasattr(given, "fit") and hasattr(given, "predict_proba") and not isinstance(given, type)


OWN_LOSS = Rule(is_own_loss, "an object with the methods value(y, raw) and gradient(y, raw)")
ClassifierLoss = Annotated[
    Literal["log_loss", "exponential"] | Any,
    OWN_LOSS,
    "What is minimized; an object of your own needs value(y, raw) and gradient(y, raw).",
]
RegressorLoss = Annotated[
    Literal["squared_error", "absolute_error", "huber", "quantile", "poisson"] | Any,
    OWN_LOSS,
    "What is minimized; an object of your own needs value(y, raw) and gradient(y, raw).",
]
LearningRate = Annotated[float, Range(0, open="high"), "The factor of every stage (shrinkage)."]
NEstimators = Annotated[int, Range(1), "The number of stages."]
Subsample = Annotated[
    float, Range(0, 1, open="low"), "The share of the rows that each stage is fitted to, drawn afresh for each."
]
Criterion = Annotated[
    Literal["deprecated", "friedman_mse", "squared_error"],
    "Without effect, as in scikit-learn: trees split by the squared error of the residuals.",
]
RegressorInit = Annotated[
    Literal["zero"] | Any | None,
    Rule(_base_regressor, "an object with fit and predict"),
    "Where to start: an estimator, 'zero', or None for the best constant.",
]
ClassifierInit = Annotated[
    Literal["zero"] | Any | None,
    Rule(_base_classifier, "an object with fit and predict_proba"),
    "Where to start: an estimator, 'zero', or None for the shares of the classes.",
]
RandomState = Annotated[
    RandomStateLike, "Source of the draws of rows, of features, and of the rows held out; None: a fresh one."
]
Alpha = Annotated[float, Range(0, 1, open="both"), "The quantile of the losses 'quantile' and 'huber'."]
Verbose = Annotated[int | bool, Range(0), "Print the scores of stages: 1 of some, 2 of all."]
WarmStart = Annotated[bool, "Whether fit adds stages to those there are."]
ValidationFraction = Annotated[float, Range(0, 1, open="both"), "Share of the rows held out for early stopping."]
NIterNoChange = Annotated[
    int | None, Range(1), "Stop when the loss of held-out rows has not fallen for so many stages; None: never."
]
Tol = Annotated[float, Range(0, open="high"), "A loss has fallen if it is lower by this."]
CcpAlpha = Annotated[float, Range(0, open="high"), "Trees are pruned at this price of a leaf."]
BaseRegressor = Annotated[
    Any | None,
    Rule(_base_regressor, "an object with fit and predict"),
    "The base regressor; None: a tree with the settings above.",
]
LineSearch = Annotated[
    bool,
    "Whether each stage takes the step along its direction that is best for the loss; else leaves take their own.",
]
NJobs = Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."]
