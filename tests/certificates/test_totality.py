"""Whatever the attributes hold, a checker answers: it says no, with a reason, and does not crash."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV

from surefit.certificates import Grade
from tests.certificates.bench import altered, certify

rng = np.random.default_rng(23)
X = rng.normal(size=(60, 4))
Y = X @ np.arange(4.0) + rng.normal(size=60)

MODELS = {
    "LinearRegression": LinearRegression().fit(X, Y),
    "LinearRegression, non-negative": LinearRegression(positive=True).fit(X, Y),
    "Ridge": Ridge().fit(X, Y),
    "RidgeCV": RidgeCV(store_cv_results=True).fit(X, Y),
    "PCA": PCA(2).fit(X),
    "PCA, randomised": PCA(2, svd_solver="randomized", random_state=0).fit(X),
    "KMeans": KMeans(3, n_init=2, random_state=0).fit(X),
}
SKIPPED = {"n_features_in_", "feature_names_in_", "n_iter_", "rank_", "solver_"}


def learnt(model: Any) -> list[str]:
    return [a for a in vars(model) if a.endswith("_") and not a.startswith("_") and a not in SKIPPED]


def wicked(value: Any) -> list[Any]:
    """Values of the wrong kind, shape, size and sign for an attribute."""
    a = np.asarray(value, dtype=float)
    return [
        None, np.nan, np.inf, -np.inf, "text", b"bytes", {}, [], (), object(), [[1.0], [1.0, 2.0]], 1j, True,
        np.full(a.shape, np.nan), np.full(a.shape, np.inf), np.full(a.shape, 1e308), np.full(a.shape, -1e308),
        np.zeros(a.shape), a[..., None, None], np.zeros((0, *a.shape)), np.zeros((3, 3, 3)), a.astype(str),
        a.astype(object), a.astype(complex), -a - 1e-3, a + 1.0, np.array(["x"] * 4), np.datetime64("2020-01-01"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_every_attribute_may_lie(name: str) -> None:
    model = MODELS[name]
    honest = certify(model, X, Y, rows=25)
    assert honest.holds
    attributes = [attribute for attribute in learnt(model) if attribute not in honest.not_checked]
    assert attributes
    accepted = []
    for attribute in attributes:
        value = getattr(model, attribute)
        for i, lie in enumerate(wicked(value)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                c = certify(altered(model, **{attribute: lie}), X, Y, rows=25)
            assert len(c) > 0 and all(claim.sentence for claim in c)
            assert c.holds == (c.grade not in (Grade.UNPROVED, Grade.NOT_OPTIMAL))
            assert c == type(c).from_json(c.to_json())
            if c.holds:
                accepted.append((attribute, i))
    # None means absent for what is optional; an array of objects that are the right numbers is not an array of numbers
    optional = {"singular_", "labels_", "noise_variance_", "n_components_", "n_samples_"}
    assert {a for a, i in accepted if i != 0} == set(), accepted
    assert {a for a, _ in accepted} <= optional, accepted


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("data", ["nan", "inf", "huge", "zero", "one row", "other columns", "text"])
def test_any_data(name: str, data: str) -> None:
    """No data makes a checker crash, and none of these is the data the model was fitted on."""
    other = {
        "nan": np.full_like(X, np.nan),
        "inf": np.full_like(X, np.inf),
        "huge": X * 1e300,
        "zero": np.zeros_like(X),
        "one row": X[:1],
        "other columns": np.hstack([X, X]),
        "text": np.full(X.shape, "a"),
    }[data]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        c = certify(MODELS[name], other, Y[: len(other)])
    assert not c.holds and c.failures[0].sentence


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "parameter", ["alpha", "alphas", "tol", "n_clusters", "svd_solver", "fit_intercept", "cv", "positive"]
)
def test_parameters_may_be_anything(name: str, parameter: str) -> None:
    for lie in (None, np.nan, "text", [], {}, object(), -1, 1e308, [1.0, "a"]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            c = certify(altered(MODELS[name], **{parameter: lie}), X, Y)
        assert len(c) > 0
