"""Units at the ends of single precision, and priors that are none."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit._core.errors import InvalidParameter
from surefit.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis


def three_classes(scale, dtype):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    return ((rng.normal(size=(150, 3)) + 2.0 * y[:, None]) * scale).astype(dtype), y


@pytest.mark.parametrize("scale", [1e30, 1e20, 1e-20, 1e-38])
@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_single_precision_in_any_unit(cls, scale):
    """What float32 cannot hold is held in float64: the answers are those of the same rows in double precision."""
    parameters = {"tol": 0.0} if cls is QuadraticDiscriminantAnalysis else {}
    rows, y = three_classes(scale, np.float32)
    model, double = cls(**parameters).fit(rows, y), cls(**parameters).fit(rows.astype(np.float64), y)
    np.testing.assert_allclose(model.predict_proba(rows), double.predict_proba(rows.astype(np.float64)), atol=1e-3)
    assert surefit.certify(model, rows, y).holds


@pytest.mark.parametrize("priors", [[-0.2, 0.6, 0.6], [0, 0, 0]])
@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_priors_are_probabilities(cls, priors):
    with pytest.raises(InvalidParameter, match=r"priors (must be non-negative|are all zero)"):
        cls(priors=priors).fit(*three_classes(1.0, np.float64))
