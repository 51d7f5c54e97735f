"""What a type checker, and `help`, tell a user."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

from surefit.linear_model import Ridge
from tests.laws.registry import fit, instances, sample

ROOT = Path(__file__).parent.parent

USER = """
import numpy as np
import surefit
from surefit.cluster import KMeans
from surefit.decomposition import PCA
from surefit.linear_model import LMSRegressor, Ridge
from surefit.naive_bayes import GaussianNB

X, y = np.eye(3), np.arange(3.0)
reveal_type(Ridge())
reveal_type(Ridge().fit(X, y))
reveal_type(Ridge().fit(X, y).coef_)
reveal_type(Ridge().fit(X, y).n_features_in_)
reveal_type(Ridge().fit(X, y).predict(X))
reveal_type(Ridge().fit(X, y).certify(X, y))
reveal_type(surefit.certify(Ridge().fit(X, y), X, y).holds)
reveal_type(LMSRegressor().partial_fit(X, y))
reveal_type(GaussianNB().fit(X, y).theta_)
reveal_type(KMeans(2).fit(X).inertia_)
reveal_type(PCA().fit(X).components_)


class Mine(Ridge):
    pass


reveal_type(Mine().fit(X, y))
Ridge().fit(X, y, weight=y)
Ridge(penalty=1.0)
"""

TOLD = [
    "Ridge",
    "Ridge",
    "ndarray",
    "int",
    "ndarray",
    "Certificate",
    "bool",
    "LMSRegressor",
    "ndarray",
    "float",
    "ndarray",
    "Mine",
]


def test_a_user_is_told_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
    command = [sys.executable, "-m", "mypy", "--config-file", str(tmp_path / "mypy.ini"), str(tmp_path / "user.py")]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    lines = [line for line in said.splitlines() if "user.py" in line]
    revealed = [match[1] for line in lines if (match := re.search('is "(.*)"', line))]
    types = [re.split(r"\[", name)[0].split(".")[-1] for name in revealed]
    assert types == TOLD, said
    refused = [line for line in lines if "error:" in line]
    assert ["weight" in refused[0], "penalty" in refused[1]] == [True, True] and len(refused) == 2, said


def test_help_shows_defaults_and_not_rules():
    assert str(inspect.signature(Ridge)).startswith("(alpha=1.0, *, fit_intercept=True")
    text = pydoc.plain(pydoc.render_doc(Ridge))
    assert "class Ridge(" in text and "alpha=1.0, *, fit_intercept=True" in text
    assert "Annotated" not in text and "Range(" not in text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)
def test_fitted_attributes_have_types(model):
    """Every public fitted attribute is declared on the class or on one it is built on."""
    X, y, _ = sample(model)
    learnt = {name for name in vars(fit(model, X, y)) if name.endswith("_") and not name.startswith("_")}
    learnt -= set(model.get_params(deep=False))
    declared = {name for cls in type(model).__mro__ for name in inspect.get_annotations(cls)}
    assert learnt <= declared, learnt - declared
