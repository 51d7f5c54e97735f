"""The contest as a whole: processes, interrupts, progress, leaks, groups, time, containers, models of other houses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.ensemble import RandomForestRegressor
from surefit.linear_model import LinearRegression, LogisticRegression, Ridge
from surefit.model_selection import compare
from surefit.model_selection.entrants import suited
from surefit.model_selection.running import in_order, n_processes

X, Y = load_diabetes(return_X_y=True)
CV = KFold(3, shuffle=True, random_state=1)


class Interrupting(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        raise KeyboardInterrupt


class Blank(RegressorMixin, BaseEstimator):
    """Gives no score on a fold."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))

    def score(self, X, y):
        return np.nan


def test_processes_give_the_bits_of_one():
    models = {"forest": RandomForestRegressor(5, random_state=0), "ridge": make_pipeline(StandardScaler(), Ridge())}
    one, two = (compare(models, X, Y, cv=CV, n_jobs=n) for n in (None, 2))
    for name in models:
        assert one[name].scores.tolist() == two[name].scores.tolist()
        assert one[name].predictions.tolist() == two[name].predictions.tolist()
        assert one[name].verdict == two[name].verdict
    assert one.verdict == two.verdict and one.opening == two.opening


def test_results_of_processes_come_in_order():
    assert list(in_order(divmod, [(n, 3) for n in range(7)], 2)) == [divmod(n, 3) for n in range(7)]
    assert n_processes(None) == 1 and n_processes(3) == 3 and n_processes(-1) >= 1
    for wrong in (0, 1.5, True):
        with pytest.raises(InvalidParameter, match="n_jobs must be a whole number"):
            n_processes(wrong)


def test_an_interrupt_keeps_what_is_done():
    models = {"done": LinearRegression(), "stopped": Interrupting(), "never": Ridge()}
    found = compare(models, X, Y, cv=CV)
    assert found.interrupted and [one.name for one in found.outcomes] == ["done"]
    assert [name for name, _ in found.left_out] == ["stopped", "never"]
    assert found.to_dict()["interrupted"] is True
    with pytest.raises(KeyboardInterrupt):
        compare({"stopped": Interrupting()}, X, Y, cv=CV)


def test_progress_tells_the_seconds_left():
    seen = []
    models = {"a": Ridge(), "b": LinearRegression()}
    compare(models, X, Y, cv=CV, time_budget=100, on_progress=lambda *step: seen.append(step))
    assert [step[0] for step in seen] == list(range(1, 9)) and {step[1] for step in seen} == {8}
    assert all(0 <= step[3] <= 100 for step in seen) and seen[-1][3] == 0


def test_a_fold_without_a_score_cannot_be_paired():
    with pytest.raises(InvalidData, match="its score on fold 0 is nan"):
        compare({"blank": Blank()}, X, Y, cv=CV, scoring=lambda model, X, y: model.score(X, y))
    found = compare(
        {"blank": Blank(), "ridge": Ridge()},
        X,
        Y,
        cv=CV,
        scoring=lambda model, X, y: model.score(X, y),
        failing="leave out",
    )
    assert [name for name, _ in found.left_out] == ["blank"]


def test_a_copy_of_the_target_and_copied_rows_are_told():
    leaky = np.column_stack([X, 3 * Y + 1])
    found = compare([Ridge()], leaky, Y, cv=CV)
    assert len(found.leaks) == 1 and "'column 10' is a copy of the target" in found.leaks[0]
    twice = compare([Ridge()], np.vstack([X, X]), np.r_[Y, Y], cv=CV)
    assert any("have an exact copy in the training part" in line for line in twice.leaks)
    assert compare([Ridge()], X, Y, cv=CV).leaks == []
    assert twice.profile.duplicate_rows == 442


def test_groups_stay_whole_unless_a_splitter_tears_them():
    groups = np.arange(442) // 4
    found = compare([Ridge()], X, Y, groups=groups)
    assert found.leaks == [] and found.splits == "5 folds of whole groups, seed 0"
    cv = GroupKFold(5, shuffle=True, random_state=0)
    expected = cross_val_score(SklearnRidge(), X, Y, groups=groups, cv=cv)
    np.testing.assert_allclose(found.best.scores, expected, rtol=1e-9)
    torn = compare([Ridge()], X, Y, groups=groups, cv=CV)
    assert len(torn.leaks) == 1 and torn.leaks[0].startswith("groups are torn apart: in 3 of 3 folds")
    labels = np.where(Y > 140, "high", "low")
    assert compare([LogisticRegression()], X, labels, groups=groups, cv=3).leaks == []
    with pytest.raises(InvalidData, match="groups must have one value for each of the 442 rows"):
        compare([Ridge()], X, Y, groups=groups[:5])
    with pytest.raises(InvalidParameter, match="at most the 2 groups"):
        compare([Ridge()], X, Y, groups=np.arange(442) % 2)


def test_time_runs_forward_unless_a_splitter_ignores_it():
    when = np.random.default_rng(0).permutation(442)
    found = compare([Ridge()], X, Y, time=when, cv=4)
    assert found.leaks == [] and found.splits == "4 folds forward in time"
    order = np.argsort(when)
    expected = cross_val_score(SklearnRidge(), X[order], Y[order], cv=TimeSeriesSplit(4))
    np.testing.assert_allclose(found.best.scores, expected, rtol=1e-9)
    assert found.best.predictions is None  # the first rows are never tested on
    ignored = compare([Ridge()], X, Y, time=pd.to_datetime(when, unit="D"), cv=CV)
    assert len(ignored.leaks) == 1 and ignored.leaks[0].startswith("time is ignored: 3 of 3 folds")


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_a_frame_and_an_array_of_the_same_numbers_give_the_same_scores_for_every_model(task):
    frame = load_breast_cancer(as_frame=True).data.iloc[:124, :6].copy()
    frame["flag"] = (frame["mean area"] > 700).astype(int)
    frame["count"] = np.arange(124) % 4
    frame.loc[frame.index[::9], "mean texture"] = np.nan
    y = load_breast_cancer().target[:124] if task == "classification" else frame["mean radius"].to_numpy() ** 2
    frame = frame.drop(columns=["mean radius", "mean area", "mean perimeter"])
    cv = KFold(2, shuffle=True, random_state=0)
    first, second = (compare(None, rows, y, task=task, cv=cv) for rows in (frame, frame.to_numpy(dtype=float)))
    assert [one.name for one in first.outcomes] == [one.name for one in second.outcomes]
    assert len(first.outcomes) >= 11 and first.left_out == second.left_out == []
    for one in first.outcomes:
        assert one.scores.tolist() == second[one.name].scores.tolist(), one.name
        assert one.parameters == second[one.name].parameters
    assert first.holds


def test_arrays_of_text_are_tables_too():
    rng = np.random.default_rng(3)
    words = np.column_stack([rng.choice(["red", "blue"], 80), rng.normal(size=80).round(3)]).astype(object)
    y = np.where((words[:, 0] == "red") ^ (rng.random(80) < 0.1), 1.0, 0.0) + rng.normal(size=80) / 10
    X, models, _ = suited(words, y, None, "regression", list(KFold(2).split(words)))
    found = compare({"Ridge": models["Ridge"], "MLP": models["MLP"]}, X, y, cv=KFold(2))
    assert found["Ridge"].interval.mean > 0.3 and found.n_features == 2


def test_every_outcome_says_what_it_is():
    found = compare(None, X[:90], Y[:90], cv=KFold(2))
    assert all(one.sentence and one.family and one.folds == found.best.folds for one in found.outcomes)
    assert [one.name for one in found.outcomes if one.is_baseline] == ["mean (baseline)"]
    assert found["HistGradientBoosting"].parameters.keys() == {"learning_rate", "max_leaf_nodes", "max_iter"}
    assert found["Ridge"].parameters.keys() == {"alpha"} and found["Ridge"].search_rows is None
    assert found["MLP"].family == "MLPRegressor" and found["MLP"].parameters.keys() == {"alpha"}
    assert all(len(one.fold_parameters) == 2 for one in found.outcomes)
    assert found.opening.count(".") >= 1 and found.verdict and found.seconds > 0


def test_the_name_of_a_series_is_the_target():
    found = compare([Ridge(), DummyRegressor()], X, pd.Series(Y, name="progression"), cv=CV)
    assert found.target == "progression" and "variance of progression" in found.opening
    assert "variance of sugar" in compare([Ridge()], X, Y, cv=CV, target="sugar").opening


@pytest.mark.parametrize(("package", "name"), [("lightgbm", "LGBMRegressor"), ("xgboost", "XGBRegressor")])
def test_models_of_other_houses_take_part(package, name):
    module = pytest.importorskip(package)
    other = getattr(module, name)(n_estimators=10, random_state=0)
    found = compare({"other": other, "ridge": Ridge()}, X, Y, cv=CV)
    np.testing.assert_allclose(found["other"].scores, cross_val_score(other, X, Y, cv=CV), rtol=1e-6)
    assert found["other"].verdict == "—" and found["ridge"].verdict == "✓ OPTIMAL"


def test_bad_levels_and_regions():
    for wrong in (0, 1, 2):
        with pytest.raises(InvalidParameter, match="level must be"):
            compare([Ridge()], X, Y, level=wrong)
    with pytest.raises(InvalidParameter, match="rope must be"):
        compare([Ridge()], X, Y, rope=-1)
    with pytest.raises(InvalidData, match="nothing to predict"):
        compare([Ridge()], X, np.ones(442))
