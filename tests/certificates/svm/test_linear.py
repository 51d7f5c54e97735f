"""Checkers of LinearSVC and SubgradientSVC."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import scale

import surefit
import surefit.svm
from surefit.certificates import Grade
from tests.reference.objectives import objective

LIBRARIES = pytest.mark.parametrize("library", [surefit.svm, sklearn.svm], ids=["surefit", "sklearn"])
SETTINGS = pytest.mark.parametrize("settings", [
    {}, {"loss": "hinge"}, {"penalty": "l1", "dual": False}, {"fit_intercept": False}, {"intercept_scaling": 10.0},
    {"class_weight": "balanced"}, {"class_weight": {0: 3.0}},
])  # fmt: skip
X3, Y3 = load_iris(return_X_y=True)
X2, Y2 = load_breast_cancer(return_X_y=True)


def fit(library, X, y, w=None, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = {"tol": 1e-9, "max_iter": 20_000, "random_state": 0, **settings}
        return library.LinearSVC(**settings).fit(X, y, sample_weight=w)


@LIBRARIES
@SETTINGS
def test_converged_fits_are_accepted(library, settings):
    for X, y in ((scale(X3), Y3), (scale(X2), Y2)):
        certificate = surefit.certify(fit(library, X, y, **settings), X, y)
        assert certificate.holds, str(certificate)
        assert certificate.grade == Grade.OPTIMAL


@LIBRARIES
def test_sparse_rows_and_weights(library):
    w = np.random.default_rng(0).integers(0, 4, len(Y2)).astype(float)
    X = sp.csr_array(np.where(np.abs(scale(X2)) < 0.5, 0.0, scale(X2)))
    certificate = surefit.certify(fit(library, X, Y2, w), X, Y2, w)
    assert certificate.holds, str(certificate)


@LIBRARIES
@SETTINGS
def test_lies_are_refused(library, settings):
    X = scale(X2)
    model = fit(library, X, Y2, **settings)
    for name in ("coef_", "intercept_"):
        value = np.asarray(getattr(model, name))
        if not value.any():
            continue
        for lie in (value * 1.01, -value, np.zeros_like(value), value + 0.01, np.full_like(value, np.nan)):
            liar = copy.deepcopy(model)
            setattr(liar, name, lie)
            assert not surefit.certify(liar, X, Y2).holds
    for name, other in (("C", 3.0), ("intercept_scaling", 0.1)):
        liar = copy.deepcopy(model)
        setattr(liar, name, other)
        same = name == "intercept_scaling" and settings.get("fit_intercept") is False
        assert surefit.certify(liar, X, Y2).holds is same
    assert not surefit.certify(model, X[:, ::-1], Y2).holds
    assert not surefit.certify(model, X[:-30], Y2[:-30]).holds


@pytest.mark.parametrize("settings", [{}, {"loss": "hinge"}, {"penalty": "l1", "dual": False}])
def test_the_printed_gap_is_not_below_the_true_one(settings):
    """The least value by SciPy's minimizer from the model's own coefficients, in long double."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1]
    y = (X @ [1.0, 0.1, 3.0] + rng.normal(size=60) > 0).astype(int)
    for size in (0.0, 1e-6, 1e-3, 1e-1):
        model = fit(surefit.svm, X, y, **settings)
        model.coef_ = model.coef_ * (1 + size)
        claim = surefit.certify(model, X, y)["optimal"]
        other = copy.deepcopy(model)

        def value(theta, other=other):
            other.coef_, other.intercept_ = theta[None, :3], theta[3:]
            return float(objective(other, X, y, None))

        here = value(np.append(model.coef_[0], model.intercept_))
        start = np.append(model.coef_[0], model.intercept_)
        options = {"xatol": 1e-12, "fatol": 1e-14, "maxiter": 2000}
        off = (here - scipy.optimize.minimize(value, start, method="Nelder-Mead", options=options).fun) / here
        assert claim.value >= off - 1e-14
        assert claim.holds or size > 0
        assert not (claim.holds and (off > 1e-6 or size >= 0.1))


def test_a_stopped_fit_is_proved_to_be_off():
    model = fit(sklearn.svm, X2, Y2, max_iter=2, loss="hinge")
    claim = surefit.certify(model, X2, Y2)["optimal"]
    assert claim.grade == Grade.NOT_OPTIMAL and "raise max_iter" in claim.sentence


def test_crammer_singer_is_not_checked():
    model = fit(sklearn.svm, scale(X3), Y3, multi_class="crammer_singer")
    certificate = surefit.certify(model, scale(X3), Y3)
    assert certificate["optimal"].grade == Grade.UNPROVED and "not checked" in certificate["optimal"].sentence
    assert certificate["predict"].holds


def test_subgradient_descent_by_its_theorem():
    X = scale(X2)
    model = surefit.svm.SubgradientSVC(lambda_=0.1, max_iter=300).fit(X, Y2)
    certificate = surefit.certify(model, X, Y2)
    assert certificate.holds, str(certificate)
    bound = 4 * (1 + (X**2).sum(axis=1).max()) * (1 + np.log(300)) / (2 * 0.1 * 300)
    assert certificate["optimal"].detail["theorem"] == pytest.approx(bound, rel=1e-12)
    best = fit(surefit.svm, X, Y2, loss="hinge", C=1 / (0.1 * len(X)))
    least = 0.1 * float(objective(best, X, Y2, None))
    assert certificate["optimal"].detail["dual"] == pytest.approx(least, rel=1e-6)
    lies = {
        "coef_": 1.01 * model.coef_,
        "intercept_": model.intercept_ + 0.1,
        "bound_": 0.5,
        "lambda_": 0.2,
        "objective_": 0.0,
        "n_iter_": 299,
    }
    for name, lie in lies.items():
        liar = copy.deepcopy(model)
        setattr(liar, name, lie)
        assert not surefit.certify(liar, X, Y2).holds, name


def test_a_bound_above_the_value_itself_proves_nothing():
    """f ≥ 0: that f − min f is at most 4 (1 + ln T) max‖x̃‖²/(2λT) says something only where this is below f."""
    X = scale(X2)
    for rows, lam, says in ((X / 100, 1.0, True), (X + 1e6, 1.0, False), (X, 0.01, False)):
        model = surefit.svm.SubgradientSVC(lambda_=lam, max_iter=200).fit(rows, Y2)
        square = (np.linalg.norm(rows, axis=1) ** 2).max() + 1
        theorem = 2 * square * (1 + np.log(model.n_iter_)) / (lam * model.n_iter_)
        assert (theorem < model.objective_) == says
        zero = copy.copy(model)
        zero.coef_, zero.intercept_, zero.objective_ = 0 * model.coef_, 0 * model.intercept_, 1.0
        for one in (model, zero):
            certificate = surefit.certify(one, rows, Y2)
            near = certificate["optimal"].value <= 0.1
            assert certificate.grade == (Grade.BOUNDED if says or near else Grade.UNPROVED), str(certificate)
        assert says or not near  # of zeros


def test_coefficients_of_float32_excuse_no_tenth_of_the_objective():
    X, y = scale(X2)[:100, :4] + 1e6, Y2[:100]
    model = fit(surefit.svm, X, y)
    lie = copy.copy(model)
    lie.coef_ = model.coef_.astype(np.float32)
    assert surefit.certify(lie, X, y)["optimal"].excuse <= 0.1
