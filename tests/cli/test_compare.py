"""`surefit compare` on a small field of models: what is printed, what is kept, and what happens when it goes wrong."""

from __future__ import annotations

import json
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import RepeatedKFold
from sklearn.preprocessing import StandardScaler

import surefit.model_selection.candidates as candidates
from surefit.io import load
from surefit.model_selection.comparison import Comparison

FIELD = ("mean (baseline)", "LinearRegression", "Ridge", "majority (baseline)", "LDA", "GaussianNB")
QUICK = ("--folds", 3, "--repeats", 1, "--no-report", "--time-budget", 0)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    rng = np.random.default_rng(3)
    n = 90
    frame = pd.DataFrame({"size": rng.normal(size=n), "work": rng.choice(["own", "state", "firm"], n)})
    frame["when"] = pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d")
    frame["customer_id"] = np.arange(n) + 1000
    frame["who"] = [f"p{i % 12}" for i in range(n)]
    frame["price"] = 5 * frame["size"] + (frame["work"] == "own") + rng.normal(size=n) / 5
    frame["kind"] = np.where(frame["size"] + rng.normal(size=n) / 2 > 0, "dear", "cheap")
    frame.loc[4, "size"] = np.nan
    frame.loc[6, "work"] = None
    frame.to_csv(folder / "houses.csv", index=False)
    frame.assign(copy=frame["price"] * 2).to_csv(folder / "copied.csv", index=False)
    frame[["size", "price"]].dropna().to_csv(folder / "plain.csv", index=False)
    return folder


@pytest.fixture(autouse=True)
def small_field(monkeypatch):
    monkeypatch.setattr(candidates, "CANDIDATES", [one for one in candidates.CANDIDATES if one.name in FIELD])


def test_opening_table_verdict_notes_in_this_order(surefit):
    code, out, err = surefit("compare", "houses.csv", "-y", "price", "--drop", "kind", *QUICK)
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    parts = ["the variance of price", "houses.csv: regression of price, 90 rows", "R² ± 95 %", "mean (baseline)",
             "cannot be told apart", "Note: "]  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "'customer_id' (names the rows)" in text and "'when' is read as year, month, weekday and days" in text
    code, out, _ = surefit("compare", "houses.csv", "-y", "price", "--drop", "kind", *QUICK, "--quiet")
    assert code == 0 and "Note: " not in out and "cannot be told apart" in out


def test_a_copy_of_the_target_is_a_warning_even_when_quiet(surefit):
    _, out, _ = surefit("compare", "copied.csv", "-y", "price", "--drop", "kind", *QUICK, "--quiet")
    assert "Warning: the column 'copy' is a copy of the target" in " ".join(out.split())


def test_scores_are_those_of_scikit_learn(surefit, home):
    words = ("--folds", 3, "--repeats", 2, "--seed", 5, "--no-report", "--json", "--time-budget", 0)
    code, out, err = surefit("compare", "plain.csv", "-y", "price", "--metric", "neg_mean_absolute_error", *words)
    assert (code, err) == (0, "")
    read = json.loads(out)
    model = next(one for one in read["models"] if one["name"] == "LinearRegression")
    frame = pd.read_csv(home / "plain.csv")
    X, y = StandardScaler().fit_transform(frame[["size"]]), frame["price"].to_numpy()
    expected = []
    for train, test in RepeatedKFold(n_splits=3, n_repeats=2, random_state=5).split(X):
        fitted = SklearnLinearRegression().fit(X[train], y[train])
        expected.append(-mean_absolute_error(y[test], fitted.predict(X[test])))
    np.testing.assert_allclose(model["scores"], expected, rtol=1e-9)
    assert read["metric"] == "−MAE"
    assert "--scoring neg_mean_absolute_error --repeats 2 --folds 3 --seed 5" in read["command"]


@pytest.mark.parametrize(("target", "drop"), [("price", "kind"), ("kind", "price")])
def test_the_best_model_is_kept_with_its_preparation(surefit, home, tmp_path, target, drop):
    model, preds = tmp_path / "best.skops", tmp_path / "preds.csv"
    code, out, err = surefit("compare", "houses.csv", "-y", target, "--drop", drop, *QUICK, "--out", model)
    assert code == 0 and f"Model: {model}" in err
    frame = pd.read_csv(home / "houses.csv")
    assert load(model).predict(frame).shape == (90,)
    code, out, _ = surefit("certify", model, "houses.csv", "-y", target)
    assert code == 0 and out.startswith("✓ ")
    more = ["--proba"] if target == "kind" else []
    code, _, _ = surefit("predict", model, "houses.csv", *more, "--out", preds)
    found = pd.read_csv(preds)
    assert code == 0
    if target == "kind":
        assert list(found) == ["prediction", "p_cheap", "p_dear"]
        np.testing.assert_allclose(found["p_cheap"] + found["p_dear"], 1, rtol=1e-12)
        assert (np.where(found["p_dear"] > 0.5, "dear", "cheap") == found["prediction"]).all()
        assert (found["prediction"] == frame["kind"]).mean() > 0.8
    else:
        known = frame["size"].notna()
        assert np.corrcoef(found["prediction"][known], frame["price"][known])[0, 1] > 0.99


def test_groups_and_time_decide_the_folds(surefit):
    words = ("--folds", 3, "--no-report", "--json", "--time-budget", 0, "--drop", "kind")
    code, out, _ = surefit("compare", "houses.csv", "-y", "price", "--groups", "who", *words)
    read = json.loads(out)
    assert code == 0 and read["splits"] == "3 folds of whole groups, seed 0"
    assert "who" not in [column["name"] for column in read["columns"]]
    assert not any("groups are torn apart" in leak for leak in read["leaks"])
    code, out, _ = surefit("compare", "houses.csv", "-y", "price", "--time", "when", *words)
    read = json.loads(out)
    assert code == 0 and read["splits"] == "3 folds forward in time"
    assert not any("time is ignored" in leak for leak in read["leaks"])


@pytest.mark.parametrize("broken", ["report", "model"])
def test_the_table_is_printed_whatever_happens_to_the_files(surefit, home, tmp_path, monkeypatch, broken):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Comparison, "report", full if broken == "report" else lambda self, path: None)
    monkeypatch.setattr("surefit.cli.compare.save", full if broken == "model" else lambda model, path: path)
    files = ("--report", tmp_path / "page.html", "--out", tmp_path / "best.skops")
    words = ("--folds", 3, "--repeats", 1, "--time-budget", 0)
    code, out, err = surefit("compare", "plain.csv", "-y", "price", *words, *files)
    assert code == 2
    assert "LinearRegression" in out and "mean (baseline)" in out
    assert err.splitlines()[-1] == "surefit: [Errno 28] No space left on device"


def test_an_interrupt_shows_the_models_that_are_done(surefit, monkeypatch):
    @contextmanager
    def impatient(quiet):
        def tick(done, total, name, left):
            if name == "Ridge":
                raise KeyboardInterrupt

        yield tick

    monkeypatch.setattr("surefit.cli.compare.progress_bar", impatient)
    code, out, err = surefit("compare", "plain.csv", "-y", "price", *QUICK)
    assert code == 130 and err == "surefit: interrupted\n"
    assert "LinearRegression" in out and "mean (baseline)" in out
    assert "Left out: Ridge: interrupted before it was finished." in " ".join(out.split())


def test_levels_of_confidence_and_practical_equivalence(surefit):
    code, out, _ = surefit("compare", "plain.csv", "-y", "price", *QUICK, "--rope", 5, "--level", 0.9, "--json")
    read = json.loads(out)
    assert code == 0 and read["level"] == 0.9
    assert "are the same (within 5)" in read["verdict"]
    assert "--rope 5" in read["command"] and "--level 0.9" in read["command"]
