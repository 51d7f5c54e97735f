"""Settings, threads, memory and random streams."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import surefit
from surefit._core.config import settings
from surefit._core.errors import InvalidParameter, TooMuchMemory
from surefit._core.memory import available_bytes, human_bytes, refuse_beyond_memory
from surefit._core.optional import require
from surefit._core.random import random_stream
from surefit._core.threads import single_threaded_blas, thread_count


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_config_is_in_force_at_once_and_taken_back_by_with():
    with surefit.config(n_threads=1):
        assert settings.n_threads == 1
        with surefit.config(n_threads=7, memory_limit=10):
            assert (settings.n_threads, settings.memory_limit) == (7, 10)
        assert (settings.n_threads, settings.memory_limit) == (1, None)
    assert settings.n_threads is None


@pytest.mark.parametrize("change", [{"n_threads": 0}, {"n_threads": 1.5}, {"certify": "yes"}, {"colour": 1}])
def test_config_refuses_what_it_does_not_know(change):
    with pytest.raises(InvalidParameter, match=next(iter(change))):
        surefit.config(**change)


def test_thread_count_is_the_smallest_limit(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    most = thread_count()
    assert thread_count(-1) == most
    assert thread_count(1) == 1
    with surefit.config(n_threads=1):
        assert thread_count() == thread_count(8) == 1
    with threadpool_limits(1):
        assert thread_count() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count() == 1


def test_blas_is_held_to_one_thread_and_given_back():
    before = blas_threads()
    with single_threaded_blas():
        assert blas_threads() == {1}
        with single_threaded_blas():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == before


def test_blas_is_held_from_any_thread():
    """A thread that has held BLAS and lives on does not keep others from holding it, or from giving it back."""
    before = blas_threads()

    def held():
        with single_threaded_blas():
            return blas_threads()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(held).result() == {1}
        assert blas_threads() == before
        assert held() == {1}
        assert blas_threads() == before
        first, second = single_threaded_blas(), single_threaded_blas()
        pool.submit(first.__enter__).result()
        second.__enter__()
        pool.submit(first.__exit__, None, None, None).result()
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before
        with threadpool_limits(1):
            assert thread_count() == 1


def test_memory_is_refused_before_it_is_allocated():
    with (
        surefit.config(memory_limit=1000),
        pytest.raises(TooMuchMemory, match=r"2\.0 KiB; 1000 bytes are free\. Use less"),
    ):
        refuse_beyond_memory(2048, "the table", "Use less.")
    refuse_beyond_memory(2048, "the table", "Use less.")
    with pytest.raises(MemoryError, match="TiB"):
        refuse_beyond_memory(2.0**60, "the distances", "Use a sample.")
    assert available_bytes() > 2**20
    assert human_bytes(3 * 2**30) == "3.0 GiB"


def test_random_streams_from_everything():
    def draw(random_state):
        return random_stream(random_state).integers(0, 2**62)

    assert draw(3) == draw(np.int64(3)) == draw(3)
    assert draw(3) != draw(4)
    assert draw(np.random.SeedSequence(5)) == draw(np.random.SeedSequence(5))
    assert draw(np.random.RandomState(1)) == draw(np.random.RandomState(1))
    assert draw(np.random.default_rng(1)) == draw(np.random.default_rng(1))
    assert draw(None) != draw(None)
    for shared in (np.random.RandomState(1), np.random.default_rng(1)):
        assert draw(shared) != draw(shared)
    with pytest.raises(ValueError, match="random_state"):
        draw("seed")


def test_a_missing_package_is_one_clear_line():
    with pytest.raises(ImportError) as error:
        require("no_such_package.part", extra="parquet", purpose="Reading Parquet")
    assert str(error.value) == 'Reading Parquet needs no_such_package: pip install "surefit[parquet]"'
