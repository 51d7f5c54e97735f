"""A display as the text of an SVG picture that reads well on a light and on a dark page.

Lines and letters are drawn in a marker colour, which becomes a CSS variable of the picture; the picture's own style
sheet gives it a value for each colour scheme. Nothing outside the picture is referred to.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from surefit._core.optional import require

INK = "#123457"
SCHEMES = "<style>svg{--ink:#2b3038}@media screen and (prefers-color-scheme:dark){svg{--ink:#d7dae0}}</style>"
"""The ink on a light page and on paper, then on a dark one."""
PALETTE = ("#3f90da", "#e76300", "#bd1f01", "#94a4a2", "#832db6", "#a96b59", "#ffa90e", "#b9ac70", "#717581", "#92dadd")


def svg_of(draw: Callable[[Any], Any], width: float = 4.8, height: float = 3.4) -> str:
    """The SVG text of what `draw(ax)` draws, the same bytes each time."""
    matplotlib = require("matplotlib", extra="plot", purpose="Drawing")
    figures = require("matplotlib.figure", extra="plot", purpose="Drawing")
    cycler = require("cycler", extra="plot", purpose="Drawing").cycler
    style = {
        "svg.fonttype": "path",
        "svg.hashsalt": "surefit",
        "font.size": 9.5,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.prop_cycle": cycler(color=PALETTE),
        **{key: INK for key in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")},
        "grid.color": INK,
        "axes.linewidth": 0.8,
        "savefig.transparent": True,
    }
    with matplotlib.rc_context(style):
        figure = figures.Figure(figsize=(width, height), layout="constrained")
        draw(figure.subplots())
        buffer = io.StringIO()
        figure.savefig(
            buffer, format="svg", dpi=160, metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
    text = buffer.getvalue().replace(INK, "var(--ink)")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"\d+\.\d{3,}", _rounded, text)
    text = text[text.index("<svg") :]
    end_of_tag = text.index(">") + 1
    return text[:end_of_tag] + SCHEMES + text[end_of_tag:]


def _rounded(number: re.Match[str]) -> str:
    """A hundredth of a point is finer than any screen; small numbers are factors and keep four digits."""
    value = float(number.group())
    return f"{value:.2f}".rstrip("0").rstrip(".") if value >= 1 else f"{value:.4f}".rstrip("0").rstrip(".")
