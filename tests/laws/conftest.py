"""scikit-learn's OpenMP threads wait by spinning: beside other processes of tests one of them is the fastest."""

from __future__ import annotations

import pytest
import sklearn.ensemble  # noqa: F401  (its OpenMP library must be loaded before it can be limited)
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def one_openmp_thread():
    with threadpool_limits(1, user_api="openmp"):
        yield
