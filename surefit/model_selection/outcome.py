"""What `compare` finds out about one model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit.certificates import Certificate, Grade
from surefit.certificates.presentation import OPEN, mark, plain
from surefit.model_selection.clusterings.indices import index_text
from surefit.model_selection.scoring import LOG_LOSS
from surefit.model_selection.significance.intervals import Difference, Interval


@dataclass
class Outcome:
    """One model: its scores fold by fold, the fit on all rows, and what could be proved about it."""

    name: str
    estimator: Any
    scores: np.ndarray
    interval: Interval
    fit_seconds: float
    """The median over the fold fits and the last one."""
    certificates: dict[str, Certificate]
    versus_best: Difference | None = None
    p_adjusted: float | None = None
    predictions: np.ndarray | None = None
    """Each row predicted by a model that has not seen it (first repeat); None without a target, and where the folds
    do not test on every row."""
    probabilities: np.ndarray | None = None
    """The same for the probabilities of the classes, one column each; None where the model gives none."""
    fold_coefficients: np.ndarray | None = None
    """Coefficients of the fold fits, one row per fold; None where the model has none."""
    extra: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    """What the search chose on all rows; empty without a search."""
    fold_parameters: list[dict[str, Any]] = field(default_factory=list)
    """What the search chose in the training part of each fold."""
    search_rows: int | None = None
    """Rows that the search looked at, of all of them; None without a search."""
    family: str = ""
    """The class of the last step."""
    is_baseline: bool = False
    sentence: str = ""
    """What the model is, in a few words."""
    equivalent: Any = None
    """How likely this model and the best one are practically equal, an `Equivalence`; None for the best itself."""
    folds: str = ""
    """A fingerprint of the folds: scores of other folds cannot be paired with these."""
    not_certified: str = ""
    """Why the last fit was not checked although it could be; empty where it was."""
    notes: list[str] = field(default_factory=list)
    """What was done differently for this model, in words."""

    @property
    def merit(self) -> tuple[float, float]:
        """What models are ranked by: the mean score and, where that is the same, the lower log-loss."""
        return self.interval.mean if self.scored else -np.inf, -self.extra.get(LOG_LOSS, np.inf)

    @property
    def scored(self) -> bool:
        """False for a clustering that says nothing about unseen rows: it has indices alone."""
        return not np.isnan(self.interval.mean)

    @property
    def holds(self) -> bool | None:
        """Do all certificates hold? None when there is nothing to certify."""
        return all(one.holds for one in self.certificates.values()) if self.certificates else None

    @property
    def grade(self) -> Grade | None:
        """The grade of the weakest certificate."""
        grades = [one.grade for one in self.certificates.values()]
        return max(grades, key=list(Grade).index) if grades else None

    @property
    def verdict(self) -> str:
        """✓ GRADE, ✗ GRADE, ○ UNPROVED where the claims hold and none proves that the fit has converged, or —."""
        return "—" if self.holds is None else f"{mark(self.holds, self.grade)} {self.grade}"

    @property
    def is_open(self) -> bool:
        """Nothing checked is wrong, and nothing is proved either."""
        return self.verdict.startswith(OPEN)

    def extra_text(self, name: str) -> str:
        return index_text(name, self.extra[name]) if name in self.extra else ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "estimator": str(self.estimator),
            "score": plain(self.interval.mean),
            "low": plain(self.interval.low),
            "high": plain(self.interval.high),
            "scores": plain(self.scores),
            "difference_to_best": None
            if self.versus_best is None
            else {
                "mean": plain(self.versus_best.mean),
                "low": plain(self.versus_best.low),
                "high": plain(self.versus_best.high),
                "p": plain(self.versus_best.p),
                "p_holm": plain(self.p_adjusted),
            },
            "equivalence_to_best": None if self.equivalent is None else self.equivalent.to_dict(),
            "fit_seconds": self.fit_seconds,
            "grade": None if self.grade is None else self.grade.value,
            "holds": self.holds,
            "certificates": {name: one.to_dict() for name, one in self.certificates.items()},
            "extra": {name: plain(value) for name, value in self.extra.items()},
            "warnings": list(self.warnings),
            "parameters": {name: plain(value) for name, value in self.parameters.items()},
            "fold_parameters": [{name: plain(value) for name, value in one.items()} for one in self.fold_parameters],
            "search_rows": self.search_rows,
            "family": self.family,
            "is_baseline": self.is_baseline,
            "sentence": self.sentence,
            "folds": self.folds,
            "not_certified": self.not_certified,
            "notes": list(self.notes),
        }
