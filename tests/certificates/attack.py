"""What studies of checkers share: rows of many sorts, lies of many sizes, and the counts.

The truth about a model is a dict from names of claims to numbers reckoned in long double (`tests/reference`), or for
what has no claim of its own from a name to a number that must be zero. A printed number must not be below the truth;
a lie is as good as the fit where no true number is above its claim's limit and what is printed as rounding.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import surefit
from tests.certificates.bench import altered

SORTS = ("plain", "offset 30", "offset 3000", "offset 1e6", "mixed scales", "tight", "rare", "single", "repeated",
         "weights")  # fmt: skip
SIZES = (1e-9, 1e-7, 1e-5, 1e-3, 1e-1)

Truth = Callable[[Any], dict[str, float]]
Lies = Iterable[tuple[str, Any]]


class Rows(NamedTuple):
    sort: str
    X: np.ndarray
    group: np.ndarray
    w: np.ndarray | None

    @property
    def weights(self) -> np.ndarray:
        return np.ones(len(self.X)) if self.w is None else self.w


def rows(seed: int, groups: int = 3, most: int = 90) -> Rows:
    rng = np.random.default_rng(seed)
    sort, n, d = SORTS[seed % len(SORTS)], int(rng.integers(40, most)), int(rng.integers(2, 5))
    group = np.concatenate([np.arange(groups).repeat(2), rng.integers(groups, size=n - 2 * groups)])
    if sort == "rare":
        group = np.where(np.arange(n) < 3, 0, 1 + group % max(1, groups - 1))
    X = rng.normal(size=(n, d)) * (1e-5 if sort == "tight" else 1.0) + 4 * rng.normal(size=(groups, d))[group]
    if sort.startswith("offset"):
        X = X + float(sort.split()[1])
    if sort == "mixed scales":
        X = X * 10.0 ** rng.uniform(-3, 3, d)
    if sort == "repeated":
        X = X[rng.integers(0, n // 2, n)]
    w = rng.integers(0, 4, n).astype(float) if sort == "weights" else None
    return Rows(sort, X.astype(np.float32) if sort == "single" else X, group, w)


def nudged(model: Any, units: dict[str, Any], rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """The model with one entry of one attribute moved by each size, in the unit given for that attribute."""
    for name, unit in units.items():
        value = np.asarray(getattr(model, name))
        for size in SIZES:
            lie = value.astype(np.float64)
            at = tuple(int(rng.integers(s)) for s in lie.shape)
            lie[at] += size * np.broadcast_to(unit, lie.shape)[at] * rng.choice([-1, 1])
            kept = lie.astype(value.dtype) if value.dtype.kind == "f" else lie
            if not np.array_equal(kept, value):
                yield f"{name} off by {size:g}", altered(model, **{name: kept if kept.shape else kept[()]})


def answering(model: Any, method: str, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    """A copy of the model whose method gives something else."""
    true = getattr(model, method)
    return altered(model, **{method: lambda X: change(np.array(true(X)))})


class Study:
    """Counts, and a line for each thing that should not be."""

    def __init__(self) -> None:
        self.counts: Counter = Counter(dict.fromkeys(("fits", "accepted", "lies", "believed", "as good", "below"), 0))
        self.faults: list[str] = []

    def add(self, label: str, model: Any, data: tuple[Any, ...], truth: Truth, lies: Lies, honest: bool = True) -> None:
        said = surefit.certify(model, *data)
        self.counts["fits"] += 1
        self.counts["accepted"] += said.holds
        if honest and not said.holds:
            self.faults.append(f"{label}: an honest fit is refused:\n{said}")
        self._below(label, said, truth(model))
        for what, liar in lies:
            self.counts["lies"] += 1
            found, true = surefit.certify(liar, *data), truth(liar)
            self._below(f"{label}, {what}", found, true)
            if found.holds and _as_good(found, true):
                self.counts["as good"] += 1
            elif found.holds:
                self.counts["believed"] += 1
                self.faults.append(f"{label}: believed {what}: {true}")

    def _below(self, label: str, said: Any, true: dict[str, float]) -> None:
        for claim in said:
            if claim.name in true and claim.value is not None and claim.value < true[claim.name]:
                self.counts["below"] += 1
                self.faults.append(f"{label}: {claim.name} printed {claim.value:.9e}, true {true[claim.name]:.9e}")


def _as_good(said: Any, true: dict[str, float]) -> bool:
    told = {claim.name: np.inf for claim in said if claim.limit is None or claim.value is None}  # nothing is claimed
    limits = {claim.name: claim.limit + claim.excuse for claim in said if claim.name not in told} | told
    return all(value <= limits.get(name, 0.0) for name, value in true.items())


def main(studies: dict[str, Callable[[int, int], Study]], count: int) -> None:
    """`python -m … [COUNT [FIRST]]`."""
    numbers = [int(a) for a in sys.argv[1:3]]
    for name, study in studies.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = study(*(numbers or [count]))
        print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in found.counts.items()))
        for line in sorted(found.faults, key=lambda line: " printed " in line)[:20]:
            print("  " + line)
