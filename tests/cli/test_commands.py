"""The commands, end to end: exit codes, one line for each fault, output that machines can read."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import RidgeCV as SklearnRidgeCV
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit.io import load, save


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with tables and models of every kind, good and bad."""
    folder = tmp_path_factory.mktemp("home")
    data = load_diabetes(as_frame=True, scaled=False).frame
    data.to_csv(folder / "good.csv", index=False)
    data.to_parquet(folder / "good.parquet", index=False)
    (folder / "parts").mkdir()
    data[:200].to_parquet(folder / "parts" / "a.parquet", index=False)
    data[200:].to_parquet(folder / "parts" / "b.parquet", index=False)
    data[["s1", "s2"]].to_csv(folder / "narrow.csv", index=False)
    data.assign(target=data["target"] + 100.0 * (data.index == 3)).to_csv(folder / "changed.csv", index=False)
    data.assign(s1=data["s1"].astype(object).where(data.index != 7, "much")).to_csv(folder / "text.csv", index=False)
    data.assign(s1=data["s1"].where(data.index != 7)).to_csv(folder / "gap.csv", index=False)
    data.assign(when=pd.date_range("2020", periods=len(data))).to_parquet(folder / "dates.parquet")
    data.assign(street=[f"street {i}" for i in data.index]).to_csv(folder / "street.csv", index=False)
    data.assign(kind=np.where(data["sex"] == 1, "a", "b")).to_csv(folder / "kinds.csv", index=False)
    data.assign(kind="a").to_csv(folder / "one.csv", index=False)
    data.assign(kind=np.where(data.index == 9, "c", np.where(data["sex"] == 1, "a", "b"))).to_csv(
        folder / "rare.csv", index=False
    )
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("a,b,target\n")
    (folder / "tiny.csv").write_text("a,target\n1,2\n2,3\n3,5\n")
    (folder / "broken.parquet").write_bytes(b"PAR1")
    (folder / "notes.txt").write_text("hello")
    X, y = data.drop(columns="target"), data["target"]
    good = save(SklearnRidge(alpha=0.5).fit(X, y), folder / "good.skops")
    (folder / "cut.skops").write_bytes(good.read_bytes()[:300])
    save(SklearnRidge(alpha=0.5).fit(X, y), folder / "good.joblib")
    save(make_pipeline(StandardScaler(), SklearnRidge()).fit(X, y), folder / "pipeline.skops")
    return folder


def test_compare_a_file(surefit, home):
    code, out, err = surefit("compare", "good.csv", "--target", "target", "--folds", 2, "--repeats", 1,
                             "--report", "page.html", "--time-budget", 0)  # fmt: skip
    assert code == 0
    assert "good.csv: regression of target, 442 rows × 10 columns, 2 folds × 1, seed 0" in out
    for name in ("LinearRegression", "LADRegressor", "Ridge", "SVR", "RBF network", "mean (baseline)"):
        assert name in out
    assert out.count("✓ OPTIMAL") == 6 and "✗" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert "Report: page.html" in err
    assert "good.csv" in (home / "page.html").read_text("utf-8")


def test_compare_for_machines(surefit):
    words = ("compare", "good.csv", "--target", "target", "--folds", 2, "--repeats", 1, "--seed", 5, "--no-report",
             "--json", "--time-budget", 0)  # fmt: skip
    code, out, err = surefit(*words)
    assert code == 0 and err == ""
    read = json.loads(out)
    ridge = next(one for one in read["models"] if one["name"] == "Ridge")
    X, y = load_diabetes(return_X_y=True, scaled=False)
    twin = make_pipeline(StandardScaler(), SklearnRidgeCV(alphas=10.0 ** (np.arange(-6, 9) / 2)))
    expected = cross_val_score(twin, X, y, cv=RepeatedKFold(n_splits=2, n_repeats=1, random_state=5))
    np.testing.assert_allclose(ridge["scores"], expected, rtol=1e-9)
    assert ridge["certificates"]["RidgeCV"]["holds"] is True
    assert read["report"] is None and read["n_rows"] == 442
    assert "--seed 5" in read["command"]


@pytest.mark.parametrize("dataset", ["iris", "wine"])
def test_compare_as_clusterings(surefit, dataset, tmp_path):
    report = tmp_path / "page.html"
    words = ("--task", "clustering", "--folds", 3, "--repeats", 1, "--report", report, "--time-budget", 0)
    code, out, _ = surefit("compare", "--dataset", dataset, *words)
    assert code == 0
    assert "k-means" in out and "Gaussian mixture" in out and "stability" in out
    assert out.count("✓ EXACT") == 4 + 1  # linkages, DBSCAN
    assert "silhouette" in out and "is left out: clustering has no target" in " ".join(out.split())
    assert report.stat().st_size > 10_000


def test_compare_classes_for_machines(surefit):
    words = ("compare", "--dataset", "iris", "--folds", 2, "--repeats", 1, "--seed", 5, "--no-report", "--json",
             "--time-budget", 0)  # fmt: skip
    code, out, err = surefit(*words)
    assert code == 0 and err == ""
    read = json.loads(out)
    assert read["task"] == "classification" and read["metric"] == "accuracy"
    assert read["classes"] == [{"label": name, "rows": 50} for name in ("setosa", "versicolor", "virginica")]
    X, y = load_iris(return_X_y=True)
    model = next(one for one in read["models"] if one["name"] == "LogisticRegression")
    splits = RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=5).split(X, y)
    for (train, test), score, chosen in zip(splits, model["scores"], model["fold_parameters"], strict=True):
        twin = make_pipeline(StandardScaler(), SklearnLogisticRegression(C=chosen["C"], tol=1e-8, max_iter=1000))
        assert score == twin.fit(X[train], y[train]).score(X[test], y[test])
    assert model["extra"]["log-loss"] > 0 and model["holds"] is True


def test_compare_classes_for_people(surefit, tmp_path):
    report = tmp_path / "page.html"
    code, out, _ = surefit(
        "compare",
        "kinds.csv",
        "--target",
        "kind",
        "--drop",
        "sex",
        "--folds",
        2,
        "--repeats",
        1,
        "--report",
        report,
        "--time-budget",
        0,
    )
    assert code == 0
    assert "kinds.csv: classification of kind, 442 rows × 10 columns, 2 stratified folds × 1" in " ".join(out.split())
    assert "majority (baseline)" in out and "LogisticRegression" in out and "log-loss" in out
    assert "✓ OPTIMAL" in out and "✗" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert "log-loss" in report.read_text("utf-8")


@pytest.mark.parametrize("data", ["good.csv", "good.parquet", "parts"])
def test_fit_certify_predict(surefit, home, tmp_path, data):
    model, preds = tmp_path / "model.skops", tmp_path / "preds.csv"
    code, out, err = surefit("fit", "Ridge", data, "--target", "target", "--set", "alpha=0.5", "--out", model)
    assert code == 0 and out.startswith("✓ OPTIMAL  Ridge  442 × 10")
    assert err.startswith("Streamed" if data == "parts" else "Read")
    frame = pd.read_csv(home / "good.csv")
    X, y = frame.drop(columns="target"), frame["target"]
    twin = SklearnRidge(alpha=0.5).fit(X, y)
    np.testing.assert_allclose(load(model).coef_, twin.coef_, rtol=1e-8)
    code, out, _ = surefit("certify", model, data, "--target", "target")
    assert code == 0 and out.startswith("✓ OPTIMAL")
    code, out, _ = surefit("predict", model, data, "--out", preds)
    assert code == 0 and out == ""
    np.testing.assert_allclose(pd.read_csv(preds)["prediction"], twin.predict(X), rtol=1e-8)


def test_streaming_gives_the_same_bits(surefit, tmp_path):
    for name, more in (("memory", ()), ("stream", ("--stream",))):
        code, _, err = surefit("fit", "LinearRegression", "good.parquet", "-y", "target", "--out",
                               tmp_path / f"{name}.skops", *more)  # fmt: skip
        assert code == 0 and ("block by block" in err) == (name == "stream")
    memory, stream = load(tmp_path / "memory.skops"), load(tmp_path / "stream.skops")
    np.testing.assert_array_equal(memory.coef_, stream.coef_)


def test_a_table_beyond_memory_is_streamed(surefit):
    import surefit as package

    with package.config(memory_limit=50_000):
        code, _, err = surefit("fit", "Ridge", "good.parquet", "--target", "target")
    assert code == 0
    assert "Streamed good.parquet" in err and "KiB are free" in err


@pytest.mark.parametrize("words", [("good.skops",), ("good.joblib", "--trust"), ("pipeline.skops",)])
def test_models_of_scikit_learn_are_certified(surefit, words):
    code, out, _ = surefit("certify", *words, "good.csv", "--target", "target", "--json")
    assert code == 0
    assert json.loads(out)["certificates"]["Ridge"]["holds"] is True


def test_other_data_than_the_model_was_fitted_on_is_exit_code_one(surefit):
    code, out, _ = surefit("certify", "good.skops", "changed.csv", "--target", "target")
    assert code == 1 and out.startswith("✗ NOT_OPTIMAL")
    code, out, _ = surefit("certify", "good.skops", "changed.csv", "--target", "target", "--json")
    assert code == 1 and json.loads(out)["holds"] is False


def test_fit_and_predict_for_machines(surefit, tmp_path):
    model = tmp_path / "pca.skops"
    code, out, err = surefit("fit", "PCA", "good.csv", "--drop", "target", "--set", "n_components=2", "--out", model,
                             "--json")  # fmt: skip
    read = json.loads(out)
    assert code == 0 and err == ""
    assert read["parameters"]["n_components"] == 2 and read["n_features"] == 10 and read["holds"] is True
    code, out, _ = surefit("predict", model, "good.csv", "--json")
    read = json.loads(out)
    assert code == 0 and list(read["columns"]) == ["pca0", "pca1"] and len(read["columns"]["pca0"]) == 442
    code, out, _ = surefit("predict", model, "good.csv", "--quiet")
    assert out.splitlines()[0] == "pca0,pca1" and len(out.splitlines()) == 443
    code, out, _ = surefit("predict", model, "good.csv", "--json", "--out", tmp_path / "p.parquet")
    assert json.loads(out)["n_rows"] == 442 and pd.read_parquet(tmp_path / "p.parquet").shape == (442, 2)


def test_settings_are_literals_or_words(surefit, tmp_path):
    model = tmp_path / "k.skops"
    words = ("--set", "n_clusters=3", "--set", "init=random", "--set", "random_state=0", "--set", "n_init=2")
    code, out, _ = surefit("fit", "KMeans", "good.csv", *words, "--out", model, "--json")
    assert code == 0
    assert json.loads(out)["parameters"] | {"init": "random", "n_clusters": 3} == json.loads(out)["parameters"]
    assert load(model).cluster_centers_.shape == (3, 11)


@pytest.mark.parametrize("labels", [("a", "b", "c"), (0, 1, 2)], ids=["text", "numbers"])
def test_a_classifier_takes_labels_of_any_kind(surefit, tmp_path, labels):
    iris = load_iris(as_frame=True).frame
    iris["kind"] = [labels[code] for code in iris.pop("target")]
    data, model, preds = tmp_path / "iris.csv", tmp_path / "m.skops", tmp_path / "p.csv"
    iris.to_csv(data, index=False)
    code, out, _ = surefit("fit", "LogisticRegression", data, "--target", "kind", "--out", model)
    assert code == 0 and out.startswith("✓ ")
    code, out, _ = surefit("certify", model, data, "--target", "kind", "--json")
    assert code == 0 and json.loads(out)["holds"] is True
    code, _, _ = surefit("predict", model, data, "--out", preds)
    twin = SklearnLogisticRegression(max_iter=10_000, tol=1e-10).fit(iris.drop(columns="kind"), iris["kind"])
    assert code == 0 and list(pd.read_csv(preds)["prediction"]) == list(twin.predict(iris.drop(columns="kind")))
