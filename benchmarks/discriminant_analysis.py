"""Discriminant analysis against scikit-learn: fit with projection, classification, wide data.

python -m benchmarks.discriminant_analysis [--only TEXT] [--repeats N] [--no-save]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work, main


def gaussian_classes(n: int, d: int, n_classes: int, dtype: type = np.float64) -> Data:
    """Correlated columns, overlapping classes, an offset."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, d)) + 0.1 * rng.normal(size=(n, min(d, 20))) @ rng.normal(size=(min(d, 20), d))
    X += 3 + 0.5 * rng.normal(size=(n_classes, d))[y]
    return {"X": X.astype(dtype), "y": y}


def errors(model: object, data: Data) -> float:
    """The share of wrong labels on up to 20000 rows."""
    return float(1 - model.score(data["X"][:20_000], data["y"][:20_000]))  # type: ignore[attr-defined]


def projections(**parameters: object) -> dict[str, Contender]:
    """Fit and projection of all rows."""

    def ours(data: Data) -> Callable[[], float]:
        from surefit.discriminant_analysis import LinearDiscriminantAnalysis

        model = LinearDiscriminantAnalysis(**parameters).fit(data["X"], data["y"])
        model.transform(data["X"])
        return lambda: errors(model, data)

    def theirs(data: Data) -> Callable[[], float]:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        model = LinearDiscriminantAnalysis(**parameters).fit(data["X"], data["y"])
        model.transform(data["X"])
        return lambda: errors(model, data)

    return {"surefit": ours, "scikit-learn": theirs}


def quadratic(predict: bool) -> dict[str, Contender]:
    def ours(data: Data) -> Callable[[], float]:
        from surefit.discriminant_analysis import QuadraticDiscriminantAnalysis

        model = QuadraticDiscriminantAnalysis().fit(data["X"], data["y"])
        if predict:
            model.predict(data["X"])
        return lambda: errors(model, data)

    def theirs(data: Data) -> Callable[[], float]:
        from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

        model = QuadraticDiscriminantAnalysis().fit(data["X"], data["y"])
        if predict:
            model.predict(data["X"])
        return lambda: errors(model, data)

    return {"surefit": ours, "scikit-learn": theirs}


def work(
    name: str, n: int, d: int, n_classes: int, contenders: dict[str, Contender], bar: float, **more: object
) -> Work:
    dtype = more.pop("dtype", np.float64)
    return Work(
        name,
        data=lambda: gaussian_classes(n, d, n_classes, dtype),  # type: ignore[arg-type]
        contenders=contenders,
        bar={"scikit-learn": bar},
        quality_better="lower",
        quality_name="errors",
        **more,  # type: ignore[arg-type]
    )


WORKS = [
    work("LDA 200k×100, 10 classes, eigen", 200_000, 100, 10, projections(solver="eigen"), 3.0, flops=2e9),
    work("LDA 200k×100, 10 classes, svd", 200_000, 100, 10, projections(), 3.0, flops=2e9),
    work("LDA 200k×100, float32", 200_000, 100, 10, projections(solver="eigen"), 3.0, dtype=np.float32, flops=2e9),
    work("LDA 200×5000, 4 classes", 200, 5000, 4, projections(), 1.0),
    work("QDA 200k×50, 10 classes", 200_000, 50, 10, quadratic(predict=False), 3.0),
    work("QDA 50k×50, 10 classes, with predict", 50_000, 50, 10, quadratic(predict=True), 1.0),
]

if __name__ == "__main__":
    main(__file__, WORKS)
