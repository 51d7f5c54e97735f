"""Losses drawn stage by stage."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor, GradientBoostingClassifier
from sklearn.ensemble import HistGradientBoostingClassifier as Hist
from sklearn.metrics import log_loss

from surefit.plot.growing.staged_loss import StagedLossDisplay, staged_losses

pytest.importorskip("matplotlib").use("Agg")
X, Y = load_iris(return_X_y=True)


def test_curves_and_the_ring_where_one_is_least():
    shown = StagedLossDisplay(curves={"train": [3.0, 2.0, 1.0], "test": [3.0, 1.0, 2.0]}).plot(name="two")
    assert [line.get_label() for line in shown.lines_] == ["train", "test"]
    np.testing.assert_array_equal(shown.lines_[1].get_ydata(), [3.0, 1.0, 2.0])
    assert len(shown.marks_) == 1 and shown.marks_[0].get_xdata()[0] == 2
    assert shown.ax_.get_title() == "two"


def test_rows_are_measured_after_each_stage():
    model = GradientBoostingClassifier(n_estimators=3).fit(X, Y)
    want = [log_loss(Y, share) for share in model.staged_predict_proba(X)]
    np.testing.assert_allclose(staged_losses(model, X, Y), want)
    shown = StagedLossDisplay.from_estimator(model, {"iris": (X, Y)})
    assert shown.ax_.get_ylabel() == "log-loss"
    regressor = AdaBoostRegressor(n_estimators=3).fit(X, Y.astype(float))
    assert StagedLossDisplay.from_estimator(regressor, {"iris": (X, Y)}).ax_.get_ylabel() == "mean squared error"


def test_what_a_fit_kept():
    model = GradientBoostingClassifier(n_estimators=4, subsample=0.5).fit(X, Y)
    shown = StagedLossDisplay.from_estimator(model)
    assert set(shown.curves) == {"training", "out of bag"}
    np.testing.assert_array_equal(shown.curves["training"], model.train_score_)
    hist = Hist(max_iter=4, early_stopping=True).fit(X, Y)
    shown = StagedLossDisplay.from_estimator(hist)
    np.testing.assert_array_equal(shown.curves["held out"], -np.asarray(hist.validation_score_)[1:])
    with pytest.raises(ValueError, match="kept no losses"):
        StagedLossDisplay.from_estimator(AdaBoostClassifier(n_estimators=2).fit(X, Y))


def test_losses_of_the_wrong_shape():
    with pytest.raises(ValueError, match="one number for each stage"):
        StagedLossDisplay(curves={"a": [[1.0]]})
