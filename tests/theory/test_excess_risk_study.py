"""The study of k-nearest neighbors on data like the user's: same bits, progress, what is known of its ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.plot import ExcessRiskDisplay
from surefit.theory import GaussianClasses, excess_risk_study

TWO = GaussianClasses([[0.0, 0.0], [2.0, 0.0]], [1.0, 1.0])


def test_what_is_known_of_neighbors():
    """One neighbor: its risk tends to E 2η(1 − η), between R* and 2R*(1 − R*) (Cover and Hart 1967).

    With all rows as neighbors the class of the majority is said everywhere, which for equal priors is wrong half of the
    time: excess ½ − R*.
    """
    star = norm.cdf(-1)
    study = excess_risk_study(distribution=TWO, n_train=401, values=[1, 41, 401], n_test=4000, repeats=8)
    assert 0 < study.mean[0] < star * (1 - 2 * star) + 5 * study.standard_error[0] + 0.02
    assert study.mean[2] == pytest.approx(0.5 - star, abs=0.02)
    assert study.best == 41 and study.mean[1] < 0.02
    assert study.bayes_risk.low <= star <= study.bayes_risk.high


def test_same_seed_same_bits():
    X, y = load_iris(return_X_y=True)
    options = {"n_components": 1, "values": [1, 5], "repeats": 3, "n_test": 200}
    one, two = (excess_risk_study(X, y, random_state=3, **options) for _ in range(2))
    other = excess_risk_study(X, y, random_state=4, **options)
    assert np.array_equal(one.excess, two.excess) and not np.array_equal(one.excess, other.excess)
    assert one.bayes_risk == two.bayes_risk and one.n_train == 150


def test_a_longer_study_begins_as_the_shorter():
    options = {"distribution": TWO, "n_train": 60, "values": [1, 9], "n_test": 100}
    short, long = (excess_risk_study(repeats=r, **options) for r in (2, 4))
    assert np.array_equal(short.excess, long.excess[:2])


def test_progress_can_stop():
    seen = []

    def progress(done, of):
        seen.append((done, of))
        return done == 2

    study = excess_risk_study(distribution=TWO, n_train=50, values=[3], n_test=50, repeats=9, on_progress=progress)
    assert seen == [(1, 9), (2, 9)] and study.excess.shape == (2, 1)


def test_other_methods():
    study = excess_risk_study(
        distribution=TWO,
        n_train=200,
        estimator=DecisionTreeClassifier(random_state=0),
        parameter="max_depth",
        values=[1, 3, None],
        repeats=4,
        n_test=500,
    )
    assert study.mean[0] < study.mean[2] and study.best == 1  # the best cut is the Bayes classifier
    display = study.plot()
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["1", "3", "None"]


def test_default_values_are_odd_and_grow_to_half_of_the_rows():
    study = excess_risk_study(distribution=TWO, n_train=40, repeats=1, n_test=50)
    assert study.values[0] == 1 and study.values[-1] == 21 and all(k % 2 for k in study.values)
    assert np.isnan(study.standard_error).all()


def test_picture():
    study = excess_risk_study(distribution=TWO, n_train=60, values=[1, 5, 25], repeats=4, n_test=100)
    display = study.plot(name="neighbors")
    assert isinstance(display, ExcessRiskDisplay) and display.ax_.get_title() == "neighbors"
    np.testing.assert_array_equal(display.line_.get_ydata(), study.mean)
    assert display.best_mark_.get_xdata()[0] == study.best and len(display.samples_) == 4
    assert display.ax_.get_xscale() == "log"
    with pytest.raises(InvalidData, match="one column for each of 2 values"):
        ExcessRiskDisplay(values=[1, 2], excess=[[0.1, 0.2, 0.3]])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "give the data"),
        ({"distribution": TWO}, "n_train must be given"),
        ({"distribution": TWO, "n_train": 50, "parameter": "depth"}, "no parameter 'depth'"),
        ({"distribution": TWO, "n_train": 50, "parameter": "weights"}, "must be given"),
        ({"distribution": TWO, "n_train": 50, "values": []}, "at least one value"),
        ({"distribution": TWO, "n_train": 50, "repeats": 0}, "repeats"),
        ({"distribution": TWO, "n_train": 50, "estimator": 3}, "must be a classifier"),
    ],
)
def test_bad_input(options, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        excess_risk_study(**options)
