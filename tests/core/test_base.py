"""The frame around a fit: rollback, certificates on every fit, versions in pickles, callbacks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.callback import ProgressBar

import surefit
from surefit._core.base import VERSION, Estimator, fitting
from surefit._core.callbacks import Progress


class Counter(Estimator):
    """Counts rows; fails or is interrupted when told to."""

    def __init__(self, fail_with: object = None, max_iter: int = 3) -> None:
        self.fail_with = fail_with
        self.max_iter = max_iter

    @fitting
    def fit(self, X, y=None):
        self.n_rows_ = len(X)
        progress = Progress(self, self.max_iter, X)
        self.steps_ = 0
        for _ in range(self.max_iter):
            self.steps_ += 1
            if progress.step(lambda: {"steps_": self.steps_}):
                break
        progress.end()
        if self.fail_with is not None:
            raise self.fail_with


@pytest.mark.parametrize("failure", [ValueError("refused"), KeyboardInterrupt(), MemoryError()])
def test_a_failed_fit_leaves_the_estimator_as_it_was(failure):
    model = Counter().fit(np.zeros((5, 1)))
    before = dict(model.__dict__)
    model.fail_with = failure
    with pytest.raises(type(failure)):
        model.fit(np.zeros((7, 1)))
    assert model.__dict__ == {**before, "fail_with": failure}
    assert model.n_rows_ == 5


def test_a_failed_first_fit_leaves_it_unfitted():
    model = Counter(fail_with=ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        model.fit(np.zeros((7, 1)))
    assert not hasattr(model, "n_rows_")


class Stopper:
    """A callback of scikit-learn's protocol that stops after two iterations."""

    def __init__(self):
        self.events = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.events.append(f"end {context.task_name}")
        if context.task_name == "iteration":
            return fitted_estimator.steps_ == 2
        return False


def test_callbacks_see_iterations_and_may_stop_them():
    callback = Stopper()
    model = Counter(max_iter=10).set_callbacks(callback).fit(np.zeros((5, 1)))
    assert model.steps_ == 2
    iteration = ["begin iteration", "end iteration"]
    assert callback.events == ["setup", "begin fit", *iteration, *iteration, "end fit", "teardown"]


def test_callbacks_are_torn_down_when_the_fit_fails():
    callback = Stopper()
    with pytest.raises(ValueError, match="no"):
        Counter(fail_with=ValueError("no")).set_callbacks(callback).fit(np.zeros((5, 1)))
    assert callback.events[-1] == "teardown"


def test_progress_bar_of_scikit_learn_runs(capsys):
    assert Counter(max_iter=4).set_callbacks(ProgressBar()).fit(np.zeros((5, 1))).steps_ == 4


def test_pickles_carry_the_version_and_warn_about_another():
    from surefit.linear_model import Ridge

    model = Ridge().fit(np.eye(4), np.arange(4.0))
    state = model.__getstate__()
    assert state["_surefit_version"] == VERSION == surefit.__version__
    again = pickle.loads(pickle.dumps(model))
    assert "_surefit_version" not in again.__dict__
    np.testing.assert_array_equal(again.coef_, model.coef_)
    with pytest.warns(UserWarning, match=r"saved by surefit 0\.0\.1"):
        Ridge().__setstate__({**state, "_surefit_version": "0.0.1"})


def test_certify_always_keeps_the_certificate():
    from surefit.linear_model import Ridge

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    assert not hasattr(Ridge().fit(X, y), "certificate_")
    with surefit.config(certify="always"):
        model = Ridge().fit(X, y)
    assert model.certificate_.holds
    assert not hasattr(Ridge().fit(X, y), "certificate_")
