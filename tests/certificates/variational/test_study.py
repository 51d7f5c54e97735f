"""A slice of the attacks on models of one's own (`python -m tests.certificates.variational.study` runs the whole)."""

from __future__ import annotations

import pytest

import surefit
from surefit.variational import CAVI, EM
from tests.certificates.bench import altered, failing
from tests.certificates.variational import study


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("attack", "least"), [(study.em, 100), (study.cavi, 60), (study.monte_carlo_em, 20)])
def test_lies_are_refused_and_numbers_bound_the_truth(attack, least):
    found = attack(6)
    assert not found.faults, "\n".join(found.faults)
    assert found.counts["accepted"] == found.counts["fits"] == 6
    assert found.counts["lies"] - found.counts["as good"] > least


def test_counts_are_whole_and_flags_are_flags():
    X = study.column(0)
    model, x = study.cavi_case(0)
    for fit, data in ((EM(study.TwoNormals()).fit(X), X), (CAVI(model).fit(x), x)):
        assert failing(surefit.certify(altered(fit, n_iter_=fit.n_iter_ + 0.5), data)) == {"counts"}
        assert failing(surefit.certify(altered(fit, converged_="yes"), data)) == {"counts"}


def test_pairs_that_no_bound_gave_are_refused():
    class Plain(study.TwoNormals):
        bound = None

    X = study.column(0)
    fit = EM(Plain()).fit(X)
    assert surefit.certify(fit, X).holds
    assert failing(surefit.certify(altered(fit, free_energy_=[(0.0, 0.0)]), X)) == {"free_energy_"}
