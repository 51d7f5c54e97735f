"""An interval as a small bar in a cell of a table, on a scale that all rows share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefit.model_selection.significance.intervals import Interval
from surefit.report.text import decimals

MARGIN = 0.03
FEW = 3
"""So many models are all kept on the scale."""


def bar_scale(intervals: Sequence[Interval]) -> tuple[float, float]:
    """The ends of a scale on which the bars can be told apart.

    Every interval lies inside it, except those of models far behind: up to a third of them, where the scale becomes
    less than half as wide without them. Their means lie below it, and `bar` writes them as numbers.

    >>> [round(end, 2) for end in bar_scale([Interval(m, 0.05, 0.95) for m in (-4.0, 0.45, 0.47, 0.46)])]
    [0.4, 0.52]
    """
    known = sorted((i for i in intervals if np.isfinite(i.mean)), key=lambda i: i.mean)
    if not known:
        return 0.0, 1.0
    low, high = _ends(known)
    for cut in range(1, (len(known) + 1) // 3 + 1 if len(known) > FEW else 1):
        start, end = _ends(known[cut:]) if cut < len(known) else (low, high)
        if 0 < end - start < (high - low) / 2 and known[cut - 1].mean < start:
            low, high = start, end
    return low, high


def _ends(intervals: Sequence[Interval]) -> tuple[float, float]:
    pairs = [(i.low, i.high) if np.isfinite(i.half) else (i.mean, i.mean) for i in intervals]
    return min(low for low, _ in pairs), max(high for _, high in pairs)


def bar(interval: Interval, scale: tuple[float, float], baseline: float | None) -> str:
    """Dot and bar as HTML; the baseline is a thin line; below the scale an arrow and the number stand in for the dot.

    The number beside the bar says the same: readers of the page that cannot see it miss nothing.
    """
    low, high = scale
    span = max(high - low, 1e-300)

    def at(value: float) -> float:
        share = MARGIN + (1 - 2 * MARGIN) * (value - low) / span if high > low else 0.5
        return 100 * min(max(share, 0.0), 1.0)

    marks = ""
    if baseline is not None and low <= baseline <= high:
        marks += f'<s style="left:{at(baseline):.1f}%"></s>'
    if np.isfinite(interval.mean):
        if interval.mean < low:
            marks += f"<em>◂ {decimals(interval.mean)}</em>"
        else:
            if np.isfinite(interval.half):
                left, right = at(interval.low), at(interval.high)
                marks += f'<i style="left:{left:.1f}%;width:{right - left:.1f}%"></i>'
            marks += f'<b style="left:{at(interval.mean):.1f}%"></b>'
    return f'<span class="range" aria-hidden="true">{marks}</span>'
