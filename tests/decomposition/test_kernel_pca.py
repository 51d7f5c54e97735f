"""KernelPCA against scikit-learn's, PCA on explicit features, and closed forms."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, make_circles
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as Theirs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit.decomposition.kernel_pca import KernelPCA
from surefit.kernels import Gaussian, Linear, Polynomial

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4)) * [1.0, 2.0, 0.5, 1.5]
NEW = RNG.normal(size=(9, 4))
KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "degree": 2, "coef0": 0.5},
    {"kernel": "cosine"},
    {"kernel": lambda x, y: np.exp(-np.abs(x - y).sum())},
]


CHECKED = [KernelPCA(fit_inverse_transform=True), KernelPCA(2, kernel="rbf", fit_inverse_transform=True)]


@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("settings", KERNELS, ids=lambda s: str(s["kernel"])[:9])
@pytest.mark.parametrize("solver", ["auto", "dense", "arpack", "randomized"])
def test_agrees_with_scikit_learn(settings, solver):
    ours = KernelPCA(3, eigen_solver=solver, **settings).fit(X)
    theirs = Theirs(3, eigen_solver="dense", **settings).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-12)
    np.testing.assert_allclose(ours.eigenvectors_, theirs.eigenvectors_, atol=1e-11)
    np.testing.assert_allclose(ours.transform(NEW), theirs.transform(NEW), atol=1e-10)
    assert ours.gamma_ == theirs.gamma_
    np.testing.assert_allclose(ours.fit_transform(X), ours.transform(X), atol=1e-10)


def test_many_rows_by_lanczos():
    many = np.random.default_rng(1).normal(size=(1500, 5))
    ours, theirs = (cls(6, kernel="rbf", eigen_solver="auto").fit(many) for cls in (KernelPCA, Theirs))
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-12)
    np.testing.assert_allclose(
        np.abs(ours.transform(NEW @ np.eye(4, 5))), np.abs(theirs.transform(NEW @ np.eye(4, 5))), atol=1e-9
    )


def test_a_polynomial_kernel_is_pca_on_monomials():
    """(x·x')² has the features xᵢxⱼ."""
    features = np.stack([X[:, i] * X[:, j] for i in range(4) for j in range(4)], axis=1)
    ours = KernelPCA(5, kernel="poly", degree=2, gamma=1.0, coef0=0.0).fit(X)
    pca = PCA(5).fit(features)
    np.testing.assert_allclose(ours.eigenvalues_, pca.singular_values_**2, rtol=1e-11)
    new = np.stack([NEW[:, i] * NEW[:, j] for i in range(4) for j in range(4)], axis=1)
    np.testing.assert_allclose(np.abs(ours.transform(NEW)), np.abs(pca.transform(new)), rtol=1e-8, atol=1e-9)


def test_three_points_by_hand():
    """x = −1, 0, 1 and k(x, x') = xx': the matrix [[1, 0, −1], [0, 0, 0], [−1, 0, 1]] has 2 and (1, 0, −1)/√2."""
    model = KernelPCA().fit([[-1.0], [0.0], [1.0]])
    np.testing.assert_allclose(model.eigenvalues_, [2.0], rtol=1e-15)
    np.testing.assert_allclose(model.eigenvectors_[:, 0], [0.5**0.5, 0.0, -(0.5**0.5)], atol=1e-15)
    np.testing.assert_allclose(model.transform([[3.0]]), [[-3.0]], rtol=1e-14)


@pytest.mark.parametrize("settings", KERNELS[:5], ids=lambda s: s["kernel"])
@pytest.mark.parametrize("back", [False, True])
def test_a_weight_is_a_row_repeated(settings, back):
    w = RNG.integers(0, 4, 80)
    weighted = KernelPCA(3, fit_inverse_transform=back, **settings).fit(X, sample_weight=w)
    repeated = KernelPCA(3, fit_inverse_transform=back, **settings).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-11)
    np.testing.assert_allclose(weighted.transform(NEW), repeated.transform(NEW), atol=1e-9)
    np.testing.assert_allclose(weighted.fit_transform(X, sample_weight=w), weighted.transform(X), atol=1e-9)
    if back:
        codes = repeated.transform(NEW)
        np.testing.assert_allclose(weighted.inverse_transform(codes), repeated.inverse_transform(codes), atol=1e-7)


def test_precomputed_with_weights():
    w = RNG.integers(0, 3, 80)
    K, K_new = Gaussian(0.4)(X), Gaussian(0.4)(NEW, X)
    plain = KernelPCA(3, kernel="rbf", gamma=0.4).fit(X, sample_weight=w)
    given = KernelPCA(3, kernel="precomputed").fit(K, sample_weight=w)
    np.testing.assert_allclose(given.transform(K_new), plain.transform(NEW), atol=1e-11)
    assert given.X_fit_.shape == (80, 80)


def test_expressions_and_objects():
    ours = KernelPCA(3, kernel=0.5 * Gaussian(0.3) + Polynomial(2)).fit(X)
    function = Theirs(3, kernel="precomputed").fit(0.5 * Gaussian(0.3)(X) + Polynomial(2)(X))
    np.testing.assert_allclose(ours.eigenvalues_, function.eigenvalues_, rtol=1e-11)
    words = ["kernel", "kennel", "colonel", "matrix", "metrics", "maths"]
    common = KernelPCA(2, kernel=lambda a, b: float(len(set(a) & set(b)))).fit(words)
    assert common.transform(words).shape == (6, 2)
    np.testing.assert_allclose(common.transform(words), common.fit_transform(words), atol=1e-12)


def test_indefinite_kernels_are_explained():
    with pytest.raises(InvalidData, match=r"not positive semidefinite on these rows.*fewer components"):
        KernelPCA(60, kernel="sigmoid", gamma=2.0, coef0=-3.0).fit(X)
    model = KernelPCA(1, kernel="sigmoid", gamma=2.0, coef0=-3.0).fit(X)
    assert np.isfinite(model.transform(NEW)).all()


def test_offsets_cost_a_linear_kernel_nothing():
    near, far = KernelPCA(3).fit(X), KernelPCA(3).fit(X + 2.0**24)  # exact sums: 2²⁴ + x keeps 2⁻²⁹
    np.testing.assert_allclose(far.eigenvalues_, near.eigenvalues_, rtol=1e-7)
    np.testing.assert_allclose(far.transform(NEW + 2.0**24), near.transform(NEW), atol=1e-6)


def test_constant_rows_and_zero_eigenvalues():
    same = np.ones((6, 3))
    assert KernelPCA(kernel="rbf").fit_transform(same).shape == (6, 0)
    kept = KernelPCA(2, kernel="rbf").fit(same)
    assert (kept.eigenvalues_ == 0).all() and (kept.transform(NEW[:, :3]) == 0).all()
    assert KernelPCA(5, remove_zero_eig=True).fit(X).eigenvalues_.shape == (4,)


def test_pre_images_denoise_digits():
    """Noisy digits are nearer to the clean ones after a projection and back, and nearer still at the fixed point."""
    digits = load_digits().data[:400] / 16
    noisy = digits + 0.25 * np.random.default_rng(0).normal(size=digits.shape)
    error = []
    for way in ("ridge", "fixed_point"):
        model = KernelPCA(30, kernel="rbf", gamma=0.02, alpha=5e-3, fit_inverse_transform=True, pre_image=way).fit(
            digits
        )
        error.append(np.linalg.norm(model.inverse_transform(model.transform(noisy)) - digits))
    assert max(error) < 0.8 * np.linalg.norm(noisy - digits)


def test_ridge_pre_images_are_scikit_learns():
    iris = load_iris().data
    ours, theirs = (
        cls(3, kernel="rbf", fit_inverse_transform=True, alpha=0.1).fit(iris) for cls in (KernelPCA, Theirs)
    )
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-8)
    np.testing.assert_allclose(ours.X_transformed_fit_, theirs.X_transformed_fit_, atol=1e-10)
    codes = theirs.transform(iris[:5])
    np.testing.assert_allclose(ours.inverse_transform(codes), theirs.inverse_transform(codes), atol=1e-8)


def test_the_fixed_point_is_nearest_in_feature_space():
    """‖φ(z) − p‖² = 1 − 2 Σ cᵢ k(z, xᵢ) + const is no larger at any point around."""
    circles, _ = make_circles(120, noise=0.05, random_state=0)
    model = KernelPCA(4, kernel="rbf", gamma=2.0, fit_inverse_transform=True, pre_image="fixed_point").fit(circles)
    codes = model.transform(circles[:6] + 0.02)
    found = model.inverse_transform(codes)
    alpha = model.eigenvectors_ / np.sqrt(model.eigenvalues_)
    along = codes @ alpha.T
    c = along + (1 - along.sum(axis=1, keepdims=True)) / 120

    def nearness(z):
        return (np.exp(-2.0 * ((z[:, None] - circles) ** 2).sum(axis=2)) * c).sum(axis=1)

    best = nearness(found)
    for step in 1e-3 * np.random.default_rng(0).normal(size=(40, 2)):
        assert (nearness(found + step) <= best + 1e-9).all()


def test_sparse_float32_frames_and_files(tmp_path):
    thin = np.where(np.abs(X) < 0.7, 0.0, X)
    for kernel in ("linear", "rbf", "poly"):
        dense = KernelPCA(3, kernel=kernel).fit(thin)
        sparse = KernelPCA(3, kernel=kernel).fit(sp.csr_array(thin))
        np.testing.assert_allclose(sparse.transform(sp.csr_array(thin)), dense.transform(thin), atol=1e-10)
    single = KernelPCA(3, kernel="rbf").fit(X.astype(np.float32))
    assert single.transform(X.astype(np.float32)).dtype == single.eigenvectors_.dtype == np.float32
    np.testing.assert_allclose(single.eigenvalues_, KernelPCA(3, kernel="rbf").fit(X).eigenvalues_, rtol=1e-5)
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = KernelPCA(2).fit(frame)
    assert named.get_feature_names_out().tolist() == ["kernelpca0", "kernelpca1"]
    frame.to_parquet(tmp_path / "rows.parquet")
    np.testing.assert_allclose(named.transform(str(tmp_path / "rows.parquet")), named.transform(frame), atol=1e-12)
    with pytest.raises(CannotStream, match="PCA"):
        KernelPCA(2).fit(str(tmp_path / "rows.parquet"))
    again = pickle.loads(pickle.dumps(named))
    assert again.transform(frame).tobytes() == named.transform(frame).tobytes()


def test_refusals():
    with pytest.raises(InvalidParameter, match="precomputed"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(Linear()(X))
    with pytest.raises(InvalidParameter, match="fixed_point"):
        KernelPCA(2, pre_image="fixed_point", fit_inverse_transform=True).fit(X)
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        KernelPCA(2).fit(X).inverse_transform(NEW[:, :2])
    with pytest.raises(InvalidData, match="2 components"):
        KernelPCA(2, fit_inverse_transform=True).fit(X).inverse_transform(NEW)
    with pytest.raises(ValueError, match="kernel"):
        KernelPCA(2, kernel="cubic").fit(X)


def test_stopping_early_is_told():
    many = np.random.default_rng(1).normal(size=(900, 30))
    with pytest.warns(ConvergenceWarning, match=r"2 passes at a relative residual of .*raise max_iter"):
        KernelPCA(5, kernel="rbf", max_iter=2).fit(many)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelPCA(5, kernel="rbf", max_iter=2, tol=0.9).fit(many)
