"""The table of results on screens of any width: columns go, digits stay."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

from surefit.certificates.presentation import OPEN_WORDS
from surefit.cli.columns import Column, columns_of, settings_text, that_fit, whisker
from surefit.cli.screen import closing_lines, print_comparison
from surefit.cluster import DBSCAN, KMeans
from surefit.discriminant_analysis import LinearDiscriminantAnalysis
from surefit.linear_model import LinearRegression, Ridge
from surefit.model_selection import compare
from surefit.model_selection.comparison import score_text
from surefit.neural_network import MLPClassifier

LONG = "a model with a name that is much longer than any screen would like it to be"


@pytest.fixture(scope="module")
def comparison():
    X, y = load_diabetes(return_X_y=True)
    found = compare({"least squares": LinearRegression(), "ridge": Ridge(alpha=0.1), LONG: Ridge(alpha=50)}, X, y, cv=2)
    found["ridge"].parameters = {"alpha": 0.1, "rule": "cv"}
    return found


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120, 160, 250])
def test_no_line_is_wider_than_the_screen_and_no_score_is_cut(comparison, capsys, width):
    print_comparison(comparison, width=width)
    out, err = capsys.readouterr()
    assert err == "" and max(map(len, out.splitlines())) <= width
    for one in comparison.outcomes:
        assert sum(score_text(one.interval) in line for line in out.splitlines()) >= 1
    assert ("against the best" in out) == (width == 250)


def test_short_names_leave_room_for_more(comparison, capsys):
    X, y = load_diabetes(return_X_y=True)
    short = compare({"least squares": LinearRegression(), "ridge": Ridge(alpha=0.1)}, X, y, cv=2)
    shown = {}
    for width in (40, 80, 120):
        print_comparison(short, width=width)
        shown[width] = capsys.readouterr().out
    assert "✓" in shown[40] and "OPTIMAL" not in shown[40]
    assert "✓ OPTIMAL" in shown[80] and " ms" in shown[80] and "●" not in shown[80]
    assert "●" in shown[120] and "against the best" in shown[120]


def test_clusterings_show_their_silhouette_first(capsys):
    X = load_iris().data
    print_comparison(compare([KMeans(3, random_state=0), DBSCAN(eps=0.8)], X, cv=2), width=40)
    out = capsys.readouterr().out
    assert "silhouette" in out and "clusters" in out and "explained" not in out.split("KMeans")[0].splitlines()[-2]


def test_a_network_that_just_ended_has_a_mark_of_its_own(capsys):
    """Its loss and slopes are what they say, but no claim proves a stationary point: neither ✓ nor ✗."""
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = MLPClassifier((4,), max_iter=3, random_state=0)
        found = compare({"network": network, "lda": LinearDiscriminantAnalysis()}, X, y, cv=2)
    assert found["network"].holds and found["network"].verdict == "○ UNPROVED" and found["network"].is_open
    assert found["lda"].verdict.startswith("✓") and not found["lda"].is_open
    print_comparison(found, width=120)
    for text in (capsys.readouterr().out, str(found)):
        assert "○ UNPROVED" in text and "✓ UNPROVED" not in text and f"○ {OPEN_WORDS}" in text
    assert str(found["network"].certificates.popitem()[1]).startswith("○ UNPROVED")
    assert OPEN_WORDS not in str(compare({"lda": LinearDiscriminantAnalysis()}, X, y, cv=2))


def test_columns_get_their_place_by_rank():
    columns = [
        Column("name", ["abc"]),
        Column("wide", ["x" * 20], 1),
        Column("mark", ["✓"], 1, instead="wide"),
        Column("last", ["1234"], 2),
    ]
    assert [one.head for one in that_fit(columns, 80)] == ["name", "wide", "last"]
    assert [one.head for one in that_fit(columns, 20)] == ["name", "mark", "last"]
    assert [one.head for one in that_fit(columns, 10)] == ["name", "mark"]
    assert [one.head for one in that_fit(columns, 3)] == ["name"]


def test_settings_are_short(comparison):
    assert settings_text(comparison["ridge"]) == "alpha=0.1, rule=cv"
    assert "settings" in [column.head for column in columns_of(comparison)]


def test_an_interval_off_the_scale_is_a_mark_at_its_edge(comparison):
    one = comparison["ridge"]
    low, high = one.interval.high + 1, one.interval.high + 2
    assert whisker(one, low, high) == "◂" + " " * 20
    inside = whisker(one, one.interval.low, one.interval.high)
    assert inside[0] == "├" and inside[-1] == "┤" and inside[10] == "●" and len(inside) == 21
    assert np.isfinite(one.interval.half)


def test_every_model_left_out_is_named(comparison):
    comparison.left_out = [(f"m{i}", "too slow" if i < 3 else f"reason {i}") for i in range(9)]
    comparison.notes = [f"note {i}" for i in range(8)]
    lines = closing_lines(comparison)
    comparison.left_out, comparison.notes = [], []
    assert "Left out: m0, m1, m2: too slow." in lines
    assert "Left out too: m6, m7, m8 (the report says why)." in lines
    assert "… and 2 more notes (see --json or the report)." in lines
