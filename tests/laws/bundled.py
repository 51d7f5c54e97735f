"""Every class with its default settings on scikit-learn's bundled data sets, ours and scikit-learn's: what is decided.

`python -m tests.laws.bundled [CLASS …]` prints, class by class and library by library, how many fits there were, how
many certificates hold, how many are proved to be off, how many are not decided, and how many fits warned that they
stopped early. A fit is undecided where its certificate fails and no claim of it is proved to be false.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sklearn.base
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import surefit
from surefit.certificates import Grade
from tests.laws.registry import MOST_ROWS, estimator_classes, scikit_learn_class

LOADERS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "diabetes": load_diabetes,
    "digits": load_digits,
}
NEEDED: dict[str, dict[str, Any]] = {  # where the defaults do not suit the data
    "GaussianMixture": {"n_components": 3, "max_iter": 1000},
    "BayesianGaussianMixture": {"n_components": 3, "max_iter": 1000},
    "GaussianRandomProjection": {"n_components": 3},
    "RadiusNeighborsClassifier": {"radius": 1e9},
    "RadiusNeighborsRegressor": {"radius": 1e9},
}


@dataclass
class Tally:
    fits: int = 0
    holds: int = 0
    off: int = 0
    undecided: int = 0
    early: int = 0  # of the fits
    reasons: list[str] = field(default_factory=list)


def tables(model: Any) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The data sets that suit the model, as they are and standardized; few rows where its work grows with n²."""
    for name, load in LOADERS.items():
        X, y = load(return_X_y=True)
        if sklearn.base.is_classifier(model) == (name == "diabetes"):
            continue  # its target is a number, the others' are classes
        if sklearn.base.is_classifier(model) and not get_tags(model).classifier_tags.multi_class:
            y = np.minimum(y, 1)
        keep = np.random.default_rng(0).permutation(len(X))[: MOST_ROWS.get(type(model).__name__, len(X))]
        X, y = X[keep], y[keep]
        if get_tags(model).input_tags.positive_only:
            if (X >= 0).all():
                yield name, X, y
            continue
        yield name, X, y
        yield f"{name}, standardized", StandardScaler().fit_transform(X), y


def fitted(model: Any, X: np.ndarray, y: np.ndarray) -> tuple[Any, bool] | None:
    """The fit and whether it warned that it stopped early; None where the class refuses the data."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            model.fit(X, y)
        except ValueError:
            return None
    return model, any(issubclass(w.category, ConvergenceWarning) for w in seen)


def study(cls: type) -> Tally:
    tally = Tally()
    settings = NEEDED.get(cls.__name__, {})
    if "random_state" in cls().get_params():
        settings = settings | {"random_state": 0}
    for name, X, y in tables(cls()):
        found = fitted(cls(**settings), X, y)
        if found is None:
            continue
        model, early = found
        certificate = surefit.certify(model, X, y)
        proved_off = any(claim.grade is Grade.NOT_OPTIMAL for claim in certificate.failures)
        tally.fits += 1
        tally.early += early
        tally.holds += certificate.holds
        tally.off += not certificate.holds and proved_off
        tally.undecided += not certificate.holds and not proved_off
        if not certificate.holds:
            first = next((c for c in certificate.failures if c.grade is Grade.NOT_OPTIMAL), certificate.failures[0])
            tally.reasons.append(
                f"{name}{', stopped early' if early else ''}: {first.grade} {first.name}: {first.sentence}"
            )
    return tally


if __name__ == "__main__":
    for ours in estimator_classes():
        if sys.argv[1:] and ours.__name__ not in sys.argv[1:]:
            continue
        for library, cls in (("surefit", ours), ("scikit-learn", scikit_learn_class(ours()))):
            if cls is None:
                continue
            start = time.perf_counter()
            t = study(cls)
            counts = (
                f"fits {t.fits:>3}  hold {t.holds:>3}  off {t.off:>3}  undecided {t.undecided:>3}  early {t.early:>3}"
            )
            print(f"{ours.__name__:<32}{library:<14}{counts}  {time.perf_counter() - start:6.1f} s", flush=True)
            for reason in t.reasons:
                print("    ", reason, flush=True)
