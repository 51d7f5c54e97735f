"""Parameters are declared once, in `__init__`, as `Annotated[type, rule, "one sentence."]`.

Validation, documentation, command-line options and the generators of valid and invalid values in the tests are read
from that declaration. All faults of an estimator are reported at once.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Integral, Real
from types import NoneType, SimpleNamespace
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np

from surefit._core.errors import InvalidParameter


@dataclass(frozen=True)
class Range:
    """A number between `low` and `high`; an end is allowed unless it is named in `open`."""

    low: float = -math.inf
    high: float = math.inf
    open: Literal["", "low", "high", "both"] = ""
    hint: str = ""

    def holds(self, value: Any) -> bool:
        above = value > self.low if self.open in ("low", "both") else value >= self.low
        below = value < self.high if self.open in ("high", "both") else value <= self.high
        return bool(above and below)

    def text(self) -> str:
        low = ">" if self.open in ("low", "both") else "≥"
        high = "<" if self.open in ("high", "both") else "≤"
        ends = []
        if self.low > -math.inf:
            ends.append(f"{low} {self.low:g}")
        if self.high < math.inf:
            ends.append(f"{high} {self.high:g}")
        elif high == "<":
            ends.append("finite")
        return " and ".join(ends)


@dataclass(frozen=True)
class Rule:
    """Any other condition: a predicate, and the words for it."""

    predicate: Callable[[Any], bool]
    words: str
    hint: str = ""


@dataclass(frozen=True)
class Parameter:
    """One declared parameter of an estimator."""

    name: str
    kind: Any
    rules: tuple[Any, ...]
    sentence: str
    default: Any

    def fault(self, value: Any) -> str | None:
        """None if `value` is allowed, else what is expected."""
        wanted: list[str] = []
        for option in _options(self.kind):
            words = _mismatch(option, value, self.rules)
            if words is None:
                return None
            wanted.append(words)
        return " or ".join(dict.fromkeys(wanted))

    @cached_property
    def keeps_default(self) -> bool:
        """Whether the default is allowed and cannot change, so that it need not be looked at again."""
        return isinstance(self.default, (str, int, float, NoneType)) and self.fault(self.default) is None

    @property
    def hint(self) -> str:
        return " ".join(rule.hint for rule in self.rules if getattr(rule, "hint", ""))


def _options(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) in (Union, types.UnionType):
        return get_args(kind)
    return (kind,)


def _mismatch(option: Any, value: Any, rules: tuple[Any, ...]) -> str | None:
    """None if `value` is of this kind and obeys the rules that concern it; else the words for the kind."""
    if isinstance(option, typing.TypeVar) or option is Any:
        return None if _obeys(value, rules) else _rule_words(rules)
    if option is None or option is type(None):
        return None if value is None else "None"
    if get_origin(option) is Literal:
        choices = get_args(option)
        matches = any(type(value) is type(choice) and value == choice for choice in choices if choice is not None)
        matches = matches or (isinstance(value, str) and str(value) in choices)
        return None if matches else "one of " + ", ".join(repr(choice) for choice in choices)
    if option is bool:
        return None if isinstance(value, (bool, np.bool_)) else "True or False"
    if option in (int, float):
        number = Integral if option is int else Real
        if isinstance(value, number) and not isinstance(value, (bool, np.bool_)):
            ranges = [rule for rule in rules if isinstance(rule, Range)]
            if all(rule.holds(value) for rule in ranges) and (option is int or not math.isnan(value)):
                return None
        bounds = " and ".join(rule.text() for rule in rules if isinstance(rule, Range) and rule.text())
        return f"{'a whole number' if option is int else 'a number'}{' ' + bounds if bounds else ''}"
    if get_origin(option) is Callable or option is Callable:
        return None if callable(value) else "a callable"
    plain = get_origin(option) or option
    words = {"ndarray": "an array", "str": "a string", "Sequence": "a sequence"}.get(
        plain.__name__, f"a {plain.__name__}"
    )
    if plain is np.ndarray:
        fits = hasattr(value, "__len__") and not isinstance(value, (str, bytes, dict))
        return None if fits and _obeys(value, rules) else f"{words}{_rule_words(rules, ' ')}"
    return None if isinstance(value, plain) and _obeys(value, rules) else f"{words}{_rule_words(rules, ' ')}"


def _obeys(value: Any, rules: tuple[Any, ...]) -> bool:
    return all(rule.predicate(value) for rule in rules if isinstance(rule, Rule))


def _rule_words(rules: tuple[Any, ...], lead: str = "") -> str:
    words = " and ".join(rule.words for rule in rules if isinstance(rule, Rule))
    return lead + words if words else ""


@cache
def parameters(cls: type) -> tuple[Parameter, ...]:
    """The declared parameters of an estimator class, in the order of its signature."""
    init = cls.__init__  # type: ignore[misc]
    hints = typing.get_type_hints(init, include_extras=True)
    declared = []
    for name, signature in inspect.signature(init).parameters.items():
        if name == "self":
            continue
        hint = hints.get(name, Any)
        kind, rules, sentence = hint, (), ""
        if get_origin(hint) is Annotated:
            kind, *extra = get_args(hint)
            rules = tuple(item for item in extra if not isinstance(item, str))
            sentence = " ".join(item for item in extra if isinstance(item, str))
        declared.append(Parameter(name, kind, rules, sentence, signature.default))
    return tuple(declared)


def checked(estimator: Any) -> SimpleNamespace:
    """The estimator's parameters as plain attributes, after every one of them has been checked."""
    values, faults = {}, []
    for parameter in parameters(estimator.__class__):
        value = getattr(estimator, parameter.name)
        values[parameter.name] = value
        if value is parameter.default and parameter.keeps_default:
            continue
        wanted = parameter.fault(value)
        if wanted is not None:
            shown = repr(value)
            shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
            hint = f" {parameter.hint}" if parameter.hint else ""
            faults.append(f"{type(estimator).__name__}({parameter.name}=…) must be {wanted}; got {shown}.{hint}")
    if faults:
        raise InvalidParameter("\n".join(faults))
    return SimpleNamespace(**values)


def plain_signature(function: Callable) -> inspect.Signature:
    """Names and defaults, without annotations."""
    signature = inspect.signature(function)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    return inspect.Signature(bare)


def parameter_documentation(cls: type) -> str:
    """The numpydoc "Parameters" section, from the declarations."""
    lines = ["Parameters", "----------"]
    for parameter in parameters(cls):
        options = " or ".join(_kind_words(option) for option in _options(parameter.kind))
        lines += [f"{parameter.name} : {options}, default={parameter.default!r}", f"    {parameter.sentence}"]
    return "\n".join(lines)


def _kind_words(option: Any) -> str:
    if get_origin(option) is Literal:
        return "{" + ", ".join(repr(choice) for choice in get_args(option)) + "}"
    if option is type(None):
        return "None"
    if option is np.ndarray:
        return "array-like"
    return getattr(get_origin(option) or option, "__name__", str(option)).lower()


def _numbers_from_zero(value: Any) -> bool:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return array.ndim == 1 and array.size > 0 and bool((np.isfinite(array) & (array >= 0)).all())


Penalty = Annotated[
    float | np.ndarray,
    Range(0, open="high", hint="For no penalty use 0."),
    Rule(_numbers_from_zero, "of numbers ≥ 0, one for each target"),
    "Strength of the penalty; an array gives each target its own.",
]
