"""The folds of one model, one after the other or in several processes, with the same results in the same order.

The bits of a fit do not depend on its number of threads, so each of `n_jobs` processes gets its part of the machine's
threads and the results are those of one process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any

import surefit._core.config as configuration
from surefit._core.errors import InvalidParameter
from surefit._core.threads import thread_count


def n_processes(n_jobs: int | None) -> int:
    """Processes for `n_jobs`, as everywhere: None is one, −1 as many as there are processors."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InvalidParameter(f"n_jobs must be a whole number ≥ 1, or −1 for all processors; got {n_jobs!r}")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def in_order(work: Callable[..., Any], jobs: Iterable[tuple], processes: int) -> Iterator[Any]:
    """work(*job) of every job, in their order."""
    if processes == 1:
        for job in jobs:
            yield work(*job)
        return
    import joblib

    threads = max(1, thread_count() // processes)
    run = joblib.Parallel(n_jobs=processes, return_as="generator")
    with closing(run(joblib.delayed(_with_threads)(threads, work, job) for job in jobs)) as results:
        yield from results


def _with_threads(threads: int, work: Callable[..., Any], job: tuple) -> Any:
    with configuration.config(n_threads=threads):
        return work(*job)
