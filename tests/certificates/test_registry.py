"""Which checker a model gets, and what the floor imports."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LinearRegression

from surefit.certificates import CHECKERS, check
from tests.certificates.bench import blocks, certify

X = np.random.default_rng(0).normal(size=(20, 3))
Y = X[:, 0] + 1.0


def test_every_name_has_a_checker() -> None:
    assert {"LinearRegression", "Ridge", "RidgeCV", "PCA", "KMeans"} <= set(CHECKERS)


def test_subclasses_are_checked_as_their_base() -> None:
    class Mine(LinearRegression):
        pass

    c = certify(Mine().fit(X, Y), X, Y)
    assert c.holds and c.model == "Mine"


def test_unknown_classes_name_the_known_ones() -> None:
    with pytest.raises(TypeError, match=r"No checker for Lasso. Checkers exist for .*KMeans.*RidgeCV"):
        check(Lasso().fit(X, Y), blocks(X, Y))


def test_only_numpy_and_the_standard_library() -> None:
    code = (
        "import importlib, pkgutil, sys; import surefit.certificates as c\n"
        "for m in pkgutil.walk_packages(c.__path__, 'surefit.certificates.'): importlib.import_module(m.name)\n"
        "names = {m.split('.')[0] for m in sys.modules} - set(sys.stdlib_module_names)\n"
        "own = {m for m in sys.modules if m.startswith('surefit.') and not m.startswith('surefit.certificates')}\n"
        "print(sorted(names & {'scipy', 'sklearn', 'pandas', 'numba', 'joblib'}), sorted(own))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split("\n")[0].startswith("[]"), out
    assert "solvers" not in out and "linear_model'" not in out.replace("certificates", "")


def test_checkers_are_imported_when_needed() -> None:
    code = "import sys; import surefit.certificates; print('surefit.certificates.cluster.kmeans' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"
