"""The report: one HTML file that needs nothing else, neither a server nor a network."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.model_selection.clusterings.indices import CLUSTERS, SILHOUETTE
from surefit.model_selection.clusterings.verdict import STABILITY
from surefit.model_selection.comparison import Comparison, score_text
from surefit.model_selection.scoring import LOG_LOSS
from surefit.report.data import data_section
from surefit.report.picture import Picture
from surefit.report.pictures import pictures_of
from surefit.report.proofs import proofs_section
from surefit.report.scores import baseline_of, scores_section
from surefit.report.style import STYLE
from surefit.report.text import breakable, decimals, listed, parameters

CARD_EXTRA = (LOG_LOSS, CLUSTERS, SILHOUETTE)
PARTS = {"scores": "Scores", "pictures": "Pictures", "proofs": "What is proved", "data": "Data", "again": "Reproduce"}


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
    sections = [
        scores_section(comparison),
        _pictures(pictures_of(comparison)),
        proofs_section(comparison),
        data_section(comparison),
        _reproduce(comparison),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)} · surefit</title><style>{STYLE}</style></head>\n<body>"
        '<a class="skip" href="#scores">Skip to the scores</a>\n'
        f"{_head(comparison)}\n<main>\n"
        + "\n".join(sections)
        + f"\n</main>\n<footer>Written by surefit {escape(comparison.versions.get('surefit', ''))}. "
        "This page is one file and loads nothing from elsewhere.</footer></body></html>\n"
    )


def _head(comparison: Comparison) -> str:
    target = f" of <b>{breakable(comparison.target)}</b>" if comparison.target and comparison.y is not None else ""
    opening = comparison.opening or comparison.data_name
    links = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words in PARTS.items())
    return f"""<header><p class="soft">{breakable(comparison.data_name)} · {comparison.task}{target}</p>
<h1>{breakable(opening[:1].upper() + opening[1:] if comparison.opening else opening)}</h1>
{_alarms(comparison)}<dl class="cards">{"".join(_cards(comparison))}</dl>
<nav aria-label="Parts of this page"><ul>{links}</ul></nav></header>"""


def _alarms(comparison: Comparison) -> str:
    """What must be known before a score is believed."""
    lines = [f"Possible leak: {line}" for line in comparison.leaks]
    if comparison.interrupted:
        lines.append("The comparison was interrupted: models that were not finished are missing")
    return f"<ul class='alarm'>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def _cards(comparison: Comparison) -> list[str]:
    best = comparison.best
    chosen = f"<small>{escape(parameters(best.parameters))}</small>" if best.parameters else ""
    baseline = baseline_of(comparison)
    against = f"<small>baseline {decimals(baseline.interval.mean)}</small>" if baseline not in (None, best) else ""
    extra = "".join(
        f"<small>{escape(name)} {escape(best.extra_text(name))}</small>" for name in CARD_EXTRA if name in best.extra
    )
    certified = [one for one in comparison.outcomes if one.holds is not None]
    failing = [one.name for one in certified if not one.holds]
    proved = f"{len(certified) - len(failing)} of {len(certified)}" if certified else "none"
    words = f"not {listed(failing, 2)}" if failing else "fits checked from the data alone"
    words = words if certified else "no fit was checked"
    return [
        _card("Best model", f"{breakable(best.name)}{chosen}<small>{breakable(_lead(comparison))}</small>"),
        _card(
            f"{comparison.metric} {'of halves of the rows' if comparison.metric == STABILITY else 'on unseen rows'}",
            f"{score_text(best.interval)}<small>{100 * comparison.level:g} % interval</small>{against}{extra}",
        ),
        _card(
            "Certificates that hold",
            f"{proved}<small>{breakable(words)}</small>",
            "bad" if failing else "good" if certified else "",
        ),
        _card("Data", f"{comparison.n_rows:,} × {comparison.n_features}<small>rows × columns</small>"),
    ]


def _card(label: str, content: str, tone: str = "") -> str:
    kind = f' class="{tone}"' if tone else ""
    return f'<div class="card"><dt>{escape(label)}</dt><dd{kind}>{content}</dd></div>'


def _lead(comparison: Comparison) -> str:
    """Is the best one clearly the best?"""
    if comparison.metric == STABILITY:
        return "highest silhouette × stability"
    if comparison.task == "clustering":
        return "highest silhouette" if SILHOUETTE in comparison.best.extra else "highest share explained"
    tested = [one for one in comparison.outcomes if one.p_adjusted is not None]
    close = [one.name for one in tested if one.p_adjusted is None or not one.p_adjusted < 1 - comparison.level]
    if not tested:
        return ""
    if not close:
        return "clearly ahead of all others"
    return f"not clearly ahead of {close[0] if len(close) == 1 else f'{len(close)} others'}"


def _pictures(pictures: list[Picture]) -> str:
    figures = []
    for one in pictures:
        data = base64.b64encode(one.svg.encode("utf-8")).decode("ascii")
        figures.append(
            f"<figure><h3>{breakable(one.title)}</h3>"
            f'<img alt="{escape(one.alt)}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{escape(one.caption)}</figcaption></figure>"
        )
    return (
        '<section aria-labelledby="pictures"><h2 id="pictures">Pictures</h2>'
        f'<div class="pictures">{"".join(figures)}</div></section>'
    )


def _reproduce(comparison: Comparison) -> str:
    command = ""
    if comparison.command:
        command = f"<p>{_again(comparison)}:</p><pre><code>{escape(comparison.command)}</code></pre>"
    call = "compare(None, X, y)" if comparison.y is not None else "compare(None, X)"
    code = (
        "from surefit.model_selection import compare\n\n"
        "# None: the models that suit the data; or a list of your own\n"
        f'result = {call}\nprint(result)\nresult.report("report.html")'
    )
    took = f"The comparison took {comparison.seconds:,.0f} s. " if comparison.seconds >= 1 else ""
    versions = ", ".join(f"{name} {number}" for name, number in comparison.versions.items())
    return f"""<section aria-labelledby="again"><h2 id="again">How to reproduce this</h2>{command}
<p>From Python:</p><pre><code>{escape(code)}</code></pre><p class="soft">{took}{escape(versions)}</p></section>"""


def _again(comparison: Comparison) -> str:
    """Seeds are fixed: only a limit of time can change a number."""
    if comparison.time_budget is None:
        return "The same page again, with the same numbers"
    limit = f"{comparison.time_budget:g} s"
    return f"The same page again, with the same numbers wherever as much can be done in {limit}"
