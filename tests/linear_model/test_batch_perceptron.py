"""The batch perceptron: sequences by hand and in exact fractions, Novikoff's bound, proofs that it cannot end."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import surefit
from surefit._core.errors import CannotStream
from surefit.linear_model import BatchPerceptron, LinearProgramClassifier
from surefit.solvers.margin.batch_perceptron import SEPARATED, BatchPerceptronVisit
from surefit.solvers.margin.signed_rows import SignedRows
from tests.reference.batch_perceptron import batch_perceptron_reference

KINDS = {"dense": np.asarray, "float32": lambda X: X.astype(np.float32), "CSR": sp.csr_array}


def signed(X, sign, fit_intercept=True):
    return sign[:, None] * (np.column_stack([X, np.ones(len(X))]) if fit_intercept else X)


def in_fractions(A):
    return np.array([[Fraction(value) for value in row] for row in A.tolist()], dtype=object)


def quiet_fit(X, y, w=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return BatchPerceptron(**parameters).fit(X, y, w)


def neighbours(N):
    """x = N against x = N − 1. The point of the segment from (N, 1) to −(N − 1, 1) that is nearest the origin has
    squared length 1/((2N − 1)² + 4): twice the area of the triangle is 1. So (R·B)² is as below."""
    X, y = np.array([[float(N)], [N - 1.0]]), np.array([1, 0])
    return X, y, float((N**2 + 1) * ((2 * N - 1) ** 2 + 4))


def test_a_sequence_by_hand():
    """Rows (2, 1) and −(1, 1): θ goes (2,1) (1,0) (0,−1) (2,0) (1,−1) (0,−2) (2,−1) (1,−2) (3,−1) (2,−2) (1,−3) (3,−2)
    (2,−3), where both products are 1."""
    rows = SignedRows(np.array([[2.0], [1.0]]), np.array([1.0, -1.0]), True)
    visit = BatchPerceptronVisit(rows)
    assert visit.run(100, 10**6) == SEPARATED
    coef, intercept = rows.in_users_units(visit.theta)
    assert (coef[0], intercept, visit.updates) == (2.0, -3.0, 13)
    assert visit.passes.tolist() == [2, 1, 2, 1, 2, 2, 1, 2, 0]


def test_the_estimator_follows_one_of_the_two_orders():
    X, y, bound = neighbours(2)
    model = BatchPerceptron().fit(X, y)
    A = signed(X, 2.0 * y - 1)
    answers = []
    for order in permutations(range(2)):
        theta, updated = batch_perceptron_reference(in_fractions(A[list(order)]), 1000)
        answers.append((*map(float, theta), len(updated)))
    assert (model.coef_[0, 0], model.intercept_[0], model.n_updates_) in answers
    assert bound == 65
    assert model.bound_ == pytest.approx(bound, rel=1e-12)
    assert model.n_updates_ <= bound
    assert model.history_.sum() == model.n_updates_ and len(model.history_) == model.n_iter_


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_the_loop_against_its_reference_in_fractions(seed, fit_intercept, kind):
    rng = np.random.default_rng(seed)
    d = 1 + seed
    X = rng.integers(-6, 7, (60, d)).astype(float)
    scores = X @ rng.normal(size=d) + 0.3 * fit_intercept
    apart = np.abs(scores) > 0.4
    X, sign = X[apart], np.where(scores[apart] > 0, 1.0, -1.0)
    theta, updated = batch_perceptron_reference(in_fractions(signed(X, sign, fit_intercept)), 10**5)
    rows = SignedRows(KINDS[kind](X), sign, fit_intercept)
    visit = BatchPerceptronVisit(rows)
    while visit.run(10**5, 500) != SEPARATED:  # taken up again and again
        pass
    coef, intercept = rows.in_users_units(visit.theta)
    assert np.append(coef, [intercept] if fit_intercept else []).tolist() == [float(v) for v in theta]
    assert visit.updates == len(updated)
    assert rows.certain(visit.theta)


def test_many_updates_at_a_small_margin():
    """Thousands of updates, in whole numbers: the rows that are not looked at make no difference."""
    X, y, _ = neighbours(60)
    far = np.arange(1.0, 20) * 100
    X, y = np.vstack([X, 60 + far[:, None], 59 - far[:, None]]), np.append(y, np.repeat([1, 0], 19))
    sign = 2.0 * y - 1
    theta, updated = batch_perceptron_reference(signed(X, sign), 10**6)
    visit = BatchPerceptronVisit(SignedRows(X, sign, True))
    assert visit.run(10**6, 10**9) == SEPARATED
    assert visit.updates == len(updated) > 1000
    assert np.append(*visit.rows.in_users_units(visit.theta)).tolist() == theta.tolist()


@pytest.mark.parametrize("labels", [(0, 0, 0, 1), (0, 1, 1, 1), (1, 1, 1, 0)], ids=["and", "or", "nand"])
def test_gates_that_can_be_separated(labels):
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = BatchPerceptron().fit(X, labels)
    assert model.separable_ is True and model.farkas_ is None
    assert model.predict(X).tolist() == list(labels)
    assert (model.coef_ == np.round(model.coef_)).all()  # sums of rows
    assert model.n_updates_ <= model.bound_
    assert model.certify(X, labels).holds


def test_the_bound_of_a_gate_by_hand():
    """And: rows −(0,0,1), −(0,1,1), −(1,0,1), (1,1,1). θ = (2, 2, −3) has the margins 3, 1, 1, 1 and is
    5·(−(0,1,1)) + 5·(−(1,0,1)) + 7·(1,1,1): weights ≥ 0 on rows of margin 1 alone, so it is the shortest. B² = 17,
    R² = 3."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = BatchPerceptron().fit(X, [0, 0, 0, 1])
    assert model.bound_ == pytest.approx(3 * 17, rel=1e-12)


def test_exclusive_or_has_a_proof():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    with pytest.warns(UserWarning, match="not linearly separable: farkas_ proves it"):
        model = BatchPerceptron().fit(X, y)
    assert model.separable_ is False and model.margin_ is None and np.isnan(model.bound_)
    np.testing.assert_allclose(model.farkas_, 0.25, rtol=1e-14)
    assert model.n_updates_ > 0
    assert model.certify(X, y).holds


def test_equal_rows_with_contrary_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = (X[:, 0] > 0).astype(int)
    X[4], y[4] = X[9], 1 - y[9]
    model = quiet_fit(X, y)
    assert model.separable_ is False
    assert model.farkas_.min() >= 0 and model.farkas_.sum() == pytest.approx(1, rel=1e-14)
    sums = signed(X, np.where(y == 1, 1.0, -1.0)).T @ model.farkas_
    np.testing.assert_allclose(sums, 0, atol=1e-15)
    assert model.certify(X, y).holds


def test_bound_and_certificate_on_iris():
    X, y = load_iris(return_X_y=True)
    for name, to in KINDS.items():
        model = BatchPerceptron().fit(to(X), y == 0)
        assert model.separable_ and model.n_updates_ <= model.bound_, name
        certificate = model.certify(to(X), y == 0)
        assert certificate.holds, str(certificate)
        assert {claim.name for claim in certificate} >= {"separates", "margin", "updates", "bound"}
    sign = np.where(y == 0, 1, -1)
    least = (sign * model.decision_function(X)).min() / np.linalg.norm(model.coef_)
    assert model.margin_ == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("N", [3, 30, 1000])
def test_the_bound_in_closed_form_where_the_updates_are_stopped(N):
    X, y, bound = neighbours(N)
    with pytest.warns(ConvergenceWarning, match="stopped after 5 updates"):
        model = BatchPerceptron(max_updates=5).fit(X, y)
    assert model.n_updates_ == 5
    assert model.separable_ is None and model.margin_ is None and model.farkas_ is None
    assert model.bound_ == pytest.approx(bound, rel=1e-9)
    assert not model.certify(X, y).holds  # nothing is claimed


def test_the_last_update_allowed_is_enough():
    X, y, _ = neighbours(7)
    needed = BatchPerceptron().fit(X, y).n_updates_
    assert BatchPerceptron(max_updates=needed).fit(X, y).separable_ is True
    with pytest.warns(ConvergenceWarning):
        assert BatchPerceptron(max_updates=needed - 1).fit(X, y).separable_ is None


def test_bits_do_not_depend_on_order_repetition_or_weights():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4))
    y = (X @ [1.0, -2.0, 0.5, 1.0] + 0.2 > 0).astype(int)
    straight = BatchPerceptron().fit(X, y)
    order = rng.permutation(200)
    times = rng.integers(1, 4, 200)
    others = [
        BatchPerceptron().fit(X[order], y[order]),
        BatchPerceptron().fit(np.repeat(X, times, axis=0), np.repeat(y, times)),
        BatchPerceptron().fit(X, y, rng.random(200) + 0.1),
        BatchPerceptron().fit(np.vstack([X, -X]), np.append(y, y), np.repeat([1.0, 0.0], 200)),
    ]
    for other in others:
        assert other.coef_.tolist() == straight.coef_.tolist()
        assert other.intercept_.tolist() == straight.intercept_.tolist()
        assert other.n_updates_ == straight.n_updates_ and other.bound_ == straight.bound_


@pytest.mark.parametrize("power", [27, 600, -600, 1000])
def test_powers_of_two_change_nothing_without_an_intercept(power):
    rng = np.random.default_rng(4)
    X = rng.integers(-20, 21, (80, 3)).astype(float)
    sign = np.where(X @ [3.0, -1.0, 0.41] > 0, 1.0, -1.0)
    plain, scaled = (BatchPerceptronVisit(SignedRows(rows, sign, False)) for rows in (X, np.ldexp(X, power)))
    assert plain.run(10**5, 10**8) == scaled.run(10**5, 10**8) == SEPARATED
    assert scaled.updates == plain.updates
    coef, _ = scaled.rows.in_users_units(scaled.theta)
    assert coef.tolist() == np.ldexp(plain.rows.in_users_units(plain.theta)[0], power).tolist()
    model = BatchPerceptron(fit_intercept=False).fit(np.ldexp(X, power), sign)
    assert model.bound_ == pytest.approx(BatchPerceptron(fit_intercept=False).fit(X, sign).bound_, rel=1e-12)


def test_large_numbers_with_an_intercept():
    rng = np.random.default_rng(5)
    X = 1e8 * rng.normal(size=(100, 3))
    y = X @ [1.0, 1.0, -1.0] > 0
    model = BatchPerceptron().fit(X, y)
    assert model.separable_ and model.certify(X, y).holds


def test_coefficients_beyond_floating_point_are_an_error():
    X = np.array([[1.7e308, 1e308], [1.7e308, -1e308], [-1.7e308, 1.0]])
    with pytest.raises(ValueError, match="left the range of floating-point numbers"):
        BatchPerceptron(fit_intercept=False).fit(np.vstack([X, X * 0.99, X * 0.98]), [1, 0, 1] * 3)


def test_constant_and_dependent_columns():
    rng = np.random.default_rng(6)
    x = rng.normal(size=50)
    X = np.column_stack([x, 2 * x, np.full(50, 3.0), np.zeros(50)])
    y = x > 0.1
    model = BatchPerceptron().fit(X, y)
    assert model.separable_ and model.certify(X, y).holds
    mixed = quiet_fit(X, rng.random(50) > 0.5)
    assert mixed.separable_ is False


def test_a_row_of_zeros_without_an_intercept_is_on_no_side():
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, -2.0]]), np.array([1, 1, 0])
    model = quiet_fit(X, y, fit_intercept=False)
    assert model.separable_ is False
    np.testing.assert_allclose(model.farkas_, [1, 0, 0], atol=1e-15)
    assert BatchPerceptron(fit_intercept=False).fit(X, y, [0, 1, 1]).separable_


@pytest.mark.parametrize("cls", [BatchPerceptron, LinearProgramClassifier])
def test_files_and_dask_are_refused(cls, tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"a": [0.0, 1.0], "label": ["no", "yes"]})
    frame.to_parquet(tmp_path / "rows.parquet")
    parts = dd.from_pandas(frame, npartitions=1)
    with pytest.raises(CannotStream, match=f"{cls.__name__} .*Perceptron or LogisticRegression, which reads it"):
        cls().fit(surefit.scan(tmp_path / "rows.parquet", target="label"))
    with pytest.raises(CannotStream, match="got a dask source"):
        cls().fit(parts[["a"]], parts["label"])


class Counting:
    """A callback that counts the steps of a fit, and may ask to stop it."""

    def __init__(self, most=None):
        self.most, self.steps, self.updates = most, 0, []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        if context.task_name == "iteration":
            self.steps += 1
            self.updates.append(fitted_estimator.n_updates_)
        return self.most is not None and self.steps >= self.most


def test_callbacks_see_the_updates_and_may_stop_them():
    X, y, bound = neighbours(1000)
    watched = Counting()
    model = BatchPerceptron(max_updates=10**7).set_callbacks(watched).fit(X, y)
    assert model.separable_ and model.n_updates_ == watched.updates[-1] <= bound
    assert watched.steps > 1 and watched.updates == sorted(watched.updates)
    with pytest.warns(ConvergenceWarning, match="stopped after"):
        model = BatchPerceptron(max_updates=10**7).set_callbacks(Counting(most=2)).fit(X, y)
    assert model.separable_ is None and model.n_updates_ == watched.updates[1]


def test_refusals():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        BatchPerceptron().fit(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="only one class"):
        BatchPerceptron().fit(np.eye(3), [1, 1, 1])
    with pytest.raises(ValueError, match="max_updates"):
        BatchPerceptron(max_updates=0).fit(np.eye(2), [0, 1])
