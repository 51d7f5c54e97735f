"""Every class with its default settings on scikit-learn's bundled data sets, ours and scikit-learn's: what is decided.

`python -m tests.laws.bundled [CLASS …]` prints, class by class and library by library, how many fits had which verdict,
how many of them warned that they stopped early, and why those that do not simply hold do not.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import sklearn.base
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import surefit
from surefit.certificates import Certificate, Grade
from tests.laws.registry import MOST_ROWS, estimator_classes, scikit_learn_class

LOADERS = {
    "iris": load_iris,
    "wine": load_wine,
    "diabetes": load_diabetes,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
NEEDED: dict[str, dict[str, Any]] = {  # where the defaults do not suit the data
    "GaussianMixture": {"n_components": 3, "max_iter": 1000},
    "BayesianGaussianMixture": {"n_components": 3, "max_iter": 1000},
    "GaussianRandomProjection": {"n_components": 3},
    "RadiusNeighborsClassifier": {"radius": 1e9},
    "RadiusNeighborsRegressor": {"radius": 1e9},
}
SINGLE_ROWS = 200  # of the tables in float32


class Verdict(StrEnum):
    HOLDS = "holds"  # ✓
    OPEN = "open"  # ○: all claims hold, one of them tells that something is not proved
    OFF = "off"  # ✗: a claim is proved to be false
    UNDECIDED = "undecided"  # ✗: a claim fails, and none is proved to be false
    REFUSED = "refused"  # no fit: the class does not take these data


@dataclass(frozen=True)
class Outcome:
    table: str
    verdict: Verdict
    early: bool = False  # the fit warned that it stopped before it had converged
    reason: str = ""  # of all but HOLDS

    @property
    def unexplained(self) -> bool:
        """Nothing is decided, and the fit itself had not said why."""
        return self.verdict is Verdict.UNDECIDED and not self.early


def tables(model: Any, names: Iterable[str] = LOADERS) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The data sets that suit the model: as they are, standardized, and some rows of them in float32.

    Classifiers have those with classes, regressors the one with a number, all else all five. Rows are few where work
    grows with their square; what counts things has no standardized rows, nor any below zero.
    """
    tags = get_tags(model)
    for name in names:
        X, y = LOADERS[name](return_X_y=True)
        numbers = name == "diabetes"
        if (sklearn.base.is_classifier(model) and numbers) or (sklearn.base.is_regressor(model) and not numbers):
            continue
        if tags.input_tags.positive_only and (X < 0).any():
            continue
        if sklearn.base.is_classifier(model) and not tags.classifier_tags.multi_class:
            y = np.minimum(y, 1)
        keep = np.random.default_rng(0).permutation(len(X))[: MOST_ROWS.get(type(model).__name__, len(X))]
        X, y = X[keep], y[keep]
        yield name, X, y
        if not tags.input_tags.positive_only:
            yield f"{name}, standardized", StandardScaler().fit_transform(X), y
        few = slice(SINGLE_ROWS)
        yield f"{name}, float32", X[few].astype(np.float32), y[few].astype(np.float32) if numbers else y[few]


def judged(certificate: Certificate) -> tuple[Verdict, str]:
    """The verdict, and of the claim that says most against the fit what it says."""
    if certificate.holds and certificate.grade is not Grade.UNPROVED:
        return Verdict.HOLDS, ""
    false = [claim for claim in certificate.failures if claim.grade is Grade.NOT_OPTIMAL]
    unproved = [claim for claim in certificate if claim.grade is Grade.UNPROVED]
    most = (false or list(certificate.failures) or unproved)[0]
    verdict = Verdict.OPEN if certificate.holds else Verdict.OFF if false else Verdict.UNDECIDED
    return verdict, f"{most.grade} {most.name}: {most.sentence}"


def study(cls: type, names: Iterable[str] = LOADERS) -> Iterator[Outcome]:
    """A fit to each table, judged by its certificate."""
    settings = NEEDED.get(cls.__name__, {})
    if "random_state" in cls().get_params():
        settings = settings | {"random_state": 0}
    for table, X, y in tables(cls(), names):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                model = cls(**settings).fit(X, y)
            except ValueError as refusal:
                yield Outcome(table, Verdict.REFUSED, reason=str(refusal).splitlines()[0])
                continue
        early = any(issubclass(warning.category, ConvergenceWarning) for warning in seen)
        verdict, reason = judged(surefit.certify(model, X, y))
        yield Outcome(table, verdict, early, reason)


def report(name: str, library: str, outcomes: list[Outcome], seconds: float) -> Iterator[str]:
    count = Counter(outcome.verdict for outcome in outcomes)
    verdicts = "  ".join(f"{verdict} {count[verdict]:>2}" for verdict in Verdict)
    fits, early = len(outcomes) - count[Verdict.REFUSED], sum(outcome.early for outcome in outcomes)
    yield f"{name:<32}{library:<14}fits {fits:>2}: {verdicts}; early {early:>2}  {seconds:6.1f} s"
    for o in outcomes:
        if o.verdict is not Verdict.HOLDS:
            yield f"      {o.table}{', stopped early' if o.early else ''}: {o.verdict}: {o.reason}"


if __name__ == "__main__":
    known = {cls.__name__: cls for cls in estimator_classes()}
    for name in sys.argv[1:] or known:
        for library, cls in (("surefit", known[name]), ("scikit-learn", scikit_learn_class(known[name]()))):
            if cls is not None:
                start = time.perf_counter()
                found = list(study(cls))
                print(*report(name, library, found, time.perf_counter() - start), sep="\n", flush=True)
