"""A network of one hidden layer against torch and scikit-learn: `python -m benchmarks.networks`.

Adam with the same size of batches, step and kind of start for all: weights and intercepts uniform within
√(6/(inputs + units)), no penalty, another order of the rows in each epoch. An example needs 4·d·h operations in the
first layer and 6·h·c in the second: forward, slopes of the weights, and in the second layer slopes of the inputs.

Torch runs on the processor, with a thread for each core. Its threads spin while they wait for each other, which is
right on an idle machine and many times slower on a busy one; "torch, passive" lets them sleep (OMP_WAIT_POLICY). The
bar is asked for against both, so that the faster one counts.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work, main

CLASSES, BATCH, STEP = 10, 200, 0.001


def rows(n: int, d: int) -> Callable[[], Data]:
    """Classes of four groups each, which overlap a little; a sixth more rows to test on."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        centers = 0.25 * rng.normal(size=(4 * CLASSES, d)).astype(np.float32)
        group = rng.integers(len(centers), size=n + n // 6)
        X = rng.standard_normal(size=(len(group), d), dtype=np.float32) + centers[group]
        y = group % CLASSES
        return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}

    return make


def fit(module: str, hidden: int, epochs: int) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        MLPClassifier = importlib.import_module(module).MLPClassifier
        model = MLPClassifier(
            (hidden,), alpha=0.0, batch_size=BATCH, learning_rate_init=STEP, max_iter=epochs, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(data["X"], data["y"])
        return lambda: float((model.predict(data["X_test"]) == data["y_test"]).mean())

    return run


def torch(hidden: int, epochs: int, waiting: str | None = None) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        if waiting is not None:
            os.environ["OMP_WAIT_POLICY"] = waiting  # read when torch is loaded: the first call of this process
        torch = importlib.import_module("torch")
        torch.set_num_threads(os.cpu_count() or 1)
        torch.manual_seed(0)
        X, y = torch.from_numpy(data["X"]), torch.from_numpy(data["y"])
        n, d = X.shape
        first, last = torch.nn.Linear(d, hidden), torch.nn.Linear(hidden, CLASSES)
        for layer in (first, last):
            bound = (6 / (layer.in_features + layer.out_features)) ** 0.5
            for parameter in layer.parameters():
                torch.nn.init.uniform_(parameter, -bound, bound)
        model = torch.nn.Sequential(first, torch.nn.ReLU(), last)
        loss, optimizer = torch.nn.CrossEntropyLoss(), torch.optim.Adam(model.parameters(), lr=STEP, fused=True)
        for _ in range(epochs):
            order = torch.randperm(n)
            for start in range(0, n, BATCH):
                at = order[start : start + BATCH]
                optimizer.zero_grad()
                loss(model(X[at]), y[at]).backward()
                optimizer.step()

        def accuracy() -> float:
            with torch.no_grad():
                said = model(torch.from_numpy(data["X_test"])).argmax(dim=1).numpy()
            return float((said == data["y_test"]).mean())

        return accuracy

    return run


def work(n: int, d: int, hidden: int, epochs: int, bar: float) -> Work:
    return Work(
        f"MLP {n // 1000}k×{d}→{hidden}→{CLASSES}, {epochs} epochs, float32",
        data=rows(n, d),
        contenders={
            "surefit": fit("surefit.neural_network", hidden, epochs),
            "torch": torch(hidden, epochs),
            "torch, passive": torch(hidden, epochs, "passive"),
            "scikit-learn": fit("sklearn.neural_network", hidden, epochs),
        },
        bar={"torch": bar, "torch, passive": bar},
        quality_name="accuracy",
        quality_better="higher",
        quality_within=0.01,
        flops=n * epochs * (4.0 * d * hidden + 6.0 * hidden * CLASSES),
        repeats=5,
        seconds=30.0,
    )


WORKS = [work(60_000, 784, 256, 3, bar=1.2)]


if __name__ == "__main__":
    main(__file__, WORKS)
