"""Random support vector machines: is the printed gap ever below the true one, and is every lie refused?

`python -m tests.certificates.svm.study COUNT FIRST LIBRARY [fits]` prints the counts
(`fits`: without lies). The true gap is that of an
interior-point method in `tests/reference`, evaluated in long double.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

import surefit
import surefit.svm
from tests.reference import exact_margins, margins

LONG = np.longdouble
KINDS = ("plain", "unscaled", "duplicated", "tiny", "one column", "random labels", "offset", "weights")


def problem(seed: int) -> tuple[str, str, dict[str, Any], np.ndarray, np.ndarray, np.ndarray | None]:
    """(kind, class, parameters, X, y, w)."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n = int(rng.integers(4, 9)) if kind == "tiny" else int(rng.integers(20, 70))
    d = 1 if kind == "one column" else int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    score = X @ rng.normal(size=d) + 0.5 * rng.normal(size=n)
    if kind == "duplicated":
        X = X[rng.integers(0, max(3, n // 4), n)]
    if kind == "unscaled":
        X = X * 10.0 ** rng.uniform(-2, 2, d)
    if kind == "offset":
        X = X + 10.0 ** rng.uniform(1, 4)
    w = rng.integers(0, 4, n).astype(float) if kind == "weights" else None
    C = 10.0 ** rng.uniform(-2, 4)
    kernel = str(rng.choice(["linear", "rbf", "poly", "rbf"]))
    settings = {"kernel": kernel, "C": C, "tol": float(rng.choice([1e-3, 1e-6])), "max_iter": 200_000}
    if rng.random() < 0.5 and kernel != "linear":
        settings["gamma"] = 10.0 ** rng.uniform(-2, 0.5)
    if kernel == "poly":
        settings |= {"degree": int(rng.integers(2, 4)), "coef0": 1.0}
    if rng.random() < 0.3:
        return kind, "SVR", settings | {"epsilon": float(10.0 ** rng.uniform(-2, 0))}, X, score, w
    cuts = np.quantile(score, [0.5] if rng.random() < 0.7 else [0.3, 0.7])
    y = np.digitize(score, cuts)
    y = rng.permutation(y) if kind == "random labels" else y
    if w is not None:
        w[[int(np.flatnonzero(y == c)[0]) for c in np.unique(y)]] = 1.0  # every class has some weight
    return kind, "SVC", settings, X, y, w


def changed(model: Any) -> Iterator[tuple[str, Any]]:
    """The model with one thing changed that nobody calls rounding."""
    for name in ("dual_coef_", "intercept_"):
        value = np.asarray(getattr(model, name))
        for what, lie in (
            ("times 1.01", value * 1.01), ("zero", np.zeros_like(value)), ("negated", -value),
            ("shifted", value + 0.01 * (np.abs(value).max(initial=0.0) + 1)), ("NaN", np.full_like(value, np.nan)),
            ("shorter", value[..., :-1]),
        ):  # fmt: skip
            if not np.array_equal(lie, value):
                yield f"{name} {what}", _with(model, name, lie)
    support = np.asarray(model.support_)
    if len(support) > 1:
        yield "support_ reversed", _with(model, "support_", support[::-1].copy())
        yield "support_ shifted", _with(model, "support_", support + 1)
        yield "support_ repeated", _with(model, "support_", np.full_like(support, support[0]))
    vectors = np.asarray(model.support_vectors_)
    if vectors.size:
        yield "support_vectors_ moved", _with(model, "support_vectors_", vectors * 1.001 + 0.001)
    other = copy.deepcopy(model)
    other.C = model.C * 3.0
    yield "another C", other


def _with(model: Any, name: str, value: np.ndarray) -> Any:
    liar = copy.deepcopy(model)
    setattr(liar, name, value)
    return liar


def truth(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
    """The largest relative gap of a task, from below: the value found by the interior-point method is attained."""
    K, beta, b = margins.gram(model, X), margins.coefficients(model, y), np.atleast_1d(model.intercept_)
    gaps = [0.0]
    for p, task in enumerate(margins.tasks(model, y, w)):
        value = margins.primal(task, K, beta[:, p], b[p])
        if value > 0:
            gaps.append(float((value - margins.least(task, K)) / value))
    return max(gaps)


def _flatters(claim: Any, off: float) -> bool:
    return claim.value < off * (1 - 1e-6) - 1e-14


def study(count: int, first: int, library: Any, lies: bool = True) -> tuple[Counter, list[str]]:
    counts, faults = Counter(), []
    for seed in range(first, first + count):
        kind, name, settings, X, y, w = problem(seed)
        if library.__name__.startswith("sklearn") and w is not None:
            w = np.maximum(w, 1.0)  # with weights of zero its support_ numbers the other rows only
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = getattr(library, name)(**settings).fit(X, y, sample_weight=w)
        label = f"seed {seed} {kind} {name} {settings}"
        certificate = surefit.certify(model, X, y, w)
        counts["problems"] += 1
        if "optimal" not in [c.name for c in certificate]:
            counts["attributes refused"] += 1
            faults.append(f"{label}\n{certificate}")
            continue
        claim, off = certificate["optimal"], truth(model, X, y, w)
        if settings["kernel"] != "rbf" and (_flatters(claim, off) or (not certificate.holds and off <= 1e-9)):
            off = exact_margins.gap(model, X, y, w)  # long double may be too short
        counts[f"{claim.grade}"] += 1
        counts["held by all claims"] += certificate.holds
        if _flatters(claim, off):
            faults.append(f"{label}: printed {claim.value:.3e}, true {off:.3e}")
        if not certificate.holds and off <= 1e-9:
            counts["refused although right"] += 1
            faults.append(f"{label}: off {off:.1e}\n{certificate}")
        if claim.grade == "UNPROVED":
            counts["undecided"] += 1
        for what, liar in changed(model) if lies else ():
            counts["lies"] += 1
            said = surefit.certify(liar, X, y, w)
            if said.holds and truth(liar, X, y, w) > 1e-6:
                counts["believed"] += 1
                faults.append(f"{label}: {what} believed\n{said}")
            elif said.holds:
                counts["lies that are as good"] += 1
    counts["faults"] = len(faults)
    return counts, faults


if __name__ == "__main__":
    import sklearn.svm

    library = sklearn.svm if sys.argv[3] == "sklearn" else surefit.svm
    counts, faults = study(int(sys.argv[1]), int(sys.argv[2]), library, sys.argv[4:] != ["fits"])
    print(dict(counts))
    print("\n".join(faults[:20]))
