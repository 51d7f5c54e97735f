"""Claims and certificates: verdicts, grades, the table, HTML and JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from surefit.certificates import Certificate, CertificateError, Claim, Grade
from surefit.certificates.claim import at_most, failed


def claim(name: str = "a", grade: Grade = Grade.OPTIMAL, value: float = 1e-12, limit: float | None = 1e-9) -> Claim:
    return Claim(name, f"The sentence of {name}.", grade, value, limit, True)


def certificate(*claims: Claim) -> Certificate:
    return Certificate(claims, "Ridge", 100, 7, 0.25, "two passes")


def test_the_grades() -> None:
    assert [str(g) for g in Grade] == [  # from the strongest to the weakest
        "EXACT", "NO_SOLUTION", "OPTIMAL", "BOUNDED", "FIXED_POINT", "STATIONARY", "GREEDY", "STATISTICAL",
        "UNPROVED", "NOT_OPTIMAL",
    ]  # fmt: skip
    assert Grade("OPTIMAL") is Grade.OPTIMAL and Grade.OPTIMAL == "OPTIMAL"


@pytest.mark.parametrize(
    ("value", "limit", "holds"),
    [(1.0, 1.0, True), (1.0, 0.5, False), (math.nan, 1.0, False), (1.0, math.nan, False), (math.inf, 1.0, False)],
)
def test_at_most_is_false_for_nan(value: float, limit: float, holds: bool) -> None:
    assert at_most("a", "s", Grade.EXACT, value, limit).holds is holds


@pytest.mark.parametrize(
    ("grades", "overall"),
    [
        ((Grade.EXACT, Grade.OPTIMAL), Grade.OPTIMAL),
        ((Grade.EXACT, Grade.FIXED_POINT, Grade.BOUNDED), Grade.FIXED_POINT),
        ((Grade.OPTIMAL, Grade.BOUNDED), Grade.BOUNDED),
        ((Grade.OPTIMAL, Grade.STATISTICAL), Grade.STATISTICAL),
        ((Grade.EXACT,), Grade.EXACT),
    ],
)
def test_grade_is_the_weakest(grades: tuple[Grade, ...], overall: Grade) -> None:
    assert certificate(*(claim(grade=g) for g in grades)).grade is overall


def test_information_does_not_weaken_the_grade() -> None:
    assert certificate(claim(), claim("b", Grade.BOUNDED, 0.7, None)).grade is Grade.OPTIMAL


def test_one_failure_unproves_everything() -> None:
    c = certificate(claim(), failed("b", "It is NaN."))
    assert not c.holds and c.grade in (Grade.UNPROVED, Grade.NOT_OPTIMAL) and [f.name for f in c.failures] == ["b"]
    with pytest.raises(CertificateError, match=r"Ridge: 1 of 2 claims fail.\n  b: It is NaN."):
        c.raise_if_failed()
    assert issubclass(CertificateError, ValueError)


def test_a_certificate_without_claims_proves_nothing() -> None:
    c = certificate()
    assert not c.holds and c.grade in (Grade.UNPROVED, Grade.NOT_OPTIMAL)
    with pytest.raises(CertificateError, match="no claims"):
        c.raise_if_failed()


def test_tuple_like_and_by_name() -> None:
    c = certificate(claim(), claim("b"))
    assert len(c) == 2 and c[0].name == "a" and c["b"].name == "b" and "b" in c and "z" not in c
    assert [x.name for x in c] == ["a", "b"] and c.raise_if_failed() is c
    with pytest.raises(KeyError, match="there are a, b"):
        c["z"]


def test_json_round_trip_keeps_nan_and_infinity() -> None:
    c = certificate(
        Claim("a", "s", Grade.EXACT, math.inf, 1.0, False, {"x": math.nan, "n": np.int64(3), "v": np.array([1.5, 2])}),
        claim("b", Grade.BOUNDED, 0.5, None),
    )
    text = c.to_json()
    data = json.loads(text)
    assert data["claims"][0]["value"] == "inf" and data["claims"][0]["detail"]["n"] == 3
    back = Certificate.from_json(text)
    assert back == c and back[0].value == math.inf and math.isnan(back[0].detail["x"])
    assert back.to_json() == text


def test_from_dict_derives_the_verdict() -> None:
    data = certificate(failed("b", "no")).to_dict()
    data["holds"], data["grade"] = True, "OPTIMAL"
    assert Certificate.from_dict(data).grade in (Grade.UNPROVED, Grade.NOT_OPTIMAL)


def test_table_fits_a_terminal() -> None:
    long = Claim("a_long_name_for_a_claim_indeed", "word " * 60, Grade.FIXED_POINT, 1.23456789e-300, 1e-9, True)
    text = str(certificate(long, claim("b", Grade.BOUNDED, 0.5, None), failed("c", "no")))
    lines = text.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert lines[0].startswith("✗ UNPROVED  Ridge  100 × 7") and "250 ms" in lines[0]
    assert any(line.startswith("✗ c") for line in lines) and "(information)" in text and "cost: two passes" in text
    assert repr(certificate(long)) == str(certificate(long))


def test_html_escapes() -> None:
    c = certificate(Claim("a", "x < y & z", Grade.EXACT, 1.0, 2.0, True))
    assert "x &lt; y &amp; z" in c._repr_html_() and "✓ EXACT" in c._repr_html_()


def test_claims_are_frozen() -> None:
    with pytest.raises(AttributeError):
        claim().holds = False  # type: ignore[misc]
