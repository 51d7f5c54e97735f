"""The checker of PCA on scikit-learn's fits, against NumPy's decompositions, and on mutations."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA, IncrementalPCA
from sklearn.preprocessing import StandardScaler

from surefit.certificates import CertificateError, Grade
from surefit.certificates.search.spectral import principal_axes
from tests.certificates.bench import altered, certify, changed, failing

CANCER = load_breast_cancer().data
rng = np.random.default_rng(13)
N, D = 350, 9
X = rng.normal(size=(N, D)) @ np.diag(np.linspace(4, 0.5, D)) @ np.linalg.qr(rng.normal(size=(D, D)))[0] + 3.0


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack"])
@pytest.mark.parametrize("whiten", [False, True])
def test_accepts_every_exact_solver(solver: str, whiten: bool) -> None:
    c = certify(PCA(4, svd_solver=solver, whiten=whiten, random_state=0).fit(X), X)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


GOOD: dict[str, tuple[PCA, Any]] = {
    "all": (PCA(), X),
    "by share": (PCA(0.9), X),
    "wide": (PCA(5), X[:8].T.copy()),
    "wide, all": (PCA(), X.T.copy()[:, :40]),
    "wide by covariance": (PCA(4, svd_solver="covariance_eigh"), X.T.copy()[:, :40]),
    "single precision": (PCA(4), X.astype(np.float32)),
    "offset of a million": (PCA(4, svd_solver="full"), X + 1e6),
    "duplicated columns": (PCA(12), np.hstack([X, X])),
    "constant column": (PCA(), np.hstack([X, np.full((N, 1), 0.1)])),
    "constant data": (PCA(2, svd_solver="full"), np.ones((9, 3))),
    "equal eigenvalues": (PCA(1), np.vstack([np.eye(3), -np.eye(3)])),
    "raw breast cancer": (PCA(), CANCER),
    "scales that differ by a million": (PCA(), X * np.logspace(-3, 3, D)),
}
GRADES = {
    "single precision": Grade.BOUNDED,
    "scales that differ by a million": Grade.BOUNDED,
    "constant data": Grade.EXACT,
}


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(data), data)
    assert c.holds, f"\n{c}"
    assert c.grade is GRADES.get(name, Grade.OPTIMAL)
    assert c.not_checked == ()


@pytest.mark.parametrize("solver", ["arpack", "covariance_eigh"])
def test_accepts_sparse(solver: str) -> None:
    S = sp.random(200, 30, 0.2, format="csr", random_state=4)
    c = certify(PCA(5, svd_solver=solver).fit(S), S)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


def test_randomised_is_bounded_and_the_bound_is_true() -> None:
    flat = rng.normal(size=(300, 250))
    model = PCA(8, svd_solver="randomized", iterated_power=2, random_state=0).fit(flat)
    c = certify(model, flat)
    assert c.holds and c.grade is Grade.BOUNDED, f"\n{c}"
    truth = np.linalg.eigvalsh(np.cov(flat.T))[::-1][:8]
    off = np.abs(model.explained_variance_ - truth) / truth
    assert off.max() > 1e-6 and (np.array(c["variances"].detail["values"]) >= off).all()
    assert {x.name for x in c if x.grade is Grade.BOUNDED} == {"variances", "directions", "own_variance"}
    assert not certify(altered(model, explained_variance_=model.explained_variance_ * 0.99), flat).holds
    assert not certify(altered(model, components_=np.roll(model.components_, 1, axis=0)), flat).holds
    assert not certify(altered(model, explained_variance_=model.explained_variance_ * 1.5), flat).holds


def test_weights_are_repetitions() -> None:
    w = rng.integers(1, 4, size=N)
    again = np.repeat(X, w, axis=0)
    assert certify(PCA(4, svd_solver="full").fit(again), X, w=w.astype(float)).holds
    assert not certify(PCA(4, svd_solver="full").fit(X), X, w=w.astype(float)).holds


def test_covariance_route_loses_an_offset() -> None:
    """XᵀX − n m mᵀ cancels: at an offset of a million its eigenvalues are wrong in the fifth digit."""
    model = PCA(4, svd_solver="covariance_eigh").fit(X + 1e6)
    truth = np.linalg.eigvalsh(np.cov((X + 1e6).T))[::-1][:4]
    assert np.abs(model.explained_variance_ - truth).max() / truth[0] > 1e-8
    assert {"variances", "directions"} <= failing(certify(model, X + 1e6))


MODEL = PCA(4, svd_solver="full").fit(X)
ALL = PCA(svd_solver="full").fit(X)
ROTATION = np.array([[np.cos(0.01), -np.sin(0.01)], [np.sin(0.01), np.cos(0.01)]])
TURNED = np.vstack([ROTATION @ MODEL.components_[:2], MODEL.components_[2:]])


def but(model: PCA, order: list[int]) -> dict[str, Any]:
    names = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_")
    return {name: getattr(model, name)[order] for name in names}


def left_out(order: list[int]) -> dict[str, Any]:
    """A model that keeps others than the largest, and is right in all else."""
    noise = (ALL.explained_variance_.sum() - ALL.explained_variance_[order].sum()) / (D - len(order))
    return {**but(ALL, order), "noise_variance_": noise}


LESSER, BUT_FIRST = left_out([0, 1, 2, 4]), left_out([1, 2, 3, 4])


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"components_": changed(MODEL.components_, (0, 0), 1e-4)}, "orthonormal"),
        ({"components_": MODEL.components_ * 2}, "orthonormal"),
        ({"components_": MODEL.components_[[1, 0, 2, 3]]}, "directions"),
        ({"components_": TURNED}, "directions"),
        ({"components_": np.zeros((4, D))}, "orthonormal"),
        ({"components_": np.eye(4, D)}, "directions"),
        ({"components_": changed(MODEL.components_, (0, 0), np.nan)}, "attributes"),
        ({"components_": MODEL.components_[:, :-1]}, "attributes"),
        ({"components_": MODEL.components_[:3]}, "attributes"),
        (but(ALL, [0, 1, 2]), "n_components"),
        (but(ALL, [0, 1, 2, 3, 4]), "n_components"),
        ({"n_components": 3}, "n_components"),
        ({"n_components": None}, "n_components"),
        ({"n_components": "mle"}, "n_components"),
        ({"n_components": 0.5}, "n_components"),
        ({"n_components": 0.99}, "n_components"),
        ({"n_components": "all"}, "n_components"),
        ({"explained_variance_": MODEL.explained_variance_ * (1 + 1e-5)}, "variances"),
        ({"explained_variance_": -MODEL.explained_variance_}, "variances"),
        ({"explained_variance_ratio_": MODEL.explained_variance_ratio_ * 1.001}, "derived"),
        ({"explained_variance_ratio_": MODEL.explained_variance_ratio_ * np.nan}, "derived"),
        ({"singular_values_": MODEL.singular_values_ * 1.001}, "derived"),
        ({"singular_values_": -MODEL.singular_values_}, "derived"),
        ({"noise_variance_": MODEL.noise_variance_ * 1.01}, "derived"),
        ({"noise_variance_": "much"}, "attributes"),
        ({"n_samples_": N + 1}, "derived"),
        ({"n_components_": 5}, "derived"),
        ({"mean_": MODEL.mean_ * (1 + 1e-5)}, "mean"),
        ({"mean_": np.zeros(D)}, "mean"),
        ({"mean_": MODEL.mean_[::-1].copy()}, "mean"),
        ({"whiten": "no"}, "transform"),
        (but(ALL, [1, 0, 2, 3]), "variances"),
        (LESSER, "variances"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds
    assert fails in failing(certify(altered(MODEL, **change), X))


@pytest.mark.parametrize("solver", ["full", "covariance_eigh"])
def test_small_components_are_held_to_their_own_variance(solver: str) -> None:
    """Of thirty components of raw breast cancer data, any two neighbours turned, and any variance changed."""
    model = PCA(svd_solver=solver).fit(CANCER)
    lam = model.explained_variance_
    assert certify(model, CANCER).holds and lam[-1] < 1e-11 * lam[0]
    for j in range(29):
        turn = np.eye(30)
        turn[j : j + 2, j : j + 2] = [[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]]
        assert failing(certify(altered(model, components_=turn @ model.components_), CANCER)) == {"directions"}
    for j in range(30):
        for factor in (1.01, 0.99):
            c = certify(altered(model, explained_variance_=np.where(np.arange(30) == j, factor * lam, lam)), CANCER)
            assert "variances" in failing(c) and c["variances"].grade is Grade.NOT_OPTIMAL


def eigenpairs(data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the covariance, in fifty digits, by mpmath."""
    with mpmath.workdps(50):
        A = mpmath.matrix(data.tolist())
        n, d = data.shape
        mean = [mpmath.fsum(A[:, j]) / n for j in range(d)]
        for j in range(d):
            for i in range(n):
                A[i, j] -= mean[j]
        values, vectors = mpmath.eigsy(A.T * A / (n - 1))
        order = sorted(range(d), key=lambda j: -values[j])
        return (
            np.array([values[j] for j in order], dtype=object),
            np.array([[vectors[i, j] for i in range(d)] for j in order], dtype=object),
        )


@pytest.mark.parametrize("offset", [0.0, 3e3, 1e6])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_numbers_printed_bound_the_truth(offset: float, kind: type) -> None:
    r = np.random.default_rng(5)
    data = r.normal(size=(40, 5)) * [1.0, 0.9, 1e-2, 1e-3, 1e-4] @ np.linalg.qr(r.normal(size=(5, 5)))[0] + offset
    data = data.astype(kind)
    mu, Q = eigenpairs(data)
    model = PCA(svd_solver="full").fit(data)
    for size in (0.0, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1):
        V = np.linalg.qr((model.components_ + size * r.normal(size=(5, 5))).astype(float).T)[0].T
        lam = model.explained_variance_.astype(float) * (1 + size * r.normal(size=5))
        c = certify(altered(model, components_=V.astype(kind), explained_variance_=lam.astype(kind)), data)
        V, lam = V.astype(kind).astype(object), lam.astype(kind).astype(object)
        off = np.abs(lam - mu) / mu
        e = [
            float(np.sum((Q @ v) ** 2 * 2 * (mu - m) ** 2 / ((mu + m) * m)) ** 0.5) for v, m in zip(V, mu, strict=True)
        ]
        if "no_variance" not in c:
            assert (np.array(c["variances"].detail["values"]) >= off).all()
            assert (np.array(c["directions"].detail["values"]) >= e).all()
        excuse = 10 * np.finfo(kind).eps * np.sqrt(float(mu.sum()) / mu.astype(float))
        if (off > 1.01 * (1e-6 + excuse)).any() or (np.array(e) > 1e-5 + 2 * excuse).any():
            assert not c.holds


def test_equal_variances_leave_the_basis_free() -> None:
    data = np.vstack([np.eye(3), -np.eye(3)]) * [5.0, 1.0, 1.0]
    model = PCA().fit(data)
    free = np.array([[1, 0, 0], [0, 0.6, 0.8], [0, -0.8, 0.6]])
    assert certify(altered(model, components_=free), data).holds
    assert "directions" in failing(certify(altered(model, components_=free[[1, 0, 2]]), data))


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99, 0.999999])
def test_a_share_of_the_variance(share: float) -> None:
    model = PCA(share, svd_solver="full").fit(CANCER)
    assert certify(model, CANCER).holds
    more = PCA(model.n_components_ + 1, svd_solver="full").fit(CANCER)
    assert failing(certify(altered(more, n_components=share), CANCER)) == {"n_components"}


def test_minkas_choice_is_not_recomputed() -> None:
    c = certify(PCA("mle", svd_solver="full").fit(X), X)
    assert failing(c) == {"n_components"} and c.grade is Grade.UNPROVED and "not recomputed" in c.failures[0].sentence


def test_answers_are_looked_at() -> None:
    class Other(PCA):
        def transform(self, X: Any) -> Any:
            return 2 * super().transform(X)

    class Back(PCA):
        def inverse_transform(self, X: Any) -> Any:
            raise RuntimeError("no way back")

    assert failing(certify(Other(3).fit(X), X)) == {"transform"}
    assert failing(certify(Back(3).fit(X), X)) == {"inverse_transform"}


def test_signs_are_free() -> None:
    flipped = MODEL.components_ * np.array([[-1.0], [1.0], [-1.0], [1.0]])
    assert certify(altered(MODEL, components_=flipped), X).holds


def test_rejects_other_data() -> None:
    assert not certify(MODEL, X[2:]).holds
    assert not certify(MODEL, X * 1.001).holds
    assert not certify(MODEL, X[:, ::-1]).holds
    assert certify(MODEL, X[::-1]).holds


@pytest.fixture
def too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a spectrum: what is then left are residuals, and a search for a larger variance."""
    monkeypatch.setattr(principal_axes, "MAX_ORDER", 5)


@pytest.mark.usefixtures("too_large")
@pytest.mark.parametrize("solver", ["full", "arpack", "randomized", "covariance_eigh"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_too_large_for_a_spectrum(solver: str, kind: type) -> None:
    data = X.astype(kind)
    c = certify(PCA(2, svd_solver=solver, random_state=0).fit(data), data)
    assert c.holds and c.grade is Grade.UNPROVED and c.not_checked == (), f"\n{c}"
    assert {claim.name for claim in c if claim.grade is Grade.UNPROVED} == {"largest"}
    assert "not proved" in c["largest"].sentence and c["directions"].value < 1e-3


@pytest.mark.usefixtures("too_large")
@pytest.mark.parametrize("model", [PCA(svd_solver="full"), PCA(0.9, svd_solver="full"), PCA(3, whiten=True)])
def test_too_large_and_asked_otherwise(model: PCA) -> None:
    data = X * 1.5 + 1e3
    assert certify(model.fit(data), data).holds
    w = rng.integers(1, 4, size=N)
    again = np.repeat(data, w, axis=0)
    assert certify(model.fit(again), data, w=w.astype(float)).holds


def swapped(j: int) -> np.ndarray:
    """The components, with one that is replaced by a random direction at right angles to the others."""
    V = MODEL.components_.copy()
    others = np.delete(V, j, axis=0)
    v = rng.normal(size=D)
    v -= others.T @ (others @ v)
    V[j] = v / np.linalg.norm(v)
    return V


@pytest.mark.usefixtures("too_large")
@pytest.mark.parametrize(
    ("change", "fails"),
    [
        *[({"components_": swapped(j)}, "directions") for j in range(4)],
        *[
            ({"explained_variance_": MODEL.explained_variance_ * (1 + size * (np.arange(4) == j))}, "directions")
            for j in range(4)
            for size in (0.01, -0.01, 1e-5)
        ],
        ({"explained_variance_": MODEL.explained_variance_ * 1.01}, "own_variance"),
        ({"explained_variance_": np.zeros(4)}, "directions"),
        (LESSER, "largest"),
        (BUT_FIRST, "largest"),
        ({"components_": TURNED}, "directions"),
        ({"components_": np.zeros((4, D))}, "orthonormal"),
        ({"components_": MODEL.components_ * 2}, "orthonormal"),
        ({"components_": MODEL.components_[[1, 0, 2, 3]]}, "directions"),
        ({"mean_": MODEL.mean_ * (1 + 1e-5)}, "mean"),
        ({"singular_values_": MODEL.singular_values_ * 1.001}, "derived"),
        ({"explained_variance_ratio_": MODEL.explained_variance_ratio_ * 1.001}, "derived"),
        ({"noise_variance_": MODEL.noise_variance_ * 1.01}, "derived"),
        ({"n_components": 0.99}, "n_components"),
        ({"n_components": "mle"}, "n_components"),
    ],
)
def test_too_large_and_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds
    c = certify(altered(MODEL, **change), X)
    assert fails in failing(c)
    if fails == "largest":
        assert failing(c) == {"largest"} and c["largest"].grade is Grade.NOT_OPTIMAL
        assert "right angles" in c["largest"].sentence


@pytest.mark.usefixtures("too_large")
def test_too_large_and_randomised() -> None:
    """A fit that stopped early is bounded by its own residuals; no variance may be above that along its component."""
    flat = np.random.default_rng(3).normal(size=(300, 250))
    model = PCA(8, svd_solver="randomized", iterated_power=2, random_state=0).fit(flat)
    c = certify(model, flat)
    assert c.holds and 1e-3 < c["directions"].value < 0.25 and c["own_variance"].value < 1e-9, f"\n{c}"
    C, V, lam = np.cov(flat.T), model.components_, model.explained_variance_
    residuals = np.linalg.norm(C @ V.T - V.T * lam, axis=0) / lam
    assert np.allclose(c["directions"].detail["values"], residuals, rtol=1e-6)
    along = np.einsum("ij,jk,ik->i", V, C, V)
    assert (along > lam).all() and not certify(altered(model, explained_variance_=lam * 1.01), flat).holds
    assert "own_variance" in failing(certify(altered(model, explained_variance_=along * 1.001), flat))
    assert not certify(altered(model, components_=np.roll(V, 1, axis=0)), flat).holds


@pytest.mark.usefixtures("too_large")
def test_too_large_and_a_bad_proposal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A direction that lies among the components is no direction outside; one that is nothing refutes nothing."""
    for bad in (MODEL.components_[:1].T, MODEL.components_[:1].T + 1e-3, np.zeros((D, 1)), np.full((D, 1), np.nan)):
        monkeypatch.setattr("surefit.certificates.decomposition.pca.larger_direction", lambda *_, bad=bad: bad)
        assert certify(MODEL, X).holds


@pytest.mark.usefixtures("too_large")
@pytest.mark.parametrize(("change", "fails"), [({}, ""), ({"var_": X.var(axis=0) * 1.001}, "columns")])
def test_too_large_for_incremental_components(change: dict[str, Any], fails: str) -> None:
    c = certify(altered(IncrementalPCA(4, batch_size=N).fit(X), **change), X)
    assert failing(c) == ({fails} if fails else set()) and c["largest"].grade is Grade.UNPROVED, f"\n{c}"


def test_not_fitted() -> None:
    with pytest.raises(CertificateError, match="not fitted"):
        certify(PCA(), X)


def test_rounding_where_there_is_no_variance_is_no_fault() -> None:
    """scikit-learn's products of columns leave a constant column 10⁻¹⁴ of the variance."""
    data = np.hstack([StandardScaler().fit_transform(load_iris().data), np.full((150, 1), 3.7)])
    model = PCA().fit(data)
    c = certify(model, data)
    assert c.holds, f"\n{c}"
    lie = changed(model.explained_variance_, -1, 1e-9 * model.explained_variance_[0] * len(model.components_))
    assert "no_variance" in failing(certify(altered(model, explained_variance_=lie), data))
