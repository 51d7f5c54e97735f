"""VC dimensions of estimators: the dimensions of the function spaces in the textbooks."""

from __future__ import annotations

import math

import pytest
from sklearn import ensemble, linear_model, neighbors, svm, tree

import surefit
from surefit._core.errors import InvalidParameter
from surefit.theory import HalfLines, vc_dimension


@pytest.mark.parametrize(
    ("model", "d", "wanted"),
    [
        (surefit.linear_model.LogisticRegression(), 3, 4),
        (linear_model.LogisticRegression(fit_intercept=False), 3, 3),
        (linear_model.SGDClassifier(), 10, 11),
        (surefit.svm.LinearSVC(), 2, 3),
        (svm.SVC(kernel="linear"), 5, 6),
        (svm.SVC(kernel="poly", degree=2, coef0=1), 3, 10),  # 1, x, y, z and six products
        (surefit.svm.SVC(kernel="poly", degree=2, coef0=0), 3, 7),  # six products and the intercept
        (svm.SVC(kernel="rbf"), 2, math.inf),
        (surefit.discriminant_analysis.QuadraticDiscriminantAnalysis(), 2, 6),  # conics
        (surefit.naive_bayes.GaussianNB(), 2, 5),
        (neighbors.KNeighborsClassifier(), 1, math.inf),
        (tree.DecisionTreeClassifier(), 1, math.inf),
        (tree.DecisionTreeClassifier(max_depth=1), 1, 2),
        (surefit.tree.DecisionTreeClassifier(max_depth=1), 3, 4),
        (HalfLines(), None, 1),
    ],
)
def test_known(model, d, wanted):
    assert vc_dimension(model, d) == wanted


def test_fitted_models_know_their_columns():
    model = linear_model.LogisticRegression().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    assert vc_dimension(model) == 3


@pytest.mark.parametrize(
    ("model", "d", "words"),
    [
        (tree.DecisionTreeClassifier(max_depth=3), 2, "Trees"),
        (tree.DecisionTreeClassifier(max_leaf_nodes=3), 2, "no closed form"),
        (ensemble.GradientBoostingClassifier(), 2, "no closed form"),
        (svm.SVC(kernel="sigmoid"), 2, "no closed form"),
        (linear_model.LogisticRegression(), None, "n_features must be given"),
        (linear_model.LogisticRegression(), 0, "whole number"),
    ],
)
def test_unknown(model, d, words):
    with pytest.raises(InvalidParameter, match=words):
        vc_dimension(model, d)
