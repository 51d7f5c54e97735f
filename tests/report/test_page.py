"""The report is one file: no outside resource, words for every picture, every number that the table has."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import ShuffleSplit

from surefit.certificates import Certificate, Grade
from surefit.certificates.presentation import OPEN_WORDS
from surefit.linear_model import LinearRegression, LogisticRegression, Ridge
from surefit.model_selection import compare
from surefit.model_selection.describe.profile import profile
from surefit.model_selection.significance.intervals import Interval
from surefit.neighbors import KNeighborsClassifier
from surefit.report import html_report, write_report
from surefit.report.interval_bar import bar, bar_scale
from surefit.report.measured import importances_of, learning_of, scorer_of
from surefit.report.pictures import pictures_of
from tests.report.conftest import KINDS
from tests.report.parsed import Page


class Liar(SklearnLinearRegression):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = self.coef_ + 1.0
        return self


def test_a_fit_that_is_neither_proved_nor_wrong_has_a_mark_of_its_own():
    X, y = load_iris(return_X_y=True)
    found = compare({"logistic": LogisticRegression(), "other": KNeighborsClassifier()}, X, y, cv=2)
    claims = tuple(replace(claim, grade=Grade.UNPROVED) for claim in found["other"].certificates.popitem()[1])
    found["other"].certificates["other"] = Certificate(claims, model="Network", n_rows=len(X), n_features=X.shape[1])
    text = html_report(found)
    assert f'<span class="soft" title="{OPEN_WORDS}">○&nbsp;UNPROVED</span>' in text
    assert '<span class="soft">○ UNPROVED</span>' in text and f"○: {OPEN_WORDS}" in text
    assert "✓&nbsp;UNPROVED" not in text and "✓ UNPROVED" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_loaded_from_elsewhere(kind, page_of):
    text = page_of(kind)
    page = Page(text)
    assert not page.all("script") and not page.all("link") and not page.all("iframe")
    addresses = [attrs[key] for _, attrs in page.tags for key in ("src", "href", "srcset", "poster") if key in attrs]
    assert addresses and all(address.startswith(("data:image/", "#")) for address in addresses)
    parts = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert {address[1:] for address in addresses if address.startswith("#")} <= parts
    assert not re.search(r"https?://", text)
    assert "@import" not in text and not re.search(r"url\(", text)


@pytest.mark.parametrize("kind", KINDS)
def test_every_picture_has_words_and_is_whole(kind, page_of):
    images = Page(page_of(kind)).all("img")
    assert len(images) >= 4
    for image in images:
        assert len(image["alt"]) > 40
        svg = base64.b64decode(image["src"].partition("base64,")[2]).decode("utf-8")
        assert svg.startswith("<svg") and svg.rstrip().endswith("</svg>")
        assert not re.search(r'(?:href|src)="(?!#|data:)', svg)


def test_a_classification_has_its_pictures(two_classes, three_classes):
    titles = [one.title for one in pictures_of(two_classes)]
    assert [title.partition(":")[0].partition("?")[0] for title in titles] == [
        "Scores, fold by fold",
        "Who is taken for whom",
        "Finding 'benign'",
        "Do probabilities keep their word",
        "Which columns matter",
        "Coefficients",
        "Would more rows help",
        "Where classes lie",
        "Scree of the columns",
    ]
    titles = [one.title for one in pictures_of(three_classes)]
    assert {"Coefficients: LogisticRegression", "Finding each class: LogisticRegression"} < set(titles)


def test_numbers_in_the_words_of_pictures_are_those_of_scikit_learn(two_classes):
    words = {one.title: one.alt for one in pictures_of(two_classes)}
    best, y = two_classes.best, two_classes.y
    assert f"{(best.predictions == y).sum()} of 569 unseen rows" in words[f"Who is taken for whom: {best.name}"]
    area = roc_auc_score(y == "benign", two_classes["steep"].probabilities[:, 1])
    assert f"{area:.3f} for steep" in words["Finding 'benign'"]


def test_the_classes_are_counted(page_of):
    words = Page(page_of("two_classes")).text
    assert "y has 2 classes, with rows in brackets: <b>malign (212), benign (357)." in words
    assert "log-loss is the mean" in words and "accuracy on unseen rows" in words
    assert "0 (50), 1 (50), 2 (50)." in Page(page_of("three_classes")).text


def test_folds_that_miss_rows_make_a_page_too():
    X, y = load_iris(return_X_y=True)
    found = compare([LogisticRegression()], X, y, cv=[(np.arange(0, 150, 2), np.arange(1, 149, 2))])
    text = html_report(found)
    assert "Who is taken for whom" not in text and "LogisticRegression" in text and "nan" not in text


def test_the_page_has_its_sections_and_every_claim(regression, page_of):
    page = Page(page_of("regression"))
    words = page.text
    for section in ("Scores", "Pictures", "What is proved", "Data", "How to reproduce this"):
        assert section in words
    for one in regression.outcomes:
        assert one.name in words
        for certificate in one.certificates.values():
            for claim in certificate:
                assert claim.sentence in words
    for column in regression.columns:
        assert column["name"] in words
    assert page.all("html")[0]["lang"] == "en"


def test_a_failed_certificate_is_shown_open_and_in_red():
    X, y = load_diabetes(return_X_y=True)
    text = html_report(compare({"honest": LinearRegression(), "liar": Liar()}, X, y, cv=2))
    assert "✗ NOT OPTIMAL" in text and "1 of 2" in text and "not liar" in text
    opened = re.findall(r"<details open><summary>(\w+)", text)
    assert "liar" in opened


def test_names_cannot_break_the_page():
    X, y = load_diabetes(return_X_y=True)
    evil = "<script>alert('x')</script>"
    frame = pd.DataFrame(X[:, :3], columns=[evil, "a & b", '"quoted"'])
    result = compare({evil: LinearRegression()}, frame, y, cv=2)
    result.data_name = result.target = evil
    page = Page(html_report(result))
    assert not page.all("script")
    assert evil in page.text


def test_a_report_is_written_where_asked(regression, page_of, tmp_path):
    path = regression.report(tmp_path / "page.html")
    assert path.read_text("utf-8") == page_of("regression")
    with pytest.raises(ValueError, match=r"ends in \.html"):
        write_report(regression, tmp_path / "page.txt")
    with pytest.raises(ValueError, match="no folder"):
        write_report(regression, tmp_path / "absent" / "page.html")


def test_one_row_of_scores_makes_a_page_too():
    X, y = load_diabetes(return_X_y=True)
    halves = [(range(221), range(221, 442))]
    text = html_report(compare([Ridge()], X, y, cv=halves))
    assert "Ridge" in text and "nan" not in text


def test_neighbors_show_how_their_number_was_chosen():
    X, y = load_iris(return_X_y=True)
    found = compare([KNeighborsClassifier([1, 5, 30])], X, y, cv=3)
    (shown,) = [picture for picture in pictures_of(found) if picture.title.startswith("How many neighbors")]
    chosen = KNeighborsClassifier([1, 5, 30]).fit(X, y).n_neighbors_
    assert f"the best is {chosen}." in shown.alt and "<svg" in shown.svg


def test_leaks_interruptions_and_models_left_out_are_told(regression):
    """Before any score, and as text: names of columns are what the user's file says."""
    evil = "the column '<img src=x onerror=alert(1)>' equals the target"
    said = replace(
        regression, leaks=[evil], interrupted=True, left_out=[("Slow", "its share of the time was over")],
        opening="predicts y fairly", verdict="A and B cannot be told apart.", time_budget=120.0, seconds=61.0,
        command="surefit compare a.csv",
    )  # fmt: skip
    text = html_report(said)
    page = Page(text)
    assert evil in page.text and not [image for image in page.all("img") if "onerror" in image]
    order = ["Predicts y fairly", evil, "interrupted", "A and B cannot be told apart.", "1 model left out", "Slow"]
    places = [page.text.index(words) for words in order]
    assert places == sorted(places)
    assert "wherever as much can be done in 120 s" in page.text and "took 61 s" in page.text


def test_the_profile_of_the_data_is_written_out(regression):
    frame = pd.DataFrame({"id": [f"row {i}" for i in range(30)], "age": [np.nan, *range(29)], "same": 1, "kind": "a"})
    frame.loc[:4, "kind"] = "b"
    words = Page(html_report(replace(regression, profile=profile(frame)))).text
    for fact in ("30 × 4", "age (1)", "constant columns", "same", "repeated rows", "identifiers", "kind (1)"):
        assert fact in words, fact


def test_headings_go_down_one_step_at_a_time(page_of):
    for kind in KINDS:
        levels = [int(tag[1]) for tag, _ in Page(page_of(kind)).tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_pages_are_small(page_of):
    assert all(len(page_of(kind)) < 1_000_000 for kind in KINDS)


def test_captions_of_encoded_columns_speak_of_levels(mixed):
    words = {one.title: one.caption for one in pictures_of(mixed)}
    caption = words["Coefficients: LogisticRegression"]
    assert "a level (column_level) against the first level" in caption and "standard deviation of a number" in caption


def test_a_model_far_behind_is_a_number_beside_the_bars_not_a_bar_at_the_edge():
    good = [Interval(mean, 0.02, 0.95) for mean in (0.80, 0.79, 0.78, 0.77)]
    bad = [Interval(-3.0, 0.5, 0.95), Interval(-7.0, 0.5, 0.95)]
    scale = bar_scale([*good, *bad])
    drawn = [bar(one, scale, None) for one in [*good, *bad]]
    assert ["<b" in one for one in drawn] == [True] * 4 + [False] * 2
    assert "◂ −3.000" in drawn[4] and "◂ −7.000" in drawn[5]


def test_the_measured_curves_are_those_of_the_best_model(regression):
    """Least squares on all training rows of a split, by NumPy: its R² on both parts."""
    score = scorer_of(regression)
    plain = replace(regression, outcomes=[regression["least squares"]])
    found = learning_of(plain, score)
    train, test = next(ShuffleSplit(5, test_size=0.2, random_state=0).split(regression.X))
    X, y = np.column_stack([np.ones(200), regression.X]), regression.y
    w = np.linalg.lstsq(X[train], y[train], rcond=None)[0]
    for scores, rows in ((found.seen, train), (found.unseen, test)):
        assert scores[-1, 0] == pytest.approx(r2_score(y[rows], X[rows] @ w), rel=1e-6)
    assert found.sizes[-1] == 160
    lost = importances_of(plain, score)
    theirs = SklearnLinearRegression().fit(regression.X.iloc[train], y[train])
    expected = permutation_importance(theirs, regression.X.iloc[test], y[test], n_repeats=1, random_state=0)
    np.testing.assert_allclose(lost[0], expected.importances[:, 0], atol=1e-9)
    assert lost.shape == (15, 10)
