"""Networks on parameters and rows that nobody should give: a clear error, and no answer that is not a number."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.neural_network import MLPClassifier, MLPRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
Y = (X[:, 0] > 0).astype(int)
T = X[:, 0]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", ["batch_size", "max_iter"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "x", np.nan, True], ids=str)
def test_counts_that_are_none(name, value):
    with pytest.raises(ValueError, match=name):
        MLPClassifier((3,), **{name: value}).fit(X, Y)


@pytest.mark.parametrize(
    "value", [(0,), (2.5,), "abc", ("a",), None, [3, [2]], (True,), -3, np.array([[3, 2]])], ids=str
)
def test_layers_that_are_none(value):
    with pytest.raises((ValueError, TypeError), match="hidden_layer_sizes"):
        MLPClassifier(value).fit(X, Y)


def test_layers_beyond_memory_are_refused_before_they_are_made():
    with pytest.raises(MemoryError, match="smaller hidden_layer_sizes"):
        MLPClassifier((10**9, 10**9)).fit(X, Y)
    with pytest.raises(MemoryError, match="smaller hidden_layer_sizes"):
        MLPRegressor(hidden_layer_sizes=(10**9, 10**9)).partial_fit(X, T)


def test_no_hidden_layer_and_a_batch_of_all_rows():
    model = MLPClassifier((), batch_size=10**6, max_iter=3, random_state=0).fit(X, Y)
    assert model.n_layers_ == 2 and np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
@pytest.mark.parametrize("case", ["constant y", "1e200 y", "1e200 X", "one row"])
def test_numbers_that_are_answered_are_finite(solver, case):
    rows, y = {"constant y": (X, np.ones(30)), "1e200 y": (X, 1e200 * T), "1e200 X": (1e200 * X, T),
               "one row": (X[:1], T[:1])}[case]  # fmt: skip
    model = MLPRegressor(hidden_layer_sizes=(3,), solver=solver, random_state=0, max_iter=30)
    try:
        model.fit(rows, y)
    except ValueError as fault:
        assert "non-finite" in str(fault) or "scale" in str(fault).lower(), fault
        assert case in ("1e200 y", "1e200 X")
    else:
        assert np.isfinite(model.predict(rows)).all() and np.isfinite(model.final_loss_)


BAD = {
    "other columns": (X[:, :2], Y, "features"), "empty": (X[:0], Y[:0], "0 sample"), "1-d": (X[:, 0], Y, "2D array"),
    "NaN": (np.where(X > 1, np.nan, X), Y, "NaN"), "infinite": (np.where(X > 1, np.inf, X), Y, "infinity"),
    "short y": (X, Y[:5], "5"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("cls", [MLPClassifier, MLPRegressor])
def test_a_bad_batch_leaves_the_model_as_it_was(cls, case):
    rows, y, says = BAD[case]
    first = {"classes": [0, 1]} if cls is MLPClassifier else {}
    model = cls(hidden_layer_sizes=(3,), random_state=0).partial_fit(X, Y, **first)
    before = [W.copy() for W in model.coefs_]
    with pytest.raises(ValueError, match=says):
        model.partial_fit(rows, y)
    assert all(np.array_equal(a, b) for a, b in zip(before, model.coefs_, strict=True))
    assert np.isfinite(model.partial_fit(X, Y).loss_)


def test_classes_that_were_not_named():
    model = MLPClassifier((3,), random_state=0).partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, Y, classes=[0, 2])
    with pytest.raises(ValueError, match=r"has classes not in|not among"):
        model.partial_fit(X, Y + 1)


@pytest.mark.parametrize("cls", [MLPClassifier, MLPRegressor])
@pytest.mark.parametrize("case", ["wider", "deeper", "other columns"])
@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_a_warm_start_with_other_layers_is_refused(cls, case, solver):
    model = cls(hidden_layer_sizes=(3,), solver=solver, warm_start=True, random_state=0, max_iter=3).fit(X, Y)
    rows = X[:, :2] if case == "other columns" else X
    model.set_params(hidden_layer_sizes={"wider": (4,), "deeper": (3, 3)}.get(case, (3,)))
    with pytest.raises(ValueError, match=r"goes on from layers \[3, 3, 1\].*warm_start=False"):
        model.fit(rows, Y)
    if solver == "adam" and case != "other columns":
        with pytest.raises(ValueError, match=r"goes on from layers \[3, 3, 1\]"):
            model.partial_fit(rows, Y)
    fresh = cls(**{**model.get_params(), "warm_start": False}).fit(rows, Y)
    again = model.set_params(warm_start=False).fit(rows, Y)
    assert all(np.array_equal(a, b) for a, b in zip(fresh.coefs_, again.coefs_, strict=True))


def test_a_warm_start_with_more_targets_is_refused():
    model = MLPRegressor(hidden_layer_sizes=(3,), warm_start=True, random_state=0, max_iter=3).fit(X, T)
    with pytest.raises(ValueError, match=r"\[3, 3, 2\] are asked for"):
        model.fit(X, np.column_stack([T, T]))


@pytest.mark.parametrize("change", [{"activation": "tanh"}, {"solver": "lbfgs"}, {"solver": "sgd"}, {"alpha": 1.0}])
def test_a_warm_start_may_change_how_it_goes_on(change):
    model = MLPClassifier((3,), warm_start=True, random_state=0, max_iter=3).fit(X, Y)
    assert np.isfinite(model.set_params(**change).fit(X, Y).final_loss_)
