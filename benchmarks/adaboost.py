"""AdaBoost of stumps, and bagging of linear machines, against scikit-learn.

python -m benchmarks.adaboost [--only TEXT] [--repeats N] [--no-save]

Quality is the share of training rows classified rightly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work, main


def rows(n: int, d: int, n_classes: int = 2) -> Data:
    """Classes by a curved surface, a tenth of the labels at random; values that are the same in float32."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    score = X[:, 0] + X[:, 1] * X[:, 2] + X[:, 3] ** 2
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return {"X": X, "y": np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), y)}


def boosted(library: str, rounds: int) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        if library == "surefit":
            from surefit.ensemble.boosting.ada_boost import AdaBoostClassifier
        else:
            from sklearn.ensemble import AdaBoostClassifier
        model = AdaBoostClassifier(n_estimators=rounds, random_state=0).fit(data["X"], data["y"])
        return lambda: float(model.score(data["X"][:20_000], data["y"][:20_000]))

    return run


def bagged(library: str, max_samples: float) -> Contender:
    """The machine is scikit-learn's for both: what differs is what it is given."""

    def run(data: Data) -> Callable[[], float]:
        from sklearn.svm import LinearSVC

        if library == "surefit":
            from surefit.ensemble.bagging.bagging_classifier import BaggingClassifier
        else:
            from sklearn.ensemble import BaggingClassifier
        base = LinearSVC(dual=False)
        model = BaggingClassifier(base, n_estimators=10, max_samples=max_samples, random_state=0)
        model.fit(data["X"], data["y"])
        return lambda: float(model.score(data["X"][:20_000], data["y"][:20_000]))

    return run


def work(name: str, data: Callable[[], Data], make: Callable[[str], Contender], bar: float) -> Work:
    return Work(
        name,
        data=data,
        contenders={"surefit": make("surefit"), "scikit-learn": make("scikit-learn")},
        bar={"scikit-learn": bar},
        quality_better="higher",
        quality_name="share right",
        quality_within=1e-2,
        repeats=3,
    )


WORKS = [
    work("AdaBoost stumps 50k×20, 200 rounds", lambda: rows(50_000, 20), lambda lib: boosted(lib, 200), 40.0),
    work(
        "AdaBoost stumps 20k×10, 4 classes, 50 rounds", lambda: rows(20_000, 10, 4), lambda lib: boosted(lib, 50), 10.0
    ),
    work(
        "bagging of LinearSVC 50k×20, a tenth of the rows", lambda: rows(50_000, 20), lambda lib: bagged(lib, 0.1), 2.0
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
