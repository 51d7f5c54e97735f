"""`certify` of pipelines and searches: the parts are checked on what they saw, and each claim says whose it is."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import surefit
from surefit._core.errors import InvalidData

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5)) * np.arange(1, 6) + 3
Y = X @ np.arange(5.0) + RNG.normal(size=120)


def test_a_pipeline_is_checked_step_by_step():
    model = make_pipeline(StandardScaler(), PCA(3), Ridge()).fit(X, Y)
    certificate = surefit.certify(model, X, Y)
    assert certificate.holds, str(certificate)
    assert certificate.model == "Pipeline" and (certificate.n_rows, certificate.n_features) == (120, 5)
    assert {claim.name.split(": ")[0] for claim in certificate} == {"pca", "ridge"}
    assert "standardscaler (StandardScaler)" in certificate.not_checked
    assert surefit.certify(model[1:], model[0].transform(X), Y).holds


def test_a_step_that_lies_is_named():
    model = make_pipeline(StandardScaler(), PCA(3), Ridge()).fit(X, Y)
    model[-1].coef_ = model[-1].coef_ * 1.1
    certificate = surefit.certify(model, X, Y)
    assert {claim.name.split(": ")[0] for claim in certificate.failures} == {"ridge"}


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_a_search_is_checked_through_its_best_estimator(search):
    grid = {"ridge__alpha": [0.1, 1.0, 10.0]}
    options = {"n_iter": 2, "random_state": 0} if search is RandomizedSearchCV else {}
    model = search(make_pipeline(StandardScaler(), Ridge()), grid, **options).fit(X, Y)
    certificate = surefit.certify(model, X, Y)
    assert certificate.holds and certificate.model == search.__name__
    assert all(claim.name.startswith("best_estimator_.ridge: ") for claim in certificate)
    assert {"best_score_", "cv_results_", "best_params_"} <= set(certificate.not_checked)
    plain = search(Ridge(), {"alpha": [0.1, 1.0, 10.0]}, **options).fit(X, Y)
    assert surefit.certify(plain, X, Y)["best_estimator_: optimal"].holds


def test_a_pipeline_without_anything_to_check_is_a_clear_error():
    with pytest.raises(TypeError, match="No checker for StandardScaler"):
        surefit.certify(make_pipeline(StandardScaler()).fit(X), X)


def test_a_wrong_number_of_columns_is_told():
    X = np.random.default_rng(0).normal(size=(30, 4))
    with pytest.raises(InvalidData, match="X has 3 columns, the model was fitted on 4"):
        surefit.certify(Ridge().fit(X, X[:, 0]), X[:, :3], X[:, 0])
