"""Small pieces of text for the page: numbers, parameters, names that may be broken at the end of a line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

BREAKS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_/])(?=.)|(?<=-)(?=\w)")
"""Where a long name may go on in the next line: before a capital, after a dash, a slash or an underscore."""


def breakable(name: str) -> str:
    """The name as HTML, with a place to break a line wherever a reader would break it.

    >>> breakable("HistGradientBoosting <1>")
    'Hist<wbr>Gradient<wbr>Boosting &lt;1&gt;'
    """
    joined = re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", name)
    return "<wbr>".join(escape(part) for part in BREAKS.split(joined))


def number(value: Any) -> str:
    """Four digits, with a true minus; nothing for None.

    >>> number(-0.123456), number(None), number(1e-17), number(48842)
    ('−0.1235', '', '0', '48,842')
    """
    if value is None:
        return ""
    value = float(value)
    if abs(value) < 1e-12:
        value = 0.0
    if value.is_integer() and abs(value) < 1e7:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def decimals(value: float) -> str:
    """A score for a small picture: three decimals, or fewer where it is large.

    >>> decimals(-0.00076), decimals(1234.5)
    ('−0.001', '1234')
    """
    return (f"{value:.3f}" if abs(value) < 10 else f"{value:.0f}").replace("-", "−")


def capital(words: str) -> str:
    """
    >>> capital("accuracy on unseen rows"), capital("R²")
    ('Accuracy on unseen rows', 'R²')
    """
    return words[:1].upper() + words[1:]


def count(n: int, noun: str) -> str:
    """
    >>> count(1, "row"), count(12345, "row")
    ('1 row', '12,345 rows')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def parameters(chosen: Mapping[str, Any]) -> str:
    """Chosen parameters as people write them, without the name of the step they belong to.

    >>> parameters({"svc__C": 10.0, "svc__gamma": "scale"})
    'C = 10, gamma = scale'
    """
    return ", ".join(f"{name.rpartition('__')[2]} = {value_text(value)}" for name, value in chosen.items())


def value_text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, (int, float)) or (hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0):
        try:
            return f"{float(value):.4g}".replace("-", "−")
        except (TypeError, ValueError):
            return str(value)
    if isinstance(value, (list, tuple)):
        return f"({', '.join(value_text(one) for one in value)})"
    text = str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def listed(names: Sequence[str], most: int = 8) -> str:
    """
    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
