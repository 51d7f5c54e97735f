"""A slice of the attacks on clusterings (`python -m tests.certificates.cluster.study` runs the whole)."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster

import surefit
from surefit.certificates import Grade
from surefit.cluster import BisectingKMeans, MiniBatchKMeans
from tests.certificates.attack import Study
from tests.certificates.bench import altered, failing
from tests.certificates.cluster import study

X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 20, axis=0)


@pytest.mark.parametrize("attack", [study.mini_batch, study.bisecting])
def test_lies_are_refused_and_numbers_bound_the_truth(attack):
    found: Study = attack(10, bundled=False)
    assert not found.faults, "\n".join(found.faults)
    assert found.counts["accepted"] == found.counts["fits"] == 10
    assert found.counts["lies"] - found.counts["as good"] > 90


def test_a_transform_of_other_distances_is_refused():
    model = BisectingKMeans(3, random_state=0).fit(X)
    assert failing(surefit.certify(altered(model, transform=lambda X: model.predict(X)[:, None] + X[:, :1]), X)) == {
        "transform"
    }


def test_labels_that_are_no_whole_numbers_are_refused():
    model = BisectingKMeans(3, random_state=0).fit(X)
    liar = altered(model, predict=lambda rows: model.predict(rows).astype(float))
    assert failing(surefit.certify(liar, X)) == {"predict"}


@pytest.mark.parametrize("cls", [MiniBatchKMeans, sklearn.cluster.MiniBatchKMeans])
def test_an_inertia_estimated_from_samples_is_not_judged(cls):
    model = cls(3, random_state=0, batch_size=20, compute_labels=False, n_init=1).fit(X)
    said = surefit.certify(model, X)
    assert said.holds and said["inertia"].grade == Grade.UNPROVED and "not checked" in said["inertia"].sentence
    sq_dist = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    assert said["inertia"].detail["recomputed"] == pytest.approx(sq_dist.min(axis=1).sum(), rel=1e-12)
