"""Lines for five quantiles, and the time of a fit against the rows: `python docs/pictures/quantile_regressor.py`."""

from __future__ import annotations

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.linear_model import LADRegressor, LinearRegression, QuantileRegressor

ROWS = (10_000, 20_000, 40_000, 80_000, 160_000)


def seconds(n: int) -> float:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    y = X.sum(axis=1) + rng.normal(size=n)
    start = time.perf_counter()
    LADRegressor().fit(X, y)
    return time.perf_counter() - start


def main() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 10, 400)
    y = 2 + 0.5 * x + (0.3 + 0.25 * x) * rng.standard_t(3, size=400)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    left.plot(x, y, ".", color="0.7", markersize=3)
    ends = np.array([[0.0], [10.0]])
    for quantile in (0.05, 0.25, 0.5, 0.75, 0.95):
        model = QuantileRegressor(quantile=quantile, alpha=0).fit(x[:, None], y)
        left.plot(ends[:, 0], model.predict(ends), label=f"{quantile:g}")
    left.plot(ends[:, 0], LinearRegression().fit(x[:, None], y).predict(ends), "k--", linewidth=1, label="mean")
    left.set(xlabel="x", ylabel="y", ylim=np.quantile(y, [0.002, 0.998]))
    left.legend(fontsize=7)
    seconds(1000)
    times = [min(seconds(n) for _ in range(2)) for n in ROWS]
    right.loglog(ROWS, times, "o-", label="least absolute deviations, 20 columns")
    reference = np.array(ROWS) * np.log(ROWS)
    right.loglog(ROWS, reference * times[-1] / reference[-1], "--", color="0.5", label="n log n")
    right.set(xlabel="rows", ylabel="seconds")
    right.legend(fontsize=7)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
