"""The data's own description: the target, what is missing, constant or repeated, and every column in a line."""

from __future__ import annotations

from html import escape
from typing import Any

from surefit.model_selection.comparison import Comparison
from surefit.report.text import breakable, count, listed, number

OPEN_COLUMNS = 15
"""A table of more columns is folded away at first."""
MOST_COLUMNS = 200
MOST_CLASSES = 60


def data_section(comparison: Comparison) -> str:
    return f"""<section aria-labelledby="data"><h2 id="data">Data</h2>
{_target(comparison)}{_profile(comparison)}{_columns(comparison)}</section>"""


def _target(comparison: Comparison) -> str:
    name = f"<b>{breakable(comparison.target or 'y')}</b>"
    if comparison.classes is not None:
        counts = comparison.class_counts() or []
        shown = [f"{escape(str(one['label']))} ({one['rows']:,})" for one in counts[:MOST_CLASSES]]
        more = f" and {len(counts) - MOST_CLASSES} more" if len(counts) > MOST_CLASSES else ""
        return f"<p>The target {name} has {len(counts)} classes, with rows in brackets: {', '.join(shown)}{more}.</p>"
    if comparison.y is not None:
        y = comparison.y
        return (
            f"<p>The target {name} lies between {number(y.min())} and {number(y.max())}; mean {number(y.mean())}, "
            f"standard deviation {number(y.std())}.</p>"
        )
    return ""


def _profile(comparison: Comparison) -> str:
    """What a careful person looks for first, each fact with the columns it concerns."""
    facts = [("rows × columns", f"{comparison.n_rows:,} × {comparison.n_features}", "")]
    found = comparison.profile
    if found is None:
        missing = {one["name"]: one["missing"] for one in comparison.columns if one["missing"]}
        facts.append(_missing(sum(missing.values()), missing, comparison.n_rows * comparison.n_features))
    else:
        facts[0] = ("rows × columns", f"{found.rows:,} × {found.columns}", "as the table came")
        facts += [
            _missing(found.missing_cells, found.missing, found.rows * found.columns),
            ("constant columns", f"{len(found.constant)}", listed(found.constant, 4)),
            ("repeated rows", f"{found.duplicate_rows:,}", "equal to an earlier row" if found.duplicate_rows else ""),
        ]
        if found.identifiers:
            facts.append(("identifiers", f"{len(found.identifiers)}", listed(found.identifiers, 4)))
        if found.rare_levels:
            where = listed([f"{name} ({n})" for name, n in found.rare_levels.items()], 3)
            facts.append(("rare levels", f"{sum(found.rare_levels.values()):,}", f"of fewer than 10 rows: {where}"))
    cards = "".join(
        f"<div class='card'><dt>{escape(label)}</dt><dd>{escape(value)}"
        f"{f'<small>{breakable(words)}</small>' if words else ''}</dd></div>"
        for label, value, words in facts
    )
    return f"<dl class='cards small'>{cards}</dl>"


def _missing(total: int, by_column: dict[str, int], cells: int) -> tuple[str, str, str]:
    if not total:
        return "missing values", "0", ""
    where = listed([f"{name} ({n:,})" for name, n in by_column.items()], 3)
    return "missing values", f"{total:,}", f"{_percent(total / max(cells, 1))} of the cells: {where}"


def _percent(share: float) -> str:
    return "under 0.1 %" if share < 0.001 else f"{100 * share:.1f} %"


def _columns(comparison: Comparison) -> str:
    shown = comparison.columns[:MOST_COLUMNS]
    rows = "".join(_column(one) for one in shown)
    more = len(comparison.columns) - len(shown)
    rest = f"<p class='soft'>and {more} more columns</p>" if more > 0 else ""
    opened = " open" if len(shown) <= OPEN_COLUMNS else ""
    return f"""<details{opened}><summary>{count(len(comparison.columns), "column")}</summary>
<table class="columns"><thead><tr><th scope="col">column</th><th scope="col">values</th>
<th scope="col" class="n">missing</th></tr></thead><tbody>{rows}</tbody></table>{rest}</details>"""


def _column(one: dict[str, Any]) -> str:
    if "levels" in one:
        values = f"{count(one['levels'], 'level')}, most often {listed([str(level) for level in one['common']])}"
    elif "low" in one:
        values = f"{number(one['low'])} to {number(one['high'])}, mean {number(one['mean'])}"
    else:
        values = one["kind"]
    missing = f"{one['missing']:,}" if one["missing"] else '<span class="soft">0</span>'
    name = breakable(one["name"])
    return f'<tr><th scope="row">{name}</th><td>{breakable(values)}</td><td class="n">{missing}</td></tr>'
