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

    With `progress.begin(attributes)` before the loop an iteration is announced before its work is done; the one that is
    open at the end did nothing but see that the fit is finished.
    """

    def __init__(self, estimator: Any, max_steps: int | None, X: Any = None, y: Any = None) -> None:
        self._estimator, self._X, self._y = estimator, X, y
        self._root: Any = None
        self._open: Any = None
        if getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx"):
            self._root = estimator._init_callback_context(max_subtasks=max_steps)
            self._root.call_on_fit_task_begin(estimator=estimator, X=X, y=y)

    def begin(self, attributes: Callable[[], dict[str, Any]] | None = None) -> None:
        """An iteration begins; `attributes` gives the fitted attributes before it."""
        if self._root is not None:
            self._open = self._root.subcontext(task_name="iteration")
            self._open.call_on_fit_task_begin(
                estimator=self._estimator, X=self._X, y=self._y, reconstruction_attributes=attributes
            )

    def step(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """One iteration is done; `attributes` gives the fitted attributes as they stand."""
        if self._root is None:
            return False
        announced = self._open is not None
        if not announced:
            self.begin()
        iteration, self._open = self._open, None
        stop = iteration.call_on_fit_task_end(
            estimator=self._estimator, X=self._X, y=self._y, reconstruction_attributes=attributes
        )
        if announced:
            self.begin(attributes)
        return bool(stop)

    def end(self) -> None:
        if self._open is not None:
            self._open.call_on_fit_task_end(estimator=self._estimator)
        if self._root is not None:
            self._root.call_on_fit_task_end(estimator=self._estimator, X=self._X, y=self._y)
