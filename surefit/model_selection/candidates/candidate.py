"""What a candidate is: the task it suits, how it is built, and the values of at most one parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Task = Literal["regression", "classification", "clustering"]


@dataclass(frozen=True)
class Shape:
    """Rows of the smallest training part, columns that the estimators see, and rows of each class in it.

    `mixed`: some columns of the table are categories or flags. `spread`: the standard deviation of the targets.
    """

    n_rows: int
    n_columns: int
    class_rows: tuple[int, ...] = ()
    mixed: bool = False
    spread: float = 1.0


@dataclass(frozen=True)
class Candidate:
    """One entry: `build(value, n_rows)` makes the estimator; `suits(value, shape)` says if to.

    Parameters named in `in_spreads` are in units of the spread of the targets.
    """

    name: str
    task: Task
    sentence: str
    build: Callable[[Any, int], Any]
    grid: tuple[Any, ...] = (None,)
    suits: Callable[[Any, Shape], bool] = lambda value, shape: True
    in_spreads: tuple[str, ...] = ()

    def rows(self, shape: Shape) -> dict[str, Any]:
        found = {}
        for value in self.grid:
            if self.suits(value, shape):
                model = self.build(value, shape.n_rows)
                for name in self.in_spreads:
                    model.set_params(**{name: getattr(model, name) * shape.spread})
                found[self.name.format(value=_short(value))] = model
        return found


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
