"""What the checkers say of scikit-learn's mixtures and networks on its bundled data."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.mixture
import sklearn.neural_network
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import surefit

CLASSES = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}


def table(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = (load_diabetes if name == "diabetes" else CLASSES[name])(return_X_y=True)
    return StandardScaler().fit_transform(X), (y - y.mean()) / y.std() if name == "diabetes" else y


def mixtures(names: tuple[str, ...]) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    for name in names:
        X, _ = table(name)
        for kind in ("full", "tied", "diag", "spherical"):
            settings: dict[str, Any] = {"covariance_type": kind, "tol": 1e-8, "max_iter": 2000, "random_state": 0}
            for cls in (sklearn.mixture.GaussianMixture, sklearn.mixture.BayesianGaussianMixture):
                yield f"{cls.__name__} {kind}, {name}", cls(n_components=3, **settings).fit(X), (X,)


def networks(names: tuple[str, ...]) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    for name in names:
        X, y = table(name)
        cls = sklearn.neural_network.MLPRegressor if name == "diabetes" else sklearn.neural_network.MLPClassifier
        for solver in ("adam", "sgd", "lbfgs"):
            model = cls(hidden_layer_sizes=(20,), solver=solver, random_state=0, max_iter=300, learning_rate_init=0.01)
            yield f"{cls.__name__} {solver}, {name}", model.fit(X, y), (X, y)


def audited(
    of_mixtures: tuple[str, ...] = ("iris", "wine", "breast cancer", "diabetes"),
    of_networks: tuple[str, ...] = ("iris", "wine", "breast cancer", "digits", "diabetes"),
) -> Iterator[str]:
    """One line for each model: what holds, and what does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model, data in (*mixtures(of_mixtures), *networks(of_networks)):
            found = surefit.certify(model, *data)
            said = ", ".join(f"{c.name} {c.grade}" for c in found if not c.holds) or "holds"
            unproved = ", ".join(c.name for c in found if c.holds and c.grade == "UNPROVED")
            yield f"{name}: {said}" + (f" (not decided: {unproved})" if unproved else "")
