"""The perceptron against plain loops, exact arithmetic and scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning

import surefit
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.linear_model import Perceptron
from surefit.summaries import visits

PENALTIES = pytest.mark.parametrize("penalty", [None, "l2", "l1", "elasticnet"])
DATA = pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])


def whole(n: int = 120, d: int = 5, seed: int = 0, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Small whole numbers, many of them zero: without a penalty every step is exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)).astype(float) * (rng.random((n, d)) < 0.7)
    return X, rng.integers(0, classes, n)


def plain_epochs(X: np.ndarray, signs: np.ndarray, n_epochs: int) -> tuple[list[int], int]:
    """The textbook's loop in Python's whole numbers: (w, b)."""
    w, b = [0] * X.shape[1], 0
    for _ in range(n_epochs):
        for x, sign in zip(X.astype(int).tolist(), signs.tolist(), strict=True):
            if sign * (sum(a * c for a, c in zip(x, w, strict=True)) + b) <= 0:
                w = [c + sign * a for a, c in zip(x, w, strict=True)]
                b += sign
    return w, b


def quiet(model: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_textbook_loop(container):
    X, y = whole()
    model = Perceptron(shuffle=False, tol=None, max_iter=7).fit(container(X), y)
    for k in range(3):
        w, b = plain_epochs(X, np.where(y == k, 1, -1), 7)
        np.testing.assert_array_equal(model.coef_[k], w)
        assert model.intercept_[k] == b


@DATA
@pytest.mark.parametrize("penalty", [None, "l2"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0}])
def test_scikit_learns_own_order(load, penalty, class_weight):
    """Coefficients, and the epoch at which it stops."""
    X, y = load(return_X_y=True)
    options = {"shuffle": False, "penalty": penalty, "class_weight": class_weight, "max_iter": 40}
    ours, theirs = quiet(Perceptron(**options), X, y), quiet(sklearn.linear_model.Perceptron(**options), X, y)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.t_ == theirs.t_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-10 * np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", ["l1", "elasticnet"])
def test_l1_is_scikit_learns(seed, penalty):
    """A power of two as alpha and whole numbers as rows: every step is exact, in whichever order it is paid."""
    X, y = whole(seed=seed)
    options = {"shuffle": False, "penalty": penalty, "alpha": 2.0**-6, "l1_ratio": 1.0, "max_iter": 30, "tol": None}
    ours, theirs = Perceptron(**options).fit(X, y), sklearn.linear_model.Perceptron(**options).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    assert (ours.coef_ == 0).any()


def test_sample_weights_up_to_one_are_scikit_learns_without_a_penalty():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.1, 1.0, len(y))
    options = {"shuffle": False, "max_iter": 10, "tol": None}
    ours, theirs = Perceptron(**options), sklearn.linear_model.Perceptron(**options)
    ours.fit(X, y, sample_weight=w), theirs.fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_weight_is_so_many_updates_in_a_row(fit_intercept):
    """Without a penalty, and without merging: the same visits as with each row repeated on the spot."""
    X, y = whole(classes=2)
    times = np.random.default_rng(1).integers(0, 6, len(y))
    options = {"shuffle": False, "max_iter": 4, "tol": None, "fit_intercept": fit_intercept, "eta0": 0.5}
    weighted = Perceptron(**options).fit(X, y, sample_weight=times)
    repeated = Perceptron(**options).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_array_equal(weighted.coef_, repeated.coef_)
    np.testing.assert_array_equal(weighted.intercept_, repeated.intercept_)


@PENALTIES
def test_order_and_repetition_change_no_bit(penalty):
    X, y = whole(seed=3)
    rng = np.random.default_rng(2)
    w, p = rng.integers(0, 4, len(y)), rng.permutation(len(y))
    options = {"penalty": penalty, "alpha": 0.01, "max_iter": 30}
    model = quiet(Perceptron(**options), X, y, sample_weight=w)
    others = [
        quiet(Perceptron(**options), X[p], y[p], sample_weight=w[p]),
        quiet(Perceptron(**options), np.repeat(X, w, axis=0), np.repeat(y, w)),
        quiet(Perceptron(**options), sp.csr_array(X), y, sample_weight=w),
    ]
    for other in others:
        np.testing.assert_array_equal(other.coef_, model.coef_)
        np.testing.assert_array_equal(other.intercept_, model.intercept_)
        assert other.n_iter_ == model.n_iter_


def test_novikoff():
    """Separable classes: no mistake is left. After k updates ‖θ‖ ≤ √k R and k ≤ (R B)², so ‖θ‖ ≤ R² B."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4))
    separator = np.array([1.0, -2.0, 0.5, 1.0, 0.3])
    scores = X @ separator[:4] + separator[4]
    X, scores = X[np.abs(scores) > 0.5], scores[np.abs(scores) > 0.5]
    model = Perceptron(tol=None, max_iter=200).fit(X, scores > 0)
    assert model.n_mistakes_ == 0
    longest, B = np.sqrt(1 + (X**2).sum(axis=1).max()), np.linalg.norm(separator) / 0.5
    assert 0 < np.linalg.norm([*model.coef_[0], model.intercept_[0]]) <= longest**2 * B
    assert model.certify(X, scores > 0).holds


def test_eta0_is_a_scale_without_a_penalty():
    X, y = load_iris(return_X_y=True)
    one = quiet(Perceptron(), X, y)
    other = quiet(Perceptron(eta0=0.25, tol=0.25e-3), X, y)
    np.testing.assert_array_equal(other.coef_, 0.25 * one.coef_)


def test_stops_after_epochs_without_improvement():
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    model = Perceptron(n_iter_no_change=3).fit(X, y)
    theirs = sklearn.linear_model.Perceptron(n_iter_no_change=3, shuffle=False).fit(X, y)
    assert model.n_iter_ == theirs.n_iter_ == 4  # the best is set in the first epoch
    assert Perceptron(tol=None, max_iter=17).fit(X, y).n_iter_ == 17
    with pytest.warns(ConvergenceWarning, match="Maximum number of iteration reached before convergence"):
        Perceptron(max_iter=2).fit(X, y)


def test_early_stopping():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3))
    y = (X @ [3.0, -1.0, 2.0] > 0) & (np.abs(X @ [3.0, -1.0, 2.0]) > 0)
    w, p = rng.integers(0, 3, 400), rng.permutation(400)
    model = Perceptron(early_stopping=True, validation_fraction=0.3, n_iter_no_change=4).fit(X, y, sample_weight=w)
    shuffled = Perceptron(early_stopping=True, validation_fraction=0.3, n_iter_no_change=4)
    shuffled.fit(X[p], y[p], sample_weight=w[p])
    np.testing.assert_array_equal(model.coef_, shuffled.coef_)
    assert model.n_iter_ == shuffled.n_iter_ >= 5
    assert model.score(X, y) > 0.9
    with pytest.raises(InvalidData, match="led to an empty set"):
        Perceptron(early_stopping=True).fit(X[:4], [0, 1, 0, 1])


def test_partial_fit_is_one_epoch():
    X, y = load_iris(return_X_y=True)
    whole_fit = Perceptron(max_iter=1, tol=None).fit(X, y)
    model = Perceptron().partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(model.coef_, whole_fit.coef_)
    assert (model.n_iter_, model.t_) == (1, 151.0)
    ours, theirs = Perceptron(shuffle=False), sklearn.linear_model.Perceptron(shuffle=False)
    for rows in (slice(0, 150, 3), slice(1, 150, 3), slice(2, 150, 3)):
        for one in (ours, theirs):
            one.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    assert ours.t_ == theirs.t_
    assert ours.n_mistakes_ == (ours.predict(X[2::3]) != y[2::3]).sum()


@pytest.mark.parametrize(
    ("options", "arguments", "words"),
    [
        ({}, {}, "classes must be passed on the first call"),
        ({"early_stopping": True}, {"classes": [0, 1, 2]}, "early_stopping should be False"),
        ({"class_weight": "balanced"}, {"classes": [0, 1, 2]}, "not supported for partial_fit"),
        ({}, {"classes": [0]}, "number of classes has to be greater than one"),
        ({}, {"classes": [0, 1]}, r"target label\(s\) \[2\] in y do not exist"),
    ],
)
def test_partial_fit_refuses(options, arguments, words):
    X, y = load_iris(return_X_y=True)
    model = Perceptron(**options)
    with pytest.raises(ValueError, match=words):
        model.partial_fit(X, y, **arguments)
    assert not hasattr(model, "classes_")


def test_start_from_given_coefficients():
    X, y = load_iris(return_X_y=True)
    first = quiet(Perceptron(max_iter=3, shuffle=False), X, y)
    going_on = Perceptron(max_iter=2, tol=None, shuffle=False).fit(X, y, first.coef_, first.intercept_)
    at_once = Perceptron(max_iter=5, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_array_equal(going_on.coef_, at_once.coef_)
    warm = quiet(Perceptron(max_iter=3, shuffle=False, warm_start=True), X, y).sparsify()
    warm.set_params(max_iter=2, tol=None).fit(X, y)
    np.testing.assert_array_equal(warm.coef_, at_once.coef_)
    with pytest.raises(ValueError, match="does not match dataset"):
        Perceptron().fit(X, y, coef_init=np.zeros((3, 5)))
    with pytest.raises(ValueError, match="Provided intercept_init does not match"):
        Perceptron().fit(X, y, intercept_init=np.zeros(2))
    with pytest.raises(ValueError, match="must be finite"):
        Perceptron().fit(X, y, coef_init=np.full((3, 4), np.nan))


@pytest.mark.parametrize("early_stopping", [False, True])
@PENALTIES
def test_every_source_the_same_bits(penalty, early_stopping, tmp_path, monkeypatch):
    pa, pq, da = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet", "dask.array"))
    monkeypatch.setattr(visits, "WINDOW_BYTES", 4096 * 3 * 8)
    rng = np.random.default_rng(6)
    n = 2 * 4096 + 100  # three windows
    X, w = rng.normal(size=(n, 3)), rng.integers(0, 3, n).astype(float)
    y = np.digitize(X @ [1.0, 2.0, -1.0] + rng.normal(size=n), [-1.0, 1.0])
    names = np.array(["a", "b", "c"])[y]
    table = pa.table({"p": X[:, 0], "q": X[:, 1], "r": X[:, 2], "label": names, "w": w})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=1000)
    options = {"penalty": penalty, "early_stopping": early_stopping, "max_iter": 8, "class_weight": "balanced"}
    model = quiet(Perceptron(**options), X, names, sample_weight=w)
    parquet = quiet(Perceptron(**options), str(tmp_path / "t.parquet"), "label", sample_weight="w")
    dask = quiet(
        Perceptron(**options),
        da.from_array(X, chunks=(999, 3)),
        da.from_array(names, chunks=500),
        sample_weight=da.from_array(w, chunks=700),
    )
    for other in (parquet, dask):
        np.testing.assert_array_equal(other.coef_, model.coef_)
        np.testing.assert_array_equal(other.intercept_, model.intercept_)
        assert (other.n_iter_, other.n_mistakes_) == (model.n_iter_, model.n_mistakes_)
    assert model.n_mistakes_ == ((model.predict(X) != names) & (w > 0)).sum()
    assert model.score(X, names) > 0.5


def test_no_weight_at_all_is_refused(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": [0, 1], "w": [0.0, 0.0]}), tmp_path / "t.parquet")
    with pytest.raises(InvalidData, match="all weights are zero"):
        Perceptron().fit(str(tmp_path / "t.parquet"), "y", sample_weight="w")


def test_huge_numbers_overflow_with_a_clear_error():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidData, match=r"overflow occurred at epoch #1\..*StandardScaler"):
        Perceptron().fit(X * 1e307, y)
    with pytest.raises(InvalidData, match="overflow"):
        Perceptron().fit((X * 1e37).astype(np.float32), y)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150])
def test_wicked_scales_stay_finite(scale):
    X, y = np.array([[1.0, 2.0], [-1.0, 0.5], [2.0, -1.0], [-2.0, -2.0]]) * scale, [0, 1, 0, 1]
    model = Perceptron(max_iter=20, tol=None, fit_intercept=False).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.n_mistakes_ == (model.predict(X) != y).sum()


def test_rows_of_zeros():
    X, y = np.zeros((4, 3)), [0, 1, 1, 1]
    model = Perceptron(fit_intercept=False).fit(X, y)
    assert not model.coef_.any() and model.n_mistakes_ == 3  # a score of zero is the first class
    assert Perceptron().fit(X, y).n_mistakes_ in (1, 3)


def test_one_class_is_refused():
    with pytest.raises(InvalidData, match="number of classes has to be greater than one; got 1 class"):
        Perceptron().fit([[0.0], [1.0]], [3, 3])


def test_negative_class_weights_are_refused():
    with pytest.raises(InvalidParameter, match="class_weight must hold finite numbers"):
        Perceptron(class_weight={0: -1.0}).fit([[0.0], [1.0]], [0, 1])


def test_verbose_tells_every_epoch(capsys):
    Perceptron(verbose=1, max_iter=3, tol=None).fit([[1.0], [-1.0]], [0, 1])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("--")] == ["-- Epoch 1", "-- Epoch 2", "-- Epoch 3"]
    assert sum(line.startswith("Norm:") for line in lines) == 3


def test_certificates_after_every_fit():
    X, y = load_iris(return_X_y=True)
    with surefit.config(certify="always"):
        model = Perceptron().fit(X, y, coef_init=np.ones((3, 4)), sample_weight=np.ones(150))
    assert model.certificate_.holds


def test_coefficients_beyond_memory_are_refused():
    X = sp.csr_array((900, 10**6))
    with surefit.config(memory_limit=2**30), pytest.raises(MemoryError, match="300 classes and 1000000 columns"):
        Perceptron().fit(X, np.repeat(np.arange(300), 3))
