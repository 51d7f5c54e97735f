"""A slice of the study of random mixtures (`python -m tests.mixture.study` runs the whole)."""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris

from surefit.mixture import GaussianMixture
from tests.mixture import long_double
from tests.mixture.audit import audited
from tests.mixture.study import study


def test_random_mixtures():
    counts, wrong = study(32)
    assert not wrong, "\n".join(wrong)
    assert counts["converged"] >= 28 and counts["stopped"] >= 15 and counts["lies"] >= 250


def test_the_reference_agrees_with_scipy():
    X = load_iris().data
    model = GaussianMixture(3, random_state=0, reg_covar=0.0).fit(X)
    density = sum(
        p * multivariate_normal(m, S).pdf(X)
        for p, m, S in zip(model.weights_, model.means_, model.covariances_, strict=True)
    )
    value = long_double.mean_log_likelihood(long_double.of_model(model), X, np.ones(len(X)))
    np.testing.assert_allclose(float(value), np.log(density).mean(), rtol=1e-12)


def test_scikit_learns_models_on_iris():
    lines = list(audited(("iris",), ("iris",)))
    assert len(lines) == 11
    assert all(": holds" in line for line in lines), lines
