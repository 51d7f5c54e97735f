"""Gradient boosting against scikit-learn's stages, closed forms and its own promises."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.ensemble as peers
from sklearn.datasets import load_breast_cancer, load_iris, make_friedman1
from sklearn.linear_model import Ridge
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor as PeerTree

from surefit.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

X, Y = make_friedman1(n_samples=150, n_features=5, noise=1.0, random_state=0)
X = X.astype(np.float32).astype(np.float64)  # scikit-learn's trees see single precision
CANCER, MALIGN = load_breast_cancer(return_X_y=True)
CANCER, MALIGN = CANCER[::3].astype(np.float32).astype(np.float64), MALIGN[::3]
IRIS, SPECIES = load_iris(return_X_y=True)
SMALL = {"n_estimators": 12, "random_state": 0}


class TestAgainstScikitLearn:
    @pytest.mark.parametrize("loss", ["squared_error", "huber"])
    @pytest.mark.parametrize("more", [{}, {"max_leaf_nodes": 6, "max_depth": None}, {"min_samples_leaf": 0.1}])
    def test_regression_stages(self, loss, more):
        ours = GradientBoostingRegressor(loss=loss, **SMALL, **more).fit(X, Y)
        theirs = peers.GradientBoostingRegressor(loss=loss, **SMALL, **more).fit(X, Y)
        for a, b in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)
        np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)

    @pytest.mark.parametrize("loss", ["log_loss", "exponential"])
    def test_two_classes(self, loss):
        w = np.random.default_rng(0).random(len(MALIGN)) + 0.1
        ours = GradientBoostingClassifier(loss=loss, **SMALL).fit(CANCER, MALIGN, sample_weight=w)
        theirs = peers.GradientBoostingClassifier(loss=loss, **SMALL).fit(CANCER, MALIGN, sample_weight=w)
        for a, b in zip(ours.staged_decision_function(CANCER), theirs.staged_decision_function(CANCER), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(ours.predict_proba(CANCER), theirs.predict_proba(CANCER), rtol=1e-7)
        np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-8)

    def test_three_classes(self):
        ours = GradientBoostingClassifier(**SMALL).fit(IRIS, SPECIES)
        theirs = peers.GradientBoostingClassifier(**SMALL).fit(IRIS, SPECIES)
        np.testing.assert_allclose(ours.predict_proba(IRIS), theirs.predict_proba(IRIS), rtol=1e-6)
        np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-7)
        assert ours.apply(IRIS).shape == (150, 12, 3)
        assert ours.estimators_.shape == (12, 3)

    def test_a_start_of_ones_own_and_from_zero(self):
        for init in ("zero", Ridge()):
            ours = GradientBoostingRegressor(init=init, **SMALL).fit(X, Y)
            theirs = peers.GradientBoostingRegressor(init=init, **SMALL).fit(X, Y)
            np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5)  # theirs is fitted to float32


class TestLineSearch:
    @pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson"])
    def test_the_loss_never_rises(self, loss):
        model = GradientBoostingRegressor(loss=loss, line_search=True, learning_rate=1.0, **SMALL).fit(X, Y - Y.min())
        if loss == "huber":  # its scale changes from stage to stage: each with its own
            assert model.train_score_[-1] < model.train_score_[0]
        else:
            assert (np.diff(model.history_) <= 0).all()

    @pytest.mark.parametrize("loss", ["log_loss", "exponential"])
    def test_nor_for_classes(self, loss):
        model = GradientBoostingClassifier(loss=loss, line_search=True, **SMALL).fit(CANCER, MALIGN)
        assert (np.diff(model.history_) <= 0).all()
        assert (model.step_sizes_ > 1).all()  # leaves hold mean residuals, at most one in size
        np.testing.assert_allclose(
            list(model.staged_decision_function(CANCER))[-1][:, 0], model.decision_function(CANCER)
        )

    def test_the_step_is_where_the_slope_is_zero(self):
        """Σ ω ℓ′(y, f + s g) g = 0, ℓ′ = p − y, recomputed from the public attributes."""
        model = GradientBoostingClassifier(line_search=True, **SMALL).fit(CANCER, MALIGN)
        raw = np.full(len(MALIGN), np.log(MALIGN.mean() / (1 - MALIGN.mean())))
        for stage, step in zip(model.estimators_, model.step_sizes_, strict=True):
            g = stage[0].tree_.predict(CANCER)[:, 0]
            residual = MALIGN - 1 / (1 + np.exp(-raw))
            for leaf in np.unique(g):  # trees of means
                assert residual[g == leaf].mean() == pytest.approx(leaf, rel=1e-9)
            slopes = (1 / (1 + np.exp(-(raw + step * g))) - MALIGN) * g
            assert abs(slopes.sum()) <= 1e-10 * np.abs(slopes).sum()
            raw = raw + 0.1 * step * g
        np.testing.assert_allclose(model.decision_function(CANCER), raw, rtol=1e-10)

    def test_several_classes_share_a_step(self):
        model = GradientBoostingClassifier(line_search=True, **SMALL).fit(IRIS, SPECIES)
        assert model.step_sizes_.shape == (12,)
        assert (np.diff(model.history_) <= 0).all()
        assert model.score(IRIS, SPECIES) > 0.95


class TestBaseRegressor:
    @pytest.mark.parametrize("line_search", [False, True])
    def test_linear_stages_of_squared_error_are_one_linear_fit(self, line_search):
        """With steps of one and no shrinkage the first least-squares fit leaves nothing to the second."""
        model = GradientBoostingRegressor(
            estimator=Ridge(alpha=0.0), learning_rate=1.0, n_estimators=3, line_search=line_search
        ).fit(X, Y)
        np.testing.assert_allclose(model.predict(X), Ridge(alpha=0.0).fit(X, Y).predict(X), rtol=1e-9)

    def test_any_regressor_weights_or_not(self):
        model = GradientBoostingClassifier(estimator=SVR(), n_estimators=3, line_search=True).fit(CANCER, MALIGN)
        assert (np.diff(model.history_) <= 0).all()

        class NoWeights(Ridge):
            def fit(self, X, y):
                return super().fit(X, y)

        GradientBoostingRegressor(estimator=NoWeights(), n_estimators=2, subsample=0.5).fit(X, Y)
        with pytest.raises(ValueError, match="NoWeights does not support sample weights"):
            GradientBoostingRegressor(estimator=NoWeights(), n_estimators=2).fit(X, Y, np.arange(1.0, 151))

    def test_trees_given_as_an_estimator_have_their_seeds(self):
        model = GradientBoostingRegressor(estimator=PeerTree(max_depth=2), n_estimators=3).fit(X, Y)
        assert len({member.random_state for member in model.estimators_.ravel()}) == 3
        assert model.feature_importances_.sum() == pytest.approx(1.0)


class LogCosh:
    """log cosh(f − y)."""

    def value(self, y, raw):
        return np.logaddexp(raw - y, y - raw) - np.log(2)

    def gradient(self, y, raw):
        return np.tanh(raw - y)


class SquaredByHand:
    def value(self, y, raw):
        return (raw - y) ** 2 / 2

    def gradient(self, y, raw):
        return raw - y


class TestOwnLoss:
    def test_squared_error_by_hand_is_squared_error(self):
        """The searches in the leaves find the means."""
        own = GradientBoostingRegressor(loss=SquaredByHand(), **SMALL).fit(X, Y)
        named = GradientBoostingRegressor(**SMALL).fit(X, Y)
        np.testing.assert_allclose(own.predict(X), named.predict(X), rtol=1e-7)

    def test_log_cosh(self):
        model = GradientBoostingRegressor(loss=LogCosh(), n_estimators=40, random_state=0).fit(X, Y)
        assert (np.diff(model.history_) < 0).all()
        assert model.score(X, Y) > 0.8

    @pytest.mark.parametrize("labels", [SPECIES, SPECIES == 1], ids=["three", "two"])
    def test_log_loss_by_hand_for_classes(self, labels):
        class ByHand:
            def value(self, y, raw):
                if raw.ndim == 1:
                    return np.logaddexp(0, raw) - y * raw
                return np.logaddexp.reduce(raw, axis=1) - raw[np.arange(len(y)), y.astype(int)]

            def gradient(self, y, raw):
                if raw.ndim == 1:
                    return 1 / (1 + np.exp(-raw)) - y
                shares = np.exp(raw - np.logaddexp.reduce(raw, axis=1)[:, None])
                return shares - np.eye(raw.shape[1])[y.astype(int)]

        own = GradientBoostingClassifier(loss=ByHand(), line_search=True, **SMALL).fit(IRIS, labels)
        named = GradientBoostingClassifier(line_search=True, **SMALL).fit(IRIS, labels)
        np.testing.assert_allclose(own.predict_proba(IRIS), named.predict_proba(IRIS), rtol=1e-6, atol=1e-9)

    def test_what_is_no_loss_is_refused(self):
        with pytest.raises(ValueError, match="value"):
            GradientBoostingRegressor(loss=object()).fit(X, Y)
        with pytest.raises(ValueError, match="exponentially"):
            GradientBoostingClassifier(loss="exponentially").fit(X, Y > 14)


class TestPoisson:
    def test_stump_in_closed_form(self):
        """Counts 1, 3 | 8, 12: mean 6; Newton's steps are mean of the leaf / 6 − 1 = −2/3 and 2/3."""
        model = GradientBoostingRegressor(loss="poisson", learning_rate=1.0, n_estimators=1, max_depth=1)
        model.fit([[0.0], [1.0], [2.0], [3.0]], [1, 3, 8, 12])
        np.testing.assert_allclose(model.predict([[0.0], [3.0]]), [6 * np.exp(-2 / 3), 6 * np.exp(2 / 3)], rtol=1e-12)

    def test_many_stages_reach_the_means_and_negative_counts_are_refused(self):
        counts = np.array([1.0, 3.0, 8.0, 12.0, 0.0])
        A = np.arange(5.0)[:, None]
        model = GradientBoostingRegressor(loss="poisson", n_estimators=400, learning_rate=0.3).fit(A, counts)
        np.testing.assert_allclose(model.predict(A)[:4], counts[:4], rtol=1e-3)
        assert 0 < model.predict(A)[4] < 1e-3
        with pytest.raises(ValueError, match="≥ 0; row 1 of y is -1"):
            GradientBoostingRegressor(loss="poisson").fit(A[:2], [1, -1])


class TestRows:
    @pytest.mark.parametrize(
        "settings", [{}, {"subsample": 0.5}, {"line_search": True}, {"max_features": 2, "subsample": 0.7}], ids=str
    )
    @pytest.mark.parametrize("loss", ["squared_error", "quantile", "huber"])
    def test_weights_are_repetitions_in_any_order(self, settings, loss):
        rng = np.random.default_rng(5)
        w = rng.integers(0, 3, len(Y)).astype(float)
        twice = rng.permutation(np.repeat(np.arange(len(Y)), w.astype(int)))
        model = GradientBoostingRegressor(loss=loss, **SMALL, **settings)
        weighted = model.fit(X, Y, sample_weight=w).predict(X)
        np.testing.assert_allclose(weighted, model.fit(X[twice], Y[twice]).predict(X), rtol=1e-8)

    def test_early_stopping_too(self):
        rng = np.random.default_rng(5)
        w = rng.integers(0, 3, len(SPECIES)).astype(float)
        twice = rng.permutation(np.repeat(np.arange(len(w)), w.astype(int)))
        model = GradientBoostingClassifier(n_iter_no_change=3, n_estimators=30, tol=0.01, random_state=0)
        weighted = model.fit(IRIS, SPECIES, sample_weight=w)
        stages, scores, answers = weighted.n_estimators_, weighted.validation_score_, weighted.predict_proba(IRIS)
        assert stages < 30
        again = model.fit(IRIS[twice], SPECIES[twice])
        assert again.n_estimators_ == stages
        np.testing.assert_allclose(again.validation_score_, scores, rtol=1e-8)
        np.testing.assert_allclose(again.predict_proba(IRIS), answers, rtol=1e-7)

    def test_threads_and_sparse_rows_give_the_same_bits(self):
        A = np.where(X > 0.5, X, 0.0)
        for settings in ({}, {"subsample": 0.5}):
            one = GradientBoostingRegressor(n_jobs=1, **SMALL, **settings).fit(A, Y)
            two = GradientBoostingRegressor(n_jobs=2, **SMALL, **settings).fit(A, Y)
            thin = GradientBoostingRegressor(**SMALL, **settings).fit(sp.csr_matrix(A), Y)
            np.testing.assert_array_equal(one.predict(A), two.predict(A))
            np.testing.assert_array_equal(one.predict(A), thin.predict(sp.csc_matrix(A)))


class TestBags:
    def test_scores_of_rows_outside(self):
        model = GradientBoostingRegressor(subsample=0.6, **SMALL).fit(X, Y)
        assert model.oob_scores_.shape == model.oob_improvement_.shape == (12,)
        assert model.oob_score_ == model.oob_scores_[-1]
        np.testing.assert_allclose(model.oob_improvement_[1:], -np.diff(model.oob_scores_), rtol=1e-12)
        assert [int(member.tree_.n_node_samples[0]) for member in model.estimators_[:, 0]] == [90] * 12
        assert model.oob_scores_[-1] < model.oob_scores_[0]

    def test_tiny_weights_are_no_copies(self):
        """Weights that add up to one draw rows as if each counted once."""
        model = GradientBoostingRegressor(subsample=0.6, **SMALL).fit(X, Y, np.full(len(Y), 1 / len(Y)))
        same = GradientBoostingRegressor(subsample=0.6, **SMALL).fit(X, Y)
        np.testing.assert_allclose(model.predict(X), same.predict(X), rtol=1e-9)


class TestStages:
    def test_warm_start_continues(self):
        settings = {"subsample": 0.5, "max_features": 3, "random_state": 4}
        once = GradientBoostingRegressor(n_estimators=10, **settings).fit(X, Y)
        model = GradientBoostingRegressor(n_estimators=4, warm_start=True, **settings).fit(X, Y)
        model.set_params(n_estimators=10).fit(X, Y)
        np.testing.assert_allclose(model.predict(X), once.predict(X), rtol=1e-12)
        np.testing.assert_allclose(model.train_score_, once.train_score_, rtol=1e-10)
        np.testing.assert_allclose(model.oob_scores_, once.oob_scores_, rtol=1e-10)
        assert len(model.history_) == 11
        with pytest.raises(ValueError, match="n_estimators=3 must be larger"):
            model.set_params(n_estimators=3).fit(X, Y)

    def test_a_monitor_sees_and_stops(self):
        seen = []

        def monitor(i, model, variables):
            seen.append((len(model.estimators_), variables["raw_predictions"].shape))
            return i == 2

        model = GradientBoostingRegressor(**SMALL).fit(X, Y, monitor=monitor)
        assert model.n_estimators_ == len(model.estimators_) == len(model.train_score_) == 3
        assert seen == [(1, (150,)), (2, (150,)), (3, (150,))]

    def test_one_early_stop_by_hand(self):
        """Stop when the last score is not below any of the last two by tol."""
        model = GradientBoostingRegressor(n_iter_no_change=2, tol=0.5, n_estimators=200, random_state=0).fit(X, Y)
        scores, recent = model.validation_score_, [np.inf, np.inf]
        for i, score in enumerate(scores):
            better = any(score + 0.5 < old for old in recent)
            assert better == (i < len(scores) - 1)
            recent[i % 2] = score

    def test_verbose_prints_the_table(self, capsys):
        GradientBoostingRegressor(verbose=1, n_estimators=20, random_state=0).fit(X, Y)
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split() == ["Iter", "Train", "Loss", "Remaining", "Time"]
        assert len(lines) == 1 + 10 + 1


def test_pickles_are_small_and_whole():
    model = GradientBoostingClassifier(n_estimators=30, random_state=0).fit(CANCER, MALIGN)
    saved = pickle.dumps(model)
    nodes = sum(member.tree_.node_count for member in model.estimators_.ravel())
    assert len(saved) < 400 * nodes
    np.testing.assert_array_equal(pickle.loads(saved).predict_proba(CANCER), model.predict_proba(CANCER))


def test_too_few_rows_to_hold_out():
    with pytest.raises(ValueError, match="is all of the 20 rows"):
        GradientBoostingRegressor(n_iter_no_change=2, validation_fraction=0.01).fit(X[:20], Y[:20])
    with pytest.raises(ValueError, match="only 1 member"):
        GradientBoostingClassifier(n_iter_no_change=2).fit(X[:4], [0, 0, 0, 1])
