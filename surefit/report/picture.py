"""A picture of the report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """`caption` is read below the picture, `alt` instead of it."""

    title: str
    caption: str
    alt: str
    svg: str
