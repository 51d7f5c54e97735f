"""All of scikit-learn's estimator checks, on every public estimator, with no expected failure."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_inplace_ensure_writeable,
    check_set_output_transform,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

from tests.laws.registry import instances_for_few_rows as instances

EVERY = [check_dataframe_column_names_consistency, check_inplace_ensure_writeable]
TRANSFORMERS = [
    check_set_output_transform,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
]


@parametrize_with_checks(instances())
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", EVERY, ids=lambda check: check.__name__)
@pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)
def test_further_check(model, check):
    check(type(model).__name__, model)


@pytest.mark.parametrize("check", TRANSFORMERS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "model", [m for m in instances() if hasattr(m, "transform")], ids=lambda model: type(model).__name__
)
def test_transformer_check(model, check):
    check(type(model).__name__, model)
