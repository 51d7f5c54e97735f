"""A pytest plugin: puts surefit's classes where scikit-learn's tests import theirs, and records each test.

With DROPIN=surefit the public names are replaced before a test module is imported, so that decorators and module-level
instances see the replacement too. A test *touches* the classes when a function of theirs runs during it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

NAMES = {
    "cluster": (
        "AgglomerativeClustering",
        "BisectingKMeans",
        "DBSCAN",
        "KMeans",
        "MiniBatchKMeans",
        "SpectralClustering",
        "dbscan",
        "kmeans_plusplus",
        "spectral_clustering",
    ),
    "decomposition": ("IncrementalPCA", "KernelPCA", "PCA"),
    "discriminant_analysis": ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
    "ensemble": (
        "AdaBoostClassifier",
        "AdaBoostRegressor",
        "BaggingClassifier",
        "BaggingRegressor",
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
        "HistGradientBoostingClassifier",
        "HistGradientBoostingRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
    ),
    "kernel_ridge": ("KernelRidge",),
    "linear_model": ("LinearRegression", "LogisticRegression", "Perceptron", "QuantileRegressor", "Ridge", "RidgeCV"),
    "manifold": ("MDS", "ClassicalMDS", "Isomap", "LocallyLinearEmbedding", "SpectralEmbedding", "smacof"),
    "metrics": ("roc_auc_score", "roc_curve"),
    "mixture": ("BayesianGaussianMixture", "GaussianMixture"),
    "naive_bayes": ("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    "neighbors": (
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "NearestNeighbors",
        "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor",
    ),
    "random_projection": ("GaussianRandomProjection", "johnson_lindenstrauss_min_dim"),
    "neural_network": ("MLPClassifier", "MLPRegressor"),
    "svm": ("SVC", "SVR", "LinearSVC"),
    "tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
}
# Base classes that scikit-learn's tests ask about, to know what to pass: ours of the same kind answer.
BASES = {("neighbors._base", "KNeighborsMixin"): ("neighbors.queries", "KNearest")}
PRIVATE = {"sklearn.manifold": {"_mds": "surefit.manifold.mds"}}
"""Private modules that tests import from, and what stands in their place."""
REPLACED = os.environ["DROPIN"] == "surefit"

_outcomes: dict[str, dict[str, Any]] = {}


def pytest_configure(config: pytest.Config) -> None:
    if REPLACED:
        for family, names in NAMES.items():
            ours, theirs = importlib.import_module(f"surefit.{family}"), importlib.import_module(f"sklearn.{family}")
            for name in names:
                setattr(theirs, name, getattr(ours, name))
        for package, modules in PRIVATE.items():
            for name, module in modules.items():
                setattr(importlib.import_module(package), name, importlib.import_module(module))
        for (place, name), (module, base) in BASES.items():
            ours, theirs = importlib.import_module(f"surefit.{module}"), importlib.import_module(f"sklearn.{place}")
            setattr(theirs, name, getattr(ours, base))


def _folders() -> tuple[str, ...]:
    import surefit

    package = Path(surefit.__file__).resolve().parent
    return tuple(str(package / family) + os.sep for family in NAMES)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    folders = _folders()
    touched = False

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal touched
        if event == "call" and frame.f_code.co_filename.startswith(folders):
            touched = True
            sys.setprofile(None)

    sys.setprofile(watch)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        item.user_properties.append(("touched", touched))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Runs in the main process, also when the tests run in several."""
    one = _outcomes.setdefault(report.nodeid, {"outcome": "passed", "touched": False, "why": ""})
    one["touched"] = one["touched"] or dict(report.user_properties).get("touched", False)
    if report.outcome != "passed":
        expected = hasattr(report, "wasxfail")
        one["outcome"] = "xfailed" if expected else report.outcome
        one["why"] = str(report.longrepr).strip().splitlines()[-1][:200] if report.longrepr else ""


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        Path(os.environ["DROPIN_OUT"]).write_text(json.dumps(_outcomes, indent=1))
