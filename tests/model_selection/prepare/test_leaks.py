"""Leaks, copies of the target, identifiers, hashes of rows and the profile: what is told, and what is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit.model_selection.describe.copies import copy_of_target
from surefit.model_selection.describe.hashes import row_hashes, value_codes
from surefit.model_selection.describe.identifiers import is_identifier
from surefit.model_selection.describe.leaks import find_leaks, instants
from surefit.model_selection.describe.profile import profile

RNG = np.random.default_rng(0)
N = 200
NUMBERS = RNG.normal(size=N)
LABELS = RNG.choice(["yes", "no"], N)
HALVES = [(np.arange(0, N, 2), np.arange(1, N, 2)), (np.arange(1, N, 2), np.arange(0, N, 2))]


@pytest.mark.parametrize(
    ("column", "y", "words"),
    [
        (NUMBERS, NUMBERS, "is a copy of the target"),
        (np.exp(NUMBERS), NUMBERS, "is a copy of the target"),
        (-NUMBERS, NUMBERS, "is a copy of the target (rank correlation −1)"),
        (NUMBERS + 1e-4 * RNG.normal(size=N), NUMBERS, "is nearly a copy of the target"),
        (np.where(LABELS == "yes", "j", "n"), LABELS, "is the target in other words: their values go one to one"),
        (np.where(LABELS == "yes", RNG.choice(["a", "b"], N), "c"), LABELS, "each of its values belongs to one class"),
        (np.where(LABELS == "yes", 5.0, 1.0) + RNG.random(N), LABELS, "tells the classes of the target apart"),
    ],
)
def test_what_gives_the_target_away(column, y, words):
    assert words in copy_of_target(column, y)


@pytest.mark.parametrize(
    ("column", "y"),
    [
        (NUMBERS + 0.3 * RNG.normal(size=N), NUMBERS),  # strong, but no copy
        (RNG.normal(size=N), LABELS),
        (RNG.choice(["a", "b"], N), LABELS),
        (np.arange(N).astype(str), LABELS),  # a level for each row has one class by itself
        (NUMBERS[:10], NUMBERS[:10]),  # too few rows to say
        (np.where(LABELS == "yes", 1.0, 0.0) + RNG.normal(size=N), LABELS),
    ],
)
def test_what_does_not(column, y):
    assert copy_of_target(column, y) is None


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("customer_id", np.arange(50), True),
        ("anything", [f"person {i}" for i in range(50)], True),
        ("age", np.arange(50), False),
        ("customer_id", np.arange(50) // 2, False),
        ("id", NUMBERS, False),
        ("city", ["a", "b"] * 25, False),
        ("id", np.arange(5), False),
    ],
)
def test_identifiers(name, values, expected):
    assert is_identifier(name, np.asarray(values, dtype=object if isinstance(values, list) else None)) is expected


def test_equal_rows_have_equal_hashes_whatever_holds_them():
    A = RNG.integers(0, 3, (300, 4)).astype(float)
    expected = np.unique(A, axis=0, return_inverse=True)[1].ravel()
    for X in (A, pd.DataFrame(A), sparse.csr_array(A), sparse.csc_matrix(A)):
        found = np.unique(row_hashes(X), return_inverse=True)[1]
        assert len(set(zip(found.tolist(), expected.tolist(), strict=True))) == len(set(expected.tolist()))
        assert np.unique(found).size == np.unique(expected).size
    codes = value_codes(np.array([0.0, -0.0, np.nan, -np.nan, 1.0]))
    assert codes[0] == codes[1] and codes[2] == codes[3] and len(set(codes.tolist())) == 3


def test_leaks_come_worst_first():
    frame = pd.DataFrame({"a": NUMBERS, "copy": 2 * NUMBERS, "row_id": RNG.permutation(N)})
    found = find_leaks(frame, NUMBERS, HALVES, groups=np.arange(N) // 2, time=np.arange(N))
    assert [line.split(":")[0].split(" is ")[0].split(" are ")[0] for line in found] == [
        "the column 'a'",
        "the column 'copy'",
        "groups",
        "time",
        "the column 'row_id' looks like identifiers of rows",
    ]


def test_rows_that_repeat_by_chance_are_no_leak():
    few = RNG.integers(0, 3, (N, 2)).astype(float)
    assert find_leaks(few, RNG.integers(0, 2, N), HALVES) == []
    wide = RNG.normal(size=(N // 2, 3))
    for y in (NUMBERS, LABELS):
        copied = find_leaks(np.repeat(wide, 2, axis=0), np.repeat(y[: N // 2], 2), HALVES)
        assert len(copied) == 1 and copied[0].startswith(f"{N} of {N} test rows (100 %) have an exact copy")


def test_instants_keep_the_order_of_time():
    days = np.array(["2024-03-01", "2024-02-29", "2025-01-01"])
    for time in (days, days.astype("datetime64[D]"), days.astype(object)):
        assert np.argsort(instants(time)).tolist() == [1, 0, 2]
    assert instants(np.array([3, 1])).tolist() == [3.0, 1.0]


def test_the_profile_counts_what_there_is():
    frame = pd.DataFrame(
        {
            "gap": [np.nan, 1.0, 2.0, np.nan] * 10,
            "same": "x",
            "word": ["often"] * 38 + ["rare", None],
            "row_id": np.arange(40),
            "y": np.arange(40) % 2,
        }
    )
    found = profile(frame, "y")
    assert (found.rows, found.columns, found.missing_cells) == (40, 4, 21)
    assert found.missing == {"gap": 20, "word": 1} and found.constant == ["same"]
    assert found.identifiers == ["row_id"] and found.rare_levels == {"word": 1} and found.duplicate_rows == 0
    twice = profile(np.ones((5, 2)), y=np.array([0, 0, 0, 1, 1]))
    assert twice.duplicate_rows == 3 and twice.to_dict()["constant"] == ["column 0", "column 1"]
    assert profile(sparse.eye_array(4, format="csr")).duplicate_rows == 0
