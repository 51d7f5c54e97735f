"""The checkers of RBFInterpolator and of networks: good fits, long double, SciPy's interpolator, and mutations."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import RBFInterpolator as ScipyInterpolator

from surefit.certificates import Grade
from surefit.certificates.rbf.rbf_interpolator import check_rbf_interpolator
from surefit.rbf import RBFInterpolator, RBFNetworkClassifier, RBFNetworkRegressor
from tests.certificates.bench import altered, blocks, certify, changed, failing
from tests.reference.ridge import long_ridge

rng = np.random.default_rng(4)
N = 50
X = rng.normal(size=(N, 2)) * [1.0, 3.0] + 2.0
Y = np.sin(X[:, 0]) + X[:, 1]
Y2 = np.column_stack([Y, Y**2])
W = rng.integers(0, 3, N).astype(float)
LABELS = np.array(["a", "b", "c"])[np.digitize(Y, [1.5, 4.0])]
NAMES = ("gaussian", "multiquadric", "inverse_multiquadric", "thin_plate_spline", "linear", "cubic")


@pytest.mark.parametrize("kernel", NAMES)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("data", [(X, Y), (X, Y2, W), (X.astype(np.float32), Y.astype(np.float32)), (X + 1e4, Y)])
def test_accepts_surfaces(kernel: str, smoothing: float, data: Any) -> None:
    c = certify(RBFInterpolator(kernel, smoothing=smoothing).fit(*data), *data)
    assert c.holds and not c.not_checked, f"\n{c}"


@pytest.mark.parametrize("kernel", ["thin_plate_spline", "cubic", "linear"])
def test_accepts_the_surface_of_scipy(kernel: str) -> None:
    """Weights and polynomial of SciPy's interpolator, in its own coordinates."""
    other = ScipyInterpolator(X, Y, kernel=kernel)
    sign = -1.0 if kernel == "linear" else 1.0  # SciPy has −r
    n = len(X)
    model = SimpleNamespace(
        kernel=kernel, degree=None, smoothing=0.0, centers_=X, weights_=sign * other._coeffs[:n, 0], width_=None,
        polynomial_=other._coeffs[n:, 0], powers_=other.powers, shift_=other._shift, scale_=other._scale, predict=other,
    )  # fmt: skip
    claims, _ = check_rbf_interpolator(model, blocks(X, Y), 1e-6)
    assert all(claim.holds for claim in claims), claims


SURFACE = RBFInterpolator("thin_plate_spline").fit(X, Y)
WIDE = RBFInterpolator("gaussian", width=1.0).fit(X, Y)


@pytest.mark.parametrize(
    ("model", "change", "fails"),
    [
        (SURFACE, {"weights_": changed(SURFACE.weights_, 3, 0.01)}, "points"),
        (SURFACE, {"weights_": SURFACE.weights_[::-1].copy()}, "points"),
        (SURFACE, {"weights_": SURFACE.weights_[:-1]}, "attributes"),
        (SURFACE, {"weights_": changed(SURFACE.weights_, 0, np.nan)}, "attributes"),
        (SURFACE, {"polynomial_": SURFACE.polynomial_ * 1.01}, "points"),
        (SURFACE, {"polynomial_": SURFACE.polynomial_[:2]}, "attributes"),
        (SURFACE, {"powers_": SURFACE.powers_[::-1].copy()}, "points"),
        (SURFACE, {"shift_": SURFACE.shift_ + 0.1}, "points"),
        (SURFACE, {"scale_": SURFACE.scale_ * 1.1}, "points"),
        (SURFACE, {"centers_": X[::-1].copy()}, "points"),
        (SURFACE, {"centers_": X + 1e-9}, "centers"),
        (SURFACE, {"kernel": "cubic"}, "points"),
        (SURFACE, {"kernel": "unknown"}, "attributes"),
        (SURFACE, {"smoothing": 0.1}, "points"),
        (SURFACE, {"smoothing": -1.0}, "attributes"),
        (SURFACE, {"degree": 2}, "polynomial"),
        (WIDE, {"width_": 1.01}, "attributes"),
        (WIDE, {"width": None, "width_": 1.01}, "points"),
        (WIDE, {"weights_": WIDE.weights_ * 1.001}, "points"),
    ],
)
def test_rejects_mutations_of_surfaces(model: Any, change: dict[str, Any], fails: str) -> None:
    assert certify(model, X, Y).holds
    assert fails in failing(certify(altered(model, **change), X, Y))


def test_rejects_weights_that_are_not_orthogonal() -> None:
    """A surface through all points without a polynomial is not the thin plate spline."""
    r = np.linalg.norm(X[:, None] - X[None], axis=2)
    plain = np.linalg.solve(np.where(r > 0, r**2 * np.log(np.where(r > 0, r, 1.0)), 0.0), Y)
    assert failing(certify(altered(SURFACE, weights_=plain, polynomial_=np.zeros(3)), X, Y)) == {"polynomial"}


def test_rejects_other_data_for_surfaces() -> None:
    assert not certify(SURFACE, X[3:], Y[3:]).holds
    assert not certify(SURFACE, X, Y + np.arange(N)).holds
    assert not certify(SURFACE, np.vstack([X, X[:1] + 1]), np.append(Y, 0.0)).holds


# --- networks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", NAMES[:3])
@pytest.mark.parametrize("options", [{}, {"alpha": 1.0}, {"forgetting": 0.97}, {"fit_intercept": False}])
@pytest.mark.parametrize("cls", [RBFNetworkRegressor, RBFNetworkClassifier])
def test_accepts_networks(kernel: str, options: dict[str, Any], cls: type) -> None:
    for A, y in ((X, Y), (X.astype(np.float32), Y)):
        target = y if cls is RBFNetworkRegressor else LABELS
        c = certify(cls(8, kernel=kernel, random_state=0, **options).fit(A, target, W), A, target, W)
        assert c.holds and c.grade in (Grade.OPTIMAL, Grade.BOUNDED) and not c.not_checked, f"\n{c}"


@pytest.mark.parametrize("size", [1e-8, 1e-5, 1e-2])
def test_printed_gap_of_a_network_bounds_the_true_one(size: float) -> None:
    model = RBFNetworkRegressor(6, alpha=0.1, random_state=0).fit(X, Y, W)
    liar = altered(model, coef_=model.coef_ * (1 + size * rng.choice([-1.0, 1.0], 6)))
    sq_dist = ((X[:, None].astype(np.longdouble) - model.centers_) ** 2).sum(axis=2)
    phi = np.exp(-sq_dist / (2 * np.longdouble(model.width_) ** 2))
    coef, b, _ = long_ridge(phi, Y[:, None], W, 0.1, True)

    def value(coef: Any, b: Any) -> Any:
        r = Y - phi @ coef.astype(np.longdouble) - b
        return (W * r * r).sum() + np.longdouble(0.1) * (coef.astype(np.longdouble) ** 2).sum()

    least = value(coef[0], b[0])
    true, claim = float(value(liar.coef_, liar.intercept_) / least - 1), certify(liar, X, Y, W)["optimal"]
    assert claim.value is not None and claim.value >= true * (1 - 1e-9)
    assert not (claim.holds and true > 1e-6 + claim.excuse)


NETWORK = RBFNetworkRegressor(6, random_state=0).fit(X, Y)
VOTES = RBFNetworkClassifier(6, random_state=0).fit(X, LABELS)


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"coef_": changed(NETWORK.coef_, 0, 0.1)}, "optimal"),
        ({"coef_": NETWORK.coef_[::-1].copy()}, "optimal"),
        ({"coef_": NETWORK.coef_[:3]}, "attributes"),
        ({"intercept_": NETWORK.intercept_ + 0.1}, "optimal"),
        ({"centers_": NETWORK.centers_ + 0.1}, "optimal"),
        ({"centers_": NETWORK.centers_[:, :1]}, "attributes"),
        ({"n_centers": 5}, "attributes"),
        ({"width_": NETWORK.width_ * 1.1}, "optimal"),
        ({"width_": 0.0}, "attributes"),
        ({"alpha": 1.0}, "optimal"),
        ({"forgetting": 0.9}, "optimal"),
        ({"kernel": "multiquadric"}, "optimal"),
        ({"n_samples_seen_": 3}, "seen"),
    ],
)
def test_rejects_mutations_of_networks(change: dict[str, Any], fails: str) -> None:
    assert certify(NETWORK, X, Y).holds
    assert fails in failing(certify(altered(NETWORK, **change), X, Y))


def test_rejects_mutations_of_classifiers() -> None:
    assert certify(VOTES, X, LABELS).holds
    for change in (
        {"coef_": VOTES.coef_[::-1].copy()},
        {"classes_": VOTES.classes_[::-1].copy()},
        {"classes_": np.array([1, 2, 3])},
        {"intercept_": VOTES.intercept_ + 0.01},
    ):
        assert not certify(altered(VOTES, **change), X, LABELS).holds, change

    class Sure(RBFNetworkClassifier):
        def predict_proba(self, X: Any) -> Any:
            return np.round(super().predict_proba(X))

    assert failing(certify(Sure(6, random_state=0).fit(X, LABELS), X, LABELS)) == {"predict_proba"}
