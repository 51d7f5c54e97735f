"""Columns that are asked for and not there: which names may be meant."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

SHOWN = 8
MEANT = 3


def absent_columns(wanted: Sequence[str], there: Sequence[str], where: str) -> str | None:
    """One line about the columns that are missing, with the closest names; None where all are there.

    >>> absent_columns(["Prise"], ["area", "price", "rooms"], "houses.csv")
    "houses.csv has no column 'Prise'; did you mean 'price'? It has 'area', 'price', 'rooms'"
    >>> absent_columns(["area"], ["area"], "houses.csv") is None
    True
    """
    known = set(there)
    missing = [name for name in wanted if name not in known]
    if not missing:
        return None
    some = ", ".join(map(_short, missing[:5])) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
    close = closest(missing[0], there)
    meant = f"did you mean {' or '.join(map(_short, close))}? It has" if close else "it has"
    return f"{where} has no column{'s' if len(missing) > 1 else ''} {some}; {meant} {_listed(there, close)}"


def closest(name: str, there: Sequence[str]) -> list[str]:
    """Names like the one that was asked for, the closest first; case, blanks and underscores do not count.

    >>> closest("total price", ["Total_Price", "price", "area"])
    ['Total_Price']
    """
    plain: dict[str, str] = {}
    for one in there:
        plain.setdefault(_plain(one), one)
    if _plain(name) in plain:
        return [plain[_plain(name)]]
    found = [plain[match] for match in difflib.get_close_matches(_plain(name), plain, n=MEANT, cutoff=0.6)]
    within = [one for key, one in plain.items() if len(key) > 2 and (key in _plain(name) or _plain(name) in key)]
    return list(dict.fromkeys([*found, *within]))[:MEANT]


def _listed(there: Sequence[str], close: list[str]) -> str:
    """The first names, and the closest ones wherever they stand."""
    first = list(there[:SHOWN])
    shown = first + [name for name in close if name not in first]
    more = len(there) - len(shown)
    return ", ".join(map(_short, shown)) + (f" and {more} more" if more > 0 else "")


def _plain(name: str) -> str:
    return "".join(letter for letter in str(name).casefold() if letter.isalnum())


def _short(name: str, most: int = 60) -> str:
    text = str(name)
    return repr(text if len(text) <= most else f"{text[: most - 1]}…")
