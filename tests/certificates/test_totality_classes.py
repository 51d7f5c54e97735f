"""Checkers of discriminant analysis and naive Bayes answer whatever the attributes hold: no, with a reason."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

from surefit.certificates import Certificate, Grade
from tests.certificates.bench import altered, certify
from tests.certificates.test_naive_bayes import mixed
from tests.certificates.test_totality import SKIPPED, wicked

rng = np.random.default_rng(41)
Y = np.arange(60) % 3
X = rng.normal(size=(60, 4)) + Y[:, None] * np.array([1.0, 0.0, -0.5, 0.2])
COUNTS = rng.poisson(2.0 + (Y[:, None] == np.arange(4)), size=(60, 4)).astype(float)

MODELS: dict[str, tuple[Any, np.ndarray]] = {
    "LinearDiscriminantAnalysis": (LinearDiscriminantAnalysis(store_covariance=True).fit(X, Y), X),
    "LinearDiscriminantAnalysis, lsqr": (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).fit(X, Y), X),
    "LinearDiscriminantAnalysis, eigen": (LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, Y), X),
    "QuadraticDiscriminantAnalysis": (QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, Y), X),
    "QuadraticDiscriminantAnalysis, eigen": (QuadraticDiscriminantAnalysis(solver="eigen").fit(X, Y), X),
    "GaussianNB": (GaussianNB(var_smoothing=1e-3).fit(X, Y), X),
    "MultinomialNB": (MultinomialNB().fit(COUNTS, Y), COUNTS),
    "BernoulliNB": (BernoulliNB().fit(X, Y), X),
    "ComplementNB": (ComplementNB().fit(COUNTS, Y), COUNTS),
    "CategoricalNB": (CategoricalNB().fit(COUNTS, Y), COUNTS),
    "MixedNB": (mixed(COUNTS, Y), COUNTS),
}
# covariance_ is optional with the svd solver, and epsilon_ where columns are mixed: None means absent
OPTIONAL = {"covariance_", "epsilon_"}


def quiet(model: Any, A: Any, y: Any = Y, w: Any = None, rows: int = 25) -> Certificate:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return certify(model, A, y, w, rows=rows)


def lies(value: Any) -> list[Any]:
    if isinstance(value, list) and len({np.shape(v) for v in value}) > 1:
        first = wicked(value[0])
        return [None, "text", [], {}, object(), 3.0, value[::-1], value[:-1], *([lie, *value[1:]] for lie in first)]
    return wicked(value)


def same(truth: Any, lie: Any, name: str) -> bool:
    """Whether the lie is the truth in other clothes."""
    if name == "classes_":
        lie = np.asarray(lie) if not isinstance(lie, list) else np.zeros(0)
        return lie.shape == np.shape(truth) and bool((lie[:-1] < lie[1:]).all())
    if isinstance(truth, list) and isinstance(lie, list):
        return len(truth) == len(lie) and all(same(a, b, name) for a, b in zip(truth, lie, strict=True))
    try:
        lie, truth = np.asarray(lie), np.asarray(truth)
    except ValueError:  # ragged
        return False
    return lie.dtype.kind in "biuf" and np.array_equal(lie, truth)


@pytest.mark.parametrize("name", MODELS)
def test_every_attribute_may_lie(name: str) -> None:
    model, A = MODELS[name]
    base = quiet(model, A)
    assert base.holds, f"\n{base}"
    attributes = [a for a in vars(model) if a.endswith("_") and not a.startswith("_") and a not in SKIPPED]
    assert len(attributes) >= 5
    for attribute in attributes:
        if attribute == "parts_" or attribute in base.not_checked:
            continue
        truth = getattr(model, attribute)
        for i, lie in enumerate(lies(truth)):
            c = quiet(altered(model, **{attribute: lie}), A)
            assert len(c) > 0 and all(claim.sentence for claim in c)
            assert c.holds == (c.grade not in (Grade.UNPROVED, Grade.NOT_OPTIMAL))
            assert c == type(c).from_json(c.to_json())
            excused = same(truth, lie, attribute) or (i == 0 and attribute in OPTIONAL)
            assert not c.holds or excused, f"{attribute} = {lie!r}\n{c}"


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "data", ["nan", "inf", "huge", "zero", "one row", "other columns", "text", "labels", "weights", "no weight"]
)
def test_any_data(name: str, data: str) -> None:
    """No data makes a checker crash, and none of these is the data the model was fitted on."""
    model, A = MODELS[name]
    other = {
        "nan": np.full_like(A, np.nan),
        "inf": np.full_like(A, np.inf),
        "huge": A * 1e300,
        "zero": np.zeros_like(A),
        "one row": A[:1],
        "other columns": np.hstack([A, A]),
        "text": np.full(A.shape, "a"),
    }.get(data, A)
    y = np.full(60, np.nan) if data == "labels" else Y
    w = {"weights": -np.ones(60), "no weight": np.zeros(60)}.get(data)
    c = quiet(model, other, y[: len(other)], w)
    # above zero or not: that is all a Bernoulli column says
    assert len(c) > 0 and (not c.holds or (name == "BernoulliNB" and data == "huge")), f"\n{c}"


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "parameter",
    "solver shrinkage priors class_prior tol n_components reg_param store_covariance covariance_estimator alpha "
    "force_alpha fit_prior var_smoothing binarize norm min_categories missing parts_".split(),
)
def test_parameters_may_be_anything(name: str, parameter: str) -> None:
    model, A = MODELS[name]
    for lie in (None, np.nan, "text", [], {}, {0: None}, object(), -1, 0, 1e-320, 1e308, 1j, [1.0, "a"], [[1], [1, 2]]):
        c = quiet(altered(model, **{parameter: lie}), A)
        assert len(c) > 0


@pytest.mark.parametrize("name", MODELS)
def test_blocks_and_sparse_rows_change_nothing(name: str) -> None:
    model, A = MODELS[name]
    base = quiet(model, A, rows=60)
    assert base.holds
    for other in (quiet(model, A, rows=7), quiet(model, sp.csr_array(A), rows=13)):
        assert [c.name for c in other] == [c.name for c in base]
        assert other.holds and other.grade is base.grade
