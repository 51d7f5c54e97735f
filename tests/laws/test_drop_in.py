"""Changing the import is enough: signature, methods and fitted attributes contain scikit-learn's."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import sklearn.base
from sklearn.utils import get_tags

from tests.laws import registry
from tests.laws.registry import fit, instances, sample

MODELS = pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)


def scikit_learn_class(model):
    cls = registry.scikit_learn_class(model)
    if cls is None:
        pytest.skip("scikit-learn has no such class")
    return cls


@MODELS
def test_signature_contains_scikit_learns(model):
    theirs = inspect.signature(scikit_learn_class(model).__init__).parameters
    ours = inspect.signature(type(model).__init__).parameters
    for name, parameter in theirs.items():
        assert name in ours, f"parameter {name} is missing"
        if name != "self":
            assert ours[name].default == parameter.default or (np.array_equal(ours[name].default, parameter.default)), (
                f"{name}: default {ours[name].default!r}, scikit-learn's {parameter.default!r}"
            )
            assert ours[name].kind == parameter.kind, f"{name}: positional or keyword-only"


@MODELS
def test_methods_contain_scikit_learns(model):
    cls = scikit_learn_class(model)
    for name, method in inspect.getmembers(cls, callable):
        if name.startswith("_") or not hasattr(cls(), name):  # some are there with other parameters only
            continue
        assert hasattr(model, name), f"method {name} is missing"
        theirs, ours = inspect.signature(method), inspect.signature(getattr(type(model), name))
        missing = [p for p in theirs.parameters if p not in ours.parameters and p not in ("params", "kwargs")]
        assert not missing, f"{name} lacks {missing}"


@MODELS
@pytest.mark.parametrize("targets", [1, 2])
def test_fitted_attributes_contain_scikit_learns(model, targets):
    X, y, _ = sample(model)
    if targets == 2:
        if sklearn.base.is_classifier(model):
            pytest.skip("a classifier has one target")
        if not get_tags(scikit_learn_class(model)()).target_tags.multi_output:
            pytest.skip("scikit-learn's class has one target")
        y = np.column_stack([y, y**2])
    params = {k: v for k, v in model.get_params().items() if k in scikit_learn_class(model)().get_params()}
    theirs, ours = scikit_learn_class(model)(**params).fit(X, y), fit(model, X, y)
    for name, value in vars(theirs).items():
        if name.endswith("_") and not name.startswith("_"):
            assert hasattr(ours, name), f"attribute {name} is missing"
            mine = getattr(ours, name)
            if value is None:  # scikit-learn has nothing to say here
                continue
            if isinstance(value, list):
                assert [np.shape(one) for one in mine] == [np.shape(one) for one in value], name
                continue
            assert np.shape(mine) == np.shape(value), (
                f"{name}: shape {np.shape(mine)}, scikit-learn's {np.shape(value)}"
            )
            if name != "n_iter_":
                assert np.asarray(mine).dtype.kind == np.asarray(value).dtype.kind, name
