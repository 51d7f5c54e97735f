"""The parameters that the classifier and the regressor share, each declared once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from surefit._core.params import Range
from surefit._core.random import RandomStateLike

HiddenLayerSizes = Annotated[int | Sequence[int], "Units of each hidden layer."]
Activation = Annotated[Literal["identity", "logistic", "tanh", "relu"], "Of the hidden units."]
Solver = Annotated[
    Literal["lbfgs", "sgd", "adam"], "'sgd' and 'adam' take mini-batches; 'lbfgs' all rows, for small data."
]
Alpha = Annotated[float, Range(0), "Penalty (alpha/2)·‖W‖², divided by the weight of the rows."]
BatchSize = Annotated[int | Literal["auto"], Range(1), "Examples of a batch; 'auto' is at most 200."]
LearningRate = Annotated[
    Literal["constant", "invscaling", "adaptive"],
    "Of 'sgd': 'invscaling' divides by a power of the examples seen, 'adaptive' by five when nothing improves.",
]
LearningRateInit = Annotated[float, Range(0, open="low"), "The step at the start."]
PowerT = Annotated[float, Range(0), "The power of 'invscaling'."]
MaxIter = Annotated[int, Range(1), "Epochs (of 'lbfgs': iterations) at most."]
Shuffle = Annotated[bool, "Visit the examples in another order in each epoch."]
RandomState = Annotated[RandomStateLike, "Seed or stream of weights, order, validation and dropout."]
Tol = Annotated[float, Range(0), "An epoch that gains less does not count as an improvement."]
Verbose = Annotated[bool | int, "Print the loss of every epoch."]
WarmStart = Annotated[bool, "Start from the weights of the last fit."]
Momentum = Annotated[float, Range(0, 1), "Of 'sgd'."]
NesterovsMomentum = Annotated[bool, "Nesterov's form of momentum."]
EarlyStopping = Annotated[bool, "Stop by the score on examples held out; the best weights are kept."]
ValidationFraction = Annotated[float, Range(0, 1, open="both"), "Share of examples held out."]
Beta1 = Annotated[float, Range(0, 1, open="high"), "Decay of Adam's mean gradient."]
Beta2 = Annotated[float, Range(0, 1, open="high"), "Decay of Adam's mean squared gradient."]
Epsilon = Annotated[float, Range(0, open="low"), "Of Adam's denominator."]
NIterNoChange = Annotated[int | float, Range(1), "Epochs without improvement before a stop."]
MaxFun = Annotated[int, Range(1), "Evaluations of 'lbfgs' at most."]
Dropout = Annotated[
    float, Range(0, 1, open="high"), "Share of hidden units left out at random in each batch of training."
]
WeightDecay = Annotated[
    float, Range(0), "After each step of 'sgd' or 'adam' weights shrink by this share of the learning rate."
]
