"""Nothing is left undecided on bundled data; `python -m tests.laws.bundled` looks at every class and every table."""

from __future__ import annotations

import numpy as np
import pytest

import surefit.linear_model
from tests.laws.bundled import LOADERS, Outcome, Verdict, judged, study, tables
from tests.laws.registry import estimator_classes, scikit_learn_class

SMALLEST = ("iris", "diabetes")
CHEAP = ("GaussianNB", "LogisticRegression", "Ridge", "PCA")


@pytest.mark.parametrize("cls", [cls for cls in estimator_classes() if cls.__name__ in CHEAP])
def test_nothing_is_left_undecided(cls):
    ours, theirs = list(study(cls, SMALLEST)), list(study(scikit_learn_class(cls()), SMALLEST))
    assert len(ours) == len(theirs) >= 3
    assert not [one for one in ours + theirs if one.unexplained]
    assert not [one for one in ours if one.verdict is not Verdict.HOLDS]


@pytest.mark.parametrize("cls", estimator_classes())
def test_every_class_has_tables_in_both_precisions(cls):
    found = {name: X.dtype for name, X, _ in tables(cls(), SMALLEST)}
    assert {"diabetes", "iris"} & set(found)
    for name, dtype in found.items():
        assert dtype == (np.float32 if name.endswith("float32") else np.float64)


def test_verdicts():
    """Of a fit, of one made worse, and of one that cannot be checked."""
    X, y = LOADERS["diabetes"](return_X_y=True)
    model = surefit.linear_model.Ridge().fit(X, y)
    assert judged(surefit.certify(model, X, y)) == (Verdict.HOLDS, "")
    model.coef_ = 2 * model.coef_
    assert judged(surefit.certify(model, X, y))[0] is Verdict.OFF
    model.coef_ = 1e200 * model.coef_  # squares that are no floating-point numbers
    assert judged(surefit.certify(model, X, y))[0] is Verdict.UNDECIDED
    assert Outcome("diabetes", Verdict.UNDECIDED).unexplained
    assert not Outcome("diabetes", Verdict.UNDECIDED, early=True).unexplained
