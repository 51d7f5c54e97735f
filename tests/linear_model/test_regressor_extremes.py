"""Regressors at the ends of floating point: an answer that is right, or an error; never NaN."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit._core.errors import InvalidData
from surefit.linear_model import LADRegressor, LinearRegression, LMSRegressor, QuantileRegressor, Ridge

ROWS = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
LINE = 3.0 * ROWS[:, 0] + 1.0


@pytest.mark.parametrize("model", [LinearRegression(), LMSRegressor(), LADRegressor(), QuantileRegressor(alpha=0)])
@pytest.mark.parametrize("unit", [2.0**-130, 2.0**-100, 2.0**100])
def test_a_line_in_any_unit_of_single_precision(model, unit):
    """y = 3 x + 1 with x in another unit: the slope is 3 / unit, which float32 may not hold."""
    rows = (ROWS * unit).astype(np.float32)
    fitted = model.fit(rows, LINE.astype(np.float32))
    np.testing.assert_allclose(fitted.coef_ * unit, [3.0], rtol=1e-3)
    np.testing.assert_allclose(fitted.predict(rows), LINE, rtol=1e-3)
    assert surefit.certify(fitted, rows, LINE.astype(np.float32)).holds


@pytest.mark.parametrize("model", [LinearRegression(), LMSRegressor(), LADRegressor(), QuantileRegressor(alpha=0)])
@pytest.mark.parametrize("unit", [5e-324, 1e-310])
def test_slopes_beyond_floating_point_are_refused(model, unit):
    with pytest.raises(InvalidData, match=r"left the range|squares vanish"):
        model.fit(ROWS * unit, LINE)


def test_a_penalty_keeps_slopes_finite():
    """The slope of ridge is Σ x y / (Σ x² + α) about the means: zero but for a number below the smallest."""
    model = Ridge(alpha=1.0).fit(ROWS * 1e-310, LINE)
    np.testing.assert_allclose(model.coef_, [0.0], atol=1e-300)
    np.testing.assert_allclose(model.intercept_, 10.0, rtol=1e-12)
