"""Displays draw the data they were given: read back from the artists, compared with closed forms and SciPy."""

from __future__ import annotations

import re

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import PCA as SklearnPCA

import surefit
from surefit.cluster import KMeans
from surefit.decomposition import PCA
from surefit.linear_model import LinearRegression, Ridge
from surefit.model_selection import compare
from surefit.plot import (
    CoefficientDisplay,
    FoldScoresDisplay,
    InertiaDisplay,
    KMeansDisplay,
    ResidualsDisplay,
    ScreeDisplay,
    svg_of,
)

X, Y = load_diabetes(return_X_y=True)
IRIS = load_iris().data


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_residuals_are_actual_minus_predicted():
    model = LinearRegression().fit(X, Y)
    display = ResidualsDisplay.from_estimator(model, X, Y)
    points = np.asarray(display.scatter_.get_offsets())
    np.testing.assert_allclose(points[:, 0], model.predict(X))
    np.testing.assert_allclose(points[:, 1], Y - model.predict(X))
    assert display.ax_.get_title() == "LinearRegression"
    other = ResidualsDisplay.from_predictions(Y, model.predict(X), kind="actual_vs_predicted")
    np.testing.assert_allclose(np.asarray(other.scatter_.get_offsets())[:, 1], Y)
    start, end = other.line_.get_xydata()
    assert start[0] == start[1] and end[0] == end[1]


def test_confidence_intervals_of_one_column_are_those_of_scipy():
    line = stats.linregress(X[:, 2], Y)
    reach = stats.t.ppf(0.975, len(Y) - 2) * line.stderr
    display = CoefficientDisplay.from_estimator(LinearRegression().fit(X[:, [2]], Y), names=["bmi"])
    assert display.coef[0] == pytest.approx(line.slope)
    assert (display.low[0], display.high[0]) == pytest.approx((line.slope - reach, line.slope + reach))
    (segment,) = display.bars_.get_segments()
    np.testing.assert_allclose(segment[:, 0], [display.low[0], display.high[0]])


def test_the_largest_coefficient_is_on_top():
    display = CoefficientDisplay(coef=[1.0, -5.0, 3.0], names=["a", "b", "c"]).plot(most=2)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["c", "b"]
    assert display.points_.get_xdata().tolist() == [3.0, -5.0]
    assert display.bars_ is None


def test_fold_scores_are_paired_lines():
    scores = {"one": [0.1, 0.2, 0.3], "two": [0.2, 0.1, 0.5]}
    display = FoldScoresDisplay(scores=scores, intervals={"one": (0.0, 0.4)}).plot()
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["two", "one"]
    assert [line.get_xdata().tolist() for line in display.lines_] == [[0.2, 0.1], [0.1, 0.2], [0.5, 0.3]]
    np.testing.assert_allclose(display.means_.get_xdata(), [0.8 / 3, 0.2])


def test_a_model_far_behind_is_named_at_the_edge():
    scores = {"a": [0.50, 0.60], "b": [0.51, 0.59], "c": [0.52, 0.58], "poor": [-9.0, -9.2]}
    display = FoldScoresDisplay(scores=scores).plot()
    assert display.ax_.get_xlim()[0] > 0
    assert any("−9.100" in text.get_text() for text in display.ax_.texts)


def test_fold_scores_of_a_comparison():
    result = compare([LinearRegression(), Ridge()], X, Y, cv=3)
    display = FoldScoresDisplay.from_comparison(result)
    assert set(display.scores) == {"LinearRegression", "Ridge"}
    assert len(display.lines_) == 15


@pytest.mark.parametrize("pca", [PCA(), SklearnPCA()], ids=["surefit", "scikit-learn"])
def test_the_scree_is_the_share_of_variance(pca):
    values = np.linalg.eigvalsh(np.cov(IRIS.T))[::-1]
    display = ScreeDisplay.from_estimator(pca.fit(IRIS))
    np.testing.assert_allclose(display.line_.get_ydata(), 100 * values / values.sum())
    assert [bar.get_height() for bar in display.bars_] == pytest.approx((100 * values / values.sum()).tolist())


def test_the_knee_of_a_curve_with_an_obvious_one():
    display = ScreeDisplay(shares=[0.45, 0.40, 0.05, 0.04, 0.03, 0.03]).plot()
    assert display.knee == 2
    assert "knee: 2 components, 85 %" in display.ax_.texts[0].get_text()


def test_clusters_are_drawn_in_the_plane_of_the_first_components():
    model = KMeans(3, random_state=0).fit(IRIS)
    display = KMeansDisplay.from_estimator(model, IRIS)
    plane = SklearnPCA(2).fit(IRIS)
    np.testing.assert_allclose(np.abs(display.points), np.abs(plane.transform(IRIS)), atol=1e-9)
    np.testing.assert_allclose(np.abs(display.centres), np.abs(plane.transform(model.cluster_centers_)), atol=1e-9)
    assert [len(one.get_offsets()) for one in display.scatter_] == np.bincount(model.labels_).tolist()
    assert display.shares == pytest.approx(tuple(plane.explained_variance_ratio_))


def test_one_column_can_be_drawn_too():
    display = KMeansDisplay.from_estimator(KMeans(2, random_state=0).fit(IRIS[:, :1]), IRIS[:, :1])
    assert not display.points[:, 1].any()


def test_the_band_holds_the_proved_interval():
    models = [KMeans(k, random_state=0).fit(IRIS) for k in (4, 2, 3)]
    pairs = [(model.n_clusters, surefit.certify(model, IRIS)) for model in models]
    display = InertiaDisplay.from_certificates(pairs)
    assert display.k.tolist() == [2, 3, 4]
    np.testing.assert_allclose(display.inertia, [models[1].inertia_, models[2].inertia_, models[0].inertia_])
    assert (display.lower <= display.inertia).all() and (display.lower > 0).all()
    assert display.band_ is not None


@pytest.mark.parametrize(
    "call",
    [
        lambda: ResidualsDisplay(y_true=[1, 2], y_pred=[1]),
        lambda: ResidualsDisplay(y_true=[1, 2], y_pred=[1, 2]).plot(kind="other"),
        lambda: CoefficientDisplay(coef=[1, 2], names=["a"]),
        lambda: CoefficientDisplay(coef=[1, 2], low=[0, 1]),
        lambda: FoldScoresDisplay(scores={"a": [1, 2], "b": [1]}),
        lambda: FoldScoresDisplay(scores={}),
        lambda: ScreeDisplay(shares=[]),
        lambda: KMeansDisplay(points=[[1, 2, 3]], labels=[0], centres=[[1, 2]]),
        lambda: InertiaDisplay(k=[1, 2], inertia=[1]),
        lambda: InertiaDisplay.from_certificates([(1, surefit.certify(PCA(1).fit(IRIS), IRIS))]),
    ],
)
def test_data_that_does_not_fit_together_is_refused(call):
    with pytest.raises(ValueError):
        call()


def test_the_callers_axes_are_used():
    _, ax = plt.subplots()
    display = ScreeDisplay(shares=[0.7, 0.3]).plot(ax, name="mine")
    assert display.ax_ is ax and display.figure_ is ax.figure and ax.get_title() == "mine"


def test_an_svg_is_self_contained_and_the_same_each_time():
    draw = ScreeDisplay(shares=[0.6, 0.3, 0.1]).plot
    text = svg_of(draw)
    assert text == svg_of(draw)
    assert "var(--ink)" in text and "prefers-color-scheme:dark" in text
    links = re.findall(r'(?:href|src)="([^"]*)"', text)
    assert links and all(link.startswith("#") for link in links)
    assert not re.search(r"url\((?!#)", text) and "<metadata" not in text


def test_drawing_leaves_the_settings_of_matplotlib_alone():
    before = dict(matplotlib.rcParams)
    svg_of(ScreeDisplay(shares=[0.6, 0.4]).plot)
    assert dict(matplotlib.rcParams) == before
