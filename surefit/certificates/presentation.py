"""A certificate as a table, as HTML and as JSON. Nothing is decided here."""

from __future__ import annotations

import json
import math
import textwrap
from html import escape
from typing import TYPE_CHECKING, Any

from surefit.certificates.claim import Claim, Grade

if TYPE_CHECKING:
    from surefit.certificates.certificate import Certificate

WIDTH = 80


def table(certificate: Certificate) -> str:
    lines, part = [_headline(certificate, "  "), "─" * WIDTH], ""
    for c in certificate:
        path, _, name = c.name.rpartition(": ")  # of a step of a pipeline, of the best model of a search
        if path != part:
            lines.append(f"{path}:")
            part = path
        verdict = f"{mark(c.holds, c.grade)} {name:<20.20} {c.grade.value:<12}"
        lines.append(f"{verdict} {number(c.value):>11}  {_limit(c):<16}".rstrip())
        lines += textwrap.wrap(c.sentence, WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
    lines.append("─" * WIDTH)
    if certificate.not_checked:
        lines += textwrap.wrap(f"not checked: {', '.join(certificate.not_checked)}", WIDTH, subsequent_indent="      ")
    if certificate.cost:
        lines += textwrap.wrap(f"cost: {certificate.cost}", WIDTH, subsequent_indent="      ")
    return "\n".join(lines)


def html(certificate: Certificate) -> str:
    rows = "".join(
        f"<tr><td>{mark(c.holds, c.grade)}</td><td><code>{escape(c.name)}</code></td><td>{c.grade}</td>"
        f"<td style='text-align:right'>{number(c.value)}</td><td>{_limit(c)}</td>"
        f"<td style='text-align:left'>{escape(c.sentence)}</td></tr>"
        for c in certificate
    )
    notes = [certificate.cost]
    if certificate.not_checked:
        notes.insert(0, f"not checked: {', '.join(certificate.not_checked)}")
    return (
        f"<table><caption>{escape(_headline(certificate, ' · '))}</caption><thead><tr><th></th><th>claim</th>"
        "<th>grade</th><th>recomputed</th><th>limit</th><th>statement</th></tr></thead>"
        f"<tbody>{rows}</tbody><tfoot><tr><td colspan='6'>{escape('; '.join(filter(None, notes)))}</td></tr></tfoot>"
        "</table>"
    )


def failures(certificate: Certificate) -> str:
    if not certificate.claims:
        return f"{certificate.model}: the certificate has no claims."
    lines = [f"  {c.name}: {c.sentence} ({number(c.value)}, limit {number(c.limit)})" for c in certificate.failures]
    return f"{certificate.model}: {len(lines)} of {len(certificate)} claims fail.\n" + "\n".join(lines)


def to_dict(certificate: Certificate) -> dict[str, Any]:
    return {
        "model": certificate.model,
        "n_rows": certificate.n_rows,
        "n_features": certificate.n_features,
        "seconds": certificate.seconds,
        "cost": certificate.cost,
        "grade": certificate.grade.value,
        "holds": certificate.holds,
        "not_checked": list(certificate.not_checked),
        "claims": [_claim_to_dict(claim) for claim in certificate],
    }


def to_json(certificate: Certificate, indent: int | None) -> str:
    return json.dumps(to_dict(certificate), indent=indent, ensure_ascii=False, allow_nan=False)


def parse(text: str) -> dict[str, Any]:
    return json.loads(text)


def from_dict(data: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `Certificate`."""
    kept = ("model", "n_rows", "n_features", "seconds", "cost", "not_checked")
    return {"claims": [_claim_from_dict(c) for c in data["claims"]], **{k: data[k] for k in kept if k in data}}


def _claim_to_dict(claim: Claim) -> dict[str, Any]:
    return {
        "name": claim.name,
        "sentence": claim.sentence,
        "grade": claim.grade.value,
        "value": plain(claim.value),
        "limit": plain(claim.limit),
        "excuse": plain(claim.excuse),
        "holds": bool(claim.holds),
        "detail": {str(k): plain(v) for k, v in claim.detail.items()},
    }


def _claim_from_dict(data: dict[str, Any]) -> Claim:
    return Claim(
        name=str(data["name"]),
        sentence=str(data["sentence"]),
        grade=Grade(data["grade"]),
        value=unplain(data["value"]),
        limit=unplain(data["limit"]),
        holds=bool(data["holds"]),
        detail={k: unplain(v) for k, v in data.get("detail", {}).items()},
        excuse=unplain(data.get("excuse", 0.0)),
    )


# JSON has no NaN and no infinity: they travel as strings.
def plain(x: Any) -> Any:
    """A number, string, list or None that `json` writes and reads back without loss."""
    if x is None or isinstance(x, (str, bool)):
        return x
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if hasattr(x, "tolist"):
        return plain(x.tolist())
    if isinstance(x, int):
        return x
    x = float(x)
    return x if math.isfinite(x) else str(x)


def unplain(x: Any) -> Any:
    """The inverse of `plain` for numbers."""
    if isinstance(x, str) and x in ("nan", "inf", "-inf"):
        return float(x)
    if isinstance(x, list):
        return [unplain(v) for v in x]
    return x


def number(x: float | None) -> str:
    """Four digits, short."""
    if x is None:
        return "—"
    x = float(x)
    if x.is_integer() and abs(x) < 1e7:
        return str(int(x))
    return f"{x:.4g}"


OPEN = "○"
OPEN_WORDS = "what was checked holds, but nothing proves that the fit has converged"


def mark(holds: bool, grade: Grade | None) -> str:
    """✓, ✗, or ○ where nothing checked is wrong and nothing is proved either."""
    if not holds:
        return "✗"
    return OPEN if grade is Grade.UNPROVED else "✓"


def _headline(certificate: Certificate, gap: str) -> str:
    shape = f"{certificate.n_rows} × {certificate.n_features}"
    seconds = certificate.seconds
    took = f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
    verdict = f"{mark(certificate.holds, certificate.grade)} {certificate.grade}"
    return gap.join((verdict, certificate.model, shape, f"checked in {took}"))


def _limit(claim: Claim) -> str:
    """ "≤ limit", with what rounding excuses beside it where that shows; ">" where the claim fails."""
    if claim.limit is None:
        return "(information)" if claim.holds else ""
    shows = claim.excuse > 1e-3 * claim.limit
    shown = number(claim.limit) + (f" + {claim.excuse:.1g} rounding" if shows else "")
    return f"{'≤' if claim.holds else '>'} {shown}"
