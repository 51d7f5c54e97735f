"""A certificate: the claims of one fitted model, as a table, as HTML and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from .claim import STRENGTH, Claim, Grade

WIDTH = 80


class CertificateError(ValueError):
    """A claim failed, or there is nothing to check."""


class Certificate:
    """A tuple of claims about one fitted model.

    Iterating, indexing and `len` are those of the tuple; a claim is also found by its name.
    `holds` is true when every claim holds. `grade` is that of the weakest claim, `UNPROVED` when one fails;
    claims that only inform (a condition number, an interval) do not enter it.
    """

    def __init__(
        self,
        claims: Iterable[Claim],
        model: str,
        n_rows: int,
        n_features: int,
        seconds: float = 0.0,
        cost: str = "",
    ) -> None:
        self.claims: tuple[Claim, ...] = tuple(claims)
        self.model = str(model)
        self.n_rows = int(n_rows)
        self.n_features = int(n_features)
        self.seconds = float(seconds)
        self.cost = str(cost)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, key: int | str) -> Claim:
        if isinstance(key, str):
            for claim in self.claims:
                if claim.name == key:
                    return claim
            raise KeyError(f"no claim {key!r}; there are {', '.join(c.name for c in self.claims)}")
        return self.claims[key]

    def __contains__(self, key: object) -> bool:
        return any(key == claim.name or key == claim for claim in self.claims)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @property
    def holds(self) -> bool:
        return bool(self.claims) and all(claim.holds for claim in self.claims)

    @property
    def failures(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if not claim.holds)

    @property
    def grade(self) -> Grade:
        if not self.holds:
            return Grade.UNPROVED
        ranks = [STRENGTH.index(claim.grade) for claim in self.claims if not claim.informs]
        return STRENGTH[max(ranks)] if ranks else Grade.UNPROVED

    def raise_if_failed(self) -> Certificate:
        """Return the certificate, or raise `CertificateError` naming every claim that fails."""
        if self.holds:
            return self
        if not self.claims:
            raise CertificateError(f"{self.model}: the certificate has no claims.")
        lines = [f"  {c.name}: {c.sentence} ({_number(c.value)}, limit {_number(c.limit)})" for c in self.failures]
        raise CertificateError(f"{self.model}: {len(lines)} of {len(self)} claims fail.\n" + "\n".join(lines))

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "seconds": self.seconds,
            "cost": self.cost,
            "grade": self.grade.value,
            "holds": self.holds,
            "claims": [claim.to_dict() for claim in self.claims],
        }

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Certificate:
        """The inverse of `to_dict`. `grade` and `holds` are derived from the claims, never read."""
        return cls(
            (Claim.from_dict(c) for c in data["claims"]),
            data["model"],
            data["n_rows"],
            data["n_features"],
            data.get("seconds", 0.0),
            data.get("cost", ""),
        )

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        return cls.from_dict(json.loads(text))

    def __str__(self) -> str:
        mark = "✓" if self.holds else "✗"
        shape = f"{self.n_rows} × {self.n_features}"
        lines = [
            f"{mark} {self.grade}  {self.model}  {shape}  checked in {_seconds(self.seconds)}",
            "─" * WIDTH,
        ]
        for c in self.claims:
            lines.append(
                f"{'✓' if c.holds else '✗'} {c.name:<20.20} {c.grade.value:<12} "
                f"{_number(c.value):>11}  {_limit(c):<16}".rstrip()
            )
            lines += textwrap.wrap(c.sentence, WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
        lines.append("─" * WIDTH)
        if self.cost:
            lines += textwrap.wrap(f"cost: {self.cost}", WIDTH, subsequent_indent="      ")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{'✓' if c.holds else '✗'}</td><td><code>{escape(c.name)}</code></td><td>{c.grade}</td>"
            f"<td style='text-align:right'>{_number(c.value)}</td><td>{_limit(c)}</td>"
            f"<td style='text-align:left'>{escape(c.sentence)}</td></tr>"
            for c in self.claims
        )
        head = (
            f"{'✓' if self.holds else '✗'} {self.grade} · {escape(self.model)} · "
            f"{self.n_rows} × {self.n_features} · checked in {_seconds(self.seconds)}"
        )
        return (
            f"<table><caption>{head}</caption><thead><tr><th></th><th>claim</th><th>grade</th>"
            f"<th>recomputed</th><th>limit</th><th>statement</th></tr></thead><tbody>{rows}</tbody>"
            f"<tfoot><tr><td colspan='6'>{escape(self.cost)}</td></tr></tfoot></table>"
        )


def _number(x: float | None) -> str:
    """Four digits, short."""
    if x is None:
        return "—"
    x = float(x)
    if x.is_integer() and abs(x) < 1e7:
        return str(int(x))
    return f"{x:.4g}"


def _limit(claim: Claim) -> str:
    if claim.limit is None:
        return "(information)" if claim.holds else ""
    return f"≤ {_number(claim.limit)}"


def _seconds(s: float) -> str:
    return f"{s * 1e3:.0f} ms" if s < 1 else f"{s:.1f} s"
