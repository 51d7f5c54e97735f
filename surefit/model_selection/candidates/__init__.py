"""The models that `surefit compare` tries. The list grows with the catalogue: an entry for each, by task."""

from __future__ import annotations

from surefit._core.errors import InvalidParameter
from surefit.model_selection.candidates.candidate import Candidate, Shape, Task
from surefit.model_selection.candidates.classification import CLASSIFICATION
from surefit.model_selection.candidates.clustering import CLUSTERING
from surefit.model_selection.candidates.field import Field
from surefit.model_selection.candidates.regression import REGRESSION

__all__ = ["CANDIDATES", "Candidate", "Field", "Shape", "Task", "candidates_for"]

CANDIDATES: tuple[Candidate, ...] = (*REGRESSION, *CLASSIFICATION, *CLUSTERING)


def candidates_for(task: Task, shape: Shape) -> Field:
    """The unfitted estimators that suit a task and a shape, by the name of their row."""
    found = Field()
    for candidate in CANDIDATES:
        if candidate.task == task:
            rows = candidate.rows(shape)
            found |= rows
            found.sentences |= dict.fromkeys(rows, candidate.sentence)
            if not rows and candidate.unless:
                found.unsuited.append((candidate.name, candidate.unless))
    found.unsuited = [(name, why) for name, why in found.unsuited if name not in found]
    if not found:
        known = ", ".join(sorted({candidate.task for candidate in CANDIDATES}))
        raise InvalidParameter(f"task must be one of {known}; got {task!r}")
    return found
