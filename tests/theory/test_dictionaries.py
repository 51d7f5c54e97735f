"""Labelings counted one by one are those of the closed forms, and of plain enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.linear_model import LinearProgramClassifier
from surefit.theory import (
    AxisRectangles,
    FiniteFamily,
    HalfLines,
    HalfSpaces,
    Intervals,
    NeighborRules,
    Trees,
    cover_count,
    is_shattered,
    sauer_bound,
    shattering_count,
)

RNG = np.random.default_rng(0)


def every_labeling(n):
    return np.array(list(itertools.product([False, True], repeat=n)), dtype=bool)


@pytest.mark.parametrize("n", range(8))
def test_on_the_line(n):
    X = RNG.permutation(n).astype(float)
    assert shattering_count(HalfLines(), X) == n + 1 == HalfLines().shattering(n)
    assert shattering_count(HalfLines(both_sides=True), X) == max(1, 2 * n) == HalfLines(True).shattering(n)
    for most in (1, 2):
        wanted = sum(math.comb(n, k) for k in range(2 * most + 1))  # Sauer's bound, reached
        assert shattering_count(Intervals(most), X) == wanted == Intervals(most).shattering(n)
        assert wanted == sauer_bound(2 * most, n)


@pytest.mark.parametrize(("d", "n"), [(1, 6), (2, 3), (2, 8), (3, 7), (4, 6), (5, 9)])
def test_separations_in_general_position_are_covers(d, n):
    X = RNG.normal(size=(n, d))
    wanted = 2 * sum(math.comb(n - 1, k) for k in range(d + 1))
    assert shattering_count(HalfSpaces(d), X) == wanted == cover_count(n, d) == HalfSpaces(d).shattering(n)
    through = 2 * sum(math.comb(n - 1, k) for k in range(d))
    assert shattering_count(HalfSpaces(d, fit_intercept=False), X) == through == cover_count(n, d, fit_intercept=False)
    assert through <= HalfSpaces(d, fit_intercept=False).shattering(n)


def test_threshold_functions_of_the_cube():
    """The Boolean functions of 2, 3 and 4 variables that a threshold gives: 14, 104, 1882 (OEIS A000609)."""
    for d, wanted in ((1, 4), (2, 14), (3, 104), (4, 1882)):
        cube = np.array(list(itertools.product([0, 1], repeat=d)), dtype=float)
        assert shattering_count(HalfSpaces(d), cube) == wanted


@pytest.mark.filterwarnings("ignore:the classes are not linearly separable")
def test_separations_by_linear_programs():
    """On a grid, where many points are on lines, the linear program of LinearProgramClassifier says the same."""
    X = np.array([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [0.5, 2]], dtype=float)
    found = {tuple(labels) for labels in HalfSpaces(2).labelings(X)}
    for labels in every_labeling(6)[1:-1:3]:
        assert LinearProgramClassifier().fit(X, labels).separable_ is (tuple(labels) in found)


def test_nearly_on_a_line():
    """0.1 + 0.2 is not 0.3: the exact point decides, on its side of the line."""
    inside = np.array([[0.0, 0.0], [0.1, 0.1], [0.3, 0.3]])
    outside = np.array([[0.0, 0.0], [0.1, 0.1], [0.3, 0.1 + 0.2]])
    assert shattering_count(HalfSpaces(2), inside) == 6
    assert shattering_count(HalfSpaces(2), outside) == 8


@pytest.mark.parametrize("dictionary", [AxisRectangles(2), HalfSpaces(2), Trees(2, 2), HalfSpaces(2, False)])
def test_row_by_row_lists_what_plain_enumeration_does(dictionary):
    X = RNG.normal(size=(6, 2))
    wanted = {tuple(labels) for labels in every_labeling(6) if dictionary.realizes(X, labels)}
    found = [tuple(labels) for labels in dictionary.labelings(X)]
    assert len(found) == len(set(found)) and set(found) == wanted
    assert len(found) <= dictionary.shattering(6)


def test_rectangles():
    """Boxes enumerated by their sides, which may as well go through points."""
    X = RNG.normal(size=(5, 2))
    wanted = {(False,) * 5}
    for a, b in itertools.combinations_with_replacement(np.sort(X[:, 0]), 2):
        for low, high in itertools.combinations_with_replacement(np.sort(X[:, 1]), 2):
            wanted.add(tuple((X[:, 0] >= a) & (X[:, 0] <= b) & (X[:, 1] >= low) & (X[:, 1] <= high)))
    assert {tuple(labels) for labels in AxisRectangles(2).labelings(X)} == wanted


@pytest.mark.parametrize("d", [1, 2, 3])
def test_vc_dimensions_are_reached(d):
    simplex = np.vstack([np.zeros(d), np.eye(d)])
    assert is_shattered(HalfSpaces(d), simplex) and len(simplex) == HalfSpaces(d).vc_dimension
    assert is_shattered(HalfSpaces(d, False), np.eye(d)) and d == HalfSpaces(d, False).vc_dimension
    cross = np.vstack([np.eye(d), -np.eye(d)])
    assert is_shattered(AxisRectangles(d), cross) and len(cross) == AxisRectangles(d).vc_dimension
    assert HalfSpaces(d).shattering(d + 2) < 2 ** (d + 2)


def test_stumps():
    """On one column both half-lines; three columns shatter four points: each pair of pairs is cut by a column."""
    assert shattering_count(Trees(1, 1), RNG.normal(size=7)) == 14
    four = np.array([[0, 0, 0], [1, 2, 3], [2, 3, 1], [3, 1, 2]], dtype=float)
    assert is_shattered(Trees(1, 3), four) and Trees(1, 3).vc_dimension == 4
    assert [Trees(1, d).vc_dimension for d in (1, 2, 3, 4, 5)] == [2, 3, 4, 4, 5]
    assert Trees(0, 3).vc_dimension == 1 and Trees(0, 3).shattering(9) == 2


@pytest.mark.parametrize(("depth", "d"), [(2, 1), (2, 2), (3, 1)])
def test_tree_bounds_hold(depth, d):
    trees = Trees(depth, d)
    for n in (3, 5, 7):
        assert shattering_count(trees, RNG.normal(size=(n, d))) <= trees.shattering(n)
    if d == 1:  # trees of depth D on a line are 2^D runs of points, of either label: n = 2^D points are shattered
        assert is_shattered(trees, np.arange(2.0**depth)) and trees.vc_dimension >= 2**depth
        runs = 2 * sum(math.comb(7, k) for k in range(2**depth))
        assert shattering_count(trees, np.arange(8.0)) == runs
    assert trees.shattering(int(trees.vc_dimension) + 1) < 2 ** (int(trees.vc_dimension) + 1)
    assert trees.shattering(5000) < 2**5000
    assert Trees(40, 100).shattering(1000) == 2**1000  # more trees than labelings


def test_lists():
    family = FiniteFamily([lambda X, t=t: X[:, 0] > t for t in (0.0, 1.0, 2.0)], n_features=1)
    assert shattering_count(family, [0.5, 1.5]) == 3 and family.shattering(1) == 2 and family.vc_dimension == 1
    assert family.realizes(np.array([[0.5], [1.5]]), np.array([False, True]))
    assert not family.realizes(np.array([[0.5], [1.5]]), np.array([True, False]))
    with pytest.raises(InvalidData, match="one answer for each"):
        FiniteFamily([lambda X: True], 1).labelings([1.0])


def test_fitted_models_in_a_list():
    X = np.arange(6.0)[:, None]
    with_two = LinearProgramClassifier().fit(X, X[:, 0] > 2)
    assert FiniteFamily([with_two], 1).labelings(X).tolist() == [[False, False, False, True, True, True]]


def test_neighbor_rules():
    points = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    assert is_shattered(NeighborRules(points), points[:, 0]) and NeighborRules(points).vc_dimension == 5
    wanted = set()
    for labels in every_labeling(5):  # by hand: the three nearest of 1, 2 and 3 are their neighbors and themselves
        wanted.add(tuple(int(labels[i - 1]) + labels[i] + labels[i + 1] > 1 for i in (1, 2, 3)))
    assert {tuple(row) for row in NeighborRules(points, 3).labelings([1.0, 2.0, 3.0])} == wanted
    for bad in (2, 7):
        with pytest.raises(InvalidParameter, match="odd"):
            NeighborRules(points, bad)


def test_sauer():
    assert sauer_bound(3, 10) == 1 + 10 + 45 + 120
    assert sauer_bound(math.inf, 70) == sauer_bound(70, 70) == 2**70
    for n, d in itertools.product(range(12), range(6)):
        assert sauer_bound(d, n) == sum(math.comb(n, k) for k in range(d + 1)) <= (n + 1) ** d


@pytest.mark.parametrize("dictionary", [AxisRectangles(3), HalfSpaces(3)])
def test_too_many_labelings(monkeypatch, dictionary):
    monkeypatch.setattr("surefit.theory.dictionaries.dictionary.MOST_LABELINGS", 30)
    with pytest.raises(InvalidData, match="more than 30 labelings"):
        dictionary.labelings(np.vstack([np.eye(3), -np.eye(3)]) + RNG.normal(size=(6, 3)) / 9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: HalfSpaces(2).labelings([[1.0]]), r"shape \(n, 2\)"),
        (lambda: HalfSpaces(1).labelings([1.0, np.nan]), "row 1, column 0"),
        (lambda: HalfSpaces(1).labelings(["a"]), "numbers"),
        (lambda: HalfSpaces(0), "whole number ≥ 1"),
        (lambda: Intervals(1.5), "whole number"),
        (lambda: sauer_bound(-1, 3), "≥ 0"),
        (lambda: sauer_bound(1.5, 3), "whole number"),
        (lambda: HalfSpaces(8).labelings(RNG.normal(size=(40, 8))), "fewer points"),
        (lambda: FiniteFamily([], 1), "at least one"),
        (lambda: NeighborRules([[np.nan]]), "finite"),
        (lambda: NeighborRules(RNG.normal(size=(30, 1))).labelings([1.0]), "2.30"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        call()
