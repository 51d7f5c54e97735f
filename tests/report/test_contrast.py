"""Colors of the report keep the contrast that WCAG 2.2 asks for at level AA, in both schemes."""

from __future__ import annotations

import re

import pytest

from surefit.plot.render import PALETTE, SCHEMES
from surefit.report.style import DARK, LIGHT, STYLE


def luminance(color: str) -> float:
    """WCAG's relative luminance: linear sRGB channels, weighted."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_recommendation():
    """Black on white is 21; #767676 is the lightest grey that passes AA on white, #777777 fails."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") >= 4.5 > contrast("#777777", "#ffffff")


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("behind", ["page", "card", "tint"])
def test_text_can_be_read(scheme, behind):
    for text in ("ink", "soft", "blue", "good", "bad"):
        assert contrast(scheme[text], scheme[behind]) >= 4.5, (text, behind)


@pytest.mark.parametrize(("scheme", "place"), [(LIGHT, 0), (DARK, 1)], ids=["light", "dark"])
def test_letters_of_pictures_can_be_read_on_their_card(scheme, place):
    ink = re.findall(r"--ink:(#[0-9a-f]{6})", SCHEMES)[place]
    assert contrast(ink, scheme["card"]) >= 4.5


def test_the_first_colors_of_pictures_are_seen_on_both_cards():
    for color in PALETTE[:3]:
        assert contrast(color, LIGHT["card"]) >= 3 and contrast(color, DARK["card"]) >= 2


def test_every_color_of_the_page_has_a_name():
    """No color is written into a rule: each is one of the names above, with a value for each scheme."""
    rules = STYLE.split("}", 1)[1].split("}}", 1)[1]
    assert not re.findall(r"#[0-9a-f]{3,8}\b", rules)
    used = set(re.findall(r"var\(--(\w+)\)", rules))
    assert used <= set(LIGHT) == set(DARK)
