"""Means and covariances of classes, by any of the estimates the parameters name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import has_fit_parameter

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit.engine.sources.source import Source
from surefit.solvers.discriminant.shrinkage import Centers, FourthPowersStep, column_scales, ledoit_wolf
from surefit.summaries.class_moments import ClassMoments, ClassMomentsStep


@dataclass
class Classes:
    """The classes that have weight."""

    labels: np.ndarray
    codes: np.ndarray
    """Their places among the labels of the source."""
    weights: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    products: np.ndarray
    """Σ_k S_k, or every S_k."""

    @property
    def shares(self) -> np.ndarray:
        return self.weights / self.weights.sum()

    @property
    def mean(self) -> np.ndarray:
        return self.shares @ self.means


def labels_of(data: Source) -> np.ndarray:
    if data.classes is None:
        raise ValueError("the source was opened without classes")
    return data.classes


def class_moments(data: Source, pooled: bool, factors: np.ndarray | None = None) -> ClassMoments:
    """The pass over the data; `factors` times the weights of each class."""
    C, d = len(labels_of(data)), data.n_features
    matrices = 1 if pooled else C
    refuse_beyond_memory(
        8 * d * d * matrices * 4,
        f"the products of {d} columns" + ("" if pooled else f" in {C} classes"),
        "reduce the columns first (PCA)" + ("" if pooled else ", or use LinearDiscriminantAnalysis without 'auto'"),
    )
    moments: ClassMoments = data.fold(ClassMomentsStep(C, pooled), factors)
    if not (np.isfinite(moments.products).all() and np.isfinite(moments.means).all()):
        raise InvalidData("the squares of the values in X are beyond floating point: divide the columns by their scale")
    return moments


def classes_of(data: Source, pooled: bool) -> Classes:
    moments = class_moments(data, pooled)
    there = np.flatnonzero(moments.weights > 0)
    products = moments.products if pooled else moments.products[there]
    return Classes(
        labels_of(data)[there], there, moments.weights[there], moments.counts[there], moments.means[there], products
    )


def priors_of(priors: Any, data: Source, classes: Classes) -> np.ndarray:
    """The given priors of the classes that have weight, or their shares."""
    if priors is None:
        return classes.shares
    given, n = np.array(priors, dtype=np.float64), len(labels_of(data))
    if len(given) not in (n, len(classes.labels)):
        raise InvalidParameter(f"priors has {len(given)} entries, y has {n} classes")
    given = given[classes.codes] if len(given) == n else given
    if (given < 0).any():
        raise InvalidParameter("priors must be non-negative")
    if not given.any():
        raise InvalidParameter("priors are all zero: at least one class with weight needs one above zero")
    return given


def automatic(data: Source, classes: Classes, total: bool) -> tuple[np.ndarray, np.ndarray]:
    """(every class's covariance (C, d, d), that of all rows: zeros unless `total`), shrunk by Ledoit and Wolf's
    amount."""
    covariances = classes.products / classes.weights[:, None, None]
    scales = np.stack([column_scales(c, m) for c, m in zip(covariances, classes.means, strict=True)])
    whole, place = np.zeros_like(covariances[0]), None
    if total:
        whole = classes.products.sum(axis=0) / classes.weights.sum() + between_classes(classes)
        place = (classes.mean, column_scales(whole, classes.mean))
    n = len(labels_of(data))
    everywhere = np.zeros((n, data.n_features)), np.ones((n, data.n_features))
    everywhere[0][classes.codes], everywhere[1][classes.codes] = classes.means, scales
    fourth = data.fold(FourthPowersStep(), Centers(*everywhere, place))
    shrunk = np.stack(
        [
            ledoit_wolf(c, s, q, w)
            for c, s, q, w in zip(covariances, scales, fourth.classes[classes.codes], classes.weights, strict=True)
        ]
    )
    if place is None:
        return shrunk, whole
    return shrunk, ledoit_wolf(whole, place[1], fourth.total, float(classes.weights.sum()))


def between_classes(classes: Classes) -> np.ndarray:
    """Σ_k share_k (m_k − m)(m_k − m)ᵀ."""
    deviations = np.sqrt(classes.shares)[:, None] * (classes.means - classes.mean)
    return deviations.T @ deviations


def estimated(estimator: Any, data: Source, classes: Classes, code: int | None) -> np.ndarray:
    """The covariance that `estimator` learns from the rows of one class, or of all (None)."""
    rows = np.ones(data.n_rows, dtype=bool) if code is None else np.asarray(data.y) == classes.codes[code]
    w = None
    if data.w is not None:
        rows &= data.w > 0
        w = data.w[rows]
    X = data.X[np.flatnonzero(rows)]
    X = X.toarray() if sp.issparse(X) else X
    if w is None or (w == w[0]).all():
        estimator.fit(X)
    elif has_fit_parameter(estimator, "sample_weight"):
        estimator.fit(X, sample_weight=w)
    else:
        raise InvalidParameter(
            f"covariance_estimator={type(estimator).__name__} does not take weights: fit without sample_weight, or "
            "use shrinkage"
        )
    if not hasattr(estimator, "covariance_"):
        raise InvalidParameter(f"{type(estimator).__name__} does not have a covariance_ attribute")
    return np.atleast_2d(np.asarray(estimator.covariance_, dtype=np.float64))


def one_of_two(shrinkage: Any, covariance_estimator: Any) -> None:
    if covariance_estimator is not None and shrinkage is not None and shrinkage != 0:
        raise InvalidParameter(
            "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."
        )
