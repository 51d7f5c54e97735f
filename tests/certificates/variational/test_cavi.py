"""The certificate of CAVI: the three worked models accepted, lies refused, no ELBO above a known evidence."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import surefit
from surefit.certificates import Grade
from surefit.variational import CAVI
from surefit.variational.models import LinearRegressionModel, MixtureModel, NormalModel

rng = np.random.default_rng(0)
NUMBERS = rng.normal(1.0, 2.0, 30)
TABLE = np.column_stack([Z := rng.normal(size=(40, 3)), Z @ [1.0, -2.0, 0.5] + rng.normal(size=40)])
POINTS = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (-4, 4)])
CASES = {
    "normal": (NormalModel(), NUMBERS),
    "regression": (LinearRegressionModel(), TABLE),
    "mixture": (MixtureModel(2), POINTS),
}


@pytest.mark.parametrize("case", CASES)
def test_good_fits_are_accepted(case):
    model, X = CASES[case]
    found = CAVI(model, random_state=0).fit(X)
    certificate = surefit.certify(found, X)
    assert certificate.holds and found.certify(X).holds, str(certificate)
    claims = {claim.name: claim for claim in certificate}
    assert claims["fixed_point"].grade == Grade.FIXED_POINT
    if case != "mixture":
        assert claims["evidence"].detail["divergence"] == pytest.approx(model.log_evidence(X) - found.elbo_)
        assert claims["evidence"].detail["divergence"] > 0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    "lie",
    [
        ("elbo_", 0.0),
        ("elbo_", np.nan),
        ("history_", [0.0, 1.0]),
        ("history_", "rising"),
        ("n_iter_", 1000),
        ("converged_", False),
        ("factors_", {}),
        ("factors_", [1.0]),
        ("factors_", {"mean": None, "precision": None}),
    ],
    ids=str,
)
def test_lies_are_refused(case, lie):
    model, X = CASES[case]
    found = CAVI(model, random_state=0).fit(X)
    setattr(found, *lie)
    assert not surefit.certify(found, X).holds


def test_worse_factors_other_data_and_stopped_fits_are_refused():
    found = CAVI(NormalModel()).fit(NUMBERS)
    mean = found.factors_["mean"]
    liar = copy.deepcopy(found)
    liar.factors_["mean"] = mean._replace(mean=mean.mean + 0.1)
    liar.elbo_ = NormalModel().elbo(NUMBERS, liar.factors_)  # told truly: it is not a fixed point
    assert {c.name for c in surefit.certify(liar, NUMBERS) if not c.holds} >= {"fixed_point"}
    assert not surefit.certify(found, NUMBERS[:-3]).holds
    with pytest.warns(match="Raise max_iter"):
        stopped = CAVI(MixtureModel(3), max_iter=1, random_state=0).fit(POINTS)
    assert not surefit.certify(stopped, POINTS).holds


def test_a_wrong_evidence_or_update_is_refused():
    class Low(NormalModel):
        def log_evidence(self, x):
            return super().log_evidence(x) - 10

    class Wrong(NormalModel):
        def update(self, name, x, factors):
            return factors[name]._replace(mean=0.0) if name == "mean" else factors[name]

    found = CAVI(NormalModel()).fit(NUMBERS)
    for model in (Low(), Wrong()):
        found.model = model
        assert not surefit.certify(found, NUMBERS).holds
