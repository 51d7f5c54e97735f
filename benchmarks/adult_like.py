"""A table like the census income data: 32,561 × 14, categories, gaps, a column of 42 levels, one in five is rich.

Every number is drawn here, none is taken from people. The log-odds of the income are a sum over the columns with
products between some of them (married × educated, age with its peak near 48), so that trees have something to find that
a linear model has not; the best possible accuracy is near 0.88.
"""

from __future__ import annotations

from typing import Any

import numpy as np

N_ROWS = 32_561
EDUCATION = ["Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college",
             "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"]  # fmt: skip
EDUCATION_SHARES = np.array([1, 5, 10, 20, 16, 28, 36, 13, 322, 224, 42, 33, 165, 53, 18, 13], float)
WORK = ["Private", "Self-emp-not-inc", "Local-gov", "State-gov", "Self-emp-inc", "Federal-gov", "Without-pay"]
WORK_SHARES = np.array([739, 83, 68, 42, 36, 31, 1], float)
MARITAL = ["Married", "Never-married", "Divorced", "Separated", "Widowed", "Spouse-absent", "Armed-forces-spouse"]
MARITAL_SHARES = np.array([460, 328, 137, 31, 30, 13, 1], float)
JOBS = [f"Job-{letter}" for letter in "ABCDEFGHIJKLMN"]
RACES, RACE_SHARES = ["A", "B", "C", "D", "E"], np.array([854, 96, 32, 10, 8], float)
COUNTRIES = [f"Country-{number:02d}" for number in range(42)]
COUNTRY_SHARES = np.array([0.90, *(0.1 * 0.86 ** np.arange(41))])


def adult_like(n_rows: int = N_ROWS, seed: int = 0) -> Any:
    """The table as a pandas DataFrame; the target is the column `income`."""
    import pandas as pd

    rng = np.random.default_rng(seed)

    def levels(names: list[str], shares: np.ndarray) -> np.ndarray:
        return rng.choice(len(names), size=n_rows, p=shares / shares.sum())

    age = np.clip(rng.gamma(7.0, 5.6, n_rows), 17, 90).round()
    school = levels(EDUCATION, EDUCATION_SHARES)
    work, marital = levels(WORK, WORK_SHARES), levels(MARITAL, MARITAL_SHARES)
    marital = np.where((age < 23) & (rng.random(n_rows) < 0.85), 1, marital)
    job = (school + rng.integers(0, 14, n_rows)) % 14
    female = rng.random(n_rows) < 0.33
    relation = np.where(marital == 0, np.where(female, 1, 0), rng.integers(2, 6, n_rows))
    hours = np.clip(40 + np.where(rng.random(n_rows) < 0.47, 0, rng.normal(1, 15, n_rows)), 1, 99).round()
    gain = np.where(rng.random(n_rows) < 0.083, rng.lognormal(8.3, 1.2, n_rows), 0.0).round()
    loss = np.where(rng.random(n_rows) < 0.047, rng.normal(1870, 370, n_rows).clip(155), 0.0).round()
    country = levels(COUNTRIES, COUNTRY_SHARES)
    married, educated = marital == 0, school - 8.0
    odds = (
        -2.75
        + 2.3 * married
        + 0.35 * educated
        + 0.14 * married * np.maximum(educated, 0)
        - ((age - 48) / 14) ** 2 * 0.7
        + 0.035 * (hours - 40)
        + np.where(gain > 5000, 4.5, 0.0)
        - np.where((gain > 0) & (gain < 3000), 1.5, 0.0)
        + np.where(np.abs(loss - 1900) < 120, 2.5, 0.0)
        + 1.3 * np.cos(np.arange(14) * 2.1)[job]
        - 0.5 * female * ~married
        + 0.6 * (work == 4)
        - 0.6 * (work == 1)
        + 0.4 * np.sin(np.arange(42) * 1.7)[country]
    )
    rich = rng.random(n_rows) < 1 / (1 + np.exp(-1.25 * odds))
    gone = {name: rng.random(n_rows) < share for name, share in (("job", 0.0566), ("country", 0.0179))}
    return pd.DataFrame(
        {
            "age": age.astype(int),
            "workclass": _named(WORK, work, gone["job"]),
            "fnlwgt": rng.lognormal(12.0, 0.5, n_rows).round().astype(int),
            "education": _named(EDUCATION, school),
            "education_num": school + 1,
            "marital_status": _named(MARITAL, marital),
            "occupation": _named(JOBS, job, gone["job"]),
            "relationship": _named(["Husband", "Wife", "Own-child", "Not-in-family", "Other", "Unmarried"], relation),
            "race": _named(RACES, levels(RACES, RACE_SHARES)),
            "sex": np.where(female, "Female", "Male"),
            "capital_gain": gain.astype(int),
            "capital_loss": loss.astype(int),
            "hours_per_week": hours.astype(int),
            "native_country": _named(COUNTRIES, country, gone["country"]),
            "income": np.where(rich, ">50K", "<=50K"),
        }
    )


def _named(names: list[str], codes: np.ndarray, gone: np.ndarray | None = None) -> np.ndarray:
    text = np.array(names, dtype=object)[codes]
    if gone is not None:
        text[gone] = None
    return text
