"""The learning curve: scores of rows that were learnt and of unseen ones, as the number of rows to learn from grows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import learning_curve

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy

SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)


class LearningCurveDisplay:
    """Holds `train_sizes`, and for each of them the `train_scores` and `test_scores` of the folds, one row per size."""

    def __init__(
        self, *, train_sizes: ArrayLike, train_scores: ArrayLike, test_scores: ArrayLike, score_name: str = "score"
    ) -> None:
        self.train_sizes = np.asarray(train_sizes)
        self.train_scores, self.test_scores = (np.asarray(one, dtype=float) for one in (train_scores, test_scores))
        shapes = {self.train_scores.shape, self.test_scores.shape}
        if len(shapes) != 1 or self.train_scores.ndim != 2 or len(self.train_scores) != self.train_sizes.size:
            raise InvalidData(f"scores must be (sizes, folds) for {self.train_sizes.size} sizes; got {sorted(shapes)}")
        self.score_name = score_name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        train_sizes: ArrayLike = SHARES,
        cv: Any = None,
        scoring: Any = None,
        random_state: int = 0,
        score_name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> LearningCurveDisplay:
        """Fit clones of the estimator on growing parts of the training rows of each fold (`cv` as in scikit-learn)."""
        sizes, seen, unseen = learning_curve(
            estimator, X, y, train_sizes=train_sizes, cv=cv, scoring=scoring, shuffle=True, random_state=random_state,
            error_score="raise",
        )  # fmt: skip
        name = score_name or (scoring if isinstance(scoring, str) else "score")
        return cls(train_sizes=sizes, train_scores=seen, test_scores=unseen, score_name=name).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> LearningCurveDisplay:
        """Draw the mean of each size, and a band of one standard deviation over the folds."""
        self.ax_, self.figure_ = axes_of(ax)
        self.lines_ = []
        for place, (words, scores) in enumerate(
            (("unseen rows", self.test_scores), ("its own rows", self.train_scores))
        ):
            mean, spread = scores.mean(axis=1), scores.std(axis=1)
            options = {"color": f"C{place}", "linestyle": "-" if place == 0 else "--", "marker": "o", "markersize": 4}
            (line,) = self.ax_.plot(self.train_sizes, mean, label=words, **(options | (line_kwargs or {})))
            self.ax_.fill_between(
                self.train_sizes, mean - spread, mean + spread, color=line.get_color(), alpha=0.16, linewidth=0
            )
            self.lines_.append(line)
        self._keep_in_sight()
        self.ax_.set(xlabel="training rows", ylabel=self.score_name)
        self.ax_.legend(frameon=False, fontsize=9)
        tidy(self.ax_)
        if name:
            self.ax_.set_title(name)
        return self

    def _keep_in_sight(self) -> None:
        """A first size so bad that it flattens the rest runs off the bottom."""
        means = np.concatenate([self.test_scores.mean(axis=1), self.train_scores.mean(axis=1)])
        later = np.concatenate([self.test_scores[1:].mean(axis=1), self.train_scores.mean(axis=1)])
        if later.size and np.ptp(later) > 0 and np.ptp(means) > 4 * np.ptp(later):
            room = 0.25 * np.ptp(later)
            self.ax_.set_ylim(later.min() - room, later.max() + room)
