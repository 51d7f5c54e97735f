"""Displays of classifiers: read back from the artists, compared with scikit-learn and closed forms."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn.metrics
from scipy import stats
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.preprocessing import scale

from surefit.metrics import roc_auc_interval, roc_band
from surefit.plot import (
    CalibrationDisplay,
    ClassCoefficientsDisplay,
    ClassRegionsDisplay,
    ConfusionMatrixDisplay,
    RocCurveDisplay,
    svg_of,
)

X, Y = load_breast_cancer(return_X_y=True)
X = scale(X)[:, :6]
MODEL = SklearnLogisticRegression().fit(X, Y)
IRIS, KIND = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[KIND]
FLOWERS = SklearnLogisticRegression(max_iter=1000).fit(IRIS, NAMES)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_the_confusion_matrix_is_that_of_scikit_learn():
    display = ConfusionMatrixDisplay.from_estimator(FLOWERS, IRIS, NAMES)
    expected = sklearn.metrics.confusion_matrix(NAMES, FLOWERS.predict(IRIS))
    np.testing.assert_array_equal(display.confusion_matrix, expected)
    assert display.display_labels == ["setosa", "versicolor", "virginica"]
    written = [[text.get_text().replace("·", "0") for text in row] for row in display.text_]
    assert written == expected.astype(str).tolist()
    np.testing.assert_allclose(display.im_.get_array(), expected / expected.sum(axis=1, keepdims=True))
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("predicted", "actual")


def test_a_class_that_nobody_is_of_has_an_empty_row():
    display = ConfusionMatrixDisplay.from_predictions(["a", "b", "b"], ["a", "a", "b"], labels=["a", "b", "c"])
    assert display.confusion_matrix.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
    assert np.isfinite(np.asarray(display.im_.get_array())).all()


@pytest.mark.parametrize("decimals", [None, 1], ids=["distinct", "ties"])
def test_the_roc_curve_and_its_area_are_those_of_scikit_learn(decimals):
    scores = MODEL.predict_proba(X)[:, 1]
    scores = scores if decimals is None else scores.round(decimals)
    display = RocCurveDisplay.from_predictions(Y, scores, name="logistic")
    fpr, tpr, _ = sklearn.metrics.roc_curve(Y, scores)
    np.testing.assert_allclose(display.line_.get_xdata(), fpr, atol=1e-15)
    np.testing.assert_allclose(display.line_.get_ydata(), tpr, atol=1e-15)
    assert display.roc_auc == pytest.approx(sklearn.metrics.roc_auc_score(Y, scores), rel=1e-12)
    low, high = display.interval.low, display.interval.high
    assert display.line_.get_label() == f"logistic\narea {display.roc_auc:.3f} [{low:.3f}, {high:.3f}]"
    assert low < display.roc_auc < high


def test_a_roc_curve_from_a_model_and_for_the_other_class():
    display = RocCurveDisplay.from_estimator(MODEL, X, Y)
    expected = sklearn.metrics.roc_auc_score(Y, MODEL.decision_function(X))
    assert display.roc_auc == pytest.approx(expected, rel=1e-12)
    other = RocCurveDisplay.from_predictions(Y, -MODEL.decision_function(X), pos_label=0)
    assert other.roc_auc == pytest.approx(expected, rel=1e-12)


def test_the_reliability_curve_is_that_of_scikit_learn():
    p = MODEL.predict_proba(X)[:, 1]
    display = CalibrationDisplay.from_estimator(MODEL, X, Y, n_bins=8)
    shares, means = calibration_curve(Y, p, n_bins=8)
    np.testing.assert_allclose(display.prob_true, shares)
    np.testing.assert_allclose(display.prob_pred, means)
    assert display.counts.sum() == Y.size
    np.testing.assert_allclose(display.line_.get_xydata(), np.column_stack([means, shares]))
    error = np.abs(shares - means) @ display.counts / Y.size
    assert display.calibration_error == pytest.approx(error)


def test_bars_are_wilson_intervals_as_in_scipy():
    display = CalibrationDisplay.from_estimator(MODEL, X, Y, level=0.9)
    for share, count, low, high in zip(display.prob_true, display.counts, display.low, display.high, strict=True):
        hits = round(share * count)
        expected = stats.binomtest(hits, int(count)).proportion_ci(0.9, method="wilson")
        assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_with_three_classes_the_one_predicted_is_judged():
    display = CalibrationDisplay.from_estimator(FLOWERS, IRIS, NAMES)
    top = FLOWERS.predict_proba(IRIS).max(axis=1)
    shares, means = calibration_curve(FLOWERS.predict(IRIS) == NAMES, top, n_bins=10)
    np.testing.assert_allclose(display.prob_true, shares)
    np.testing.assert_allclose(display.prob_pred, means)


def test_regions_are_what_the_model_says_on_the_plane():
    display = ClassRegionsDisplay.from_estimator(FLOWERS, IRIS, NAMES)
    pca = SklearnPCA(2).fit(IRIS)
    np.testing.assert_allclose(np.abs(display.points), np.abs(pca.transform(IRIS)), atol=1e-10)
    np.testing.assert_allclose(display.shares, pca.explained_variance_ratio_)
    signs = np.sign((display.points * pca.transform(IRIS)).sum(axis=0))
    plane = np.column_stack([display.xx0.ravel(), display.xx1.ravel()]) * signs
    said = FLOWERS.predict(pca.inverse_transform(plane))
    assert (FLOWERS.classes_[display.response.ravel()] == said).mean() > 0.9999  # points on an edge may round
    for k, name in enumerate(FLOWERS.classes_):
        assert len(display.scatter_[k].get_offsets()) == (name == NAMES).sum()
        assert display.scatter_[k].get_label() == name


def test_coefficients_of_classes_are_drawn_largest_first():
    display = ClassCoefficientsDisplay.from_estimator(FLOWERS, names=["a", "b", "c", "d"])
    order = np.argsort(-np.abs(FLOWERS.coef_).max(axis=0))
    np.testing.assert_array_equal(display.im_.get_array(), FLOWERS.coef_[:, order].T)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == [["a", "b", "c", "d"][j] for j in order]
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == list(FLOWERS.classes_)
    many = ClassCoefficientsDisplay(coef=np.eye(12)).plot(most=5)
    assert np.asarray(many.im_.get_array()).shape == (5, 12)


def test_all_of_them_become_pictures():
    for draw in (
        lambda ax: ClassCoefficientsDisplay.from_estimator(FLOWERS, ax=ax),
        lambda ax: ConfusionMatrixDisplay.from_estimator(FLOWERS, IRIS, NAMES, ax=ax),
        lambda ax: RocCurveDisplay.from_estimator(MODEL, X, Y, ax=ax),
        lambda ax: CalibrationDisplay.from_estimator(MODEL, X, Y, ax=ax),
        lambda ax: ClassRegionsDisplay.from_estimator(FLOWERS, IRIS, NAMES, ax=ax),
    ):
        assert svg_of(draw).startswith("<svg")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ConfusionMatrixDisplay([[1, 2]]), "square"),
        (lambda: ConfusionMatrixDisplay([[1]], display_labels=["a", "b"]), "name 1 classes"),
        (lambda: ConfusionMatrixDisplay.from_predictions([0, 1], [0]), "one length"),
        (lambda: ConfusionMatrixDisplay.from_predictions([0, 1], [0, 2], labels=[0, 1]), "every class"),
        (lambda: RocCurveDisplay(fpr=[0, 1], tpr=[0]), "one length"),
        (lambda: RocCurveDisplay.from_predictions([0, 1, 2], [0, 1, 2]), "two classes"),
        (lambda: RocCurveDisplay.from_predictions([0, 1], [0, 1], pos_label=5), "pos_label"),
        (lambda: CalibrationDisplay.from_predictions([0, 1], [0.5, 1.5]), "from 0 to 1"),
        (lambda: CalibrationDisplay.from_predictions([0, 2], [0.5, 0.5]), "0 or 1"),
        (lambda: CalibrationDisplay([0.5], [0.5], [1, 2]), "one length"),
        (lambda: ClassRegionsDisplay.from_estimator(MODEL, X[:, :1], Y), "two columns"),
        (lambda: ClassCoefficientsDisplay(coef=[1.0, 2.0]), "one row for each class"),
        (lambda: ClassCoefficientsDisplay(coef=[[1.0, 2.0]], names=["a"]), "2 names are needed"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_roc_curve_has_the_band_and_the_interval_of_the_metrics():
    scores = MODEL.predict_proba(X)[:, 1]
    display = RocCurveDisplay.from_predictions(Y, scores, level=0.9)
    band = roc_band(Y, scores, kind="pointwise", level=0.9)
    (path,) = display.band_.get_paths()
    for low, high in zip(band.low, band.high, strict=True):
        assert low in path.vertices[:, 1] and high in path.vertices[:, 1]
    assert display.interval == roc_auc_interval(Y, scores, level=0.9)
    bare = RocCurveDisplay.from_predictions(Y, scores, level=None)
    assert bare.band_ is None and bare.label == f"area {bare.roc_auc:.3f}"
