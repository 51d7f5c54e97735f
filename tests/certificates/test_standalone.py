"""The file that `surefit checker` prints: it runs without surefit, and says what the certificate says."""

from __future__ import annotations

import ast
import builtins
import copy
import sys
import types
import warnings

import numpy as np
import pytest

from surefit.certificates import ArrayBlocks
from surefit.certificates.inputs import Inputs
from surefit.certificates.registry import CHECKERS, check, checker_for
from surefit.certificates.standalone import one_file
from surefit.kernels import Gaussian
from surefit.linear_model import Ridge
from surefit.model_selection import cross_validate
from surefit.stats import maximum_likelihood
from tests.laws.registry import fit, instances, learnt, sample

TREES = {True: "DecisionTreeClassifier", False: "DecisionTreeRegressor"}
ENSEMBLES = ("AdaBoost", "Bagging", "CrossValidated", "RandomForest")  # their members are checked too
ABROAD = {"surefit", "scipy", "sklearn"}


def loaded(monkeypatch, *classes):
    """The file as a module that can import nothing but NumPy and the standard library."""

    def only_numpy(name, *how):
        assert name.split(".")[0] not in ABROAD, f"the file imports {name}"
        return builtins.__import__(name, *how)

    module = types.ModuleType("checker_alone")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    vars(module)["__builtins__"] = {**vars(builtins), "__import__": only_numpy}
    exec(compile(one_file(*classes).text, module.__name__, "exec"), vars(module))
    return module


@pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)
def test_says_what_the_certificate_says(model, monkeypatch):
    name = type(model).__name__
    X, y, _ = sample(model, n=120)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = fit(model, X, y)
    members = [TREES[hasattr(fitted, "classes_")]] if name.startswith(ENSEMBLES) else []
    alone = loaded(monkeypatch, name, *members)
    find = getattr(alone, CHECKERS[name].split(":")[1])
    lie = copy.copy(fitted)
    vars(lie).update({a: 1.1 * v for a, v in learnt(fitted).items() if a in find.covers and v.dtype.kind == "f"})
    for told in (fitted, lie):
        claims, _ = find(told, alone.ArrayBlocks(X, y), 1e-6)
        whole = check(told, ArrayBlocks(X, y))
        assert [str(vars(claim)) for claim in claims] == [str(vars(claim)) for claim in whole]


ROWS = np.random.default_rng(0).normal(size=(40, 3))
OF_ANY_INPUT = {
    "Kernel": (Gaussian(), ROWS),
    "LikelihoodFit": (maximum_likelihood("norm", ROWS[:, 0]), ROWS[:, 0]),
    "FoldScores": (cross_validate(Ridge(), ROWS, ROWS[:, 0]), ROWS),
}


@pytest.mark.parametrize("name", OF_ANY_INPUT)
def test_data_as_they_are(name, monkeypatch):
    (told, X), alone = OF_ANY_INPUT[name], loaded(monkeypatch, name)
    assert "(model, Inputs(X, y), 1e-6)" in vars(alone)["__doc__"] and not hasattr(alone, "ArrayBlocks")
    claims, _ = getattr(alone, CHECKERS[name].split(":")[1])(told, alone.Inputs(X), 1e-6)
    whole = check(told, Inputs(X))
    assert [str(vars(claim)) for claim in claims] == [str(vars(claim)) for claim in whole] and whole.holds


@pytest.mark.parametrize("name", CHECKERS)
def test_says_how_it_is_run(name):
    text = one_file(name).text.split('"""')[1]
    base = type(name, (), {})()
    assert ("Inputs(X, y)" in text) == checker_for(base).any_input
    assert ("Members are checked too" in text) == name.startswith(ENSEMBLES)


@pytest.mark.parametrize("name", CHECKERS)
def test_imports_what_it_uses(name):
    module = compile(one_file(name).text, name, "exec", flags=ast.PyCF_ONLY_AST)
    used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    imports = [node for node in module.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert {alias.asname or alias.name for node in imports for alias in node.names} <= used | {"annotations"}


def test_refuses_a_lie(monkeypatch):
    alone, model = loaded(monkeypatch, "Ridge"), Ridge().fit(X := np.eye(5), y := np.arange(5.0))
    assert all(claim.holds for claim in alone.check_ridge(model, alone.ArrayBlocks(X, y))[0])
    model.coef_ = 1.01 * model.coef_
    assert [claim.name for claim in alone.check_ridge(model, alone.ArrayBlocks(X, y))[0] if not claim.holds] == [
        "optimal"
    ]


def test_what_proposes_comes_below_what_is_trusted():
    file = one_file("Ridge")
    trusted, mark, proposals = file.text.partition("Nothing below need be trusted")
    assert mark and "class ColumnBases" in proposals and "class ColumnBases" not in trusted
    assert file.lines == sum(bool(line.strip()) for line in trusted.split('"""', 2)[2].splitlines()[:-2])


def test_equal_names_of_two_modules_are_told_apart():
    text = one_file("BaggingClassifier", "DecisionTreeClassifier").text  # both have a _check
    module = compile(text, "bagging", "exec", flags=0x400)  # a syntax tree
    names = [node.name for node in module.body if hasattr(node, "name")]
    assert len(names) == len(set(names)) and "check_decision_tree_classifier" in names


def test_unknown_names():
    with pytest.raises(ValueError, match="did you mean Ridge"):
        one_file("Rigde")


LINES = 600
LONGER = {
    "LinearDiscriminantAnalysis": 710,
    "BayesianGaussianMixture": 630,
    "SVC": 660,
    "LogisticRegression": 620,
}
"""What is longer still, to the next ten: it may only become shorter."""


@pytest.mark.parametrize("name", CHECKERS)
def test_lines_to_read(name):
    assert one_file(name).lines <= LONGER.get(name, LINES)
