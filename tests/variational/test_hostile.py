"""Models whose functions give something else than they should, and parameters that are no counts: a clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from surefit.variational import CAVI, EM, MonteCarloEM
from surefit.variational.models import NormalModel
from tests.certificates.variational.study import Sampled, TwoNormals, column

X = column(0)


def with_method(cls: Any, name: str, function: Any) -> Any:
    return type("Bad", (cls,), {name: function})()


def raises(*_: Any) -> Any:
    raise RuntimeError("the user's own fault")


GIVEN = {"None": None, "text": "x", "an array": np.zeros(3), "NaN": np.nan, "infinity": np.inf}


@pytest.mark.parametrize("what", GIVEN)
@pytest.mark.parametrize(("fit", "cls", "name"), [(EM, TwoNormals, "log_likelihood"), (EM, TwoNormals, "bound"),
                                                  (CAVI, NormalModel, "elbo")])  # fmt: skip
def test_numbers_that_are_none(fit, cls, name, what):
    model = with_method(cls, name, lambda self, *_: GIVEN[what])
    with pytest.raises(ValueError, match=r"must give one number|is nan|is inf|must be finite"):
        fit(model).fit(X)


@pytest.mark.parametrize("given", [None, [], 3, {}], ids=str)
def test_a_start_without_factors(given):
    with pytest.raises(ValueError, match="`start` must give a dict of factors"):
        CAVI(with_method(NormalModel, "start", lambda self, X, rng: given)).fit(X)


@pytest.mark.parametrize("given", [None, np.zeros(3), np.nan, "x"], ids=str)
def test_densities_of_draws_of_another_shape(given):
    with pytest.raises(ValueError, match="log_joint must give one finite number for each of 100 draws"):
        MonteCarloEM(with_method(Sampled, "log_joint", lambda self, *_: given)).fit(X)


def test_densities_of_draws_that_are_no_numbers():
    with pytest.raises(ValueError, match="some are NaN or infinite"):
        MonteCarloEM(with_method(Sampled, "log_joint", lambda self, X, draws, _: np.full(len(draws), np.nan))).fit(X)


@pytest.mark.parametrize(("fit", "cls", "name"), [(EM, TwoNormals, "expect"), (CAVI, NormalModel, "update"),
                                                  (MonteCarloEM, Sampled, "sample")])  # fmt: skip
def test_an_error_of_the_model_is_its_own(fit, cls, name):
    with pytest.raises(RuntimeError, match="the user's own fault"):
        fit(with_method(cls, name, raises)).fit(X)


@pytest.mark.parametrize("value", [0, -1, None, True, 2.5, "x", np.nan], ids=str)
@pytest.mark.parametrize(("fit", "model"), [(EM, TwoNormals()), (CAVI, NormalModel()), (MonteCarloEM, Sampled())])
def test_iterations_that_are_no_count(fit, model, value):
    with pytest.raises(ValueError, match="max_iter must be a whole number of at least 1"):
        fit(model, max_iter=value)


@pytest.mark.parametrize("value", [-1e-9, None, "x", np.nan, [1.0], True], ids=str)
@pytest.mark.parametrize(("fit", "model"), [(EM, TwoNormals()), (CAVI, NormalModel()), (MonteCarloEM, Sampled())])
def test_a_tol_that_is_none(fit, model, value):
    with pytest.raises(ValueError, match="tol must be a number of at least 0"):
        fit(model, tol=value)


@pytest.mark.parametrize("fit", [EM, CAVI, MonteCarloEM])
def test_a_class_in_the_place_of_a_model(fit):
    with pytest.raises(ValueError, match=r"not its class: pass NormalModel\(…\)"):
        fit(NormalModel)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["a", "b"], "needs numbers in one dimension"),
        (np.ones((3, 2)), r"in the shape \(3, 2\)"),
        (np.array([]), "needs numbers in one dimension"),
        (np.array([1.0, np.nan]), "contains NaN"),
    ],
)
def test_rows_that_a_worked_model_cannot_take(rows, words):
    with pytest.raises(ValueError, match=words):
        CAVI(NormalModel()).fit(rows)


def test_what_is_shown():
    assert repr(CAVI(NormalModel())) == "CAVI(NormalModel(…))"
