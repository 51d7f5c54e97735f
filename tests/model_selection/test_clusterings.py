"""Clusterings compared: internal indices, noise, models that say nothing about unseen rows."""

from __future__ import annotations

import json
from unittest import mock

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import scipy.stats
import sklearn.cluster
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.metrics import (
    adjusted_rand_score,
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_samples,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit.cluster import DBSCAN, KMeans
from surefit.decomposition import PCA
from surefit.model_selection import compare
from surefit.model_selection.budget import Share, Stopped, TooSlow
from surefit.model_selection.candidates import Shape, candidates_for
from surefit.model_selection.clusterings.explained_share import answers_unseen
from surefit.model_selection.clusterings.indices import index_text, internal_indices
from surefit.model_selection.clusterings.judge import judged
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


def test_with_folds_a_clustering_of_its_own_rows_alone_has_no_score(tmp_path):
    ward = sklearn.cluster.AgglomerativeClustering(3)
    models = {"density": DBSCAN(eps=0.6), "three": KMeans(3, random_state=0), "ward": ward}
    found = compare(models, IRIS, cv=3)
    assert found.metric == "explained" and [one.name for one in found.outcomes] == list(models)
    density = found["density"]
    assert not density.scored and np.isnan(density.scores).all() and density.versus_best is None
    assert density.verdict == "✓ EXACT" and found["three"].scored
    line = next(line for line in str(found).splitlines() if line.startswith("density"))
    assert "—" in line and "EXACT" in line
    read = json.loads(found.to_json())
    assert [one["extra"]["clusters"] for one in read["models"]] == [2.0, 3.0, 3.0]


def test_clusterings_are_judged_by_halves():
    models = {"three": KMeans(3, n_init=5, random_state=0), "ward": sklearn.cluster.AgglomerativeClustering(3)}
    found = compare(models, IRIS)
    assert found.metric == "stability" and found.splits == "10 pairs of halves, seed 0" and found.n_splits == 10
    three, ward = found["three"], found["ward"]
    assert three.scores.shape == (10,) and 0.5 < three.interval.mean <= 1.0
    half = scipy.stats.t.ppf(0.975, 9) * three.scores.std(ddof=1) / np.sqrt(10)
    assert three.interval.half == pytest.approx(half)
    np.testing.assert_array_equal(three.predictions, three.estimator.labels_)
    expected = adjusted_rand_score(three.estimator.labels_, ward.estimator.labels_)
    other = next(one for one in found.outcomes if one is not found.best)
    assert other.extra["ARI to best"] == pytest.approx(expected)
    assert {"three": three, "ward": ward}[found.best.name] is found.best and found.verdict and found.opening
    json.loads(found.to_json())
    again = compare(models, IRIS)
    assert again["three"].scores.tobytes() == three.scores.tobytes()
    assert compare(models, IRIS, random_state=1)["three"].scores.tobytes() != three.scores.tobytes()


def test_candidates_find_planted_clusters():
    X, truth = make_blobs(240, centers=[[0, 0], [12, 0], [0, 12]], random_state=0)
    X = X * [1.0, 1e4]
    found = compare(None, X)
    names = ["k-means", "Gaussian mixture", "Ward", "average linkage", "complete linkage", "single linkage",
             "spectral clustering", "DBSCAN"]  # fmt: skip
    assert [one.name for one in found.outcomes] == names and found.holds and not found.left_out
    for one in found.outcomes:
        inside = one.predictions >= 0
        assert adjusted_rand_score(one.predictions[inside], truth[inside]) == 1.0, one.name
        assert one.interval.mean > 0.85 and one.extra["clusters"] == 3 and one.sentence
    assert found["k-means"].parameters == {"n_clusters": 3}
    assert found["Gaussian mixture"].parameters["n_components"] == 3
    assert found["DBSCAN"].parameters["min_samples"] == 10
    assert found.opening == (
        f"Three clusters of 80, 80 and 80 rows by {found.best.name}: a strong structure (silhouette "
        f"{found.best.extra['silhouette']:.2f})."
    )
    assert found.verdict.startswith("All 8 methods agree (ARI 0.9") and "Three clusters are stable" in found.verdict


def test_the_knee_finds_the_moons():
    X, y = make_moons(300, noise=0.05, random_state=0)
    found = compare(None, X)
    density = found["DBSCAN"]
    assert density.extra["clusters"] == 2 and density.verdict == "✓ EXACT"
    inside = density.predictions >= 0
    assert adjusted_rand_score(density.predictions[inside], y[inside]) == 1.0 and inside.mean() > 0.9


def test_tables_with_categories_and_gaps():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 120)
    frame = pd.DataFrame(
        {"size": 10.0 * group + rng.normal(size=120), "kind": np.array(["ash", "oak"])[group], "width": 5.0 * group}
    )
    frame.loc[::7, "size"] = np.nan
    found = compare(None, frame)
    assert adjusted_rand_score(found["k-means"].predictions, group) > 0.9
    assert dict(found.left_out)["Gaussian mixture"].startswith("columns of categories have no density")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (IRIS[:1], "at least two rows; got 1"),
        (IRIS[:3], "3 rows are too few to look for clusters: at least 4 are needed"),
        (np.ones((30, 3)), "all 30 rows are equal: there is nothing to group"),
        (pd.DataFrame({"a": ["x"] * 9, "b": [1.0] * 9}), "all 9 rows are equal"),
        (sp.csr_array(np.ones((30, 3))), "all 30 rows are equal"),
    ],
    ids=["one row", "three rows", "equal", "equal frame", "equal sparse"],
)
def test_what_has_no_clusters_is_refused_in_one_line(rows, words):
    with pytest.raises(ValueError, match=words):
        compare(None, rows)


def test_few_distinct_rows_and_short_tables():
    twice = np.repeat(np.array([[0.0, 0.0], [5.0, 5.0]]), 15, axis=0)
    found = compare(None, twice)
    assert found["k-means"].parameters == {"n_clusters": 2} and found.best.extra["clusters"] == 2
    short = compare(None, IRIS[:6])
    assert short.splits == "too few rows for halves" and not any(one.scored for one in short.outcomes)
    assert {"spectral clustering", "DBSCAN"} <= {name for name, _ in short.left_out}


def test_a_model_that_cannot_be_fitted_is_named():
    with pytest.raises(ValueError, match="n_clusters"):
        compare({"many": KMeans(200), "few": KMeans(2)}, IRIS)
    found = compare({"many": KMeans(200), "few": KMeans(2, random_state=0)}, IRIS, failing="leave out")
    assert [one.name for one in found.outcomes] == ["few"] and found.left_out[0][0] == "many"


def test_time_that_is_over():
    def slow(*args):
        raise Stopped

    X = IRIS[:60]
    with pytest.raises(TooSlow, match="was over before its fit"):
        judged("k-means", KMeans(2), X, 0.95, 0, Share(1e-9))
    with mock.patch("surefit.model_selection.clusterings.judge.stability", slow):
        found = judged("k-means", KMeans(2, random_state=0), X, 0.95, 0, Share(60.0))
    assert not found.scored and "do not fit into its share of the time, 60 s" in found.notes[0]
    with mock.patch("surefit.model_selection.clusterings.judge.certify_steps", slow):
        found = judged("k-means", KMeans(2, random_state=0), X, 0.95, 0, Share(60.0))
    assert found.scored and not found.certificates and found.not_certified.startswith("its check did not end")


def test_radii_are_set_on_the_rows_that_the_clustering_sees():
    X = np.random.default_rng(0).normal(size=(200, 2)) * [1.0, 1e6]
    models = {"DBSCAN m=5": make_pipeline(StandardScaler(), DBSCAN()), "plane": PCA(1)}
    found = with_radius(models, X)
    density, plane = found
    assert plane == "plane" and density.startswith("DBSCAN m=5 ε=") and 0.05 < found[density][-1].eps < 2


def test_many_rows_are_left_to_what_is_fast():
    few, many = candidates_for("clustering", Shape(1_000, 5)), candidates_for("clustering", Shape(1_000_000, 5))
    assert len(few) == 8 and not few.unsuited and all(hasattr(one, "fit_predict") for one in few.values())
    assert max(one["n_clusters"] for one in candidates_for("clustering", Shape(10, 5))["k-means"].settings) == 5
    assert list(many) == ["k-means", "Gaussian mixture"]
    assert [name for name, _ in many.unsuited] == [name for name in few if name not in many]
    assert "DBSCAN" in candidates_for("clustering", Shape(10_000, 5))
    assert "DBSCAN" not in candidates_for("clustering", Shape(10_000, 40))
    wide = candidates_for("clustering", Shape(500, 200))["Gaussian mixture"]
    assert {one["covariance_type"] for one in wide.settings} == {"diag", "spherical"}


def test_what_was_measured_on_some_rows_is_said():
    X = np.random.default_rng(0).normal(size=(4_500, 1)) + 9.0 * (np.arange(4_500)[:, None] % 2)
    found = compare({"two": KMeans(2, random_state=0)}, X)
    assert found["two"].interval.mean == 1.0
    assert found.notes == [
        "stability is that of halves of 2,000 rows",
        "silhouettes are those of 2,000 rows spread over the table",
    ]


def test_who_answers_unseen_rows():
    assert answers_unseen(KMeans()) and answers_unseen(PCA())
    assert not answers_unseen(DBSCAN()) and not answers_unseen(make_pipeline(StandardScaler(), DBSCAN()))
