"""The report is one file: no outside resource, words for every picture, every number that the table has."""

from __future__ import annotations

import base64
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.metrics import roc_auc_score

from surefit.linear_model import LinearRegression, LogisticRegression, Ridge
from surefit.model_selection import compare
from surefit.neighbors import KNeighborsClassifier
from surefit.report import html_report, write_report
from surefit.report.pictures import pictures_of
from tests.report.conftest import KINDS
from tests.report.parsed import Page


class Liar(SklearnLinearRegression):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = self.coef_ + 1.0
        return self


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
