"""Codes of categories from files and Dask: what is no code is refused, and never taken for a missing value."""

from __future__ import annotations

import numpy as np
import pytest

from surefit._core.errors import InvalidData
from surefit.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 5, 300).astype(float)


@pytest.mark.parametrize(
    ("model", "code"),
    [
        (HistGradientBoostingRegressor(max_iter=2), 255.0),
        (HistGradientBoostingRegressor(max_iter=2), 1.5),
        (HistGradientBoostingRegressor(max_iter=2, max_bins=16), 16.0),
        (RandomForestRegressor(2), 255.0),
        (RandomForestRegressor(2), 99999.0),
    ],
)
def test_what_is_no_code_is_refused(model, code, tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    model.set_params(categorical_features=["c"])
    frame = pd.DataFrame({"a": RNG.normal(size=300), "c": CODES, "y": RNG.normal(size=300)})
    model.fit(dd.from_pandas(frame, npartitions=3), "y")
    frame.loc[200, "c"] = code
    frame.to_parquet(tmp_path / "rows.parquet")
    for rows in (str(tmp_path / "rows.parquet"), dd.from_pandas(frame, npartitions=3)):
        with pytest.raises(InvalidData, match=rf"'c' holds {code:g}\..*whole numbers 0 … \d+ "):
            model.fit(rows, "y")
    model.fit(frame[["a", "c"]], frame["y"])  # in memory values are coded by their order
    assert code in model.categories_[1]
