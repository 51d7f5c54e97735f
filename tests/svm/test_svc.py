"""SVC against closed forms, libsvm at a tight tolerance, and its own primal problem."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.kernels import Gaussian, Linear, SetIntersection
from surefit.linear_model import LinearProgramClassifier
from surefit.svm import SVC, SVR

KERNELS = pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
DATA = pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])


def standardised(load):
    X, y = load(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def overlapping(n=150, d=4, classes=3, seed=0):
    return make_classification(n, d, n_informative=d, n_redundant=0, n_classes=classes, flip_y=0.2, random_state=seed)


@DATA
@KERNELS
def test_libsvm_at_a_tight_tolerance_agrees(load, kernel):
    X, y = standardised(load)
    ours, theirs = SVC(kernel=kernel, C=2.0).fit(X, y), sklearn.svm.SVC(kernel=kernel, C=2.0, tol=1e-10).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=2e-5 * np.abs(theirs.dual_coef_).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    assert ours.rel_gap_ <= 1e-6


def test_two_points_have_the_hyperplane_between_them():
    """w = 2 (a − b)/‖a − b‖², α = 2/‖a − b‖² for both: the hard margin in closed form."""
    a, b = np.array([3.0, 1.0]), np.array([-1.0, -2.0])
    model = SVC(kernel="linear", C=np.inf).fit(np.array([b, a]), [0, 1])
    np.testing.assert_allclose(model.coef_, [2 * (a - b) / 25], rtol=1e-14)
    np.testing.assert_allclose(model.dual_coef_, [[-2 / 25, 2 / 25]], rtol=1e-14)
    np.testing.assert_allclose(model.intercept_, -model.coef_ @ (a + b) / 2, rtol=1e-14)


@KERNELS
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
def test_gap_is_what_primal_and_dual_say(kernel, C):
    """½ βᵀKβ + C Σ hinge and Σα − ½ βᵀKβ, computed here from the attributes."""
    X, y = overlapping(classes=2)
    model = SVC(kernel=kernel, C=C, gamma=0.3).fit(X, y)
    params = {"linear": {}, "rbf": {"gamma": 0.3}, "poly": {"gamma": 0.3, "coef0": 0.0}}[kernel]
    K = pairwise_kernels(X, metric=kernel, **params)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    margins = np.where(y == model.classes_[1], 1, -1) * (K @ beta + model.intercept_[0])
    primal = 0.5 * beta @ K @ beta + C * np.maximum(0, 1 - margins).sum()
    dual = np.abs(beta).sum() - 0.5 * beta @ K @ beta
    assert np.abs(beta).max() <= C and abs(beta.sum()) <= 1e-12 * np.abs(beta).sum()
    assert primal - dual <= 1e-6 * primal
    assert model.rel_gap_ == pytest.approx((primal - dual) / primal, abs=1e-9)


def test_class_and_sample_weights_scale_C():
    X, y = overlapping(classes=2)
    w = np.where(y == 1, 3.0, 0.5)
    by_class = SVC(class_weight={1: 3.0, 0: 0.5}, gamma=0.2).fit(X, y)
    by_row = SVC(gamma=0.2).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(by_class.decision_function(X), by_row.decision_function(X), rtol=1e-9, atol=1e-9)
    balanced = SVC(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.class_weight_, len(y) / (2 * np.bincount(y)))


def test_balanced_classes_count_weights_as_repetitions():
    X, y = overlapping()
    w = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = SVC(class_weight="balanced").fit(X, y, sample_weight=w)
    repeated = SVC(class_weight="balanced").fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_array_equal(weighted.class_weight_, repeated.class_weight_)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-12, atol=1e-12)
    assert weighted.gamma_ == repeated.gamma_


def test_repeated_rows_share_the_coefficient():
    X, y = overlapping(n=60, classes=2)
    once = SVC(C=3.0, gamma=0.5).fit(X, y)
    thrice = SVC(C=1.0, gamma=0.5).fit(np.tile(X, (3, 1)), np.tile(y, 3))
    assert len(thrice.support_) == 3 * len(once.support_)
    beta, betas = np.zeros(60), np.zeros(180)
    beta[once.support_], betas[thrice.support_] = once.dual_coef_[0], thrice.dual_coef_[0]
    np.testing.assert_allclose(betas.reshape(3, 60), np.tile(beta / 3, (3, 1)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_four_classes_as_libsvm_has_them(shape):
    X, y = overlapping(classes=4)
    names = np.array(["d", "a", "c", "b"])[y]
    ours = SVC(decision_function_shape=shape, tol=1e-8).fit(X, names)
    theirs = sklearn.svm.SVC(decision_function_shape=shape, tol=1e-10).fit(X, names)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape == (3, len(ours.support_))
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)  # libsvm keeps K in single precision
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_break_ties_follows_the_scores():
    X, y = overlapping(classes=4, seed=3)
    model = SVC(break_ties=True, C=0.1).fit(X, y)
    grid = np.random.default_rng(0).normal(size=(500, 4)) * 3
    np.testing.assert_array_equal(model.predict(grid), model.decision_function(grid).argmax(axis=1))
    with pytest.raises(InvalidParameter, match="break_ties must be False"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)


def test_kernels_of_every_kind_give_one_answer():
    X, y = overlapping(classes=2)
    K = pairwise_kernels(X, metric="rbf", gamma=0.3)
    named = SVC(kernel="rbf", gamma=0.3).fit(X, y)
    expression = SVC(kernel=Gaussian(0.3)).fit(X, y)
    matrix = SVC(kernel="precomputed").fit(K, y)
    function = SVC(kernel=lambda A, B: pairwise_kernels(A, B, metric="rbf", gamma=0.3)).fit(X, y)
    wanted = named.decision_function(X)
    for model, inputs in ((expression, X), (matrix, K), (function, X)):
        np.testing.assert_array_equal(model.support_, named.support_)
        np.testing.assert_allclose(model.decision_function(inputs), wanted, rtol=1e-7, atol=1e-9)
    scaled = SVC(kernel=2.0 * Linear() + Gaussian(0.3)).fit(X, y)
    sums = SVC(kernel="precomputed").fit(2 * X @ X.T + K, y)
    np.testing.assert_allclose(scaled.decision_function(X), sums.decision_function(2 * X @ X.T + K), atol=1e-6)


def test_weights_of_a_gram_matrix_count_repetitions():
    X, y = overlapping(classes=2)
    w = np.random.default_rng(1).integers(0, 3, len(y))
    K = pairwise_kernels(X, metric="rbf")
    weighted = SVC(kernel="precomputed").fit(K, y, sample_weight=w)
    rows = np.repeat(np.arange(len(y)), w)
    repeated = SVC(kernel="precomputed").fit(K[np.ix_(rows, rows)], y[rows])
    np.testing.assert_allclose(
        weighted.decision_function(K), repeated.decision_function(K[:, rows]), rtol=1e-5, atol=1e-6
    )


def test_inputs_that_are_no_vectors():
    """Strings, with a plain function: the kernel 2^(common letters) is that of subsets."""
    words = ["ab", "abc", "a", "xyz", "xz", "y", "bc", "zx"]
    y = np.array([0, 0, 0, 1, 1, 1, 0, 1])

    def subsets(A, B):
        return np.array([[2.0 ** len(set(a) & set(b)) for b in B] for a in A])

    model = SVC(kernel=subsets, C=10.0).fit(words, y)
    gram = SVC(kernel="precomputed", C=10.0).fit(subsets(words, words), y)
    new = ["abx", "zzz"]
    np.testing.assert_allclose(model.decision_function(new), gram.decision_function(subsets(new, words)))
    np.testing.assert_array_equal(model.predict(words), y)


def test_kernels_on_sets_keep_the_sets():
    sets, y = [{1, 2}, {1, 2, 3}, {2, 3}, {7, 8}, {8, 9}, {7, 8, 9}, {1, 3}, {9}], [0, 0, 0, 1, 1, 1, 0, 1]
    model, K = SVC(kernel=SetIntersection(), C=10.0).fit(sets, y), SetIntersection()(sets)
    matrix = SVC(kernel="precomputed", C=10.0).fit(K, y)
    np.testing.assert_array_equal(model.support_, matrix.support_)
    assert list(model.support_vectors_) == [sets[i] for i in model.support_]
    np.testing.assert_allclose(model.decision_function(sets), matrix.decision_function(K), rtol=1e-12)
    np.testing.assert_array_equal(model.predict([{1}, {7, 9}]), [0, 1])


def test_float32_rows_are_solved_in_double():
    X, y = overlapping(classes=2)
    X32 = X.astype(np.float32)
    single, double = SVC(C=100.0, gamma=0.5).fit(X32, y), SVC(C=100.0, gamma=0.5).fit(X32.astype(float), y)
    assert single.support_vectors_.dtype == np.float32 and single.decision_function(X32).dtype == np.float32
    np.testing.assert_allclose(single.decision_function(X32), double.decision_function(X32), rtol=1e-5, atol=1e-5)


def test_sparse_rows_give_sparse_attributes():
    X, y = overlapping()
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    dense = SVC(kernel="linear", tol=1e-8).fit(X, y)
    for kind in (sp.csr_array, sp.csr_matrix):
        sparse = SVC(kernel="linear", tol=1e-8).fit(kind(X), y)
        assert isinstance(sparse.support_vectors_, kind) and isinstance(sparse.dual_coef_, kind)
        assert sp.issparse(sparse.coef_)
        np.testing.assert_allclose(sparse.coef_.toarray(), dense.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X), rtol=1e-7, atol=1e-7)
    with pytest.raises(InvalidData, match="sparse input in 'SVC' trained on dense"):
        dense.predict(sp.csr_array(X))


def test_max_iter_and_time_budget_name_the_gap():
    X, y = overlapping(n=400, classes=2)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=5.*after 5 iterations at a relative gap of \d.*tol 1e-06"):
        model = SVC(max_iter=5, C=1e3).fit(X, y)
    assert model.fit_status_ == 1 and 1e-6 < model.rel_gap_ <= 1.0 and model.n_iter_ == [5]
    with pytest.warns(ConvergenceWarning, match=r"time budget of 1e-09 s.*at a relative gap of"):
        assert SVC(time_budget=1e-9, C=1e3).fit(X, y).fit_status_ == 1


def test_hard_margin_is_the_widest():
    """1/‖w‖ is half the distance of the convex hulls, as the linear program's classifier finds it."""
    X, y = load_iris(return_X_y=True)
    model = SVC(kernel="linear", C=np.inf).fit(X, y == 0)
    assert 1 / np.linalg.norm(model.coef_) == pytest.approx(LinearProgramClassifier().fit(X, y == 0).margin_, rel=1e-9)
    assert model.farkas_ is None
    sign = np.where(y == 0, 1.0, -1.0)
    np.testing.assert_allclose(model.decision_function(X)[model.support_], sign[model.support_], rtol=1e-9)


def test_hard_margin_of_touching_classes_is_disproved():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="C=inf has no answer"):
        model = SVC(kernel="linear", C=np.inf).fit(X, y)
    assert not model.farkas_[:2].any() and model.fit_status_ == 1
    phi, sign = model.farkas_[2], np.where(y == 1, 1.0, -1.0)
    assert (phi >= 0).all() and phi.sum() == pytest.approx(1) and abs((phi * sign).sum()) < 1e-12
    assert np.abs(X.T @ (phi * sign)).max() < 1e-12
    assert model.score(X, y) > 0.9


def test_equal_rows_of_two_classes_disprove_every_kernel():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="C=inf has no answer"):
        model = SVC(C=np.inf).fit(np.vstack([X, X[:1]]), np.append(y, 1))
    np.testing.assert_array_equal(np.flatnonzero(model.farkas_[0]), [0, 150])
    np.testing.assert_array_equal(model.farkas_[0][[0, 150]], [0.5, 0.5])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_simplified_solver_ends_at_the_same_answer(kernel):
    X, y = load_iris(return_X_y=True)
    quick, simple = SVC(kernel=kernel).fit(X, y), SVC(kernel=kernel, solver="simplified", random_state=1).fit(X, y)
    assert simple.rel_gap_ <= 1e-6
    np.testing.assert_allclose(simple.decision_function(X), quick.decision_function(X), atol=1e-3)


@pytest.mark.parametrize(
    ("y", "w", "words"),
    [
        ([1, 1, 1, 1], None, "greater than one; got 1 class"),
        ([0, 0, 1, 1], [1, 1, 0, 0], "positive weights belong to the same class"),
        ([0, 0, 1, 1], [0, 0, 0, 0], "all samples have zero or negative weights"),
        ([0, 0, 1, 1], [0, -1, 0, -1], "all samples have zero or negative weights"),
    ],
)
def test_refusals(y, w, words):
    with pytest.raises(ValueError, match=words):
        SVC().fit(np.arange(8.0).reshape(4, 2), y, sample_weight=w)


def test_negative_weights_are_left_out_and_told():
    X, y = overlapping(classes=2)
    w = np.where(np.arange(len(y)) % 5 == 0, -2.0, 1.0)
    with pytest.warns(UserWarning, match="negative weight"):
        model = SVC(gamma=0.3).fit(X, y, sample_weight=w)
    without = SVC(gamma=0.3).fit(X[w > 0], y[w > 0])
    np.testing.assert_allclose(model.decision_function(X), without.decision_function(X), rtol=1e-12)


def test_a_class_without_weight_gets_no_vote():
    X, y = overlapping()
    model = SVC().fit(X, y, sample_weight=(y != 1).astype(float))
    assert set(model.predict(X)) <= {0, 2} and model.n_support_[1] == 0
    two = SVC().fit(X[y != 1], y[y != 1])
    np.testing.assert_array_equal(model.predict(X), two.predict(X))


def test_bad_kernels_are_refused():
    X, y = overlapping(classes=2)
    with pytest.raises(InvalidData, match=r"kernel function must give a matrix of shape \(150, 150\)"):
        SVC(kernel=lambda A, B: A).fit(X, y)
    with pytest.raises(InvalidData, match="must be a square matrix"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(InvalidData, match="should be equal to 150"):
        SVC(kernel="precomputed").fit(X @ X.T, y).predict(X)


def test_unscaled_columns_still_end():
    """wine as it is, columns from 0.1 to 1700: to the gap; far worse ones: to rounding, and the gap is told."""
    X, y = load_wine(return_X_y=True)
    model = SVC(kernel="linear", time_budget=60.0).fit(X, y)
    assert model.rel_gap_ <= 1e-6 and model.fit_status_ == 0
    with pytest.warns(ConvergenceWarning, match=r"at a relative gap of"):
        worse = SVC(kernel="linear", C=100.0, time_budget=5.0).fit(X * 10.0 ** np.linspace(-3, 3, X.shape[1]), y)
    assert 0 < worse.rel_gap_ <= 1 and worse.fit_status_ == 1


def test_columns_beyond_floating_point_are_refused():
    X, y = overlapping(classes=2)
    with pytest.raises(InvalidData, match="not finite: the variance of X is beyond floating point"):
        SVC().fit(X / np.abs(X).max() * 1.7e308, y)


@pytest.mark.parametrize("machine", [SVC, SVR])
def test_an_offset_of_all_rows_moves_the_intercept_alone(machine):
    """w of the linear kernel does not depend on where zero is; whole numbers, so that the offset itself is exact."""
    rng = np.random.default_rng(8)
    X = rng.integers(-8, 9, size=(50, 3)).astype(float)
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=50)
    y = (y > 0).astype(int) if machine is SVC else y
    near, far = (machine(kernel="linear", C=0.5).fit(rows, y) for rows in (X, X + 4096.0))
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6, atol=1e-9)
    scores = [m.decision_function(r) if machine is SVC else m.predict(r) for m, r in ((near, X), (far, X + 4096.0))]
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-6, atol=1e-6)
