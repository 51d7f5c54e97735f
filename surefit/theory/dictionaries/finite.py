"""Dictionaries that are lists: fixed classifiers, and the nearest-neighbor rules on fixed points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_whole
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.neighbors import NearestNeighbors
from surefit.theory.dictionaries.dictionary import Dictionary

MOST_RULES = 16
"""Neighbor rules are listed for at most so many training points: there are 2^points of them."""


class FiniteFamily(Dictionary):
    """A list of M classifiers, chosen before the sample was seen: fitted models, or functions of X.

    Sₙ ≤ min(M, 2ⁿ), and the VC dimension is at most log₂ M. A model says yes where `predict` is the larger of its two
    classes, a function where what it gives is true.

    >>> import numpy as np
    >>> from surefit.theory import FiniteFamily, shattering_count
    >>> family = FiniteFamily([lambda X: X[:, 0] > 0, lambda X: X[:, 0] > 1], n_features=1)
    >>> shattering_count(family, [0.5, 2.0]), family.vc_dimension
    (2, 1)
    """

    def __init__(self, models: Sequence[Any], n_features: int) -> None:
        self.models, self.n_features = tuple(models), take_whole(n_features, "n_features")
        if not self.models:
            raise InvalidParameter("models must hold at least one classifier")

    @property
    def vc_dimension(self) -> float:
        return len(self.models).bit_length() - 1

    def shattering(self, n: int) -> int:
        return min(len(self.models), 1 << take_whole(n, "n", 0))

    def labelings(self, X: Any) -> NDArray[np.bool_]:
        points = self.points(X)
        return np.unique(np.stack([_says(model, points) for model in self.models]), axis=0)

    def realizes(self, X: NDArray[np.float64], labels: NDArray[np.bool_]) -> bool:
        return any((_says(model, X) == labels).all() for model in self.models)


class NeighborRules(Dictionary):
    """The majority of the k nearest of fixed training points, for all 2^m labels these may have; k is odd.

    The VC dimension is at most the number of points m, and equal to it for k = 1 and distinct points. Where the points
    are free too, any number of points is shattered: the VC dimension of nearest neighbors is infinite.

    >>> from surefit.theory import NeighborRules, shattering_count
    >>> shattering_count(NeighborRules([[0.0], [1.0]]), [-1.0, 0.2, 5.0])
    4
    """

    def __init__(self, training_points: Any, n_neighbors: int = 1) -> None:
        points = np.asarray(training_points, dtype=np.float64)
        if points.ndim != 2 or not np.isfinite(points).all():
            raise InvalidData(f"training_points must be an array (m, n_features) of finite numbers; got {points.shape}")
        self.training_points, self.n_features = np.unique(points, axis=0), points.shape[1]
        self.n_neighbors = take_whole(n_neighbors, "n_neighbors")
        if n_neighbors % 2 == 0 or n_neighbors > len(self.training_points):
            raise InvalidParameter(
                f"n_neighbors must be odd and at most the number of distinct points, {len(self.training_points)}; "
                f"got {n_neighbors}"
            )

    @property
    def vc_dimension(self) -> float:
        return len(self.training_points)

    def labelings(self, X: Any) -> NDArray[np.bool_]:
        m = len(self.training_points)
        if m > MOST_RULES:
            raise InvalidData(f"there are 2^{m} rules on {m} points; they are listed for at most {MOST_RULES} points")
        search = NearestNeighbors(n_neighbors=self.n_neighbors).fit(self.training_points)
        nearest = search.kneighbors(self.points(X), return_distance=False)
        given = (np.arange(1 << m)[:, None] >> np.arange(m)) & 1
        return np.unique(given[:, nearest].sum(axis=2) > self.n_neighbors // 2, axis=0)

    def realizes(self, X: NDArray[np.float64], labels: NDArray[np.bool_]) -> bool:
        return bool((self.labelings(X) == labels).all(axis=1).any())


def _says(model: Any, X: NDArray[np.float64]) -> NDArray[np.bool_]:
    if not hasattr(model, "predict"):
        answer: Callable[[Any], Any] = model
        says = np.asarray(answer(X))
    elif len(model.classes_) != 2:
        raise InvalidData(f"a dictionary holds classifiers of two classes; {type(model).__name__} has {model.classes_}")
    else:
        says = np.asarray(model.predict(X)) == model.classes_[1]
    if says.shape != (len(X),):
        raise InvalidData(f"a classifier must give one answer for each of {len(X)} rows; got the shape {says.shape}")
    return says.astype(bool)
