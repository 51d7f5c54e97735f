"""PCA: closed forms, exact matrices, scikit-learn's numbers, weights, offsets, sources."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.stats
import sklearn.decomposition
from sklearn.datasets import load_digits, load_iris

from surefit.decomposition import PCA

SOLVERS = ["auto", "full", "covariance_eigh", "arpack", "randomized"]
ATTRIBUTES = [
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
    "noise_variance_",
]


def spiked(n, d, seed=0):
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(d, min(6, d))))
    return rng.normal(size=(n, basis.shape[1])) * 2.0 ** np.arange(basis.shape[1], 0, -1) @ basis.T + 0.1 * rng.normal(
        size=(n, d)
    )


def assert_same_model(ours, theirs, rtol=1e-7, atol=1e-9):
    assert ours.n_components_ == theirs.n_components_
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=rtol, atol=atol, err_msg=name)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_cross_by_hand(solver):
    """Rows (±2, 0, 0), (0, ±1, 0): products diag(8, 2, 0), three degrees of freedom."""
    X = np.array([[2.0, 0, 0], [-2, 0, 0], [0, 1, 0], [0, -1, 0]]) + np.array([5, 6, 7])
    model = PCA(2, svd_solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(model.mean_, [5, 6, 7], rtol=1e-15)
    np.testing.assert_allclose(model.components_, np.eye(2, 3), atol=1e-15)
    np.testing.assert_allclose(model.explained_variance_, [8 / 3, 2 / 3], rtol=1e-14)
    np.testing.assert_allclose(model.explained_variance_ratio_, [0.8, 0.2], rtol=1e-14)
    np.testing.assert_allclose(model.singular_values_, np.sqrt([8, 2]), rtol=1e-14)
    assert model.noise_variance_ == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(model.transform(X), [[2, 0], [-2, 0], [0, 1], [0, -1]], atol=1e-14)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, rtol=1e-14)


@pytest.mark.parametrize(("n", "d"), [(6, 3), (3, 6)])
def test_an_exact_rotation(n, d):
    """X = U Σ Vᵀ with U from the cosines of a regular cycle and V a rational reflection: all is known."""
    u = np.ones(d) / np.sqrt(d)
    V = np.eye(d) - 2 * np.outer(u, u)
    angles = 2 * np.pi * np.arange(n) / n
    U = np.column_stack([np.cos(angles), np.sin(angles)]) * np.sqrt(2 / n)  # columns orthonormal, sums zero
    X = U * [5.0, 3.0] @ V[:2] - 4
    model = PCA(2).fit(X)
    np.testing.assert_allclose(model.singular_values_, [5, 3], rtol=1e-13)
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->i", model.components_, V[:2])), 1, rtol=1e-13)
    np.testing.assert_allclose(model.explained_variance_, np.array([25, 9]) / (n - 1), rtol=1e-13)
    np.testing.assert_allclose(model.mean_, -4, rtol=1e-14)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("shape", [(400, 7), (30, 90), (600, 70)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_scikit_learn_agrees(shape, solver, whiten):
    X = spiked(*shape) + 3
    ours = PCA(4, svd_solver=solver, whiten=whiten, random_state=0).fit(X)
    theirs = sklearn.decomposition.PCA(4, svd_solver="full", whiten=whiten).fit(X)
    assert_same_model(ours, theirs, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-5)
    Z = theirs.transform(X)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-5)
    if not whiten:
        np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-6)
        np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-6)
        assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-7)


@pytest.mark.parametrize("n_components", [None, 0, 1, 3, 0.01, 0.7, 0.95, 0.999, "mle"])
@pytest.mark.parametrize("name", ["iris", "digits"])
def test_how_many_as_in_scikit_learn(n_components, name):
    X = load_iris().data if name == "iris" else load_digits().data[:, 10:20]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        theirs = sklearn.decomposition.PCA(n_components, svd_solver="full").fit(X)
    assert_same_model(PCA(n_components).fit(X), theirs)


def test_whitening_does_not_change_the_model_of_the_data():
    X = spiked(300, 5)
    plain, white = PCA(2).fit(X), PCA(2, whiten=True).fit(X)
    np.testing.assert_array_equal(plain.get_covariance(), white.get_covariance())
    assert plain.score(X) == white.score(X)
    np.testing.assert_allclose(np.cov(white.transform(X).T), np.eye(2), atol=1e-12)


@pytest.mark.parametrize("n_components", [2, None])
def test_density_is_scipys(n_components):
    X = spiked(200, 4)
    model = PCA(n_components).fit(X)
    gauss = scipy.stats.multivariate_normal(model.mean_, model.get_covariance())
    np.testing.assert_allclose(model.score_samples(X), gauss.logpdf(X), rtol=1e-9)
    np.testing.assert_allclose(model.get_precision() @ model.get_covariance(), np.eye(4), atol=1e-9)


def test_density_on_a_plane():
    """SciPy's density of a singular Gaussian; nothing off the plane, and no inverse."""
    X = np.column_stack([spiked(50, 2), np.zeros(50)]) + 2
    model = PCA().fit(X)
    gauss = scipy.stats.multivariate_normal(model.mean_, model.get_covariance(), allow_singular=True)
    np.testing.assert_allclose(model.score_samples(X), gauss.logpdf(X), rtol=1e-9)
    assert model.score(X + np.array([0, 0, 1])) == -np.inf
    with pytest.raises(np.linalg.LinAlgError, match=r"singular.*fewer components"):
        model.get_precision()


@pytest.mark.parametrize("shape", [(60, 5), (12, 40)])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh"])
def test_a_weight_is_a_repetition_of_the_row_in_any_order(shape, container, solver):
    """Also for directions in which nothing varies, and for rows of weight zero."""
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=shape), rng.integers(0, 4, shape[0])
    order = rng.permutation(shape[0])
    weighted = PCA(svd_solver=solver).fit(container(X[order]), sample_weight=w[order])
    repeated = PCA(svd_solver=solver).fit(container(X.repeat(w, axis=0)))
    assert_same_model(weighted, repeated, atol=1e-9)
    assert weighted.n_samples_ == repeated.n_samples_ == w.sum()
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-9)


def test_fractional_weights_and_their_limits():
    X = spiked(30, 4)
    half = PCA(2).fit(X, sample_weight=np.full(30, 0.5))
    whole = PCA(2).fit(X)
    np.testing.assert_allclose(half.components_, whole.components_, atol=1e-12)
    np.testing.assert_allclose(half.explained_variance_, whole.explained_variance_ * 29 / 2 / 14, rtol=1e-12)
    assert half.n_samples_ == 15
    assert PCA().fit(X, sample_weight=np.full(30, 0.1)).n_components_ == 4
    with pytest.raises(ValueError, match=r"add up to 1, .*scale the weights"):
        PCA().fit(X[:4], sample_weight=np.full(4, 0.25))
    one = PCA().fit(X[:1], sample_weight=[3])
    np.testing.assert_array_equal(one.explained_variance_, np.zeros(3))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shape", [(500, 6), (20, 300)])
def test_an_offset_costs_no_digits(solver, shape):
    """Whole numbers plus 1e8 are exact in double, so the fit must not change beyond rounding."""
    X = np.round(spiked(*shape) * 64)
    far = PCA(3, svd_solver=solver, random_state=0).fit(X + 1e8)
    near = PCA(3, svd_solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(far.explained_variance_, near.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(far.components_, near.components_, atol=1e-8)
    np.testing.assert_allclose(far.transform(X + 1e8), near.transform(X), atol=1e-4)
    np.testing.assert_allclose(far.noise_variance_, near.noise_variance_, rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shape", [(5000, 8), (30, 500)])
def test_float32(solver, shape):
    X = (spiked(*shape) + 10).astype(np.float32)
    single = PCA(3, svd_solver=solver, random_state=0).fit(X)
    double = PCA(3, svd_solver=solver, random_state=0).fit(X.astype(np.float64))
    for name in ATTRIBUTES[:-1]:
        assert getattr(single, name).dtype == np.float32
        np.testing.assert_allclose(getattr(single, name), getattr(double, name), rtol=1e-6, atol=1e-6)
    Z = single.transform(X)
    assert Z.dtype == single.inverse_transform(Z).dtype == single.get_covariance().dtype == np.float32
    np.testing.assert_allclose(Z, double.transform(X.astype(np.float64)), atol=1e-4)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_components": 5}, r"n_components=5 must be between 0 and min\(n_samples, n_features\)=4"),
        ({"n_components": -1}, r"n_components=…"),
        ({"n_components": 1.5}, r"n_components=….*whole number.*1\.5"),
        ({"n_components": 1.0}, r"n_components=….*1\.0"),
        ({"n_components": "all"}, r"n_components=….*'mle'"),
        ({"n_components": 0, "svd_solver": "randomized"}, r"n_components=0 must be between 1 and"),
        ({"n_components": 0.5, "svd_solver": "arpack"}, r"n_components=0\.5 must be between 1 and"),
        ({"n_components": 4, "svd_solver": "arpack"}, r"strictly less than.*=4"),
        ({"n_components": "mle", "svd_solver": "randomized"}, r"cannot be a string"),
        ({"svd_solver": "svd", "tol": -1.0}, r"svd_solver=…[\s\S]*tol=…"),
    ],
)
def test_bad_parameters(params, words):
    with pytest.raises(ValueError, match=words):
        PCA(**params).fit(spiked(9, 4))


def test_mle_needs_rows():
    with pytest.raises(ValueError, match="'mle' is only supported if n_samples >= n_features"):
        PCA("mle").fit(spiked(5, 9))


def test_wrong_width_of_codes():
    with pytest.raises(ValueError, match=r"3 columns.*2 components"):
        PCA(2).fit(spiked(20, 5)).inverse_transform(np.zeros((4, 3)))


@pytest.mark.parametrize("normalizer", ["auto", "QR", "LU", "none"])
@pytest.mark.parametrize("power", [0, 2, 5, "auto"])
def test_randomized_settings(normalizer, power):
    X = spiked(300, 60)
    model = PCA(
        3, svd_solver="randomized", power_iteration_normalizer=normalizer, iterated_power=power, random_state=1
    ).fit(X)
    exact = PCA(3).fit(X)
    np.testing.assert_allclose(model.singular_values_, exact.singular_values_, rtol=1e-3 if power == 0 else 1e-6)
    assert (model.singular_values_ <= exact.singular_values_ * (1 + 1e-12)).all(), "a Ritz value is never too large"


@pytest.mark.parametrize("state", [3, np.random.SeedSequence(3), np.random.default_rng(3), np.random.RandomState(3)])
def test_random_states(state):
    X = spiked(100, 20)
    model = PCA(2, svd_solver="randomized", random_state=state).fit(X)
    np.testing.assert_allclose(model.singular_values_, PCA(2).fit(X).singular_values_, rtol=1e-9)


def test_scree():
    """Twelve rows in orthogonal pairs ±s e_j: eigenvalues 2 s², and what is left over is a sum of them."""
    s = np.sqrt([10.0, 9.0, 1.0, 0.9, 0.8, 0.7])
    X = np.vstack([np.diag(s), -np.diag(s)])
    curve = PCA().fit(X).scree()
    np.testing.assert_allclose(curve.eigenvalues, 2 * s**2 / 11, rtol=1e-14)
    np.testing.assert_allclose(curve.cumulative, np.cumsum(s**2) / 22.4, rtol=1e-14)
    np.testing.assert_allclose(curve.left_over, 2 * (22.4 - np.cumsum(s**2)), atol=1e-13)
    assert curve.knee == 2
    model = PCA(3).fit(X)
    rebuilt = model.inverse_transform(model.transform(X))
    np.testing.assert_allclose(model.scree().left_over[-1], ((X - rebuilt) ** 2).sum(), rtol=1e-13)


def test_minka_finds_the_planted_dimension():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5)) @ rng.normal(size=(5, 20)) * 3 + rng.normal(size=(2000, 20))
    assert PCA("mle").fit(X).n_components_ == 5


def test_the_input_is_left_alone():
    X = spiked(60, 5)
    before = X.copy()
    for solver in SOLVERS:
        PCA(2, svd_solver=solver, copy=False, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(X, before)
