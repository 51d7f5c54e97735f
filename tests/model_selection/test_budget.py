"""Time: shares, alarms that stop a fit, models that are left out, and estimates from small fits."""

from __future__ import annotations

import math
import threading
import time
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import KFold

import surefit.model_selection.estimate as estimate
import surefit.model_selection.trial as trial_module
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.linear_model import LinearRegression
from surefit.model_selection import compare
from surefit.model_selection.budget import Budget, Share, Stopped, TooSlow, time_limit
from surefit.model_selection.candidates.search import Searched
from surefit.model_selection.contest import run_contest
from surefit.model_selection.fold import Data
from surefit.model_selection.scoring import scoring_of
from surefit.model_selection.trial import Final, Trial
from surefit.svm import SVC

X, Y = load_diabetes(return_X_y=True)
FOREVER = 600.0


class Sleeper(RegressorMixin, BaseEstimator):
    """Takes its time where `slow`."""

    def __init__(self, slow=True):
        self.slow = slow

    def fit(self, X, y):
        if self.slow:
            time.sleep(FOREVER)
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def a_trial():
    return Trial(Data(X, Y, scoring_of(None, "regression")[0]), list(KFold(3).split(X)), 0.95)


def no_tick(done):
    assert done > 0


def test_a_share_is_an_equal_part_of_what_is_left(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    budget = Budget(120)
    assert budget.share(12).seconds == 10.0
    now[0] = 20.0
    assert budget.left == 100.0 and budget.spent == 20.0
    share = budget.share(4)
    assert share.seconds == 25.0 and share.left_for_folds == 0.75 * 25
    now[0] = 200.0
    assert budget.left == 0.0 and share.left < 0
    assert Budget(None).share(3).left_for_folds == math.inf


@pytest.mark.parametrize("seconds", [0, -1, math.inf, math.nan, "long"])
def test_budgets_that_make_no_sense(seconds):
    with pytest.raises(InvalidParameter, match="time_budget must be a number of seconds > 0"):
        Budget(seconds)


def test_an_alarm_stops_python_and_compiled_loops_and_is_taken_back():
    import signal

    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(Stopped), time_limit(0.05):
        time.sleep(FOREVER)
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(20_000, 20)), rng.integers(0, 2, 20_000)
    with pytest.raises(Stopped), time_limit(0.3):
        SVC(C=1e4, tol=1e-9).fit(rows, labels)  # noise: minutes of a compiled loop
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    with pytest.raises(Stopped), time_limit(0.0):
        raise AssertionError("nothing is begun without time")


def test_in_a_thread_the_block_runs_to_its_end():
    done = []

    def work():
        with time_limit(0.001):
            time.sleep(0.05)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def test_a_model_that_does_not_end_in_its_share_is_too_slow():
    with pytest.raises(TooSlow, match=r"its share of the time, 0\.20 s, was over after 0 of 3 folds"):
        a_trial().outcome("sleeper", Sleeper(), no_tick, Share(0.2))


def test_it_is_left_out_and_the_others_stay():
    found = compare({"mean": DummyRegressor(), "slow": Sleeper()}, X, Y, cv=KFold(2), time_budget=4)
    assert [one.name for one in found.outcomes] == ["mean"] and found.best.is_baseline
    assert [name for name, _ in found.left_out] == ["slow"] and "its share of the time" in found.left_out[0][1]
    assert found.time_budget == 4 and 0 < found.seconds < FOREVER
    with pytest.raises(InvalidData, match="no model could be compared: slow is left out: its share of the time"):
        compare({"slow": Sleeper()}, X, Y, cv=KFold(2), time_budget=0.3)


class OnceShort(Share):
    """A share that is nearly over when it is first asked for."""

    asked = 0

    @property
    def left_for_folds(self):
        OnceShort.asked += 1
        return 0.1 if OnceShort.asked == 1 else 60.0


def test_without_time_for_a_search_a_model_runs_with_its_usual_settings():
    OnceShort.asked = 0
    model = Searched(Sleeper(slow=False), ({"slow": True}, {"slow": False}))
    outcome = a_trial().outcome("both", model, no_tick, OnceShort(60.0))
    assert outcome.parameters == {} and outcome.search_rows is None
    assert outcome.notes == ["usual settings, because a search does not fit into its share of the time"]


class ShortAtLast(Share):
    """Long enough for the fit; then nearly over."""

    asked = 0

    @property
    def left(self):
        ShortAtLast.asked += 1
        return 60.0 if ShortAtLast.asked == 1 else 0.25


def test_a_check_that_does_not_end_leaves_the_model_uncertified(monkeypatch):
    ShortAtLast.asked = 0
    monkeypatch.setattr(trial_module, "certify_steps", lambda *given: time.sleep(FOREVER))
    final = Final(a_trial().data, LinearRegression(), ShortAtLast(60.0))
    assert final.certificates == {} and final.not_certified == "its check did not end within 0.25 s"
    np.testing.assert_allclose(final.model.predict(X).mean(), Y.mean())


class Costly(RegressorMixin, BaseEstimator):
    """A fit to n rows moves the clock by n^power milliseconds."""

    now = 0.0

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, X, y):
        Costly.now += 1e-3 * len(X) ** self.power
        return self


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_estimates_follow_a_power_of_the_rows(monkeypatch, power):
    monkeypatch.setattr(estimate.time, "perf_counter", lambda: Costly.now)
    n = 10_000
    data = Data(np.zeros((n, 1)), np.arange(n, dtype=float), lambda *given: 0.0)
    seconds = estimate.fit_time(Costly(power), data, np.arange(n))
    assert seconds(8000) == pytest.approx(1e-3 * 8000**power, rel=1e-6)
    splits = list(KFold(5).split(data.X))
    one = 1e-3 * 8000**power
    estimate.refuse_slow(data, Costly(power), splits, Share(7 * one))
    with pytest.raises(TooSlow, match="all 6 of them"):
        estimate.refuse_slow(data, Costly(power), splits, Share(5 * one))
    search = Searched(Costly(power), ({}, {}, {}), max_rows=3000)  # three fits to 2,000 rows before each fit
    each = one + 3e-3 * 2000**power
    estimate.refuse_slow(data, search, splits, Share(6.5 * each))
    with pytest.raises(TooSlow, match="a search and a fit would take"):
        estimate.refuse_slow(data, search, splits, Share(5.5 * each))


class Fixed(RegressorMixin, BaseEstimator):
    """A fit to n rows moves the clock by 0.2 s + n/10 ms, the first one by ten seconds more."""

    now, fits = 0.0, 0

    def fit(self, X, y):
        Fixed.now += 0.2 + 1e-4 * len(X) + (10.0 if Fixed.fits == 0 else 0.0)
        Fixed.fits += 1
        return self


def test_what_does_not_depend_on_the_rows_is_not_multiplied_by_them(monkeypatch):
    monkeypatch.setattr(estimate.time, "perf_counter", lambda: Fixed.now)
    n = 10_000
    data = Data(np.zeros((n, 1)), np.arange(n, dtype=float), lambda *given: 0.0)
    seconds = estimate.fit_time(Fixed(), data, np.arange(n))
    assert seconds(8000) == pytest.approx(0.2 + 0.8, rel=1e-6)
    assert seconds(100) == pytest.approx(0.2 + 0.2, rel=1e-6)  # not less than what was seen


def test_the_baseline_is_never_left_out():
    outcome = a_trial().outcome("mean", DummyRegressor(), no_tick, Share(-1.0))
    assert outcome.is_baseline and outcome.scores.size == 3


class SharesAsked:
    """A trial whose model "slow" wants 30 seconds."""

    splits: ClassVar = [0, 1]

    def __init__(self):
        self.asked = []

    def outcome(self, name, estimator, tick, share):
        self.asked.append((name, round(share.seconds)))
        if name == "slow" and share.seconds < 30:
            raise TooSlow("it wants 30 s")
        return SimpleNamespace(name=name)


def test_a_slow_model_gets_the_time_that_others_leave():
    trial = SharesAsked()
    found = run_contest(trial, dict.fromkeys(("slow", "a", "b", "c")), Budget(100), False, None)
    assert trial.asked == [("slow", 25), ("a", 33), ("b", 50), ("c", 100), ("slow", 100)]
    assert [one.name for one in found.outcomes] == ["slow", "a", "b", "c"] and found.left_out == []
    with pytest.raises(InvalidData, match="slow is left out: it wants 30 s"):
        run_contest(SharesAsked(), {"slow": None}, Budget(20), False, None)
