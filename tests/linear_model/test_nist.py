"""NIST's reference data for linear least squares: agreement with the certified values, with default parameters.

Filip and Longley are read from nist_linear.json, which lies beside the project; Wampler's data is made from its
published definition: x = 0 … 20, polynomials of degree 5, and a noise vector times 1, 100, 10000.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from surefit.linear_model import LinearRegression

FILE = Path(__file__).resolve().parents[2].parent / "shared" / "nist_linear.json"
_HALF = [759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048]
NOISE = np.array([*_HALF, 2048, *reversed(_HALF)])
# Certified by NIST for Wampler3; Wampler4 and 5 have 100 and 10000 times these.
WAMPLER3_SE = [
    2152.32624678170,
    2363.55173469681,
    779.343524331583,
    101.475507550350,
    5.64566512170752,
    0.112324854679312,
]


def digits(found, certified) -> float:
    found, certified = np.asarray(found, dtype=float), np.asarray(certified, dtype=float)
    error = np.abs(found - certified) / np.where(certified == 0, 1.0, np.abs(certified))
    return float(-np.log10(np.maximum(error, 1e-16)).min())


def powers(x: np.ndarray, degree: int) -> np.ndarray:
    return np.stack([x**k for k in range(1, degree + 1)], axis=1)


def read(name: str):
    if not FILE.exists():
        pytest.skip("nist_linear.json is not beside the project: the certified values are not at hand")
    entry = json.loads(FILE.read_text())["sets"][name]
    x, y = np.array(entry["x"], dtype=float), np.array(entry["y"], dtype=float)
    return (powers(x, entry["degree_or_columns"]) if entry["model"] == "poly" else x), y, entry


def wampler(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.arange(21)
    if number == 2:  # Σ (x/10)^i, from whole numbers so that it is rounded once
        y = sum(x**i * 10 ** (5 - i) for i in range(6)) / 1e5
        return powers(x.astype(float), 5), y, 0.1 ** np.arange(6)
    y = sum(x**i for i in range(6)) + {1: 0, 3: 1, 4: 100, 5: 10000}[number] * NOISE
    return powers(x.astype(float), 5), y.astype(float), np.ones(6)


@pytest.mark.parametrize(("name", "coef_digits"), [("Longley", 10), ("Filip", 6)])
def test_certified_values(name, coef_digits):
    X, y, certified = read(name)
    model = LinearRegression().fit(X, y)
    assert digits([model.intercept_, *model.coef_], certified["coef"]) >= coef_digits
    summary = model.summary()
    assert digits(summary.standard_error, certified["se"]) >= 6
    assert digits(summary.residual_sd, certified["residual_sd"]) >= 8
    assert digits(summary.r_squared, certified["r_squared"]) >= 10
    assert summary.degrees_of_freedom == certified["residual_df"]


@pytest.mark.parametrize(("number", "wanted"), [(1, 8), (2, 9), (3, 8), (4, 7), (5, 5.5)])
def test_wampler(number, wanted):
    X, y, certified = wampler(number)
    model = LinearRegression().fit(X, y)
    assert digits([model.intercept_, *model.coef_], certified) >= wanted


@pytest.mark.parametrize(("number", "factor"), [(3, 1), (4, 100), (5, 10000)])
def test_wampler_standard_errors(number, factor):
    X, y, _ = wampler(number)
    assert digits(LinearRegression().fit(X, y).summary().standard_error, factor * np.array(WAMPLER3_SE)) >= 9


def test_filip_is_as_exact_as_its_rounded_columns_allow():
    """Against the least-squares answer of the same doubles, in rational arithmetic."""
    X, y, _ = read("Filip")
    A = [[Fraction(1), *map(Fraction, row)] for row in X.tolist()]
    b = list(map(Fraction, y.tolist()))
    p = len(A[0])
    G = [
        [sum(r[i] * r[j] for r in A) for j in range(p)] + [sum(r[i] * v for r, v in zip(A, b, strict=True))]
        for i in range(p)
    ]
    for i in range(p):
        G[i] = [v / G[i][i] for v in G[i]]
        for k in range(p):
            if k != i:
                G[k] = [u - G[k][i] * v for u, v in zip(G[k], G[i], strict=True)]
    exact = [float(row[p]) for row in G]
    model = LinearRegression().fit(X, y)
    assert digits([model.intercept_, *model.coef_], exact) >= 13
