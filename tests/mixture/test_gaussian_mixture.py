"""Gaussian mixtures as estimators: against scikit-learn's, repetition and order, sources, collapse, sampling."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as ScikitLearns

from surefit._core.errors import InvalidData
from surefit.mixture.gaussian_mixture import GaussianMixture

KINDS = ["full", "tied", "diag", "spherical"]


def blobs(n=400, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [6.0, 1.0], [2.0, 7.0]])
    return centers[rng.integers(3, size=n)] + rng.normal(size=(n, 2)) * [1.0, 0.5] + offset


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_scikit_learn_agrees(kind, offset):
    X = blobs(offset=offset)
    means = np.array([[0.0, 0.0], [6.0, 1.0], [2.0, 7.0]]) + offset
    settings = {"covariance_type": kind, "means_init": means, "tol": 1e-10, "max_iter": 1000, "reg_covar": 1e-9}
    ours, theirs = (cls(3, **settings).fit(X) for cls in (GaussianMixture, ScikitLearns))
    np.testing.assert_allclose(ours.weights_, theirs.weights_, atol=1e-5)
    np.testing.assert_allclose(ours.means_ - offset, theirs.means_ - offset, atol=1e-4)
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, atol=1e-4)
    np.testing.assert_allclose(ours.precisions_cholesky_, theirs.precisions_cholesky_, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(ours.score(X), theirs.score(X), rtol=1e-7)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose([ours.aic(X), ours.bic(X)], [theirs.aic(X), theirs.bic(X)], rtol=1e-6)


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
def test_order_and_repetition_do_not_matter(init):
    X = blobs(150)
    rng = np.random.default_rng(1)
    w = rng.integers(0, 3, 150).astype(float)
    order = rng.permutation(150)
    model = GaussianMixture(3, init_params=init, random_state=0, max_iter=200)
    said = [
        model.fit(rows, sample_weight=weights).predict_proba(X)
        for rows, weights in ((X, w), (X[order], w[order]), (np.repeat(X, w.astype(int), axis=0), None))
    ]
    np.testing.assert_allclose(said[1], said[0], atol=1e-9)
    np.testing.assert_allclose(said[2], said[0], atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_is_the_likelihood_of_what_is_stored(kind):
    X = blobs()
    model = GaussianMixture(3, covariance_type=kind, random_state=0, reg_covar=1e-10).fit(X)
    assert (np.diff(model.history_) >= -1e-12).all() and model.history_[-1] == model.lower_bound_
    assert model.score(X) == pytest.approx(model.lower_bound_, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_dask_has_the_same_bits(kind, weighted):
    da = pytest.importorskip("dask.array")
    X = blobs(9000)
    w = np.arange(9000) % 3 / 2 if weighted else None
    rows = da.from_array(X, chunks=((0, 3000, 0, 2500, 3500), (2,)))
    settings = {"covariance_type": kind, "random_state": 0, "max_iter": 30}
    one = GaussianMixture(3, **settings).fit(X, sample_weight=w)
    two = GaussianMixture(3, **settings).fit(rows, sample_weight=None if w is None else da.from_array(w, chunks=1000))
    for name in ("weights_", "means_", "covariances_", "precisions_cholesky_", "history_"):
        assert np.asarray(getattr(one, name)).tobytes() == np.asarray(getattr(two, name)).tobytes(), name
    np.testing.assert_array_equal(one.predict(X), two.predict(rows))


def test_files_have_the_same_bits(tmp_path):
    pd = pytest.importorskip("pandas")
    X = blobs(9000)
    path = tmp_path / "rows.parquet"
    pd.DataFrame(X, columns=["a", "b"]).to_parquet(path, row_group_size=1000)
    one, two = (GaussianMixture(3, random_state=0).fit(source) for source in (pd.read_parquet(path), path))
    for name in ("weights_", "means_", "covariances_", "lower_bound_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    np.testing.assert_array_equal(one.predict(pd.read_parquet(path)), two.predict(path))


def test_collapse_is_prevented_and_told():
    X = np.concatenate([blobs(50), np.tile([[30.0, 30.0]], (5, 1))])
    with pytest.warns(UserWarning, match="collapsed"):
        model = GaussianMixture(4, random_state=0, means_init=np.array([[0, 0], [6, 1], [2, 7], [30, 30]])).fit(X)
    assert model.collapsed_[3] and np.isfinite(model.lower_bound_)
    with pytest.warns(UserWarning, match="components 0, 1 collapsed: their smallest variance"):
        GaussianMixture(2).fit(np.ones((9, 2)))
    with pytest.raises(ValueError, match="ill-defined empirical covariance"):
        GaussianMixture(4, reg_covar=0.0, means_init=model.means_).fit(X)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_moments_of_the_model(kind):
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(blobs())
    X, labels = model.sample(30_000)
    np.testing.assert_allclose(np.bincount(labels) / 30_000, model.weights_, atol=0.02)
    for k in range(3):
        np.testing.assert_allclose(X[labels == k].mean(axis=0), model.means_[k], atol=0.1)


def test_single_precision_and_going_on():
    X = blobs().astype(np.float32)
    model = GaussianMixture(3, random_state=0).fit(X)
    assert model.means_.dtype == np.float32 and model.score_samples(X).dtype == np.float32
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        short = GaussianMixture(3, random_state=0, max_iter=1, tol=0.0, warm_start=True, init_params="random").fit(
            blobs()
        )
    before = short.lower_bound_
    assert short.set_params(max_iter=50, tol=1e-6).fit(blobs()).lower_bound_ > before


def test_verbose_tells_when_a_start_converged(capsys):
    model = GaussianMixture(3, n_init=2, random_state=0, verbose=1).fit(blobs())
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "Initialization" in line and "converged" not in line] == [
        "Initialization 0",
        "Initialization 1",
    ]
    assert f"Initialization converged after {model.n_iter_} iterations." in lines


def test_what_cannot_be_is_refused():
    X = blobs(10)
    with pytest.raises(ValueError, match="n_samples >= n_components"):
        GaussianMixture(11).fit(X)
    with pytest.raises(ValueError, match="should be normalized"):
        GaussianMixture(2, weights_init=[0.5, 0.6]).fit(X)
    with pytest.raises(ValueError, match="should have the shape"):
        GaussianMixture(2, means_init=np.zeros((3, 2))).fit(X)
    for name in ("weights_init", "means_init", "precisions_init"):
        with pytest.raises(ValueError, match=r"should be an array of numbers, but got 'random'"):
            GaussianMixture(2, **{name: "random"}).fit(X)
    with pytest.raises(ValueError, match="symmetric, positive-definite"):
        GaussianMixture(1, precisions_init=[[[1.0, 2.0], [2.0, 1.0]]]).fit(X)


def test_single_precision_that_does_not_hold_the_components():
    """Covariances of 64 columns from some 70 rows are nearly singular: float64 holds them, float32 hardly or not."""
    pixels = load_digits().data  # whole numbers, the same in both precisions
    pixels = pixels[np.random.default_rng(0).permutation(len(pixels))]
    single, settings = pixels.astype(np.float32), {"max_iter": 1000, "random_state": 0}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "component")
        warnings.filterwarnings("error", "float32")
        double = GaussianMixture(3, **settings).fit(pixels[:200])
        GaussianMixture(3, **settings).fit(single)
        with pytest.raises(InvalidData, match="float32 does not hold these components: not even"):
            GaussianMixture(3, **settings).fit(single[:100])
        with pytest.warns(UserWarning, match=r"float32 does not hold .* lower by about 0\.01"):
            model = GaussianMixture(3, **settings).fit(single[:200])
    lost = stored(double).score(pixels[:200]) - stored(model).score(pixels[:200])
    assert 0.005 < lost < 0.03  # about what the warning says


def stored(model):
    """scikit-learn's mixture of the parameters that are stored."""
    theirs = ScikitLearns(len(model.means_))
    theirs.weights_, theirs.means_ = np.asarray(model.weights_, float), np.asarray(model.means_, float)
    theirs.covariances_ = np.asarray(model.covariances_, float)
    theirs.precisions_cholesky_ = np.array([np.linalg.inv(np.linalg.cholesky(S)).T for S in theirs.covariances_])
    return theirs
