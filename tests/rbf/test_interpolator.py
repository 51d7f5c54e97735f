"""RBFInterpolator against SciPy's, closed forms, and the points themselves."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.interpolate import RBFInterpolator as Theirs
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit._core.errors import CannotStream, InvalidParameter
from surefit.kernels import Gaussian, Laplacian
from surefit.rbf import RBFInterpolator

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.column_stack([np.sin(X[:, 0]) + X[:, 1] ** 2, X[:, 0] * X[:, 1]])
NEW = RNG.normal(size=(20, 2))
WIDTH = 0.7
# SciPy's φ(εr) is ours times this.
SIZE = {"multiquadric": 1 / WIDTH, "inverse_multiquadric": WIDTH}
EPSILON = {"gaussian": 1 / (WIDTH * np.sqrt(2)), "multiquadric": 1 / WIDTH, "inverse_multiquadric": 1 / WIDTH}
ALL = ["gaussian", "multiquadric", "inverse_multiquadric", "thin_plate_spline", "linear", "cubic"]


@parametrize_with_checks(
    [RBFInterpolator(), RBFInterpolator("thin_plate_spline"), RBFInterpolator("linear", smoothing=0.1)]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kernel", ALL)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_agrees_with_scipy(kernel, smoothing, degree):
    if kernel in ("thin_plate_spline", "cubic") and degree == 0:
        with pytest.raises(InvalidParameter, match="at least 1"):
            RBFInterpolator(kernel, degree=0).fit(X, Y)
        return
    ours = RBFInterpolator(kernel, width=WIDTH, smoothing=smoothing, degree=degree).fit(X, Y)
    theirs = Theirs(
        X, Y, kernel=kernel, epsilon=EPSILON.get(kernel), smoothing=smoothing * SIZE.get(kernel, 1.0), degree=degree
    )
    np.testing.assert_allclose(ours.predict(NEW), theirs(NEW), atol=1e-7)


@pytest.mark.parametrize("kernel", ALL)
def test_goes_through_every_point(kernel):
    model = RBFInterpolator(kernel).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), Y, atol=1e-10)
    assert model.centers_.tobytes() == X.tobytes() and model.weights_.shape == (60, 2)
    flat = RBFInterpolator(kernel).fit(X, Y[:, 0])
    assert flat.weights_.shape == (60,) and flat.predict(NEW).shape == (20,)
    np.testing.assert_allclose(flat.predict(NEW), model.predict(NEW)[:, 0], atol=1e-9)


def test_the_prediction_is_the_formula_of_its_attributes():
    model = RBFInterpolator("thin_plate_spline").fit(X, Y[:, 0])
    r = np.sqrt(((NEW[:, None] - model.centers_) ** 2).sum(axis=2))
    P = np.prod(((NEW - model.shift_) / model.scale_)[:, None] ** model.powers_, axis=2)
    np.testing.assert_allclose(
        model.predict(NEW), (r**2 * np.log(r)) @ model.weights_ + P @ model.polynomial_, atol=1e-11
    )
    assert model.width_ is None and model.powers_.tolist() == [[0, 0], [1, 0], [0, 1]]
    model = RBFInterpolator("multiquadric").fit(X, Y[:, 0])
    np.testing.assert_allclose(
        model.predict(NEW), np.sqrt(r**2 + model.width_**2) @ model.weights_ + model.polynomial_[0], atol=1e-11
    )
    others = r = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)) + np.diag(np.full(60, np.inf))
    assert model.width_ == pytest.approx(others.min(axis=1).mean(), rel=1e-12)


def test_piecewise_linear_on_a_line():
    x, y = np.array([0.0, 1.0, 2.5, 4.0]), np.array([1.0, -1.0, 2.0, 2.0])
    model = RBFInterpolator("linear").fit(x[:, None], y)
    between = np.linspace(0, 4, 33)
    np.testing.assert_allclose(model.predict(between[:, None]), np.interp(between, x, y), atol=1e-13)


def test_a_thin_plate_reproduces_planes():
    """A plane bends nowhere: all of it is in the polynomial."""
    plane = X @ [2.0, -3.0] + 1.0
    model = RBFInterpolator("thin_plate_spline").fit(X, plane)
    np.testing.assert_allclose(model.weights_, 0.0, atol=1e-11)
    np.testing.assert_allclose(model.predict(100 * NEW), 100 * NEW @ [2.0, -3.0] + 1.0, atol=1e-7)


def test_repeated_points():
    twice, y = np.vstack([X, X[:5]]), np.concatenate([Y[:, 0], Y[:5, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = RBFInterpolator().fit(twice, y)
    assert same.centers_.shape == (60, 2)
    np.testing.assert_allclose(same.predict(NEW), RBFInterpolator().fit(X, Y[:, 0]).predict(NEW), atol=1e-10)
    y[60] += 4.0
    with pytest.warns(UserWarning, match=r"1 point\(s\) occur more than once .* row 0\).*mean"):
        between = RBFInterpolator().fit(twice, y)
    np.testing.assert_allclose(between.predict(X[:1]), y[0] + 2.0, atol=1e-10)
    with pytest.warns(UserWarning, match="mean"):
        weighted = RBFInterpolator().fit(twice, y, np.where(np.arange(65) == 60, 3.0, 1.0))
    np.testing.assert_allclose(weighted.predict(X[:1]), y[0] + 3.0, atol=1e-10)


@pytest.mark.parametrize("kernel", ALL)
def test_weights_repeat_rows_and_smooth_less(kernel):
    w = RNG.integers(0, 4, 60)
    weighted = RBFInterpolator(kernel, smoothing=0.3, width=WIDTH).fit(X, Y[:, 0], w)
    repeated = RBFInterpolator(kernel, smoothing=0.3, width=WIDTH).fit(np.repeat(X, w, axis=0), np.repeat(Y[:, 0], w))
    np.testing.assert_allclose(weighted.predict(NEW), repeated.predict(NEW), atol=1e-9)


def test_expressions_and_functions():
    kernel = Gaussian(0.5) * 2 + Laplacian(0.7)
    model = RBFInterpolator(kernel).fit(X, Y[:, 0])
    np.testing.assert_allclose(model.weights_, np.linalg.solve(kernel(X), Y[:, 0]), rtol=1e-8)
    assert model.width_ is None and model.polynomial_.size == 0
    by_hand = RBFInterpolator(lambda A, B: kernel(B, A).T).fit(X, Y[:, 0])
    np.testing.assert_allclose(by_hand.predict(NEW), model.predict(NEW), atol=1e-8)


def test_a_matrix_singular_to_rounding_is_told():
    with pytest.warns(UserWarning, match="misses the points by up to .*smaller width"):
        RBFInterpolator(width=1e4).fit(X, RNG.normal(size=60))


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("kernel", ["gaussian", "multiquadric", "inverse_multiquadric"])
def test_units_of_length_do_not_matter(kernel, scale):
    near, far = RBFInterpolator(kernel).fit(X, Y[:, 0]), RBFInterpolator(kernel).fit(X * scale, Y[:, 0])
    np.testing.assert_allclose(far.predict(NEW * scale), near.predict(NEW), rtol=1e-7)
    assert far.width_ == pytest.approx(near.width_ * scale, rel=1e-9)


def test_offsets_sparse_rows_single_precision_and_saving(tmp_path):
    far = RBFInterpolator().fit(X + 2.0**20, Y[:, 0])
    np.testing.assert_allclose(far.predict(NEW + 2.0**20), RBFInterpolator().fit(X, Y[:, 0]).predict(NEW), atol=1e-6)
    thin = np.where(np.abs(X) < 0.3, 0.0, X)
    np.testing.assert_allclose(
        RBFInterpolator().fit(sp.csr_array(thin), Y[:, 0]).predict(sp.csr_array(NEW)),
        RBFInterpolator().fit(thin, Y[:, 0]).predict(NEW),
        atol=1e-10,
    )
    single = RBFInterpolator().fit(X.astype(np.float32), Y[:, 0].astype(np.float32))
    assert single.predict(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.predict(X.astype(np.float32)), Y[:, 0], atol=1e-3)
    assert pickle.loads(pickle.dumps(far)).predict(X).tobytes() == far.predict(X).tobytes()
    with pytest.raises(CannotStream, match="RBFNetworkRegressor"):
        RBFInterpolator().fit("rows.parquet", "y")
