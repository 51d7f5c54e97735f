"""What a candidate is: the task it suits, how it is built, and the few settings that are searched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from surefit.model_selection.candidates.search import Searched

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
    """One entry: `build(value, n_rows)` makes the estimator; `suits(value, shape)` says if to, `unless` why not.

    name          of the row in the table; {value} stands for a value of `grid`
    grid          values that have a row each (clusterings: what they find depends on it)
    search        settings that the training part of each fold chooses from, the simplest first
    in_spreads    parameters in units of the spread of the targets
    per_column    parameters that are divided by the number of columns, as squared distances grow with it
    """

    name: str
    task: Task
    sentence: str
    build: Callable[[Any, int], Any]
    grid: tuple[Any, ...] = (None,)
    suits: Callable[[Any, Shape], bool] = lambda value, shape: True
    in_spreads: tuple[str, ...] = ()
    per_column: tuple[str, ...] = ()
    search: tuple[dict[str, Any], ...] = ()
    unless: str = ""

    def rows(self, shape: Shape) -> dict[str, Any]:
        found = {}
        for value in self.grid:
            if self.suits(value, shape):
                found[self.name.format(value=_short(value))] = self._model(value, shape)
        return found

    def _model(self, value: Any, shape: Shape) -> Any:
        model = self.build(value, shape.n_rows)
        own = {name: getattr(model, name) for name in (*self.in_spreads, *self.per_column)}
        model.set_params(**self._scaled({name: one for name, one in own.items() if not isinstance(one, str)}, shape))
        if not self.search:
            return model
        return Searched(model, tuple(self._scaled(setting, shape) for setting in self.search))

    def _scaled(self, setting: dict[str, Any], shape: Shape) -> dict[str, Any]:
        """Parameters that are in units of the data, in its numbers."""
        units = dict.fromkeys(self.in_spreads, shape.spread) | dict.fromkeys(self.per_column, 1.0 / shape.n_columns)
        return {name: value * units[name] if name in units else value for name, value in setting.items()}


def settings(**values: tuple[Any, ...]) -> tuple[dict[str, Any], ...]:
    """All combinations, the last name changing fastest.

    >>> settings(C=(1, 10), gamma=("scale",))
    ({'C': 1, 'gamma': 'scale'}, {'C': 10, 'gamma': 'scale'})
    """
    found: tuple[dict[str, Any], ...] = ({},)
    for name, choices in values.items():
        found = tuple({**one, name: choice} for one in found for choice in choices)
    return found


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
