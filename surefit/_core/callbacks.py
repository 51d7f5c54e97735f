"""scikit-learn's callbacks (progress bars, monitors). The API is experimental: older versions get stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Callable) -> Callable:
        return method


class Progress:
    """Tells the callbacks of an estimator about its iterations; costs nothing when there are none.

    progress = Progress(self, max_iter, X, y)
    for _ in range(max_iter):
        ...
        if progress.step(lambda: {"coef_": w}):     # True when a callback asks to stop
            break
    progress.end()
    """

    def __init__(self, estimator: Any, max_steps: int | None, X: Any = None, y: Any = None) -> None:
        self._estimator, self._X, self._y = estimator, X, y
        self._root = None
        if getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx"):
            self._root = estimator._init_callback_context(max_subtasks=max_steps)
            self._root.call_on_fit_task_begin(estimator=estimator, X=X, y=y)

    def step(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """One iteration is done; `attributes` gives the fitted attributes as they stand."""
        if self._root is None:
            return False
        iteration = self._root.subcontext(task_name="iteration")
        iteration.call_on_fit_task_begin(estimator=self._estimator, X=self._X, y=self._y)
        return bool(
            iteration.call_on_fit_task_end(
                estimator=self._estimator, X=self._X, y=self._y, reconstruction_attributes=attributes
            )
        )

    def end(self) -> None:
        if self._root is not None:
            self._root.call_on_fit_task_end(estimator=self._estimator, X=self._X, y=self._y)
