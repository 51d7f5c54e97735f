"""What is proved about each model, in words a data scientist knows, and every claim with its number."""

from __future__ import annotations

from html import escape

from surefit.certificates import Certificate, Claim, Grade
from surefit.certificates.presentation import OPEN, OPEN_WORDS, mark, number
from surefit.model_selection.comparison import Comparison, seconds_text
from surefit.model_selection.outcome import Outcome
from surefit.report.text import breakable, count, listed, parameters

GRADE_WORDS = {
    Grade.EXACT: "the fitted numbers are those of the definition, up to rounding: another solver would give the same",
    Grade.NO_SOLUTION: "the objective has no minimum on these rows, and a direction that lowers it forever is shown",
    Grade.OPTIMAL: "no other coefficients do better on these rows by more than the limit: the solver has converged to "
    "the global optimum, not only stopped",
    Grade.BOUNDED: "an approximation, with a bound on its error computed after the fit",
    Grade.FIXED_POINT: "one more step of the algorithm changes nothing; a better solution elsewhere is not excluded",
    Grade.STATIONARY: "the gradient is as good as zero: a local optimum or saddle, not necessarily the best one",
    Grade.GREEDY: "every split or stage was the best one on offer when it was chosen; the whole may not be the best",
    Grade.STATISTICAL: "holds with the stated probability, under the assumptions listed",
    Grade.UNPROVED: f"{OPEN}: {OPEN_WORDS}; ✗: could not be decided, and the claim says why",
    Grade.NOT_OPTIMAL: "proved to be off by at least the number given; the claim says what to do",
}
TONES = {"✓": "good", "✗": "bad", OPEN: "soft"}


def proofs_section(comparison: Comparison) -> str:
    models = "".join(_model(one, comparison) for one in comparison.outcomes)
    return f"""<section aria-labelledby="proofs"><h2 id="proofs">What is proved</h2>
<p>A score says how well a model predicts; a certificate says whether the fit is what it claims to be. Each fit on all
rows is checked by a small program that does not know the solver: it recomputes every claim from the data and the fitted
numbers. A certificate is as strong as its weakest claim, and says nothing about rows that were not there.</p>
<dl class="grades">{_grades(comparison)}</dl>
<h3>Model by model</h3>{models}</section>"""


def _grades(comparison: Comparison) -> str:
    """Every grade in the table of scores, what it means, and which models have it."""
    found = ""
    for grade, words in GRADE_WORDS.items():
        names = [one.name for one in comparison.outcomes if one.grade == grade]
        if names:
            found += f"<dt>{str(grade).replace('_', ' ')}</dt><dd>{escape(words)}."
            found += f" <span class='soft'>{escape(listed(names, 4))}</span></dd>"
    return found


def _model(one: Outcome, comparison: Comparison) -> str:
    opened = one is comparison.best or one.holds is False
    badge = f'<span class="soft">{"not certified" if one.not_certified else "nothing is claimed"}</span>'
    if one.holds is not None:
        verdict = one.verdict.replace("_", " ")
        badge = f'<span class="{TONES[verdict[0]]}">{verdict}</span>'
    body = _about(one)
    for part, certificate in one.certificates.items():
        body += _certificate(certificate, part if len(one.certificates) > 1 else "")
    if one.not_certified:
        body += f"<p class='soft'>Not certified: {escape(one.not_certified)}.</p>"
    if not body:
        return f"<p class='line'><b>{breakable(one.name)}</b> {badge}</p>"
    return f"<details{' open' if opened else ''}><summary>{breakable(one.name)} {badge}</summary>{body}</details>"


def _about(one: Outcome) -> str:
    """What the model is, and what its search chose."""
    words = [f"{one.sentence[:1].upper()}{one.sentence[1:]}."] if one.sentence else []
    if one.parameters:
        rows = "" if one.search_rows is None else f" on {count(one.search_rows, 'row')}"
        words.append(f"Chosen{rows}: {parameters(one.parameters)}.")
    others = {parameters(chosen) for chosen in one.fold_parameters} - {parameters(one.parameters)}
    if others:
        words.append(f"Training parts of the folds also chose {listed(sorted(others), 4)}.")
    elif one.fold_parameters and one.parameters:
        words.append("The training part of every fold chose the same.")
    return f"<p>{escape(' '.join(words))}</p>" if words else ""


def _certificate(certificate: Certificate, part: str) -> str:
    title = f"<p><b>{escape(part)}</b></p>" if part else ""
    claims = "".join(_claim(claim) for claim in certificate)
    unchecked = f"Not checked: {', '.join(certificate.not_checked)}. " if certificate.not_checked else ""
    cost = f" ({certificate.cost})" if certificate.cost else ""
    return (
        f"{title}<ul class='claims'>{claims}</ul><p class='soft'><small>{escape(unchecked)}Checked on "
        f"{certificate.n_rows:,} × {certificate.n_features} in {seconds_text(certificate.seconds)}{escape(cost)}."
        "</small></p>"
    )


def _claim(claim: Claim) -> str:
    sign = mark(claim.holds, claim.grade)
    value = "" if claim.value is None else f"{number(claim.value)}"
    if claim.limit is not None and value:
        value += f" {'≤' if claim.holds else '>'} {number(claim.limit)}"
        if claim.excuse > 1e-3 * claim.limit:
            value += f" + {claim.excuse:.1g} rounding"
    grade = "for information" if claim.informs else str(claim.grade).replace("_", " ")
    value = value.replace("-", "−")
    return (
        f'<li><span class="{TONES[sign]}" aria-label="{"holds" if claim.holds else "fails"}">{sign}</span> '
        f"<b>{escape(claim.name.replace('_', ' '))}</b> {escape(claim.sentence)} "
        f'<span class="soft num">{escape(f"{value} · {grade}" if value else grade)}</span></li>'
    )
