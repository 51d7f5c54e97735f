"""Trees, forests and boosting on ever more rows, surefit alone: `python -m benchmarks.growth`.

The rows are drawn from one law. Linear growth is a time per row that stays, but for trees that are deeper by the
logarithm: a fifth more for ten times the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.forest import accuracy, noisy_sign
from benchmarks.harness import Contender, Data, Work, main

SIZES = (100_000, 1_000_000, 4_000_000)


def cart() -> Any:
    from surefit.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0)


def forest() -> Any:
    from surefit.ensemble import RandomForestClassifier

    return RandomForestClassifier(4, random_state=0)


def boosting() -> Any:
    from surefit.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=30, early_stopping=False)


def fitted(make: Callable[[], Any]) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        model = make().fit(data["X"], data["y"])
        return lambda: accuracy(model, data)

    return run


MODELS = {"CART": cart, "random forest of 4 trees": forest, "histogram boosting of 30 trees": boosting}

WORKS = [
    Work(
        f"growth: {name}, {n // 1000}k×10",
        noisy_sign(n, 20_000),
        {"surefit": fitted(make)},
        quality_better="higher",
        quality_name="share told rightly",
        repeats=2,
    )
    for name, make in MODELS.items()
    for n in SIZES
]

if __name__ == "__main__":
    main(__file__, WORKS)
