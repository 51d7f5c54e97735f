"""The pages in a real browser: nothing scrolls sideways, is cut off, fails or is asked for; dark colors; paper."""

from __future__ import annotations

import pytest

from tests.report.chromium import Chromium, find_chromium, pages_of
from tests.report.conftest import KINDS
from tests.report.test_contrast import contrast

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium: `apt install chromium` to look at pages")
WIDTHS = [360, 400, 768, 1280, 1600]
CUT = """[...document.querySelectorAll('body *')].filter(e => {
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (!box.width || style.position === 'absolute' || e.closest('.range') || e.closest('thead') && innerWidth < 900)
        return false;
    const clips = style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1;
    return clips || box.right > innerWidth + 0.5 || box.left < -0.5;
}).map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 40))"""
COLLIDING = """(() => {
    const cells = [...document.querySelectorAll('table.wide tbody tr')].flatMap(row => {
        const boxes = [...row.children].map(e => e.getBoundingClientRect()).filter(b => b.width);
        return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1));
    });
    return cells.length;
})()"""
PLAIN = "document.querySelectorAll('details').forEach(e => e.open = true)"


@pytest.fixture(scope="module")
def browser():
    with Chromium(PROGRAM) as one:
        yield one


@pytest.fixture(scope="module")
def file_of(page_of, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")

    def get(kind):
        path = folder / f"{kind}.html"
        if not path.exists():
            path.write_text(page_of(kind), "utf-8")
        return path

    return get


@pytest.mark.parametrize("kind", KINDS)
def test_no_width_cuts_anything_off(kind, browser, file_of):
    for width in WIDTHS:
        browser.open(file_of(kind), width, phone=width < 500)
        browser.value(PLAIN)
        assert browser.value("document.documentElement.scrollWidth") <= width, (kind, width)
        assert browser.value(CUT) == [], (kind, width)
        assert browser.value(COLLIDING) == 0, (kind, width)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_fails_at_nothing_and_asks_for_nothing(kind, browser, file_of):
    browser.open(file_of(kind))
    assert browser.errors == []
    elsewhere = [url for url in browser.requests if not url.startswith("data:image/svg+xml")]
    assert elsewhere == [file_of(kind).resolve().as_uri()]
    assert browser.value("[...document.images].every(e => e.complete && e.naturalWidth > 100)")


def test_the_dark_page_is_dark_and_its_text_is_light(browser, file_of):
    colors = "['color', 'backgroundColor'].map(name => getComputedStyle(document.body)[name])"
    browser.open(file_of("regression"), dark=True)
    ink, page = browser.value(colors)
    assert sum(channels(page)) < 120 < 600 < sum(channels(ink))
    assert contrast(hexadecimal(ink), hexadecimal(page)) >= 7
    browser.open(file_of("regression"))
    ink, page = browser.value(colors)
    assert sum(channels(ink)) < 200 < 700 < sum(channels(page))


def test_on_paper_there_are_few_pages(browser, file_of):
    for kind in KINDS:
        browser.open(file_of(kind))
        assert 2 <= pages_of(browser.printed()) <= 6, kind


def test_paper_is_white_and_nothing_is_wider_than_it(browser, file_of):
    for kind in KINDS:
        browser.open(file_of(kind), 700, dark=True)
        browser.call("Emulation.setEmulatedMedia", media="print")
        assert browser.value("document.documentElement.scrollWidth") <= 700, kind
        assert browser.value(CUT) == [], kind
        ink = browser.value("getComputedStyle(document.body).color")
        assert sum(channels(ink)) < 200, "ink for a dark screen on white paper"


def test_keys_walk_through_the_page(browser, file_of):
    """The first stop is the link past the head of the page; all links and folds can be reached."""
    browser.open(file_of("regression"))
    stops = []
    for _ in range(8):
        for kind in ("rawKeyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        stops.append(browser.value("document.activeElement.tagName + ' ' + document.activeElement.textContent"))
    assert stops[0] == "A Skip to the scores"
    assert stops[1:6] == ["A Scores", "A Pictures", "A What is proved", "A Data", "A Reproduce"]
    assert stops[6].startswith("SUMMARY")


def test_the_browser_sees_what_is_wrong(browser, tmp_path):
    """A page with every fault that the tests above look for."""
    path = tmp_path / "bad.html"
    path.write_text(
        "<body style='margin:0'><div style='width:5000px'>wide</div>"
        "<p style='overflow:hidden;width:9px'>Incomprehensible</p><img src='http://elsewhere.invalid/x.png'><script>console.error('broken')</script></body>"
    )
    browser.open(path, 400)
    assert browser.value("document.documentElement.scrollWidth") > 400
    assert [one.partition(".")[0] for one in browser.value(CUT)] == ["DIV", "P"]
    assert any("broken" in line for line in browser.errors)
    assert "http://elsewhere.invalid/x.png" in browser.requests


def channels(color: str) -> list[int]:
    """Of what a browser says: rgb(1, 2, 3)."""
    return [int(part) for part in color.removeprefix("rgb(").rstrip(")").split(",")]


def hexadecimal(color: str) -> str:
    return "#" + "".join(f"{part:02x}" for part in channels(color))
