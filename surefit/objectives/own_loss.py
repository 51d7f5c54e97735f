"""A loss that the user wrote: `value(y, raw)` and `gradient(y, raw)`, one number for each row.

    class LogCosh:                                       # log cosh(f − y): squared near zero, absolute far out
        def value(self, y, raw):
            return np.logaddexp(raw - y, y - raw) - np.log(2)

        def gradient(self, y, raw):
            return np.tanh(raw - y)

    GradientBoostingRegressor(loss=LogCosh())

It may also have `second(y, raw)`, the second derivative (then leaf values are Newton steps; without it they are found
by a search in each leaf), `initial(y, w)`, the raw prediction that a regressor starts from (else the best constant is
searched for), and `link(prediction)` with `inverse(raw)`. For more than two classes raw and gradient are (n, classes).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit.objectives.losses import Loss, classification_loss


class OwnLoss(Loss):
    """The user's object behind the interface of all losses; what it returns is checked for its shape."""

    def __init__(self, given: Any, n_classes: int | None = None) -> None:
        self.given = given
        self._usual = None if n_classes is None else classification_loss("log_loss", n_classes)
        self.n_outputs = 1 if self._usual is None else self._usual.n_outputs
        self.newton = hasattr(given, "second")
        self.searched = not self.newton
        self.longest_move = np.inf if n_classes is None else 32.0

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return self._asked("value", y, raw, y.shape)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return self._asked("gradient", y, raw, raw.shape)

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.gradient(y, raw), self._asked("second", y, raw, raw.shape)

    def _asked(self, method: str, y: np.ndarray, raw: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        answer = np.asarray(getattr(self.given, method)(y, raw), dtype=np.float64)
        if answer.shape != shape:
            raise InvalidParameter(
                f"{method}(y, raw) of the loss {type(self.given).__name__} must return an array of shape {shape}, one "
                f"number for each row{'' if len(shape) == 1 else ' and class'}; got shape {answer.shape}"
            )
        return answer

    @property
    def has_initial(self) -> bool:
        return hasattr(self.given, "initial")

    def initial(self, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        return np.atleast_1d(np.asarray(self.given.initial(y, w), dtype=np.float64))

    def link(self, prediction: np.ndarray) -> np.ndarray:
        """The loss's own link; without one the log-odds of probabilities, and numbers as they are."""
        if hasattr(self.given, "link"):
            return self.given.link(prediction)
        return prediction if self._usual is None else self._usual.link(prediction)

    def inverse(self, raw: np.ndarray) -> np.ndarray:
        if hasattr(self.given, "inverse"):
            return self.given.inverse(raw)
        return raw if self._usual is None else self._usual.inverse(raw)


def is_own_loss(given: Any) -> bool:
    """Whether an object can be one: it has the two methods."""
    return not isinstance(given, (str, type)) and all(callable(getattr(given, m, None)) for m in ("value", "gradient"))
