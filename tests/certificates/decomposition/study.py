"""Attacks on the checker of IncrementalPCA: `python -m tests.certificates.decomposition.study`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.decomposition
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

import surefit
from surefit.decomposition import IncrementalPCA
from tests.certificates.attack import Rows, Study, answering, main, nudged, rows
from tests.certificates.bench import altered
from tests.reference.principal_variances import principal_variances

L = np.longdouble
BUNDLED = {
    "iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits,
    "diabetes": load_diabetes,
}  # fmt: skip


def truth_of(r: Rows) -> Any:
    mean, columns, values = principal_variances(r.X)
    n = len(r.X)

    def truth(model: Any) -> dict[str, float]:
        var = np.asarray(model.var_, dtype=L)
        lam, V = np.asarray(model.explained_variance_, dtype=L), np.asarray(model.components_, dtype=L)
        said = {c.name: c.sentence for c in surefit.certify(model, r.X)}
        named = (("column", "columns"), ("[Cc]omponent", "variances"))
        found = [re.search(rf"{word} (\d+)", said.get(claim, "")) for word, claim in named]
        j, i = (int(one[1]) if one else 0 for one in found)
        deviation = np.sqrt(columns)
        seen = {"seen": np.inf} if model.n_samples_seen_ != n else {}
        return {
            "columns": float(abs(var[j] - columns[j]) / columns[j]),
            "variances": float(abs(lam[i] - values[i]) / values[i]),
            "mean": float((np.abs(np.asarray(model.mean_, dtype=L) - mean) / deviation).min()),
            "orthonormal": float(np.abs(V @ V.T - np.eye(len(V))).max()),
            "kept": getattr(model, "study_kept", 0.0),
            **seen,
        }

    return truth


def lies(model: Any, r: Rows, seed: int) -> Iterator[tuple[str, Any]]:
    rng, spread = np.random.default_rng(seed), np.asarray(r.X, dtype=float).std(axis=0)
    names = ("explained_variance_", "explained_variance_ratio_", "singular_values_", "var_", "noise_variance_")
    own = {name: np.asarray(getattr(model, name), dtype=float) for name in names}
    for what, liar in nudged(model, {**own, "components_": 1.0, "mean_": spread}, rng):
        loose = r.sort in ("single", "tight") or r.sort.startswith("offset")  # small variances, as sums of large ones
        beyond = 1e-2 if loose else 2e-6
        told = ("explained_variance_ratio_", "singular_values_", "noise_variance_")
        yield what, altered(liar, study_kept=float(what.startswith(told) and float(what.split()[-1]) > beyond))
    yield "permuted", altered(model, components_=model.components_[::-1])
    yield "n_samples_seen_", altered(model, n_samples_seen_=model.n_samples_seen_ + 1)
    yield "batch_size_", altered(model, batch_size_=model.batch_size_ + 1, study_kept=1.0)
    yield "error_bound_", altered(model, error_bound_=1e-9, study_kept=1.0)
    for method in ("transform", "inverse_transform"):
        for size in (1e-5, 1e-3, 1e-1):
            near = 1e3 * float(np.finfo(r.X.dtype).eps) * float((np.abs(r.X).max(axis=0) / spread.min()).max())
            liar = answering(model, method, lambda a, s=size: a + s * np.abs(a).max())
            yield f"{method} off by {size:g}", altered(liar, study_kept=float(size > near))
    yield "other rows", IncrementalPCA(len(model.components_)).fit(r.X[: len(r.X) * 3 // 4])


def incremental_pca(count: int, first: int = 0, bundled: bool = True) -> Study:
    study = Study()
    for seed in range(first, first + count):
        r = rows(seed)
        r = r._replace(w=None)
        model = IncrementalPCA(1 + seed % r.X.shape[1], batch_size=7 + seed % 20, whiten=seed % 5 == 4).fit(r.X)
        study.add(f"{seed} {r.sort}", model, (r.X,), truth_of(r), lies(model, r, seed))
    for name, load in BUNDLED.items() if bundled else ():
        X = load().data
        for cls, few in ((IncrementalPCA, 3), (IncrementalPCA, None), (sklearn.decomposition.IncrementalPCA, None)):
            study.add(f"{name} {cls.__module__} {few}", cls(few).fit(X), (X,), lambda model: {}, ())
    return study


if __name__ == "__main__":
    main({"IncrementalPCA": incremental_pca}, 100)
