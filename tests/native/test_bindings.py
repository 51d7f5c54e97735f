"""Sizes that no memory can hold are refused by the bindings in words, before anything is allocated or written."""

import numpy as np
import pytest

from surefit import _native

HUGE = 2**60
CSR = np.ones(1), np.zeros(1, np.int32), np.array([0, 1], np.int32)
CODES = np.zeros(1, np.int32)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: _native.class_sums_csr(*CSR, HUGE, CODES, 16, None, None, 64, 1), f"16 × {HUGE} numbers"),
        (lambda: _native.class_sums(np.ones((1, 2)), CODES, HUGE, None, None, 64, 1), f"{HUGE} numbers"),
        (lambda: _native.class_spread(np.ones((1, 2)), CODES, HUGE, None, False, 64, 1), f"{HUGE} numbers"),
        (lambda: _native.class_moments(np.ones((1, 2)), CODES, HUGE, None, False, 64, 1), f"{HUGE} numbers"),
        (lambda: _native.moments_csr(*CSR, HUGE, None, None, 64, 1), f"{HUGE} × {HUGE} numbers"),
        (lambda: _native.permutation(HUGE, 0, 0, 0), f"{HUGE} numbers"),
        (lambda: _native.PerceptronVisit(HUGE, np.ones(1), np.ones(1), 1.0, 1e-15, True), f"{HUGE} numbers"),
        (
            lambda: _native.kmeans_seed_csr(
                *CSR, HUGE, np.zeros(1, np.int64), None, 1, 16, np.zeros(1), 1.0, False, 64, 1
            ),
            f"16 × {HUGE} numbers",
        ),
    ],
)
def test_absurd_sizes_are_a_memory_error_in_words(call, words):
    with pytest.raises(MemoryError, match=words):
        call()


def test_what_a_loop_cannot_allocate_is_a_memory_error_in_words():
    """One row of 2²³ columns is small; the products of all pairs of columns are not."""
    with pytest.raises(MemoryError, match=r"numbers|memory"):
        _native.moments_csr(*CSR, 2**23, None, None, 64, 1)
