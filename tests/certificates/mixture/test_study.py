"""A slice of the attacks on Bayesian mixtures and samplers (`python -m tests.certificates.mixture.study`)."""

from __future__ import annotations

from tests.certificates.mixture.study import bayesian, sampler


def test_lies_about_bayesian_mixtures_are_refused_and_numbers_bound_the_truth():
    found = bayesian(2, bundled=False)
    assert not found.faults, "\n".join(found.faults)
    assert found.counts["accepted"] == found.counts["fits"] == 2
    assert found.counts["lies"] - found.counts["as good"] > 80


def test_other_chances_are_refused():
    found = sampler(30)
    assert not found.faults, "\n".join(found.faults)
    assert found.counts["accepted"] == found.counts["fits"] == 30
    assert found.counts["lies"] - found.counts["as good"] > 150


def test_what_rounding_of_the_next_means_changes_is_added():
    """Far from zero and not converged: the next means are rounded, which the gain feels at first order."""
    found = bayesian(1, first=3, bundled=False)
    assert not found.faults, "\n".join(found.faults)
