"""The certificate of EM: good fits of two models are accepted; stopped ones and every lie are refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.stats import binom

import surefit
from surefit.certificates import Grade
from surefit.variational import EM

THROWS = np.array([5, 9, 8, 4, 7, 2, 8, 9, 3, 5])


class Coins:
    """Each row: heads in ten throws of one of two coins, chosen evenly."""

    def start(self, X, rng):
        return rng.random(2)

    def _joint(self, X, heads):
        return binom.pmf(np.asarray(X)[:, None], 10, heads) / 2

    def expect(self, X, heads):
        joint = self._joint(X, heads)
        return joint / joint.sum(axis=1, keepdims=True)

    def maximize(self, X, posterior):
        return np.asarray(X) @ posterior / (10 * posterior.sum(axis=0))

    def log_likelihood(self, X, heads):
        return float(np.log(self._joint(X, heads).sum(axis=1)).sum())


class WithBound(Coins):
    def bound(self, X, posterior, heads):
        return float((posterior * (np.log(self._joint(X, heads)) - np.log(posterior))).sum())


@pytest.mark.parametrize("model", [Coins(), WithBound()], ids=["plain", "bound"])
def test_good_fits_are_accepted_on_any_input(model):
    for seed in range(10):
        found = EM(model, random_state=seed).fit(THROWS)
        certificate = surefit.certify(found, THROWS)
        assert certificate.holds, str(certificate)
        assert found.certify(THROWS).holds
    assert surefit.certify(found, THROWS.tolist()).holds
    names = {claim.name: claim for claim in certificate}
    assert names["fixed_point"].grade == Grade.FIXED_POINT
    assert ("free_energy" in names) == hasattr(model, "bound")


def test_the_gain_printed_is_that_of_one_step():
    found = EM(Coins(), random_state=0).fit(THROWS)
    found.parameters_ = np.array([0.9, 0.5])
    model = Coins()
    here = model.log_likelihood(THROWS, found.parameters_)
    gain = model.log_likelihood(THROWS, model.maximize(THROWS, model.expect(THROWS, found.parameters_))) - here
    claim = next(c for c in surefit.certify(found, THROWS) if c.name == "fixed_point")
    assert claim.grade == Grade.NOT_OPTIMAL and claim.value == pytest.approx(gain / (1 + abs(here)))


@pytest.mark.filterwarnings("ignore")
def test_stopped_fits_are_refused_and_loose_ones_bounded():
    assert not surefit.certify(EM(Coins(), max_iter=2, random_state=0).fit(THROWS), THROWS).holds
    certificate = surefit.certify(EM(Coins(), tol=1e-3, random_state=0).fit(THROWS), THROWS, tol=1e-9)
    assert certificate.holds and certificate.grade == Grade.BOUNDED


def lies():
    yield "parameters_", np.array([0.7, 0.5])
    yield "parameters_", None
    yield "parameters_", np.full(2, np.nan)
    yield "log_likelihood_", -1.0
    yield "log_likelihood_", np.nan
    yield "log_likelihood_", "much"
    yield "history_", [-30.0, -20.0]
    yield "history_", None
    yield "history_", [[1.0]]
    yield "n_iter_", 1
    yield "converged_", False
    yield "free_energy_", [(0.0, 0.0)]
    yield "free_energy_", "nothing"


@pytest.mark.parametrize("lie", list(lies()), ids=lambda lie: f"{lie[0]} {lie[1]}")
def test_lies_are_refused(lie):
    found = EM(WithBound(), random_state=0).fit(THROWS)
    setattr(found, *lie)
    assert not surefit.certify(found, THROWS).holds


def test_a_history_that_falls_is_refused():
    found = EM(WithBound(), random_state=0).fit(THROWS)
    found.history_ = list(found.history_)
    found.history_[1] = found.history_[2] + 1e-3
    assert not surefit.certify(found, THROWS).holds
    pairs = EM(WithBound(), random_state=0).fit(THROWS)
    pairs.free_energy_ = [(a, b + 1e-3) for a, b in pairs.free_energy_]
    assert not surefit.certify(pairs, THROWS).holds


def test_other_data_and_functions_that_do_not_belong_together_are_refused():
    found = EM(WithBound(), random_state=0).fit(THROWS)
    assert not surefit.certify(found, THROWS[:-2]).holds
    for name, wrong in {
        "expect": lambda X, heads: np.full((len(X), 2), 0.5),
        "maximize": lambda X, posterior: np.array([0.9, 0.1]),
        "bound": lambda X, posterior, heads: 0.0,
        "log_likelihood": lambda X, heads: np.nan,
    }.items():
        liar = copy.deepcopy(found)
        setattr(liar.model, name, wrong)
        assert not surefit.certify(liar, THROWS).holds, name
    found.model.expect = lambda X, heads: 1 / 0
    assert not surefit.certify(found, THROWS).holds
    with pytest.raises(ValueError, match="not fitted"):
        surefit.certify(EM(Coins()), THROWS)
