"""Models kept and read back: the same bits, no code run, clear refusals."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import surefit
from surefit.cluster import KMeans
from surefit.decomposition import PCA
from surefit.io import SKOPS_TRUSTED, estimator_classes, load, save
from surefit.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeCV
from tests.laws.registry import instances, sample

X, Y = load_diabetes(return_X_y=True)
MODELS = [LinearRegression(), Ridge(0.5), RidgeCV(), PCA(3), KMeans(3, random_state=0), LogisticRegression()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("suffix", [".skops", ".joblib", ".pkl"])
def test_a_model_comes_back_with_the_same_bits(model, suffix, tmp_path):
    y = Y > 150 if is_classifier(model) else Y
    model = model.fit(X, y)
    path = save(model, tmp_path / f"model{suffix}")
    again = load(path, trust=suffix != ".skops")
    assert type(again) is type(model)
    method = "predict" if hasattr(model, "predict") else "transform"
    np.testing.assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))
    assert surefit.certify(again, X, y).holds


@pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)
def test_the_published_list_is_all_that_skops_needs(model, tmp_path):
    rows, target, _ = sample(model)
    path = save(model.fit(rows, target), tmp_path / "model.skops")
    assert set(skops.io.get_untrusted_types(file=path)) <= set(SKOPS_TRUSTED)
    assert type(skops.io.load(path, trusted=SKOPS_TRUSTED)) is type(model)


def test_a_pipeline_with_scikit_learn_in_it(tmp_path):
    model = make_pipeline(StandardScaler(), PCA(4), RidgeCV()).fit(X, Y)
    again = load(save(model, tmp_path / "pipeline.skops"))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_pickle_is_read_only_on_trust(tmp_path):
    path = tmp_path / "model.joblib"
    joblib.dump(SklearnRidge().fit(X, Y), path)
    with pytest.raises(ValueError, match="can run any code"):
        load(path)
    assert isinstance(load(path, trust=True), SklearnRidge)


class Stranger(SklearnRidge):
    pass


def test_an_unknown_type_is_read_only_on_trust(tmp_path):
    path = save(Stranger().fit(X, Y), tmp_path / "stranger.skops")
    with pytest.raises(ValueError, match=r"not trusted: .*Stranger"):
        load(path)
    assert type(load(path, trust=True)) is Stranger


@pytest.mark.parametrize("suffix", [".skops", ".pkl"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_file_cut_short_is_refused(suffix, share, tmp_path):
    whole = save(Ridge().fit(X, Y), tmp_path / f"whole{suffix}").read_bytes()
    path = tmp_path / f"cut{suffix}"
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ValueError, match="cut short"):
        load(path, trust=True)


def test_names_of_files_are_checked(tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.skops"):
        save(Ridge(), tmp_path / "model.txt")
    with pytest.raises(ValueError, match="no model file"):
        load(tmp_path / "absent.skops")


def test_a_new_estimator_is_in_the_list_as_soon_as_it_is_exported(monkeypatch):
    class Newcomer(Ridge):
        pass

    name = f"{Newcomer.__module__}.{Newcomer.__qualname__}"
    assert name not in surefit.io.SKOPS_TRUSTED
    monkeypatch.setattr(surefit.linear_model, "__all__", [*surefit.linear_model.__all__, "Newcomer"])
    monkeypatch.setattr(surefit.linear_model, "Newcomer", Newcomer, raising=False)
    assert estimator_classes()["Newcomer"] is Newcomer
    assert name in surefit.io.SKOPS_TRUSTED
