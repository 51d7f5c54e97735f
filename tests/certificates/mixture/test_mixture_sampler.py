"""The certificate of drawn labels: true draws pass, other chances do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import surefit
from surefit.certificates import Grade
from surefit.mixture import MixtureSampler

PARTS = [stats.norm(0), stats.norm(3), stats.norm(6)]


def test_true_draws_pass():
    sampler = MixtureSampler(PARTS, [1, 2, 5])
    for seed in range(50):
        labels = sampler.sample(2000, random_state=seed)[1]
        certificate = surefit.certify(sampler, labels)
        assert certificate.holds, str(certificate)
    assert certificate.grade == Grade.STATISTICAL and sampler.certify(labels).holds
    claim = next(c for c in certificate if c.name == "frequencies")
    assert claim.limit == pytest.approx(np.sqrt(np.log(6e9) / 4000))
    assert claim.value >= np.abs(np.bincount(labels) / 2000 - np.array([1, 2, 5]) / 8).max()


def test_other_labels_are_refused():
    sampler = MixtureSampler(PARTS, [1, 2, 5])
    labels = sampler.sample(2000, random_state=0)[1]
    points = sampler.sample(2000, random_state=0)[0]
    never = MixtureSampler(PARTS, [0, 2, 5])
    for other in (
        2 - labels,
        labels + 1,
        labels - 1,
        np.zeros_like(labels),
        points,
        labels[:0],
        labels[:5],
        labels / 2,
    ):
        assert not surefit.certify(sampler, other).holds
    assert not surefit.certify(never, labels).holds


@pytest.mark.parametrize(
    "weights", [[0.5, 0.3, 0.2], [0.125, 0.25, 0.5], [1.125, 0.25, -0.375], [0.5, 0.5], [np.nan, 0, 1], None, "half"],
    ids=str,
)  # fmt: skip
def test_other_weights_are_refused(weights):
    sampler = MixtureSampler(PARTS, [1, 2, 5])
    labels = sampler.sample(2000, random_state=0)[1]
    sampler.weights = weights if weights is None or isinstance(weights, str) else np.array(weights)
    assert not surefit.certify(sampler, labels).holds
