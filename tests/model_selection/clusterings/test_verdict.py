"""What clusterings say together, in words."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from surefit.model_selection.clusterings.verdict import agreement, merit, opening_words, verdict_words
from surefit.model_selection.outcome import Outcome
from surefit.model_selection.significance.intervals import Interval

THREE = np.repeat([0, 1, 2], [60, 50, 40])


def outcome(name, labels, silhouette=None, stability=np.nan):
    labels = np.asarray(labels)
    extra = {"clusters": float(np.unique(labels[labels >= 0]).size), "noise": float(np.mean(labels < 0))}
    if silhouette is not None:
        extra["silhouette"] = silhouette
    scores = np.array([stability])
    return Outcome(name, None, scores, Interval(stability, np.nan, 0.95), 0.1, {}, predictions=labels, extra=extra)


def test_agreement_is_the_adjusted_rand_index():
    other = np.where(np.arange(150) < 70, 0, THREE)
    found = agreement(outcome("a", THREE), outcome("b", other))
    assert found == pytest.approx(adjusted_rand_score(THREE, other)) and 0.5 < found < 1


def test_a_clear_case():
    noisy = np.where(np.arange(150) % 8 == 0, -1, THREE)
    best = outcome("k-means", THREE, 0.55, 0.97)
    all_of_them = [best, outcome("Ward", (THREE + 1) % 3, 0.55, 0.95), outcome("DBSCAN", noisy, 0.5, 0.9)]
    assert (
        opening_words(best)
        == "Three clusters of 60, 50 and 40 rows by k-means: a reasonable structure (silhouette 0.55)."
    )
    assert verdict_words(all_of_them, best) == (
        "K-means and Ward agree (ARI 1.00). Three clusters are stable: halves of the rows give the same (0.97). DBSCAN "
        "calls 13 % of the rows noise."
    )


def test_clusters_that_change_with_the_rows():
    best = outcome("k-means", np.arange(150) % 8, 0.51, 0.66)
    rival = outcome("single linkage", np.arange(150) // 75, 0.39, 1.0)
    words = verdict_words([best, rival], best)
    assert words.startswith("No other method agrees with k-means; the nearest is single linkage (ARI ")
    assert "The eight clusters of k-means change with the rows (0.66)" in words
    assert words.endswith("those of single linkage, two clusters, are stable (1.00).")
    assert merit(rival) == pytest.approx(0.39) and merit(best) == pytest.approx(0.51 * 0.66)
    assert merit(rival) > merit(best)


def test_no_clusters():
    weak = outcome("k-means", np.arange(150) % 6, 0.2, 0.4)
    assert opening_words(weak).startswith(
        "No clear clusters: the best of them, six clusters by k-means, have a silhouette of 0.20, and halves"
    )
    one = outcome("DBSCAN", np.zeros(150, dtype=int))
    assert opening_words(one) == "No clusters: DBSCAN finds one cluster and nothing to compare it with."
    assert verdict_words([weak, one], weak).endswith("DBSCAN sees one cluster only.")
