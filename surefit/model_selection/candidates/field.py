"""The field of a contest: models by name, what each is, and those that do not suit the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import clone

from surefit.model_selection.candidates.search import Searched


class Field(dict[str, Any]):
    """Unfitted models by the name of their row.

    sentences   what each model is, in a few words
    unsuited    (name, why) of models that are not tried on data of this shape
    """

    def __init__(self, models: Any = ()) -> None:
        super().__init__(models)
        self.sentences: dict[str, str] = {}
        self.unsuited: list[tuple[str, str]] = []

    def behind(self, steps: Callable[[Any], Any]) -> Field:
        """The same models, each behind the steps that `steps(estimator)` puts before it."""
        found = Field({name: _behind(steps, model) for name, model in self.items()})
        found.sentences, found.unsuited = dict(self.sentences), list(self.unsuited)
        return found

    def with_models(self, models: dict[str, Any]) -> Field:
        """Other models, with what is known about those of the same name."""
        found = Field(models)
        found.sentences, found.unsuited = dict(self.sentences), list(self.unsuited)
        return found


def _behind(steps: Callable[[Any], Any], model: Any) -> Any:
    """A search stays outside: the steps are fitted anew in each of its folds."""
    if isinstance(model, Searched):
        return clone(model).set_params(estimator=steps(model.estimator))
    return steps(model)
