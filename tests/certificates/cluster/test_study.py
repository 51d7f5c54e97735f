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


@pytest.mark.parametrize("cls", [MiniBatchKMeans, sklearn.cluster.MiniBatchKMeans])
def test_centers_that_a_step_would_move_far_are_refused(cls):
    """Labels and inertia are those of the centers: what is wrong is the centers."""
    model = cls(3, random_state=0, batch_size=20, n_init=1).fit(X)
    C = model.cluster_centers_ + np.outer([9.0, 0.0, 0.0], [1.0, 1.0])
    sq_dist = ((X[:, None] - C) ** 2).sum(axis=2)
    labels = sq_dist.argmin(axis=1).astype(model.labels_.dtype)
    lie = altered(model, cluster_centers_=C, labels_=labels, inertia_=sq_dist.min(axis=1).sum())
    assert failing(surefit.certify(lie, X)) == {"fixed_point"}


@pytest.mark.parametrize("tol", [1e-4, 1.0])
def test_the_root_is_the_mean_of_all_rows(tol):
    model = BisectingKMeans(3, random_state=0).fit(X)
    centers = model.node_centers_.copy()
    centers[0] += 0.1
    assert failing(surefit.certify(altered(model, node_centers_=centers, tol=tol), X)) == {"cuts"}


def test_what_is_not_checked_of_scikit_learns_cuts_is_said():
    said = surefit.certify(sklearn.cluster.BisectingKMeans(3, random_state=0).fit(X), X)
    assert said.grade == Grade.UNPROVED and "predict" in said["nested"].sentence
