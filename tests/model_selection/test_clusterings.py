"""Clusterings compared: internal indices, noise, models that say nothing about unseen rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sklearn.cluster
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_samples
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit.cluster import DBSCAN, KMeans
from surefit.decomposition import PCA
from surefit.model_selection import compare
from surefit.model_selection.candidates import Shape, candidates_for
from surefit.model_selection.clusterings.explained_share import answers_unseen
from surefit.model_selection.clusterings.indices import index_text, internal_indices
from surefit.model_selection.clusterings.radius import with_radius

IRIS = load_iris().data


def test_indices_are_those_of_scikit_learn_with_noise_as_stated():
    model = DBSCAN(eps=0.5, min_samples=8).fit(IRIS)
    inside = model.labels_ >= 0
    found = internal_indices(model, IRIS)
    assert found["clusters"] == model.n_clusters_ == 2
    assert found["noise"] == pytest.approx(np.mean(~inside)) and 0 < found["noise"] < 0.5
    each = np.zeros(len(IRIS))
    each[inside] = silhouette_samples(IRIS[inside], model.labels_[inside])
    assert found["silhouette"] == pytest.approx(each.mean())
    assert found["Davies–Bouldin"] == pytest.approx(davies_bouldin_score(IRIS[inside], model.labels_[inside]))
    assert found["Calinski–Harabasz"] == pytest.approx(calinski_harabasz_score(IRIS[inside], model.labels_[inside]))


def test_indices_say_nothing_of_one_cluster_or_of_none():
    assert internal_indices(DBSCAN(eps=100.0).fit(IRIS), IRIS) == {"clusters": 1.0, "noise": 0.0}
    assert internal_indices(DBSCAN(eps=1e-9).fit(IRIS), IRIS) == {"clusters": 0.0, "noise": 1.0}
    assert internal_indices(DBSCAN(eps=1e-9, min_samples=1).fit(IRIS[:9]), IRIS[:9]) == {"clusters": 9.0, "noise": 0.0}
    assert internal_indices(PCA(2).fit(IRIS), IRIS) == {}


def test_many_rows_are_sampled():
    X = np.random.default_rng(0).normal(size=(3000, 2)) + 8 * np.arange(3000)[:, None] // 1500
    model = KMeans(2, random_state=0).fit(X)
    rows = np.linspace(0, 2999, 2000).astype(int)
    expected = silhouette_samples(X[rows], model.labels_[rows]).mean()
    assert internal_indices(model, X)["silhouette"] == pytest.approx(expected)


def test_texts_of_indices():
    texts = {"clusters": 3.0, "noise": 0.031, "silhouette": 0.4567, "Calinski–Harabasz": 1234.5}
    assert [index_text(*one) for one in texts.items()] == ["3", "3.1 %", "0.457", "1,234"]
    assert index_text("noise", 0.0) == "0 %" and index_text("noise", 0.2) == "20 %"


def test_a_clustering_of_its_own_rows_alone_has_no_score(tmp_path):
    ward = sklearn.cluster.AgglomerativeClustering(3)
    models = {"density": DBSCAN(eps=0.6), "three": KMeans(3, random_state=0), "ward": ward}
    found = compare(models, IRIS, cv=3)
    assert [one.name for one in found.outcomes] == list(models)
    density = found["density"]
    assert not density.scored and np.isnan(density.scores).all() and density.versus_best is None
    assert density.verdict == "✓ EXACT" and found["three"].scored
    line = next(line for line in str(found).splitlines() if line.startswith("density"))
    assert "—" in line and "EXACT" in line
    read = json.loads(found.to_json())
    assert [one["extra"]["clusters"] for one in read["models"]] == [2.0, 3.0, 3.0]
    page = found.report(tmp_path / "page.html").read_text("utf-8")
    assert "nan" not in page.partition("<h2>Certificates")[0].partition("<h2>Results")[2].partition("<img")[0]


def test_clusterings_without_any_score_are_compared_by_their_indices(tmp_path):
    found = compare([DBSCAN(eps=0.5), DBSCAN(eps=0.7)], IRIS, cv=3)
    assert found.best.name in ("DBSCAN", "DBSCAN #2") and found.holds
    assert found.report(tmp_path / "page.html").exists()


def test_the_knee_finds_the_moons():
    X, y = make_moons(600, noise=0.05, random_state=0)
    found = compare(None, X, cv=2)
    density = [one for one in found.outcomes if one.name.startswith("DBSCAN m=10")]
    assert len(density) == 1 and density[0].extra["clusters"] == 2 and density[0].verdict == "✓ EXACT"
    labels = density[0].estimator[-1].labels_
    inside = labels >= 0
    assert np.mean((labels == labels[y == 0][0])[inside] == (y == 0)[inside]) > 0.99


def test_radii_are_set_on_the_rows_that_the_clustering_sees():
    X = np.random.default_rng(0).normal(size=(200, 2)) * [1.0, 1e6]
    models = {"DBSCAN m=5": make_pipeline(StandardScaler(), DBSCAN()), "plane": PCA(1)}
    found = with_radius(models, X)
    density, plane = found
    assert plane == "plane" and density.startswith("DBSCAN m=5 ε=") and 0.05 < found[density][-1].eps < 2


def test_many_rows_are_left_to_what_is_fast():
    few, many = candidates_for("clustering", Shape(1_000, 5)), candidates_for("clustering", Shape(1_000_000, 5))
    assert {name.split()[0] for name in few} == {"PCA", "KMeans", "Ward", "average", "spectral", "DBSCAN"}
    assert {name.split()[0] for name in many} == {"PCA", "KMeans"}
    assert not [name for name in candidates_for("clustering", Shape(10_000, 40)) if "DBSCAN" in name]


def test_who_answers_unseen_rows():
    assert answers_unseen(KMeans()) and answers_unseen(PCA())
    assert not answers_unseen(DBSCAN()) and not answers_unseen(make_pipeline(StandardScaler(), DBSCAN()))
