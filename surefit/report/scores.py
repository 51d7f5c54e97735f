"""The table of scores: a row for each model, a card for each model where the screen is narrow."""

from __future__ import annotations

from html import escape

import numpy as np

from surefit.certificates.presentation import OPEN_WORDS
from surefit.model_selection.clusterings.verdict import STABILITY, STABILITY_WORDS
from surefit.model_selection.comparison import Comparison, score_text, seconds_text
from surefit.model_selection.outcome import Outcome
from surefit.model_selection.scoring import LOG_LOSS
from surefit.report.interval_bar import bar, bar_scale
from surefit.report.proofs import TONES
from surefit.report.text import breakable, decimals, parameters

MOST_NOTES = 5
CLUSTERING_WORDS = (
    "The score is the share of the variance of unseen rows that a model carries: by the nearest center, or by the "
    "projection on the components; a clustering that speaks of its own rows alone has none. The silhouette (of at most "
    "2,000 rows) is near 1 where rows are much nearer to their own cluster than to the next; noise counts as 0. "
    "Davies–Bouldin (lower is better) and Calinski–Harabasz (higher is better) leave noise out."
)


def scores_section(comparison: Comparison) -> str:
    return f"""<section aria-labelledby="scores"><h2 id="scores" tabindex="-1">Scores</h2>
{f'<p class="verdict">{escape(comparison.verdict)}</p>' if comparison.verdict else ""}
{_table(comparison)}
<p class="soft">{escape(_method(comparison))}</p>
{_notes(comparison)}{_left_out(comparison)}</section>"""


def baseline_of(comparison: Comparison) -> Outcome | None:
    return next((one for one in comparison.outcomes if one.is_baseline and one.scored), None)


def _method(comparison: Comparison) -> str:
    if comparison.metric == STABILITY:
        return STABILITY_WORDS
    words = (
        f"Every model was fitted on the same {comparison.n_splits} training parts and scored on rows it had not seen "
        f"({comparison.splits}); ± and the bars are {100 * comparison.level:g} % intervals, corrected for the overlap "
        "of the training parts (Nadeau and Bengio, 2003). "
    )
    if comparison.task == "clustering":
        return words + CLUSTERING_WORDS
    baseline = baseline_of(comparison)
    if baseline is not None:
        words += f"The thin line is the baseline, {decimals(baseline.interval.mean)}. "
    words += "p-values are Holm's, for all models at once. "
    if any(one.parameters for one in comparison.outcomes):
        words += "Parameters below a name were chosen inside the training rows. "
    if LOG_LOSS in comparison.extra_names:
        words += "The log-loss is the mean of −log of the probability given to the true class: lower is better."
    return words


def _table(comparison: Comparison) -> str:
    scale = bar_scale([one.interval for one in comparison.outcomes])
    baseline = baseline_of(comparison)
    line = None if baseline is None else baseline.interval.mean
    tested = [] if comparison.task == "clustering" else ["against the best"]
    head = ["model", comparison.metric, "interval", *tested, *comparison.extra_names, "fit", "certificate"]
    kinds = ["", "n", "", *["n"] * (len(tested) + len(comparison.extra_names) + 1), ""]
    top = "".join(
        f'<th role="columnheader" scope="col"{f" class={kind}" if kind else ""}>{breakable(words)}</th>'
        for words, kind in zip(head, kinds, strict=True)
    )
    rows = "".join(_row(one, comparison, scale, line) for one in comparison.outcomes)
    return (
        f'<table class="wide" role="table" aria-labelledby="scores"><thead role="rowgroup"><tr role="row">{top}</tr>'
        f'</thead><tbody role="rowgroup">{rows}</tbody></table>'
    )


def _row(one: Outcome, comparison: Comparison, scale: tuple[float, float], baseline: float | None) -> str:
    best = one is comparison.best
    tag = ' <span class="tag">best</span>' if best else ""
    chosen = f"<small>{escape(parameters(one.parameters))}</small>" if one.parameters else ""
    cells = [
        f'<th role="rowheader" scope="row">{breakable(one.name)}{tag}{chosen}</th>',
        f'<td role="cell" class="n score">{score_text(one.interval)}</td>',
        f'<td role="cell" class="bar">{bar(one.interval, scale, baseline)}</td>',
    ]
    if comparison.task != "clustering":
        cells.append(_cell("against the best", _versus(one, comparison, best), "n none" if best else "n"))
    cells += [_cell(name, escape(one.extra_text(name)), "n") for name in comparison.extra_names]
    cells += [_cell("fit", seconds_text(one.fit_seconds), "n"), _cell("certificate", verdict(one), "cert")]
    return f'<tr role="row"{" class=best" if best else ""}>{"".join(cells)}</tr>'


def _cell(label: str, content: str, kind: str = "") -> str:
    """A cell that carries its label for the narrow screen; an empty one takes no space there."""
    classes = f"{kind}{'' if content else ' none'}".strip()
    kind = f' class="{classes}"' if classes else ""
    return f'<td role="cell" data-label="{escape(label)}"{kind}>{content}</td>'


def _versus(one: Outcome, comparison: Comparison, best: bool) -> str:
    if one.versus_best is None:
        return '<span class="soft">highest</span>' if best else ""
    words = ""
    if one.p_adjusted is not None and np.isfinite(one.p_adjusted):
        told = one.p_adjusted < 1 - comparison.level
        words = f"worse, p {p_text(one.p_adjusted)}" if told else "not told apart"
    return f"{score_text(one.versus_best)}<small>{words}</small>"


def p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"


def verdict(one: Outcome) -> str:
    """The verdict on the certificates of a model, as HTML."""
    if one.holds is None:
        return f'<span class="soft">{escape("not certified" if one.not_certified else "no claim")}</span>'
    sign, words = one.verdict.split(" ", 1)
    title = f' title="{escape(OPEN_WORDS)}"' if one.is_open else ""
    return f'<span class="{TONES[sign]}"{title}>{sign}&nbsp;{words.replace("_", "_<wbr>")}</span>'


def _notes(comparison: Comparison) -> str:
    """The first few; the rest, which are ranked lower, folded away."""
    notes = [*comparison.notes, *(f"Warning from {line}" for line in comparison.warnings())]
    lines = [f"<li>{escape(note[:1].upper() + note[1:])}</li>" for note in notes]
    if not lines:
        return ""
    shown, rest = lines[:MOST_NOTES], lines[MOST_NOTES:]
    if len(rest) == 1:
        shown, rest = lines, []
    more = f"<details class='quiet'><summary>{len(rest)} more notes</summary><ul>{''.join(rest)}</ul></details>"
    return f"<h3>Notes</h3><ul>{''.join(shown)}</ul>{more if rest else ''}"


def _left_out(comparison: Comparison) -> str:
    if not comparison.left_out:
        return ""
    lines = "".join(f"<li><b>{breakable(name)}</b>: {escape(why)}</li>" for name, why in comparison.left_out)
    n = len(comparison.left_out)
    return (
        f"<details class='quiet'><summary>{n} model{'' if n == 1 else 's'} left out</summary><ul>{lines}</ul></details>"
    )
