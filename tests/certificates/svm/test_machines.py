"""Checkers of SVC and SVR: converged fits of both libraries are accepted, stopped ones proved to be off, lies refused.

`python -m tests.certificates.svm.study` and SUREFIT_MANY=1 run a thousand random problems.
"""

from __future__ import annotations

import copy
import os
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.preprocessing import scale

import surefit
import surefit.svm
from surefit.certificates import Grade
from tests.certificates.svm.study import changed, study, truth

IRIS, KINDS = load_iris(return_X_y=True)
LIBRARIES = pytest.mark.parametrize("library", [surefit.svm, sklearn.svm], ids=["surefit", "sklearn"])


def fit(library, name="SVC", X=IRIS, y=KINDS, w=None, **settings):
    settings = {"tol": 1e-8, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(library, name)(**settings).fit(X, y, sample_weight=w)


@LIBRARIES
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("settings", [{}, {"C": 100.0}, {"kernel": "poly", "coef0": 1.0}, {"class_weight": "balanced"}])
def test_real_data_is_accepted(library, load, settings):
    X, y = load(return_X_y=True)
    single = library is sklearn.svm and "C" in settings  # libsvm's Gram matrix is float32: a large C feels it
    model = fit(library, X=scale(X), y=y, **settings)
    certificate = surefit.certify(model, scale(X), y, tol=1e-3 if single else 1e-6)
    assert certificate.holds, str(certificate)
    assert certificate.grade == Grade.OPTIMAL
    assert certificate["optimal"].detail["gap"] >= 0


@LIBRARIES
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_regressions_are_accepted(library, kernel):
    X, y = load_diabetes(return_X_y=True)
    certificate = surefit.certify(fit(library, "SVR", X, y, kernel=kernel, C=10.0), X, y)
    assert certificate.holds, str(certificate)
    assert certificate.grade == Grade.OPTIMAL


@LIBRARIES
@pytest.mark.parametrize("form", ["sparse", "float32", "weights", "precomputed", "callable"])
def test_all_forms_of_data(library, form):
    X, w = scale(IRIS), None
    settings = {}
    if form == "sparse":
        X = sp.csr_array(np.where(np.abs(X) < 0.5, 0.0, X))
    if form == "float32":
        X = X.astype(np.float32)
    if form == "weights":
        w = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    if form == "precomputed":
        X, settings = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2)), {"kernel": "precomputed"}
    if form == "callable":
        settings = {"kernel": lambda A, B: (A @ B.T + 1.0) ** 2}
    model = fit(library, X=X, w=w, **settings)
    certificate = surefit.certify(model, X, KINDS, w)
    assert certificate.holds, str(certificate)
    words = "Cholesky" if form in ("precomputed", "callable") else "by construction"
    assert words in certificate["optimal"].sentence


@LIBRARIES
def test_a_kernel_that_is_not_positive_gives_stationarity_only(library):
    model = fit(library, X=scale(IRIS), kernel="sigmoid", gamma=0.3, coef0=-0.5)
    certificate = surefit.certify(model, scale(IRIS), KINDS)
    assert certificate.holds and certificate.grade == Grade.STATIONARY
    assert "No bound" in certificate["optimal"].sentence


@LIBRARIES
@pytest.mark.parametrize("name", ["SVC", "SVR"])
def test_a_stopped_fit_is_proved_to_be_off(library, name):
    X, y = load_breast_cancer(return_X_y=True)
    model = fit(library, name, scale(X), y if name == "SVC" else X[:, 0], max_iter=20)
    claim = surefit.certify(model, scale(X), y if name == "SVC" else X[:, 0])["optimal"]
    assert claim.grade == Grade.NOT_OPTIMAL
    assert claim.value > 1e-3 and "raise max_iter" in claim.sentence


@LIBRARIES
@pytest.mark.parametrize("name", ["SVC", "SVR"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_lies_are_refused(library, name, kernel):
    y = KINDS if name == "SVC" else IRIS[:, 1] + KINDS
    model = fit(library, name, scale(IRIS), y, kernel=kernel)
    assert surefit.certify(model, scale(IRIS), y).holds
    told = 0
    for what, liar in changed(model):
        told += 1
        assert not surefit.certify(liar, scale(IRIS), y).holds, what
    assert told >= 10
    other = copy.deepcopy(model)
    other.gamma = 0.7
    if kernel == "rbf":
        assert not surefit.certify(other, scale(IRIS), y).holds
    assert not surefit.certify(model, scale(IRIS)[:, ::-1], y).holds
    assert not surefit.certify(model, scale(IRIS), y[::-1]).holds


def test_what_predict_gives_is_checked():
    class Liar(surefit.svm.SVC):
        def predict(self, X):
            return np.roll(super().predict(X), 7)

    class Shifted(surefit.svm.SVC):
        def decision_function(self, X):
            return super().decision_function(X) + 0.01

    for cls, claim in ((Liar, "predict"), (Shifted, "decision_function")):
        assert not surefit.certify(cls().fit(IRIS, KINDS), IRIS, KINDS)[claim].holds


@pytest.mark.parametrize("shape", ["ovo", "ovr"])
@pytest.mark.parametrize("ties", [False, True])
@LIBRARIES
def test_scores_and_votes(library, shape, ties):
    if ties and shape == "ovo":
        pytest.skip("scikit-learn refuses it")
    model = fit(library, decision_function_shape=shape, break_ties=ties)
    assert surefit.certify(model, IRIS, KINDS).holds


def test_a_hard_margin_is_the_widest():
    X, y = IRIS[:100], KINDS[:100]
    claim = surefit.certify(fit(surefit.svm, X=X, y=y, kernel="linear", C=np.inf), X, y)["optimal"]
    assert claim.holds and claim.grade == Grade.OPTIMAL
    soft = fit(sklearn.svm, X=X, y=y, kernel="linear", C=1e6)  # C so large that nothing is violated: the same margin
    assert claim.detail["margin"] == pytest.approx(2 / np.linalg.norm(soft.coef_), rel=1e-5)


def test_no_separating_function():
    X = np.vstack([IRIS[:4], IRIS[:1]])
    y = np.array([0, 1, 0, 1, 1])  # the first row has both labels
    with pytest.warns(UserWarning):
        model = surefit.svm.SVC(C=np.inf).fit(X, y)
    claim = surefit.certify(model, X, y)["farkas"]
    assert claim.holds and claim.grade == Grade.NO_SOLUTION
    model.farkas_ = np.full_like(model.farkas_, 0.2)
    assert not surefit.certify(model, X, y)["farkas"].holds


def test_row_numbers_that_leave_out_rows_without_weight_are_refused():
    """scikit-learn's, where weights are zero."""
    w = np.ones(len(KINDS))
    w[:3] = 0.0
    certificate = surefit.certify(fit(sklearn.svm, w=w), IRIS, KINDS, w)
    assert not certificate.holds
    assert surefit.certify(fit(surefit.svm, w=w), IRIS, KINDS, w).holds


@LIBRARIES
def test_random_problems(library):
    many = bool(os.environ.get("SUREFIT_MANY"))
    counts, faults = study(1000 if many else 24, 5000, library)
    assert not faults, "\n".join(faults[:3])
    assert counts["lies"] > 10 * counts["problems"]


FAR = [{"kernel": "linear"}, {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 1e-4}]


@pytest.mark.parametrize("settings", FAR)
def test_far_from_zero_rounding_excuses_little(settings):
    """Offsets of 100 and of 10,000 deviations: a fit with another C is refused, an own linear one proved."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    y = (X @ [1.0, 2.0] + rng.normal(size=60) > 0).astype(int)
    for offset in (1e2, 1e4):
        far = X + offset
        model = surefit.svm.SVC(C=2.0, **settings).fit(far, y)
        good = surefit.certify(model, far, y)["optimal"]
        assert good.excuse <= 1e-6
        if settings["kernel"] == "linear":
            assert good.holds and good.grade == "OPTIMAL"
        model.C = 6.0
        assert not surefit.certify(model, far, y).holds or truth(model, far, y, None) <= 1e-6
