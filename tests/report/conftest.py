"""One comparison of each kind, and its page, made once for all tests of this folder."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import RidgeClassifier

from surefit.cluster import KMeans
from surefit.decomposition import PCA
from surefit.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeCV
from surefit.model_selection import compare, prepare_table
from surefit.model_selection.prepare.steps import pipeline_for
from surefit.report import html_report
from surefit.tree import DecisionTreeClassifier

KINDS = ["regression", "clustering", "two_classes", "three_classes", "mixed"]


@pytest.fixture(scope="session")
def regression():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    models = {"least squares": LinearRegression(), "Ridge": Ridge(0.1), "RidgeCV": RidgeCV(), "mean": DummyRegressor()}
    return compare(models, X.iloc[:200], y[:200], cv=3)


@pytest.fixture(scope="session")
def clustering():
    models = {f"KMeans k={k}": KMeans(k, random_state=0) for k in (2, 3, 4)} | {"PCA 2": PCA(2)}
    return compare(models, load_iris(as_frame=True).data, cv=3)


@pytest.fixture(scope="session")
def two_classes():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    models = {"steep": LogisticRegression(), "flat": LogisticRegression(C=1e-4), "ridge": RidgeClassifier()}
    return compare(models, X.iloc[:, :5], np.where(y == 1, "benign", "<b>malign"), cv=3)


@pytest.fixture(scope="session")
def three_classes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return compare([LogisticRegression(), DummyClassifier(strategy="prior")], X, y, cv=3)


@pytest.fixture(scope="session")
def mixed():
    """Text with long levels that begin alike, gaps, a long name without a place to break it."""
    rng = np.random.default_rng(0)
    levels = [f"Married-to-a-civilian-who-is-{where}" for where in ("present", "absent", "abroad")]
    frame = pd.DataFrame({"age": rng.normal(40, 10, 90), "marital_status": rng.choice(levels, 90)})
    frame["x" * 70] = rng.random(90)
    frame.loc[::9, "age"] = np.nan
    y = np.where(frame["marital_status"].eq(levels[0]) ^ (rng.random(90) < 0.1), "yes, over fifty thousand", "no")
    table = prepare_table(frame)
    models = [LogisticRegression(), DecisionTreeClassifier(max_depth=3), DummyClassifier(strategy="prior")]
    found = compare({type(one).__name__: pipeline_for(table, one) for one in models}, table.X, y, cv=2)
    found.data_name, found.target = "a_file_with_a_name_that_does_not_end_" * 3 + ".csv", "income"
    return found


@pytest.fixture(scope="session")
def page_of(request):
    """The page of the comparison with that name, written once."""
    pages: dict[str, str] = {}

    def get(kind: str) -> str:
        if kind not in pages:
            pages[kind] = html_report(request.getfixturevalue(kind))
        return pages[kind]

    return get
