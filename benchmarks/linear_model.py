"""Least squares, ridge, and ridge with its penalty chosen by leave-one-out: `python -m benchmarks.linear_model`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main

PENALTIES = np.logspace(-3, 4, 20)
DEGREE = 8


def rows(n: int, d: int) -> Callable[[], Data]:
    """Independent columns with offsets, a linear target and noise."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d)) + rng.normal(size=d)
        return {"X": X, "y": X @ rng.normal(size=d) + rng.normal(size=n)}

    return make


def powers() -> Data:
    """Powers of one variable, whose coefficients are all 1; whole numbers, so that the target has no rounding."""
    x = np.tile(np.arange(41.0), 4000)
    X = x[:, None] ** np.arange(1, DEGREE + 1)
    return {"X": X, "y": 1 + X.sum(axis=1)}


def two_classes(n: int, d: int) -> Callable[[], Data]:
    """Independent columns with offsets, labels drawn from a logistic model."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d)) + rng.normal(size=d)
        z = (X - X.mean(axis=0)) @ rng.normal(size=d) / 5
        return {"X": X, "y": (rng.random(n) < 1 / (1 + np.exp(-z))).astype(np.int64)}

    return make


def two_classes_apart(n: int, d: int, gap: float) -> Callable[[], Data]:
    """Two classes with a hyperplane between them, no row nearer to it than `gap` standard deviations."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d))
        direction = rng.normal(size=d)
        side = X @ direction / np.linalg.norm(direction)
        apart = np.abs(side) > gap
        return {"X": X[apart], "y": (side[apart] > 0).astype(np.int64)}

    return make


def pictures(n: int, side: int, classes: int) -> Callable[[], Data]:
    """Like scanned digits: a smooth template for each class, smooth variations, values in 0 … 1, dark borders."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        waves = np.cos(np.pi * np.outer(np.arange(6), (np.arange(side) + 0.5) / side))
        smooth = np.einsum("ai,bj->abij", waves, waves).reshape(36, side * side)
        y = rng.integers(0, classes, n)
        templates = rng.normal(size=(classes, 36)) / 3
        pixels = (templates[y] + rng.normal(size=(n, 36)) / 2) @ smooth
        edge = np.sin(np.pi * (np.arange(side) + 0.5) / side) ** 2
        X = 1 / (1 + np.exp(-pixels)) * np.outer(edge, edge).ravel() + 0.02 * rng.random((n, side * side))
        return {"X": X.astype(np.float32), "y": y}

    return make


def log_loss(model: Any, data: Data) -> Callable[[], float]:
    """C Σ loss + ½ ‖w‖² at C = 1, in double."""

    def value() -> float:
        from scipy.special import log_softmax

        coef = model.coef_.astype(np.float64)
        Z = matrix(data).astype(np.float64) @ coef.T + model.intercept_
        Z = np.hstack([np.zeros_like(Z), Z]) if Z.shape[1] == 1 else Z
        return float(-log_softmax(Z, axis=1)[np.arange(len(Z)), data["y"]].sum() + 0.5 * (coef**2).sum())

    return value


def lasso_loss(model: Any, data: Data) -> Callable[[], float]:
    """C Σ loss + ‖w‖₁ + |b|, in double: liblinear penalizes the intercept."""

    def value() -> float:
        coef, intercept = model.coef_.astype(np.float64), model.intercept_.astype(np.float64)
        z = (matrix(data) @ coef.T + intercept).ravel() * np.where(data["y"] == 1, -1.0, 1.0)
        return float(model.C * np.logaddexp(0.0, z).sum() + np.abs(coef).sum() + np.abs(intercept).sum())

    return value


def two_classes_sparse(n: int, d: int, density: float) -> Callable[[], Data]:
    """The arrays of a CSR matrix with uniform entries, and labels by a hyperplane with noise."""

    def make() -> Data:
        import scipy.sparse as sp

        X = sp.random_array((n, d), density=density, format="csr", rng=np.random.default_rng(0))
        rng = np.random.default_rng(1)
        z = X @ rng.normal(size=d)
        y = (z + 0.1 * z.std() * rng.normal(size=n) > 0).astype(np.int64)
        return {"values": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape), "y": y}

    return make


def text(n: int, d: int, words: int) -> Callable[[], Data]:
    """Documents: words by Zipf's law, logarithms of counts, rows of unit length; labels by a tenth of the words."""

    def make() -> Data:
        import scipy.sparse as sp

        rng = np.random.default_rng(0)
        often = 1 / np.arange(1, d + 1) ** 0.9
        column = rng.choice(d, n * words, p=often / often.sum())
        X = sp.coo_array((np.ones(n * words), (np.repeat(np.arange(n), words), column)), shape=(n, d)).tocsr()
        rare = np.log(n / np.maximum(np.bincount(X.indices, minlength=d), 1)) + 1
        X.data = (1 + np.log(X.data)) * rare[X.indices]
        X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1)), np.diff(X.indptr))
        z = X @ (rng.normal(size=d) * (rng.random(d) < 0.1))
        y = (z + 0.3 * z.std() * rng.normal(size=n) > np.median(z)).astype(np.int64)
        return {"values": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape), "y": y}

    return make


def categories(n: int) -> Callable[[], Data]:
    """Fourteen categories of 2 to 41 levels, one column for each level: 123 columns with dependent groups."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        levels = np.array([5, 8, 16, 7, 14, 6, 5, 2, 41, 5, 5, 4, 3, 2])
        first = np.cumsum(levels) - levels
        column = first + np.minimum((rng.exponential(size=(n, 14)) * levels / 3).astype(np.int64), levels - 1)
        y = rng.normal(size=levels.sum())[column].sum(axis=1) + rng.normal(size=n)
        indptr, shape = np.arange(0, 14 * n + 1, 14), np.array([n, levels.sum()])
        return {"values": np.ones(14 * n), "indices": column.ravel(), "indptr": indptr, "shape": shape, "y": y}

    return make


def clouds(n: int, d: int, classes: int) -> Callable[[], Data]:
    """One round cloud of rows for each class."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        centers, y = rng.normal(size=(classes, d)), np.arange(n) % classes
        return {"X": 0.7 * centers[y] + rng.normal(size=(n, d)), "y": y}

    return make


def iris_rows() -> Data:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return {"X": X, "y": y}


def objective(model: Any, data: Data, alpha: float = 0.0) -> Callable[[], float]:
    """Σ residual² + alpha ‖w‖²: every contender minimises it."""

    def value() -> float:
        residual = data["y"] - matrix(data) @ model.coef_ - model.intercept_
        return float(residual @ residual + alpha * (model.coef_ @ model.coef_))

    return value


def fit(module: str, name: str, quality: Callable[[Any, Data], Callable[[], float]], **parameters: Any) -> Contender:
    """A contender: `module.name(**parameters)` fitted to the data."""

    def run(data: Data) -> Callable[[], float]:
        model = getattr(importlib.import_module(module), name)(**parameters).fit(matrix(data), data["y"])
        return quality(model, data)

    return run


def matrix(data: Data) -> Any:
    """X, put together from its arrays where it is sparse."""
    if "X" in data:
        return data["X"]
    import scipy.sparse as sp

    return sp.csr_matrix((data["values"], data["indices"], data["indptr"]), shape=tuple(data["shape"]))


def digits(model: Any, data: Data) -> Callable[[], float]:
    """Correct digits of the worst coefficient; the right ones are 1."""
    return lambda: float(-np.log10(max(np.abs(model.coef_ - 1).max(), 1e-16)))


def left_out(model: Any, data: Data) -> Callable[[], float]:
    return lambda: float(-model.best_score_)


def absolute(model: Any, data: Data) -> Callable[[], float]:
    """Σ |residual|."""
    return lambda: float(np.abs(data["y"] - data["X"] @ model.coef_ - model.intercept_).sum())


def violations(model: Any, data: Data) -> Callable[[], float]:
    """Σ max(0, 1 − σ (x·w + b))."""
    sign = np.where(data["y"] == model.classes_[1], 1.0, -1.0)
    return lambda: float(np.maximum(0, 1 - sign * model.decision_function(data["X"])).sum())


def mistakes(model: Any, data: Data) -> Callable[[], float]:
    """Rows on the wrong side."""
    return lambda: float((model.predict(data["X"]) != data["y"]).sum())


def accuracy(model: Any, data: Data) -> Callable[[], float]:
    """Share of the rows answered rightly."""
    return lambda: float(model.score(matrix(data), data["y"]))


OURS, THEIRS, INTEL = "surefit.linear_model", "sklearn.linear_model", "sklearnex.linear_model"

WORKS = [
    Work(
        "least squares 200k×200",
        data=rows(200_000, 200),
        contenders={
            "surefit": fit(OURS, "LinearRegression", objective),
            "sklearnex": fit(INTEL, "LinearRegression", objective),
            "scikit-learn": fit(THEIRS, "LinearRegression", objective),
        },
        bar={"sklearnex": 1.0},
        quality_name="residual²",
        flops=200_000 * 200 * 201,
    ),
    Work(
        f"least squares, powers 1…{DEGREE}, 164k rows",
        data=powers,
        contenders={
            "surefit": fit(OURS, "LinearRegression", digits),
            "sklearnex": fit(INTEL, "LinearRegression", digits),
            "scikit-learn": fit(THEIRS, "LinearRegression", digits, tol=0.0),
        },
        quality_better="higher",
        quality_name="digits",
    ),
    Work(
        "ridge 200k×200",
        data=rows(200_000, 200),
        contenders={
            "surefit": fit(OURS, "Ridge", lambda model, data: objective(model, data, 1.0)),
            "sklearnex": fit(INTEL, "Ridge", lambda model, data: objective(model, data, 1.0)),
            "scikit-learn": fit(THEIRS, "Ridge", lambda model, data: objective(model, data, 1.0)),
        },
        bar={"sklearnex": 1.0},
        quality_name="objective",
        flops=200_000 * 200 * 201,
    ),
    *(
        Work(
            f"{what}, CSR {size}",
            data=data,
            contenders={
                "surefit": fit(OURS, name, partial(objective, alpha=alpha)),
                "scikit-learn": fit(THEIRS, name, partial(objective, alpha=alpha)),
            },
            bar={"scikit-learn": 1.0},
            quality_name="objective",
            quality_within=1e-6,
        )
        for what, name, alpha in (("ridge", "Ridge", 1.0), ("least squares", "LinearRegression", 0.0))
        for size, data in (("32k×123 categories", categories(32_000)), ("20k×5k text", text(20_000, 5_000, 60)))
    ),
    Work(
        "leave-one-out 100k×100, 20 penalties",
        data=rows(100_000, 100),
        contenders={
            "surefit": fit(OURS, "RidgeCV", left_out, alphas=PENALTIES),
            "scikit-learn": fit(THEIRS, "RidgeCV", left_out, alphas=PENALTIES),
        },
        bar={"scikit-learn": 8.0},
        quality_name="left-out error²",
        flops=100_000 * 100 * (101 + 200 + 80),
    ),
    Work(
        "logistic 200k×100, to a gap of 1e-6",
        data=two_classes(200_000, 100),
        contenders={
            "surefit": fit(OURS, "LogisticRegression", log_loss),
            "scikit-learn": fit(THEIRS, "LogisticRegression", log_loss),
            "newton-cholesky": fit(THEIRS, "LogisticRegression", log_loss, solver="newton-cholesky"),
        },
        bar={"scikit-learn": 2.0},
        quality_name="objective",
        quality_within=1e-6,
    ),
    Work(
        "logistic 500k×20, to a gap of 1e-6",
        data=two_classes(500_000, 20),
        contenders={
            "surefit": fit(OURS, "LogisticRegression", log_loss),
            "scikit-learn": fit(THEIRS, "LogisticRegression", log_loss),
            "newton-cholesky": fit(THEIRS, "LogisticRegression", log_loss, solver="newton-cholesky"),
        },
        bar={"newton-cholesky": 1.0},
        quality_name="objective",
        quality_within=1e-6,
    ),
    *(
        Work(
            f"logistic with L1, text {n // 1000}k×{d // 1000}k, C = 1",
            data=text(n, d, words),
            contenders={
                "surefit": fit(OURS, "LogisticRegression", lasso_loss, l1_ratio=1.0, solver="liblinear"),
                "scikit-learn": fit(THEIRS, "LogisticRegression", lasso_loss, l1_ratio=1.0, solver="liblinear"),
            },
            bar={"scikit-learn": 1.0},
            quality_name="objective",
            quality_within=1e-6,
        )
        for n, d, words in ((10_000, 20_000, 100), (20_000, 50_000, 100), (20_000, 20_000, 200))
    ),
    Work(
        "softmax 8k×50, 1,000 classes, to a gap of 1e-6",
        data=clouds(8_000, 50, 1_000),
        contenders={
            "surefit": fit(OURS, "LogisticRegression", log_loss),
            "scikit-learn": fit(THEIRS, "LogisticRegression", log_loss, tol=1e-6, max_iter=1000),
        },
        bar={"scikit-learn": 1.0},
        quality_name="objective",
        quality_within=1e-6,
        repeats=2,
    ),
    Work(
        "logistic, CSR 20k×5k, to a gap of 1e-6",
        data=two_classes_sparse(20_000, 5_000, 0.01),
        contenders={
            "surefit": fit(OURS, "LogisticRegression", log_loss),
            "scikit-learn": fit(THEIRS, "LogisticRegression", log_loss, tol=1e-6, max_iter=1000),
            "newton-cg": fit(THEIRS, "LogisticRegression", log_loss, solver="newton-cg", tol=1e-6, max_iter=1000),
        },
        bar={"scikit-learn": 1.0},
        quality_name="objective",
        quality_within=1e-6,
    ),
    Work(
        "softmax 60k×784, 10 classes, float32",
        data=pictures(60_000, 28, 10),
        contenders={
            "surefit": fit(OURS, "LogisticRegression", log_loss),
            "scikit-learn": fit(THEIRS, "LogisticRegression", log_loss),
        },
        bar={"scikit-learn": 1.5},
        quality_name="objective",
        quality_within=1e-6,
        seconds=40.0,
    ),
    Work(
        "logistic with L1 100k×100, to a gap of 1e-6",
        data=two_classes(100_000, 100),
        contenders={
            "surefit": fit(OURS, "LogisticRegression", lasso_loss, l1_ratio=1.0, C=0.01, solver="liblinear"),
            "scikit-learn": fit(THEIRS, "LogisticRegression", lasso_loss, l1_ratio=1.0, C=0.01, solver="liblinear"),
        },
        bar={"scikit-learn": 2.0},
        quality_name="objective",
        quality_within=1e-6,
    ),
    Work(
        "logistic, iris",
        data=iris_rows,
        contenders={
            "surefit": fit(OURS, "LogisticRegression", log_loss),
            "scikit-learn": fit(THEIRS, "LogisticRegression", log_loss),
        },
        bar={"scikit-learn": 1.0},
        quality_name="objective",
        quality_within=1e-6,
    ),
    *(
        Work(  # scikit-learn's stochastic descent, whose averaged iterates come near the least sum
            f"least mean squares 200k×100, {name}",
            data=rows(200_000, 100),
            contenders={
                "surefit": fit(OURS, "LMSRegressor", objective, method=method, random_state=0),
                "SGDRegressor": fit(THEIRS, "SGDRegressor", objective, penalty=None, average=True, random_state=0),
            },
            bar={"SGDRegressor": bar},
            quality_name="residual²",
            quality_within=1e-5,
        )
        for name, method, bar in (("all rows at once", "batch", 5.0), ("row by row", "stochastic", 1.0))
    ),
    Work(
        "LAD 5k×20",
        data=rows(5_000, 20),
        contenders={
            "surefit": fit(OURS, "LADRegressor", absolute),
            "scikit-learn": fit(THEIRS, "QuantileRegressor", absolute, alpha=0.0),
        },
        bar={"scikit-learn": 10.0},
        quality_name="Σ |residual|",
        quality_within=1e-9,
        repeats=3,
    ),
    *(
        Work(  # scikit-learn does not finish at these sizes: the growth is what is shown
            f"LAD {n // 1000}k×20",
            data=rows(n, 20),
            contenders={"surefit": fit(OURS, "LADRegressor", absolute)},
            quality_name="Σ |residual|",
        )
        for n in (20_000, 40_000, 80_000, 100_000)
    ),
    Work(
        "separation by linear programming 100k×20",
        data=two_classes(100_000, 20),
        contenders={"surefit": fit(OURS, "LinearProgramClassifier", violations)},
        quality_name="Σ violations",
    ),
    Work(  # scikit-learn has no class of the name: its Perceptron with its own settings; surefit also finds the bound
        "batch perceptron 100k×20, separable",
        data=two_classes_apart(100_000, 20, 0.05),
        contenders={
            "surefit": fit(OURS, "BatchPerceptron", mistakes),
            "scikit-learn": fit(THEIRS, "Perceptron", mistakes),
        },
        quality_name="mistakes",
    ),
    *(
        Work(  # the same number of epochs; what is right after the last one differs with the order of the rows
            f"perceptron {name}",
            data=data,
            contenders={
                "surefit": fit(OURS, "Perceptron", accuracy, **options),
                "scikit-learn": fit(THEIRS, "Perceptron", accuracy, **options),
            },
            bar={"scikit-learn": bar},
            quality_better="higher",
            quality_name="accuracy",
            quality_within=0.1,
        )
        for name, data, options, bar in (
            ("200k×100, 20 epochs", two_classes(200_000, 100), {"max_iter": 20, "tol": None}, 1.5),
            (
                "CSR 100k×10k, 1 % filled, 20 epochs",
                two_classes_sparse(100_000, 10_000, 0.01),
                {"max_iter": 20, "tol": None},
                1.5,
            ),
            ("iris", iris_rows, {}, 1.0),
        )
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
