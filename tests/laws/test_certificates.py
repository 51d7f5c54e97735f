"""Every estimator has a checker; it accepts good fits and says no to every mutation of what was learnt."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.base

import surefit
from surefit._core.errors import InvalidData
from tests.laws.registry import (
    LIE_SIZE,
    fit,
    instances,
    learnt,
    reads_no_rows,
    sample,
    samples,
    scikit_learn_class,
    some_rows,
    transductive,
)

MODELS = pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)

# Attributes a checker cannot be asked to judge: counts of work done, and what follows from the data's shape.
NOT_CLAIMED = {"n_iter_", "n_features_in_", "feature_names_in_", "rank_", "singular_", "n_samples_"}
NOT_CLAIMED |= {"rel_gap_", "t_", "n_updates_", "bound_"}  # a solver's own estimates, and counts within a bound
NOT_CLAIMED |= {"n_steps_"}
NOT_CLAIMED |= {"dual_gap_", "fit_status_", "shape_fit_", "seed_"}  # a seed is read only where something is drawn

# Far off the perceptron is no better than a constant, and x·x' nearly one number, from which left-out rows are proved.
NEAR = {"Perceptron", "KernelRidgeCV"}


def scikit_learn_twin(model):
    cls = scikit_learn_class(model)
    if cls is None:
        return None
    names = cls().get_params().keys()
    return cls(**{name: value for name, value in model.get_params().items() if name in names})


@MODELS
@pytest.mark.parametrize("kind", ["dense", "weights", "sparse", "float32", "offset"])
def test_good_fits_are_accepted(model, kind):
    X, y, w = sample(model, n=400)
    if kind == "weights" and w is None:
        pytest.skip("takes no weights, as scikit-learn's class")
    weights = w if kind == "weights" else None
    if kind == "float32":
        X, y = X.astype(np.float32), y.astype(np.float32) if y.dtype.kind == "f" else y
    if kind == "sparse":
        X = sp.csr_array(np.where(np.abs(X) < 2.0, 0.0, X))
    if kind == "offset":
        X = X + (30.0 if type(model).__name__ in NEAR else 1e5)
    fitted = fit(model, X, y, weights)
    certificate = surefit.certify(fitted, X, y, weights)
    assert certificate.holds, str(certificate)
    assert fitted.certify(X, y, weights).to_dict()["holds"] is True


@MODELS
def test_scikit_learns_own_fit_is_accepted(model):
    twin = scikit_learn_twin(model)
    if twin is None:
        pytest.skip("scikit-learn has no such class")
    X, y, _ = sample(model, n=400)
    certificate = surefit.certify(twin.fit(X, y), X, y)
    assert certificate.holds, str(certificate)


def mutations(value: np.ndarray, size: float = 1e-2):
    """Lies about one attribute."""
    rng = np.random.default_rng(0)
    scale = np.abs(value).max() or 1.0
    noise = np.where(rng.random(value.shape) < 0.5, -1.0, 1.0) * size * scale
    yield "perturbed", value + noise.astype(value.dtype) if value.dtype.kind == "f" else (value + 1)
    yield "NaN", np.full_like(value, np.nan) if value.dtype.kind == "f" else None
    if value.any():
        yield "zero", np.zeros_like(value)
    if value.ndim:
        yield "wrong shape", value[..., :-1]
        if value.shape[0] > 1 and not np.allclose(value, value[::-1]):
            yield "reversed", value[::-1].copy()


def lies_about_members(fitted):
    """An ensemble whose list of members is not the one that was fitted."""
    members = getattr(fitted, "estimators_", None)
    if not isinstance(members, list) or len(members) < 2:
        return
    rounds = {"one missing": members[:-1], "one twice": [*members[:-1], members[0]], "reversed": members[::-1]}
    for kind, lie in {**rounds, "one too many": [*members, members[0]]}.items():
        liar = copy.deepcopy(fitted)
        liar.estimators_ = copy.deepcopy(lie)
        yield kind, liar


@MODELS
def test_every_lie_is_rejected(model):
    """On one sample at least, of those that make the model claim different things."""
    believed: dict[tuple[str, str], str] = {}
    rejected = set()
    for X, y, w in samples(model):
        fitted = fit(model, X, y, w)
        assert surefit.certify(fitted, X, y, w).holds
        for name, value in learnt(fitted).items():
            if name in NOT_CLAIMED or not value.size:
                continue
            for kind, lie in mutations(value, LIE_SIZE.get(type(model).__name__, 1e-2)):
                if lie is None or (
                    name == "cluster_centers_" and kind == "reversed" and not hasattr(fitted, "labels_")
                ):
                    continue
                liar = copy.deepcopy(fitted)
                setattr(liar, name, lie if lie.ndim else lie.item())
                certificate = surefit.certify(liar, X, y, w)
                if certificate.holds:
                    believed[name, kind] = str(certificate)
                else:
                    rejected.add((name, kind))
        for kind, liar in lies_about_members(fitted):
            certificate = surefit.certify(liar, X, y, w)
            if certificate.holds:
                believed["estimators_", kind] = str(certificate)
            else:
                rejected.add(("estimators_", kind))
    for name, kind in believed.keys() - rejected:
        pytest.fail(f"{kind} {name} was believed:\n{believed[name, kind]}")
    assert len(rejected) >= 4


def other_data(model, X, y, w):
    """Rows left out, columns or rows in another order, and another target, or rows elsewhere; else columns left out.

    To what reads nothing but distances between its rows, turned or moved ones are the same: their order is another, and
    the size of each column.
    """
    if reads_no_rows(model):
        return {"fewer columns": (X[:, :-1], y, w), "more columns": (np.hstack([X, X]), y, w)}
    size = LIE_SIZE.get(type(model).__name__, 1e-2)
    own = transductive(model)
    moved = X * np.arange(2.0, X.shape[1] + 2.0) if own else X + 100.0 * size
    return {
        "fewer rows": some_rows(slice(0, -40), X, y, w),
        "another order": (X[::-1] if own else X[:, ::-1], y, w),
        "another target": (X, y[::-1], w) if sklearn.base.is_regressor(model) else (moved, y, w),
    }


@MODELS
def test_other_data_is_rejected(model):
    rejected: dict[str, bool] = {}
    for X, y, w in samples(model):
        fitted = fit(model, X, y, w)
        for name, other in other_data(fitted, X, y, w).items():
            if np.shape(other[0])[1] != X.shape[1]:
                with pytest.raises(InvalidData, match=f"fitted on {X.shape[1]}"):
                    surefit.certify(fitted, *other)
            else:
                rejected[name] = rejected.get(name, False) or not surefit.certify(fitted, *other).holds
    assert all(rejected.values()), rejected


@MODELS
def test_an_unfitted_model_is_a_clear_error(model):
    X, y, _ = sample(model)
    with pytest.raises(ValueError, match="not fitted"):
        surefit.certify(sklearn.base.clone(model), X, y)
