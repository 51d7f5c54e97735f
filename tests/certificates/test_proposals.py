"""What only proposes is not trusted: with nonsense in its place no lie is believed, and no true fit is called wrong."""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from surefit.certificates import Grade
from surefit.certificates.registry import CHECKERS
from surefit.certificates.standalone import one_file
from tests.certificates.test_standalone import loaded
from tests.laws.registry import fit, instances, learnt, sample

MARK = "Nothing below need be trusted"


def nonsense(value: Any, kind: str, rng: np.random.Generator) -> Any:
    """Something else of the same type and, but for 'short', of the same shape."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(nonsense(part, kind, rng) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)(nonsense(part, kind, rng) for part in value)
    if dataclasses.is_dataclass(value):
        parts = {f.name: nonsense(getattr(value, f.name), kind, rng) for f in dataclasses.fields(value) if f.init}
        return dataclasses.replace(value, **parts)
    if inspect.isgenerator(value):
        return (nonsense(part, kind, rng) for part in value)
    if isinstance(value, bool):
        return not value
    if not isinstance(value, (np.ndarray, float)):
        return value
    array = np.asarray(value)
    if kind == "short" and array.ndim:
        return array[:-1]
    if array.dtype.kind == "b":
        return ~array
    if array.dtype.kind in "iu":
        return rng.permutation(array.ravel()).reshape(array.shape)
    other = {"NaN": np.full(array.shape, np.nan), "noise": rng.normal(size=array.shape), "huge": 1e6 * array}
    return type(value)(other[kind]) if not array.ndim and kind in other else other.get(kind, array)


def proposing(alone: Any, text: str) -> Iterator[tuple[Any, str]]:
    """The functions below the mark, and the methods of classes there, each with what it belongs to."""
    first = text.partition(MARK)[0].count("\n")
    for node in ast.parse(text).body if MARK in text else ():
        if isinstance(node, ast.FunctionDef) and node.lineno > first:
            yield alone, node.name
        elif isinstance(node, ast.ClassDef) and node.lineno > first:
            own = vars(alone)[node.name]
            yield from ((own, name) for name, f in vars(own).items() if inspect.isfunction(f) and name[:2] != "__")


def spoilt(function: Callable[..., Any], kind: str, inside: list[int]) -> Callable[..., Any]:
    """What the trusted part is given is nonsense; what proposals give each other is not."""
    rng = np.random.default_rng(0)

    @functools.wraps(function)
    def other(*arguments: Any, **named: Any) -> Any:
        if kind == "error":
            raise ValueError("a proposal fails")
        inside[0] += 1
        try:
            found = function(*arguments, **named)
        finally:
            inside[0] -= 1
        return found if inside[0] else nonsense(found, kind, rng)

    return other


@pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)
def test_nonsense_proves_nothing(model, monkeypatch):
    name = type(model).__name__
    text, alone = one_file(name).text, loaded(monkeypatch, name)
    places = list(proposing(alone, text))
    if not places:
        pytest.skip("nothing proposes")
    X, y, _ = sample(model, n=120)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = fit(model, X, y)
    find = getattr(alone, CHECKERS[name].split(":")[1])
    lie = copy.copy(fitted)
    vars(lie).update({a: 1.02 * v for a, v in learnt(fitted).items() if a in find.covers and v.dtype.kind == "f"})
    refused = {claim.name for claim in find(lie, alone.ArrayBlocks(X, y), 1e-6)[0] if not claim.holds}
    assert refused
    for kind in ("noise", "huge", "NaN", "short", "error"):
        inside = [0]
        with monkeypatch.context() as patch:
            for owner, function in places:
                patch.setattr(owner, function, spoilt(getattr(owner, function), kind, inside))
            true, false = (find(told, alone.ArrayBlocks(X, y), 1e-6)[0] for told in (fitted, lie))
        wrong = {c.name for c in true if c.grade == Grade.NOT_OPTIMAL}
        assert not wrong, (kind, true)
        assert not [c for c in false if c.name in refused and c.holds and c.grade != Grade.UNPROVED], (kind, false)
