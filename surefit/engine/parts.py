"""The models inside a fitted pipeline or search, each with the matrix it saw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline

from surefit.certificates import Certificate
from surefit.certificates.registry import CHECKERS

SEARCH_RESULTS = ("best_params_", "best_score_", "cv_results_")


class Part(NamedTuple):
    path: str  # "best_estimator_.scale": where the model stands in the whole
    model: Any
    X: Any  # what it was fitted on


def parts_of(model: Any, X: Any, path: str = "") -> Iterator[Part]:
    """The models that `model` consists of, in the order in which data passes through them."""
    if hasattr(model, "best_estimator_"):
        yield from parts_of(model.best_estimator_, X, _below(path, "best_estimator_"))
        return
    if not isinstance(model, Pipeline):
        yield Part(path, model, X)
        return
    last = len(model.steps) - 1
    for position, (name, step) in enumerate(model.steps):
        if step is None or step == "passthrough":
            continue
        yield from parts_of(step, X, _below(path, name))
        if position < last:
            X = step.transform(X)


def is_composite(model: Any) -> bool:
    """A pipeline or a search: something that is certified through its parts."""
    return isinstance(model, Pipeline) or hasattr(model, "best_estimator_")


def has_checker(model: Any) -> bool:
    return any(base.__name__ in CHECKERS for base in type(model).__mro__)


def joined(model: Any, parts: list[tuple[Part, Certificate | None]]) -> Certificate:
    """One certificate of the whole: every claim says which part it is of; parts without a checker are not checked."""
    claims, left = [], list(SEARCH_RESULTS) if hasattr(model, "best_estimator_") else []
    for part, certificate in parts:
        if certificate is None:
            left.append(f"{part.path} ({type(part.model).__name__})")
            continue
        claims += [replace(claim, name=f"{part.path}: {claim.name}") for claim in certificate]
        left += [f"{part.path}.{name}" for name in certificate.not_checked]
    found = [certificate for _, certificate in parts if certificate is not None]
    first = found[0]
    return Certificate(
        claims,
        type(model).__name__,
        first.n_rows,
        int(getattr(model, "n_features_in_", first.n_features)),
        sum(one.seconds for one in found),
        "; ".join(f"{part.path}: {one.cost}" for part, one in parts if one is not None),
        left,
    )


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
