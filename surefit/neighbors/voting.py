"""Classes by the votes of neighbors: what a classifier does with them, however its neighbors were found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin


class VotingClassifier(MultiOutputMixin, ClassifierMixin):
    """The part of a classifier above `_labels` and `_shares` of queries."""

    classes_: Any
    _each_row: Callable[..., Any]
    _queries: Callable[..., Any]
    _labels: Callable[[Any], np.ndarray]
    _shares: Callable[[Any], list[np.ndarray]]

    def predict(self, X: Any) -> np.ndarray:
        """The class of every row of X; X may be None: of every row fitted, from the others."""
        return self._each_row(X, self._labels)

    def predict_proba(self, X: Any) -> Any:
        """The shares of the votes of each class, (n_queries, n_classes); a list of such for several outputs.

        A row without neighbors has all of them for its outlier label, and none where that is no class.
        """
        if self.__dict__.get("outputs_2d_"):
            return self._shares(self._queries(X))
        return self._each_row(X, lambda Q: self._shares(Q)[0])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows classified rightly; X may be None: of the rows fitted, each from the others."""
        from sklearn.metrics import accuracy_score

        return accuracy_score(y, self.predict(X), sample_weight=sample_weight)

    def _classes(self) -> list[np.ndarray]:
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
