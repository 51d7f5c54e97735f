"""A decision tree drawn: a box for each node, filled by what it predicts; and the curve along which it was pruned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, shorten, tidy
from surefit.solvers.growing.tree import NO_CHILD, Tree
from surefit.tree.views import Names

BOX_WIDTH, BOX_HEIGHT, LEVEL = 0.9, 0.62, 1.0
"""Leaves stand one apart, levels too."""


class TreeDisplay:
    """Holds the `tree` and the `names` of what is in it."""

    def __init__(self, *, tree: Tree, names: Names) -> None:
        self.tree, self.names = tree, names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        ax: Any = None,
        feature_names: Any = None,
        class_names: Any = None,
        digits: int = 3,
        **kwargs: Any,
    ) -> TreeDisplay:
        """From a fitted DecisionTreeClassifier or DecisionTreeRegressor, of surefit or scikit-learn."""
        if not hasattr(estimator, "tree_"):
            members = ": pass one of its estimators_" if hasattr(estimator, "estimators_") else ", or it is not fitted"
            raise InvalidData(f"this {type(estimator).__name__} is no single tree{members}")
        return cls(tree=estimator.tree_, names=Names.of(estimator, feature_names, class_names, digits)).plot(
            ax, **kwargs
        )

    def plot(self, ax: Any = None, *, max_depth: int = 4, name: str | None = None) -> TreeDisplay:
        """Draw the nodes down to `max_depth`; below that an ellipsis says how many there are."""
        place, shown = self._places(max_depth)
        width, depth = max(x for x, _ in place.values()) + 1, max(y for _, y in place.values()) + 1
        self.ax_, self.figure_ = axes_of(ax, (max(4.0, 1.75 * width), 0.4 + 1.15 * depth))
        font = self._font_size(width)
        self.boxes_ = [self._box(node, *place[node], cut=node in shown, font=font) for node in place]
        for node in place:
            if node not in shown and self.tree.children_left[node] != NO_CHILD:
                self._edges(node, place, font)
        self.ax_.set(xlim=(-0.55, width - 0.45), ylim=(-(depth - 1) * LEVEL - 0.55, 0.5))
        self.ax_.axis("off")
        if name:
            self.ax_.set_title(name)
        return self

    def _places(self, max_depth: int) -> tuple[dict[int, tuple[float, int]], set[int]]:
        """(x, level) of every node drawn: leaves side by side, a parent above the middle of its children."""
        place: dict[int, tuple[float, int]] = {}
        cut: set[int] = set()
        n_bottom = 0
        stack = [(0, 0, False)]
        while stack:
            node, level, below_done = stack.pop()
            left, right = int(self.tree.children_left[node]), int(self.tree.children_right[node])
            if below_done:
                place[node] = ((place[left][0] + place[right][0]) / 2, level)
            elif left == NO_CHILD or level == max_depth:
                place[node] = (float(n_bottom), level)
                n_bottom += 1
                cut |= {node} if left != NO_CHILD else set()
            else:
                stack += [(node, level, True), (right, level + 1, False), (left, level + 1, False)]
        return place, cut

    def _font_size(self, width: float) -> float:
        """Letters that fit: an inch of the axes for each box has about eleven of them at eight points."""
        inches = self.ax_.get_position().width * self.figure_.get_size_inches()[0]
        return float(np.clip(8.0 * inches / (1.55 * width), 3.5, 9.0))

    def _box(self, node: int, x: float, level: int, *, cut: bool, font: float) -> Any:
        leaf = self.tree.children_left[node] == NO_CHILD
        lines = [] if leaf else [shorten(self.names.condition(self.tree, node, True), 26)]
        answer, _, share = self.names.answer(self.tree, node).partition(" (")
        lines += [shorten(answer, 20), share.rstrip(")")]
        if cut:
            lines.append("…")
        box = {
            "boxstyle": "round,pad=0.35,rounding_size=0.25",
            "facecolor": self._color(node),
            "edgecolor": "#555555" if leaf else "#999999",
            "linewidth": 1.1 if leaf else 0.7,
        }
        return self.ax_.text(
            x, -level * LEVEL, "\n".join(lines), ha="center", va="center", fontsize=font, bbox=box, zorder=3
        )

    def _color(self, node: int) -> Any:
        """A class's color, paler where it has a smaller share; for numbers from blue (low) to red (high)."""
        from matplotlib import colormaps

        value = self.tree.value[node, 0]
        if self.names.classes is None:
            every = self.tree.value[:, 0, 0]
            spread = float(np.ptp(every)) or 1.0
            return colormaps["RdBu_r"](0.2 + 0.6 * (value[0] - every.min()) / spread)
        n = len(self.names.classes[0])
        best = int(value.argmax())
        purity = (value[best] - 1 / n) / (1 - 1 / n) if n > 1 else 1.0
        color = np.array(colormaps["tab10"](best % 10)[:3])
        strength = 0.12 + 0.48 * float(purity)
        return tuple(1 - strength * (1 - color))

    def _edges(self, node: int, place: dict[int, tuple[float, int]], font: float) -> None:
        x, level = place[node]
        for child, words in ((self.tree.children_left[node], "yes"), (self.tree.children_right[node], "no")):
            to, below = place[int(child)]
            self.ax_.plot([x, to], [-level * LEVEL, -below * LEVEL], color="#999999", linewidth=0.9, zorder=1)
            if node == 0:
                middle = ((x + to) / 2, -LEVEL / 2)
                self.ax_.annotate(words, middle, ha="center", fontsize=font, color="#555555", backgroundcolor="white")


class PruningCurveDisplay:
    """Holds the penalties, the `scores` of left-out rows at each, and the penalty `chosen`."""

    def __init__(self, *, penalties: ArrayLike, scores: ArrayLike, chosen: float) -> None:
        self.penalties, self.scores = np.asarray(penalties, dtype=float), np.asarray(scores, dtype=float)
        self.chosen = float(chosen)
        if self.penalties.ndim != 1 or self.scores.shape != self.penalties.shape:
            raise InvalidData(
                f"scores must have one number for each of {self.penalties.size} penalties; got {self.scores.shape}"
            )

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> PruningCurveDisplay:
        """From a decision tree fitted with ccp_alpha="cv"."""
        if not hasattr(estimator, "ccp_alphas_"):
            raise InvalidData('this tree did not choose its penalty: fit it with ccp_alpha="cv"')
        found = cls(penalties=estimator.ccp_alphas_, scores=estimator.cv_scores_, chosen=estimator.ccp_alpha_)
        return found.plot(ax, **kwargs)

    def plot(self, ax: Any = None, *, name: str | None = None) -> PruningCurveDisplay:
        """The score along the penalty; no penalty stands at the left end."""
        self.ax_, self.figure_ = axes_of(ax)
        positive = self.penalties[self.penalties > 0]
        least = positive.min() / 3 if positive.size else 1.0
        x = np.where(self.penalties > 0, self.penalties, least)
        scores, words = (-self.scores, "error") if (self.scores <= 0).all() else (self.scores, "score")
        (self.line_,) = self.ax_.plot(x, scores, drawstyle="steps-mid", linewidth=1.4)
        place = int(np.argmin(np.abs(self.penalties - self.chosen)))
        (self.chosen_mark_,) = self.ax_.plot(x[place], scores[place], "o", markersize=10, mfc="none", mec="C1", mew=2)
        self.ax_.annotate(
            f"chosen: {self.chosen:.2g}",
            (x[place], scores[place]),
            xytext=(0, 11),
            textcoords="offset points",
            fontsize=8,
            ha="center",
        )
        self.ax_.set(xscale="log", xlabel="penalty of a leaf, ccp_alpha", ylabel=f"{words} of left-out rows")
        self.ax_.margins(y=0.18)
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self
