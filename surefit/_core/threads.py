"""How many threads a fit may use, and BLAS held to one.

The bits of a result must not depend on the number of threads, and a threaded BLAS does not promise that. So every BLAS
and LAPACK call inside a fit runs on one thread, and the work is spread over leaves instead.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import LibController, ThreadpoolController

from surefit._core.config import settings

SERIAL_WORK = 2**18
"""Operations of about a tenth of a millisecond: the one cut-off below which work stays on one thread."""

_lock = threading.Lock()
_holders = 0
_saved: list[int] = []


@cache
def _blas() -> list[LibController]:
    """NumPy's and SciPy's BLAS (two libraries as a rule)."""
    import scipy.linalg  # noqa: F401  (so that SciPy's library is loaded and found)

    return ThreadpoolController().select(user_api="blas").lib_controllers


def thread_count(n_jobs: int | None = None) -> int:
    """Threads for one fit: `n_jobs` (−1: all) within the machine, the settings, OMP_NUM_THREADS and threadpoolctl."""
    machine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limits = [machine]
    if settings.n_threads is not None:
        limits.append(settings.n_threads)
    environment = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if environment.isdigit() and int(environment) > 0:
        limits.append(int(environment))
    limits += _blas_limits()
    most = max(1, min(limits))
    if n_jobs is None:
        return most
    return min(most, max(1, n_jobs if n_jobs > 0 else machine + 1 + n_jobs))


def threads_for(work: float, n_jobs: int | None = None) -> int:
    """Threads for so many elementary operations: one where starting others would cost more than they save."""
    return thread_count(n_jobs) if work > SERIAL_WORK else 1


def _blas_limits() -> list[int]:
    """The limit a user has set with threadpoolctl shows in BLAS's own count."""
    with _lock:
        if _holders:
            return _saved
        return [library.get_num_threads() for library in _blas()]


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """BLAS on one thread inside the block; nests, and may be entered from several threads at once."""
    global _holders, _saved
    libraries = _blas()
    with _lock:
        if _holders == 0:
            _saved = [library.get_num_threads() for library in libraries]
            _set_threads(libraries, [1] * len(libraries))
        _holders += 1
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if _holders == 0:
                _set_threads(libraries, _saved)
                _let_go(libraries)


def _set_threads(libraries: list[LibController], counts: list[int]) -> None:
    """Set them from whichever thread.

    OpenBLAS's pool belongs to the process, and threadpoolctl lets only one thread set its size: the first to do so,
    until it lets go; from others it does nothing, silently. Here the lock and the count of holders keep threads apart
    instead, so control is taken where it is needed.
    """
    for library, count in zip(libraries, counts, strict=True):
        library.set_num_threads(count)
        if library.get_num_threads() != count and hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)
            library.set_num_threads(count)


def _let_go(libraries: list[LibController]) -> None:
    """Leave the control of OpenBLAS (it is one for all its copies) to whoever comes next."""
    for library in libraries:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread()
            return
