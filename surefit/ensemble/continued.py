"""A fit that continues another one (warm start) must see the same columns and the same classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidData


class Before:
    """What an ensemble was fitted on before this fit; nothing where the fit starts anew."""

    def __init__(self, model: Any, warm_start: Any) -> None:
        fitted = model.__dict__ if warm_start else {}
        self.n_features, self.classes = fitted.get("n_features_in_"), fitted.get("classes_")

    def refuse_others(self, model: Any) -> None:
        """Raise where the columns or the classes are now others: the members there are could not be read."""
        if self.n_features is not None and model.n_features_in_ != self.n_features:
            raise InvalidData(
                f"warm_start=True: X has {model.n_features_in_} columns, the fit that is to be continued had "
                f"{self.n_features}. Pass the same columns, or start anew with warm_start=False."
            )
        if self.classes is not None and not _same(self.classes, model.classes_):
            raise InvalidData(
                f"warm_start=True: the classes are {_shown(model.classes_)}, those of the fit that is to be continued "
                f"{_shown(self.classes)}. Pass rows of the same classes, or start anew with warm_start=False."
            )


def _same(before: Any, now: Any) -> bool:
    if isinstance(before, list) or isinstance(now, list):
        both = isinstance(before, list) and isinstance(now, list) and len(before) == len(now)
        return both and all(map(_same, before, now))
    return np.array_equal(before, now)


def _shown(classes: Any) -> str:
    labels = [one.tolist() for one in classes] if isinstance(classes, list) else classes.tolist()
    return f"{labels[:5]}"[:-1] + (", …]" if len(labels) > 5 else "]")
