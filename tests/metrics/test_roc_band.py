"""Bands: they hold the true curve as often as they say, and lie around the empirical one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm

from surefit.metrics import roc_band

RATES = np.linspace(0, 1, 21)


def sample(rng, n, atoms=False):
    y = np.repeat([0, 1], [n, n])
    score = rng.normal(size=2 * n) + y
    return y, np.floor(score) if atoms else score


def true_curve(rates):
    return norm.sf(norm.isf(rates) - 1)


def true_curve_of_atoms(rates):
    """The points at whole thresholds, joined by straight lines."""
    at = np.arange(40, -40, -1)
    return np.interp(rates, norm.sf(at), norm.sf(at - 1))


@pytest.mark.parametrize("atoms", [False, True], ids=["continuous", "ties"])
def test_coverage_in_simulation(atoms):
    """Pointwise at least 95 % less 4 standard errors at each rate; simultaneous for all rates at once."""
    rng = np.random.default_rng(0)
    truth = true_curve_of_atoms(RATES) if atoms else true_curve(RATES)
    runs, points, whole = 200, np.zeros(RATES.size), 0
    for _ in range(runs):
        y, score = sample(rng, 60, atoms)
        band = roc_band(y, score, kind="pointwise", fpr=RATES)
        points += (band.low <= truth) & (truth <= band.high)
        band = roc_band(y, score, kind="simultaneous", fpr=RATES)
        whole += ((band.low <= truth) & (truth <= band.high)).all()
    assert (points / runs >= 0.9).all()
    assert whole / runs >= 0.9


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
@pytest.mark.parametrize("n", [1, 2, 5, 300])
def test_the_band_lies_around_the_curve_and_rises(kind, n):
    y, score = sample(np.random.default_rng(n), n)
    band = roc_band(y, score, kind=kind)
    assert band.kind == kind
    assert (band.low >= 0).all() and (band.high <= 1).all()
    assert (band.low <= band.tpr).all() and (band.tpr <= band.high).all()
    assert (band.low[-1], band.tpr[-1], band.high[-1]) == (1, 1, 1)
    if kind == "simultaneous":
        assert (np.diff(band.low) >= 0).all() and (np.diff(band.high) >= 0).all()


def test_the_simultaneous_band_is_the_wider_one():
    y, score = sample(np.random.default_rng(1), 100)
    narrow, wide = (roc_band(y, score, kind=kind, fpr=RATES) for kind in ("pointwise", "simultaneous"))
    inner = slice(1, -1)
    assert (wide.high - wide.low)[inner].mean() > 1.5 * (narrow.high - narrow.low)[inner].mean()


def test_the_simultaneous_band_is_the_curve_moved():
    """100 rows of each class, separated: the curve is 1, moved by √(log(2/β)/200) with (1 − β)² = 0.95."""
    d = np.sqrt(np.log(2 / (1 - np.sqrt(0.95))) / 200)
    band = roc_band(np.repeat([0, 1], 100), np.arange(200), kind="simultaneous", fpr=[0.05, 0.5])
    np.testing.assert_allclose(band.low, [0, 1 - d])
    np.testing.assert_allclose(band.high, 1)


def test_the_limits_of_a_known_threshold_are_those_of_a_binomial():
    """So many negative rows that the threshold is known: the Clopper–Pearson interval of 7 out of 20 is left."""
    y = np.repeat([0, 1], [200_000, 20])
    positive = np.r_[np.full(7, 0.95), np.full(13, 0.05)]
    band = roc_band(y, np.r_[np.linspace(0, 1, 200_000), positive], kind="pointwise", fpr=[0.5])
    assert binom.sf(6, 20, band.low[0]) == pytest.approx(0.025)
    assert binom.cdf(7, 20, band.high[0]) == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: roc_band([0, 1], [0, 1], kind="some"), "pointwise"),
        (lambda: roc_band([0, 1], [0, 1], kind="pointwise", level=0), "level"),
        (lambda: roc_band([0, 1], [0, 1], kind="pointwise", fpr=[1.5]), "from 0 to 1"),
        (lambda: roc_band([1, 1], [0, 1], kind="pointwise"), "both classes"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_kind_must_be_named():
    with pytest.raises(TypeError, match="kind"):
        roc_band([0, 1], [0, 1])
