"""The report: one HTML file that needs nothing else, neither a server nor a network."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.certificates import Certificate, Grade
from surefit.model_selection.clusterings.indices import SILHOUETTE
from surefit.model_selection.comparison import Comparison, Outcome, score_text, seconds_text
from surefit.model_selection.scoring import LOG_LOSS
from surefit.report.picture import Picture
from surefit.report.pictures import pictures_of
from surefit.report.style import STYLE

MOST_COLUMNS = 60


def write_report(comparison: Comparison, path: str | Path) -> Path:
    """Write the page and say where it is."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise InvalidParameter(f"a report ends in .html; got {path.name!r}")
    if not path.parent.is_dir():
        raise InvalidData(f"no folder {str(path.parent)!r} to write the report to")
    path.write_text(html_report(comparison), encoding="utf-8")
    return path


def html_report(comparison: Comparison) -> str:
    """The page as text."""
    title = f"{comparison.data_name}: {comparison.task}"
    body = [
        _head(comparison),
        _results(comparison),
        _pictures(pictures_of(comparison)),
        _certificates(comparison),
        _data(comparison),
        _reproduce(comparison),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)} · surefit</title><style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + f"\n<footer>Written by surefit {escape(comparison.versions.get('surefit', ''))}. "
        "This page is one file and loads nothing from elsewhere.</footer>\n</main></body></html>\n"
    )


def _head(comparison: Comparison) -> str:
    best = comparison.best
    certified = [one for one in comparison.outcomes if one.holds is not None]
    good = sum(1 for one in certified if one.holds)
    verdict = f"{good} of {len(certified)}" if certified else "none"
    tone = "good" if comparison.holds else "bad"
    target = f" of <b>{escape(comparison.target)}</b>" if comparison.target and comparison.y is not None else ""
    extra = "".join(f"<small>{escape(name)} {escape(best.extra_text(name))}</small>" for name in best.extra)
    return f"""<header><h1>{escape(comparison.data_name)}</h1>
<p class="soft">{comparison.task.capitalize()}{target} · {escape(comparison.splits)}</p>
<dl class="cards">
<div class="card"><dt>Best model</dt><dd>{escape(best.name)}<small>{escape(_lead(comparison))}</small></dd></div>
<div class="card"><dt>{escape(comparison.metric)} on unseen rows</dt><dd>{score_text(best.interval)}
<small>{100 * comparison.level:g} % interval</small>{extra}</dd></div>
<div class="card"><dt>Certificates</dt><dd class="{tone}">{"✓" if comparison.holds else "✗"} {verdict}
<small>models certified from the data alone</small></dd></div>
<div class="card"><dt>Data</dt><dd>{comparison.n_rows:,} × {comparison.n_features}
<small>rows × columns</small></dd></div>
</dl></header>"""


def _lead(comparison: Comparison) -> str:
    """Is the best one clearly the best?"""
    if comparison.task == "clustering":
        return "highest silhouette" if SILHOUETTE in comparison.best.extra else "highest share explained"
    close = [
        one.name
        for one in comparison.outcomes
        if one.p_adjusted is not None and not one.p_adjusted < 1 - comparison.level
    ]
    if not close:
        return "clearly ahead of all others"
    if len(close) == 1:
        return f"not clearly ahead of {close[0]}"
    return f"not clearly ahead of {len(close)} others"


def _results(comparison: Comparison) -> str:
    low, high = comparison.scale()
    tested = ["against the best"] if comparison.task != "clustering" else []
    head = ["model", comparison.metric, "interval", *tested, *comparison.extra_names, "fit", "certificate"]
    classes = ["", "n", "", *["n"] * (len(tested) + len(comparison.extra_names) + 1), ""]
    top = "".join(f'<th scope="col" class="{c}">{escape(h)}</th>' for h, c in zip(head, classes, strict=True))
    words = (
        "p-values against the highest mean are Holm's, for all models at once."
        if tested
        else "The score is the share of the variance of unseen rows that a model carries: by the nearest centre, or by "
        "the projection on the components; a clustering that speaks of its own rows alone has none. The silhouette (of "
        "at most 2,000 rows) is near 1 where rows are much nearer to their own cluster than to the next; noise counts "
        "as 0. Davies–Bouldin (lower is better) and Calinski–Harabasz (higher is better) leave noise out."
    )
    if LOG_LOSS in comparison.extra_names:
        words += " The log-loss is the mean of −log of the probability given to the true class: lower is better."
    rows = "".join(_row(one, comparison, low, high) for one in comparison.outcomes)
    warnings = [f"warning from {line}" for line in comparison.warnings()]
    notes = "".join(f"<li>{escape(note)}</li>" for note in [*comparison.notes, *warnings])
    return f"""<section><h2>Results</h2>
<p class="soft">Every model was fitted on the same {comparison.n_splits} training parts and scored on rows it had not
seen ({escape(comparison.splits)}). Intervals are corrected for the overlap of the training parts (Nadeau and Bengio,
2003). {words}</p>
<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table></div>
{f"<ul class='soft'>{notes}</ul>" if notes else ""}</section>"""


def _row(one: Outcome, comparison: Comparison, low: float, high: float) -> str:
    span = max(high - low, 1e-300)

    def at(value: float) -> float:
        return 100 * min(max((value - low) / span, 0.0), 1.0)

    interval = one.interval
    bar = ""
    if np.isfinite(interval.half):
        left, right = at(interval.low), at(interval.high)
        bar = f'<i style="left:{left:.1f}%;width:{right - left:.1f}%"></i>'
    if one.scored:
        bar += f'<b style="left:{at(interval.mean):.1f}%"></b>'
    versus = '<td class="n"><span class="soft">highest</span></td>'
    if comparison.task == "clustering":
        versus = ""
    elif one.versus_best is not None:
        p = "" if one.p_adjusted is None or np.isnan(one.p_adjusted) else f", p {_p(one.p_adjusted)}"
        versus = f'<td class="n">{score_text(one.versus_best)}<span class="soft">{p}</span></td>'
    extra = "".join(f'<td class="n">{escape(one.extra_text(name))}</td>' for name in comparison.extra_names)
    tag = '<span class="tag">best</span>' if one is comparison.best else ""
    return (
        f'<tr{" class=best" if tag else ""}><th scope="row">{escape(one.name)}{tag}</th>'
        f'<td class="n">{score_text(interval)}</td>'
        f'<td><span class="range" aria-hidden="true">{bar}</span></td>'
        f'{versus}{extra}<td class="n">{seconds_text(one.fit_seconds)}</td>'
        f"<td>{_verdict(one)}</td></tr>"
    )


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"


def _verdict(one: Outcome) -> str:
    if one.holds is None:
        return '<span class="soft nowrap">no claim</span>'
    return f'<span class="nowrap {"good" if one.holds else "bad"}">{escape(one.verdict)}</span>'


def _pictures(pictures: list[Picture]) -> str:
    figures = []
    for one in pictures:
        data = base64.b64encode(one.svg.encode("utf-8")).decode("ascii")
        figures.append(
            f'<figure><h3>{escape(one.title)}</h3><img alt="{escape(one.alt)}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{escape(one.caption)}</figcaption></figure>"
        )
    return f'<section><h2>Pictures</h2><div class="pictures">{"".join(figures)}</div></section>'


def _certificates(comparison: Comparison) -> str:
    blocks = []
    for one in comparison.outcomes:
        for part, certificate in one.certificates.items():
            name = one.name if len(one.certificates) == 1 else f"{one.name}: {part}"
            blocks.append(_certificate(name, certificate, opened=not certificate.holds or one is comparison.best))
    meaning = "".join(f"<li><b>{grade}</b>: {escape(words)}</li>" for grade, words in _grades(comparison))
    none = [one.name for one in comparison.outcomes if not one.certificates]
    without = f"<p class='soft'>Nothing is claimed for {escape(', '.join(none))}.</p>" if none else ""
    return f"""<section><h2>Certificates</h2>
<p class="soft">Each fit on all rows makes claims. A checker that does not know the solver recomputes them from the data
and the fitted numbers; the certificate is as strong as its weakest claim.</p>
{"".join(blocks)}{without}<ul class="soft">{meaning}</ul></section>"""


def _certificate(name: str, certificate: Certificate, opened: bool) -> str:
    tone, mark = ("good", "✓") if certificate.holds else ("bad", "✗")
    rows = []
    for claim in certificate:
        limit = "" if claim.limit is None else f"≤ {claim.limit:.4g}"
        value = "" if claim.value is None else f"{claim.value:.4g}"
        rows.append(
            f'<tr><td class="{"good" if claim.holds else "bad"}">{"✓" if claim.holds else "✗"}</td>'
            f'<th scope="row">{escape(claim.name.replace("_", " "))}</th><td>{escape(claim.sentence)}</td>'
            f'<td class="n">{value}</td><td class="n">{limit}</td>'
            f'<td class="nowrap soft">{"information" if claim.informs else claim.grade}</td></tr>'
        )
    return (
        f"<details{' open' if opened else ''}><summary>{escape(name)} "
        f'<span class="{tone}">{mark} {certificate.grade}</span> '
        f'<span class="soft">· {certificate.n_rows:,} × {certificate.n_features}, checked in '
        f"{seconds_text(certificate.seconds)}</span></summary>"
        '<div class="scroll"><table><thead><tr><th></th><th scope="col">claim</th><th scope="col">in words</th>'
        '<th scope="col" class="n">recomputed</th><th scope="col" class="n">limit</th><th scope="col">grade</th></tr>'
        "</thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        + (f'<p class="soft">Cost: {escape(certificate.cost)}.</p>' if certificate.cost else "")
        + "</details>"
    )


GRADE_WORDS = {
    Grade.OPTIMAL: "within a proved distance of the global optimum",
    Grade.EXACT: "the object is the one defined, up to rounding",
    Grade.FIXED_POINT: "one more step changes nothing; the interval says how far the optimum can be",
    Grade.STATIONARY: "the gradient is below a stated norm",
    Grade.GREEDY: "each choice was the best on offer",
    Grade.BOUNDED: "an approximation with an error bound computed afterwards",
    Grade.NO_SOLUTION: "no minimiser exists, with the ray that proves it",
    Grade.STATISTICAL: "holds with a stated probability under listed assumptions",
    Grade.UNPROVED: "a claim failed, or nothing could be proved",
}


def _grades(comparison: Comparison) -> list[tuple[Grade, str]]:
    used = {one.grade for one in comparison.outcomes} | {
        claim.grade
        for one in comparison.outcomes
        for c in one.certificates.values()
        for claim in c
        if not claim.informs
    }
    return [(grade, words) for grade, words in GRADE_WORDS.items() if grade in used]


def _data(comparison: Comparison) -> str:
    rows = []
    shown = comparison.columns[:MOST_COLUMNS]
    for column in shown:
        if "levels" in column:
            numbers = (
                f'<td colspan="3">{column["levels"]} levels, most often {escape(", ".join(column["common"]))}</td>'
            )
        else:
            numbers = "".join(f'<td class="n">{_number(column.get(key))}</td>' for key in ("low", "mean", "high"))
        missing = f"{column['missing']:,}" if column["missing"] else '<span class="soft">0</span>'
        rows.append(
            f'<tr><th scope="row">{escape(column["name"])}</th><td>{escape(column["kind"])}</td>{numbers}'
            f'<td class="n">{missing}</td></tr>'
        )
    more = len(comparison.columns) - len(shown)
    rest = f"<p class='soft'>and {more} more columns</p>" if more > 0 else ""
    target = ""
    if comparison.classes is not None:
        target = _classes(comparison)
    elif comparison.y is not None:
        y = comparison.y
        target = (
            f"<p>The target {escape(comparison.target or 'y')} lies between {_number(y.min())} and {_number(y.max())}; "
            f"mean {_number(y.mean())}, standard deviation {_number(y.std())}.</p>"
        )
    return f"""<section><h2>Data</h2>{target}
<div class="scroll"><table><thead><tr><th scope="col">column</th><th scope="col">kind</th>
<th scope="col" class="n">smallest</th><th scope="col" class="n">mean</th><th scope="col" class="n">largest</th>
<th scope="col" class="n">missing</th></tr></thead>
<tbody>{"".join(rows)}</tbody></table></div>{rest}</section>"""


def _classes(comparison: Comparison) -> str:
    counts = comparison.class_counts() or []
    shown = [f"{escape(str(one['label']))} ({one['rows']:,})" for one in counts[:MOST_COLUMNS]]
    more = f" and {len(counts) - MOST_COLUMNS} more" if len(counts) > MOST_COLUMNS else ""
    name = escape(comparison.target or "y")
    return f"<p>The target {name} has {len(counts)} classes, with rows in brackets: {', '.join(shown)}{more}.</p>"


def _number(value: Any) -> str:
    if value is None:
        return ""
    value = float(value)
    if abs(value) < 1e-12:
        value = 0.0
    return f"{value:.4g}".replace("-", "−")


def _reproduce(comparison: Comparison) -> str:
    lines = []
    if comparison.command:
        lines.append(f"<p>The same page again, with the same numbers:</p><pre>{escape(comparison.command)}</pre>")
    call = "compare(None, X, y)" if comparison.y is not None else "compare(None, X)"
    code = (
        "from surefit.model_selection import compare\n\n"
        f"result = {call}    # None: the models that suit the data; or a list of your own\n"
        'print(result)\nresult.report("report.html")'
    )
    versions = ", ".join(f"{name} {number}" for name, number in comparison.versions.items())
    return f"""<section><h2>How to reproduce this</h2>{"".join(lines)}
<p>From Python:</p><pre>{escape(code)}</pre><p class="soft">{escape(versions)}</p></section>"""
