"""Attacks on the checkers of MiniBatchKMeans and BisectingKMeans: `python -m tests.certificates.cluster.study`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.cluster
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import surefit.cluster
from tests.certificates.attack import Rows, Study, answering, main, nudged, rows
from tests.certificates.bench import altered
from tests.reference import centers as long

BUNDLED = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}


def epsilon(model: Any, X: np.ndarray) -> float:
    single = np.float32 in (X.dtype, np.asarray(model.cluster_centers_).dtype)
    return float(np.finfo(np.float32 if single else np.float64).eps)


def lies(model: Any, r: Rows, seed: int, other: Any, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(seed)
    spread = np.asarray(r.X, dtype=float).std(axis=0)
    yield from nudged(model, {"inertia_": model.inertia_, **dict.fromkeys(names, spread)}, rng)
    labels = np.array(model.labels_)
    i = int(rng.integers(len(labels)))
    labels[i] = (labels[i] + 1) % len(model.cluster_centers_)
    yield "one label", altered(model, labels_=labels)
    yield "labels of other names", altered(model, labels_=(model.labels_ + 1) % len(model.cluster_centers_))
    yield "other rows", other
    for size in (1e-7, 1e-5, 1e-3, 1e-1):
        yield f"transform off by {size:g}", _off(answering(model, "transform", lambda a, s=size: a * (1 + s)), size)
    yield "predict", _off(answering(model, "predict", lambda a: (a + 1) % len(model.cluster_centers_)), 1.0)


def _off(liar: Any, size: float) -> Any:
    liar.study_off = size
    return liar


def methods(model: Any, r: Rows) -> dict[str, float]:
    """A lie in an answer, where distances by products in the model's precision would not be off by as much."""
    eps, size = epsilon(model, r.X), float(np.abs(r.X).max())
    least = float(np.sqrt(np.median(long.sq_dists(r.X, model.cluster_centers_))))
    off = getattr(model, "study_off", 0.0)
    return {"an answer": off if off > 100 * eps * (size / least) ** 2 else 0.0}


def kmeans_truth(r: Rows) -> Any:
    def truth(model: Any) -> dict[str, float]:
        C, eps = np.asarray(model.cluster_centers_), epsilon(model, r.X)
        now = long.inertia(r.X, r.weights, C, long.sq_dists(r.X, C).argmin(axis=1))
        off = abs(np.longdouble(model.inertia_) - now) / now
        return {
            "inertia": float(off),
            "nearest": long.not_nearest(r.X, C, model.labels_, eps),
            "fixed_point": float(long.lloyd_saving(r.X, r.weights, C)),
            **methods(model, r),
        }

    return truth


def mini_batch(count: int, first: int = 0, bundled: bool = True) -> Study:
    study = Study()
    for seed in range(first, first + count):
        r = rows(seed)
        cls = (surefit.cluster, sklearn.cluster)[seed % 3 == 2].MiniBatchKMeans
        make = cls(3, random_state=seed, batch_size=30, n_init=1)
        model = make.fit(r.X, sample_weight=r.w)
        other = altered(model, **vars(cls(3, random_state=seed).fit(r.X[::-1][: len(r.X) // 2])))
        other.labels_ = model.labels_
        study.add(f"{seed} {r.sort} {cls.__module__}", model, (r.X, None, r.w), kmeans_truth(r),
                  lies(model, r, seed, other, ("cluster_centers_",)))  # fmt: skip
    for name, load in BUNDLED.items() if bundled else ():
        X = load().data
        for library in (surefit.cluster, sklearn.cluster):
            model = library.MiniBatchKMeans(5, random_state=0, n_init=3).fit(X)
            study.add(f"{name} {library.__name__}", model, (X,), kmeans_truth(Rows(name, X, X, None)), ())
    return study


def bisecting_truth(r: Rows) -> Any:
    def truth(model: Any) -> dict[str, float]:
        C, eps, labels = np.asarray(model.cluster_centers_), epsilon(model, r.X), np.asarray(model.labels_)
        now = long.inertia(r.X, r.weights, C, labels)
        said = next((c for c in surefit.certify(model, r.X, None, r.w) if c.name == "centers"), None)
        found = re.search(r"[Cc]enter (\d+)", said.sentence) if said else None
        j = int(found[1]) if found else 0
        own = labels == j
        true = {
            "inertia": float(abs(np.longdouble(model.inertia_) - now) / now) if now > 0 else abs(model.inertia_),
            "centers": float(long.share_saved(r.X[own], r.weights[own], C[j])) if own.any() else np.inf,
        }
        if not hasattr(model, "splits_"):
            return true
        return {**true, **_tree_truth(model, r, eps), **methods(model, r)}

    return truth


def _tree_truth(model: Any, r: Rows, eps: float) -> dict[str, float]:
    """Rows on the farther side of a cut, and by how much a cut was not of the largest cluster."""
    members = {leaf: np.flatnonzero(model.labels_ == j) for j, leaf in enumerate(model._leaves())}
    if set(members) | set(model.splits_.tolist()) != set(range(2 * len(model.splits_) + 1)):
        return {"tree": np.inf}
    N, wrong = np.asarray(model.node_centers_), np.zeros(len(r.X), dtype=int)
    for t in range(len(model.splits_) - 1, -1, -1):
        left, right = 2 * t + 1, 2 * t + 2
        both = np.concatenate([members[left], members[right]])
        side = np.repeat([0, 1], [len(members[left]), len(members[right])])
        for i, s in zip(both, side, strict=True):
            wrong[i] |= long.not_nearest(r.X[i : i + 1], N[[left, right]], [s], eps)
        members[int(model.splits_[t])] = both

    def size(node: int) -> Any:
        at = members[node]
        return long.inertia(r.X[at], r.weights[at], N[node][None], np.zeros(len(at), dtype=int))

    behind, waiting = np.longdouble(0), {0}
    for t, node in enumerate(model.splits_.tolist()):
        largest = max(size(p) for p in waiting)
        if largest > 0:
            behind = max(behind, (largest - size(node)) / largest)
        waiting = (waiting - {node}) | {2 * t + 1, 2 * t + 2}
    return {"nested": int(wrong.sum()), "largest_first": float(behind)}


def bisecting_lies(model: Any, r: Rows, seed: int, other: Any) -> Iterator[tuple[str, Any]]:
    for what, liar in lies(model, r, seed, other, ("cluster_centers_", "node_centers_")):
        if what.startswith("cluster_centers_") and hasattr(model, "splits_"):  # told by its nodes too
            liar.node_centers_ = np.array(model.node_centers_)
            liar.node_centers_[model._leaves()] = liar.cluster_centers_
        elif what.startswith("node_centers_"):
            liar.cluster_centers_ = liar.node_centers_[model._leaves()]
        yield what, liar
    if len(model.splits_) > 1:
        swapped = np.array(model.splits_)
        swapped[-1] = ({1, 2} - {int(swapped[1])}).pop()
        yield "another cut", altered(model, splits_=swapped)


def bisecting(count: int, first: int = 0, bundled: bool = True) -> Study:
    study = Study()
    for seed in range(first, first + count):
        r = rows(seed)
        cls = surefit.cluster.BisectingKMeans
        model = cls(3 + seed % 3, random_state=seed, tol=(1e-4, 0.0)[seed % 2]).fit(r.X, sample_weight=r.w)
        half = cls(3 + seed % 3, random_state=seed).fit(r.X[: len(r.X) // 2])
        other = altered(model, cluster_centers_=half.cluster_centers_, node_centers_=half.node_centers_,
                        splits_=half.splits_, labels_=half.predict(r.X), inertia_=half.inertia_)  # fmt: skip
        study.add(f"{seed} {r.sort}", model, (r.X, None, r.w), bisecting_truth(r),
                  bisecting_lies(model, r, seed, other))  # fmt: skip
    for name, load in BUNDLED.items() if bundled else ():
        X = load().data
        for library in (surefit.cluster, sklearn.cluster):
            model = library.BisectingKMeans(6, random_state=0).fit(X)
            study.add(f"{name} {library.__name__}", model, (X,), bisecting_truth(Rows(name, X, X, None)), ())
    return study


if __name__ == "__main__":
    main({"MiniBatchKMeans": mini_batch, "BisectingKMeans": bisecting}, 100)
