"""Attacks on the checkers of MLPClassifier and MLPRegressor: `python -m tests.certificates.neural_network.study`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import sklearn.neural_network
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

import surefit.neural_network
from surefit.certificates.predictions import SAMPLE
from tests.certificates.attack import SIZES, Rows, Study, answering, main, rows
from tests.certificates.bench import altered
from tests.reference import mlp as long

BUNDLED = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}


def targets(model: Any, y: np.ndarray) -> np.ndarray:
    if not hasattr(model, "classes_"):
        return y[:, None]
    codes = np.searchsorted(model.classes_, y)
    return codes[:, None] if len(model.classes_) == 2 else np.eye(len(model.classes_))[codes]


def truth_of(r: Rows, y: np.ndarray) -> Any:
    def truth(model: Any) -> dict[str, float]:
        Y, widths = targets(model, y), [r.X.shape[1], *(len(b) for b in model.intercepts_)]
        if [W.shape for W in model.coefs_] != list(pairwise(widths)) or widths[-1] != Y.shape[1]:
            return {"layers that do not fit": np.inf}
        f = long.loss(model, r.X, Y, r.weights)
        slopes = max(float(np.abs(g).max()) for g in long.gradient(model, r.X, Y, r.weights))
        said = [model.loss_] if model.solver == "lbfgs" else []
        said += [model.final_loss_] if hasattr(model, "final_loss_") else []
        off = max((float(abs(np.longdouble(one) - f) / f) for one in said), default=0.0)
        return {"trace": off, "stationary": slopes, "kept": getattr(model, "study_kept", 0.0)}

    return truth


def beyond_rounding(model: Any, X: np.ndarray, size: float) -> bool:
    """Whether answers off by size (1 + |answer|) are more than four times what roundings change, on some of any SAMPLE
    rows. Chances move by no more than their scores."""
    scores = long.layers(model, X)[-1]
    answers = 0.0 if hasattr(model, "classes_") else np.abs(scores).min(axis=1)
    moved = 4 * long.rounding(model, X).max(axis=1) + 10 * np.finfo(X.dtype).eps
    return np.count_nonzero(size * (1 + answers) > moved) > max(0, len(X) - SAMPLE)


def lies(model: Any, r: Rows, y: np.ndarray, seed: int) -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(seed)
    for name in ("coefs_", "intercepts_"):
        for size in SIZES:
            layers = [np.array(a) for a in getattr(model, name)]
            one = layers[int(rng.integers(len(layers)))]
            one[tuple(int(rng.integers(s)) for s in one.shape)] += size
            yield f"{name} off by {size:g}", altered(model, **{name: layers})
        yield f"{name} of other layers", altered(model, **{name: getattr(model, name)[::-1]})
    for name in ("loss_", "final_loss_", "best_loss_"):
        value = getattr(model, name, None)
        for size in SIZES if value is not None else ():
            kept = 1.0 if name != "final_loss_" and model.solver != "lbfgs" else 0.0
            best = name == "best_loss_" and model.solver == "lbfgs"
            yield f"{name} off by {size:g}", altered(model, **{name: value * (1 + size)}, study_kept=2 * best + kept)
    if hasattr(model, "loss_curve_"):
        yield "n_iter_", altered(model, n_iter_=model.n_iter_ + 1, study_kept=1.0)
    yield "alpha", altered(model, alpha=model.alpha * 2 + 1)
    yield "activation", altered(model, activation="relu" if model.activation != "relu" else "tanh")
    for method in ("predict_proba", "predict") if hasattr(model, "classes_") else ("predict",):
        for size in (1e-5, 1e-3, 1e-1) if method != "predict" or not hasattr(model, "classes_") else ():
            liar = answering(model, method, lambda a, s=size: a + s * (1 + np.abs(a)))
            yield f"{method} off by {size:g}", altered(liar, study_kept=float(beyond_rounding(model, r.X, size)))
    if hasattr(model, "classes_"):
        turned = answering(model, "predict", lambda a: model.classes_[np.searchsorted(model.classes_, a) - 1])
        yield "predict", altered(turned, study_kept=1.0)
    other = type(model)(**model.get_params()).fit(r.X[::2], y[::2])
    yield "other rows", altered(other, study_kept=0.0)


def fitted(cls: Any, r: Rows, y: np.ndarray, seed: int, **settings: Any) -> Any:
    asked = {
        "hidden_layer_sizes": ((4,), (3, 3), ())[seed % 3],
        "activation": ("tanh", "relu", "logistic")[seed // 3 % 3],
        "solver": ("lbfgs", "adam", "sgd")[seed // 2 % 3],
        "learning_rate_init": 1e-4 if "offset" in r.sort else 1e-2,
        "max_iter": 60,
        "random_state": seed,
        "alpha": 0.01,
        **settings,
    }
    model = cls(**asked)
    return model.fit(r.X, y) if r.w is None else model.fit(r.X, y, sample_weight=r.w)


def attacked(kind: str, count: int, first: int, bundled: bool) -> Study:
    study = Study()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first, first + count):
            r = rows(seed, groups=2 + seed % 2)
            if r.sort in ("offset 1e6", "mixed scales"):
                r = r._replace(X=r.X / np.abs(r.X).max(axis=0))
            rng = np.random.default_rng(seed)
            numbers = (r.group + rng.normal(size=len(r.X))) * 10.0 ** rng.integers(-4, 4)
            y = r.group if kind == "MLPClassifier" else numbers
            library = surefit.neural_network if seed % 4 or r.w is not None else sklearn.neural_network
            try:
                model = fitted(getattr(library, kind), r, y, seed)
            except ValueError as fault:  # steps that lead out of floating point
                assert "non-finite" in str(fault), fault
                continue
            label = f"{seed} {r.sort} {library.__name__} {model.solver} {model.activation}"
            truth = truth_of(r, y)
            cut = library is sklearn.neural_network and truth(model)["trace"] > 1e-6  # its loss cuts chances off
            study.add(label, model, (r.X, y, r.w), truth, lies(model, r, y, seed), honest=not cut)
        asked = {"hidden_layer_sizes": (10,), "random_state": 0, "max_iter": 200}
        for name, load in BUNDLED.items() if bundled else ():
            X, y = load(return_X_y=True) if kind == "MLPClassifier" else load_diabetes(return_X_y=True)
            X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
            for library in (surefit.neural_network, sklearn.neural_network):
                for solver in ("lbfgs", "adam"):
                    model = getattr(library, kind)(solver=solver, **asked).fit(X, y)
                    r = Rows(name, X, y, None)
                    study.add(f"{name} {library.__name__} {solver}", model, (X, y), truth_of(r, y), ())
            if kind == "MLPRegressor":
                break
    return study


def classifier(count: int, first: int = 0, bundled: bool = True) -> Study:
    return attacked("MLPClassifier", count, first, bundled)


def regressor(count: int, first: int = 0, bundled: bool = True) -> Study:
    return attacked("MLPRegressor", count, first, bundled)


if __name__ == "__main__":
    main({"MLPClassifier": classifier, "MLPRegressor": regressor}, 60)
