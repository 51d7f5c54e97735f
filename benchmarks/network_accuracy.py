"""Accuracy after equal epochs, surefit, scikit-learn and torch: `python -m benchmarks.network_accuracy`.

One hidden layer, Adam with the same step and size of batches, no penalty, the kind of start that scikit-learn has; each
seed draws another start and another order of the rows (and on digits another split). Deformed digits are scikit-learn's
8 × 8 ones, turned, sheared, moved and scaled at random into 28 × 28, with noise: 60,000 to learn from, made of 1,200
originals, and 10,000 to test on, made of the other 597.

The planted overfit: 600 digits, a fifth of them with a random label. `--write` puts the tables into the guide.
"""

from __future__ import annotations

import argparse
import importlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "guide" / "neural_network" / "mlp.md"
BATCH, STEP, CLASSES = 200, 0.001, 10

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def digits(seed: int) -> Split:
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(y))
    X, y = (X[order] / 16).astype(np.float32), y[order]
    return X[:1200], y[:1200], X[1200:], y[1200:]


def deformed(images: np.ndarray, n: int, rng: np.random.Generator, size: int = 28) -> tuple[np.ndarray, np.ndarray]:
    """n random deformations (bilinear, with noise), and which image each was made of."""
    which = rng.integers(len(images), size=n)
    place = (np.arange(size) - (size - 1) / 2) / (size / 2)
    grid = np.stack(np.meshgrid(place, place, indexing="ij"), axis=-1).reshape(-1, 2)
    out = np.empty((n, size * size), np.float32)
    for start in range(0, n, 2000):
        at = which[start : start + 2000]
        m = len(at)
        angle, stretch = rng.normal(0, 0.2, m), np.exp(rng.normal(0, 0.12, (m, 2)))
        turn = np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], axis=1).reshape(m, 2, 2)
        turn[:, 0, 1] += rng.normal(0, 0.15, m)
        where = np.einsum("nij,pj->npi", turn * stretch[:, None], grid) + rng.normal(0, 0.08, (m, 1, 2))
        where = np.clip((where * 1.15 + 1) * 4 - 0.5, -0.999, 7.999) + 1
        low = where.astype(int)
        share = where - low
        padded = np.pad(images[at], ((0, 0), (1, 2), (1, 2)))
        row = np.arange(m)[:, None]
        value = np.zeros((m, size * size))
        for i in (0, 1):
            for j in (0, 1):
                part = np.abs(1 - i - share[..., 0]) * np.abs(1 - j - share[..., 1])
                value += part * padded[row, low[..., 0] + i, low[..., 1] + j]
        out[start : start + m] = np.clip(value + rng.normal(0, 0.1, value.shape), 0, 1)
    return out, which


def deformed_digits(seed: int = 0, n: int = 60_000) -> Split:
    """The same rows for every seed."""
    rng = np.random.default_rng(0)
    X, y = load_digits(return_X_y=True)
    images = X.reshape(-1, 8, 8) / 16
    train, of_train = deformed(images[:1200], n, rng)
    test, of_test = deformed(images[1200:], n // 6, rng)
    return train, y[:1200][of_train], test, y[1200:][of_test]


def estimator(module: str) -> Callable[[Split, int, int, int], float]:
    def accuracy(data: Split, hidden: int, epochs: int, seed: int) -> float:
        X, y, X_test, y_test = data
        model = importlib.import_module(module).MLPClassifier(
            (hidden,), alpha=0.0, batch_size=BATCH, learning_rate_init=STEP, max_iter=epochs, tol=0.0,
            n_iter_no_change=epochs, random_state=seed,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(model.fit(X, y).score(X_test, y_test))

    return accuracy


def torchs(data: Split, hidden: int, epochs: int, seed: int) -> float:
    torch = importlib.import_module("torch")
    torch.manual_seed(seed)
    X, X_test = torch.from_numpy(data[0]), torch.from_numpy(data[2])
    y = torch.from_numpy(data[1].astype(np.int64))
    n, d = X.shape
    layers = torch.nn.Linear(d, hidden), torch.nn.Linear(hidden, CLASSES)
    for layer in layers:
        bound = (6 / (layer.in_features + layer.out_features)) ** 0.5
        for parameter in layer.parameters():
            torch.nn.init.uniform_(parameter, -bound, bound)
    model = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1])
    loss, optimizer = torch.nn.CrossEntropyLoss(), torch.optim.Adam(model.parameters(), lr=STEP)
    for _ in range(epochs):
        order = torch.randperm(n)
        for start in range(0, n, BATCH):
            at = order[start : start + BATCH]
            optimizer.zero_grad()
            loss(model(X[at]), y[at]).backward()
            optimizer.step()
    with torch.no_grad():
        return float((model(X_test).argmax(dim=1).numpy() == data[3]).mean())


CONTENDERS = {
    "surefit": estimator("surefit.neural_network"),
    "scikit-learn": estimator("sklearn.neural_network"),
    "torch": torchs,
}


def accuracies(seeds: int) -> Iterator[str]:
    """A table: mean accuracy on the test rows and its standard deviation over the seeds."""
    yield f"| test accuracy, {seeds} seeds | " + " | ".join(CONTENDERS) + " |"
    yield "|---" * (1 + len(CONTENDERS)) + "|"
    large = deformed_digits()
    for name, data, hidden, epochs in (
        ("digits 1,200 × 64, 64 units, 40 epochs", digits, 64, 40),
        ("deformed digits 60,000 × 784, 256 units, 3 epochs", lambda seed: large, 256, 3),
    ):
        cells = []
        for accuracy in CONTENDERS.values():
            found = [accuracy(data(seed), hidden, epochs, seed) for seed in range(seeds)]
            cells.append(f"{np.mean(found):.4f} ± {np.std(found, ddof=1):.4f}")
        yield f"| {name} | " + " | ".join(cells) + " |"


def planted(seed: int = 0) -> Split:
    """600 digits to learn from, a fifth of them with a random label, and the others, with their own, to test on."""
    X, y, X_test, y_test = digits(seed)
    rng = np.random.default_rng(seed)
    told = np.where(rng.random(600) < 0.2, rng.integers(10, size=600), y[:600])
    return X[:600], told, np.concatenate([X[600:], X_test]), np.concatenate([y[600:], y_test])


OVERFIT = {
    "neither": {},
    "dropout=0.5": {"dropout": 0.5},
    "weight_decay=0.3": {"weight_decay": 0.3},
    "both": {"dropout": 0.5, "weight_decay": 0.3},
}


def wrong_shares(settings: dict[str, float], seed: int, epochs: int = 150) -> tuple[float, float]:
    """Share of wrong answers on the training rows (by the labels told) and on the test rows."""
    X, told, X_test, y_test = planted(seed)
    MLPClassifier = importlib.import_module("surefit.neural_network").MLPClassifier
    model = MLPClassifier((128,), learning_rate_init=0.005, max_iter=epochs, tol=0.0, random_state=seed, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, told)
    return 1 - model.score(X, told), 1 - model.score(X_test, y_test)


def overfit(seeds: int) -> Iterator[str]:
    yield f"| planted overfit, {seeds} seeds | wrong on training rows | wrong on test rows | gap |"
    yield "|---|---|---|---|"
    for name, settings in OVERFIT.items():
        train, test = np.mean([wrong_shares(settings, seed) for seed in range(seeds)], axis=0)
        yield f"| {name} | {train:.3f} | {test:.3f} | {test - train:.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.network_accuracy")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    tables = "\n".join([*accuracies(options.seeds), "", *overfit(options.seeds)])
    print(tables)
    if options.write:
        text = PAGE.read_text("utf-8")
        begin, end = "<!-- accuracy -->\n", "<!-- end of accuracy -->\n"
        before, rest = text.split(begin)
        PAGE.write_text(f"{before}{begin}\n{tables}\n\n{end}{rest.split(end)[1]}", "utf-8")


if __name__ == "__main__":
    main()
