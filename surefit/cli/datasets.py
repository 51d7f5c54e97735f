"""Data that comes along with scikit-learn, as tables."""

from __future__ import annotations

from typing import Any

import sklearn.datasets

from surefit._core.optional import require

TARGETS = {
    "diabetes": "progression",
    "iris": "species",
    "wine": "cultivar",
    "digits": "digit",
    "breast_cancer": "diagnosis",
}


def bundled(name: str) -> tuple[Any, str]:
    """(dataframe, name of its target)."""
    require("pandas", extra="cli", purpose="Reading a table")
    loader = getattr(sklearn.datasets, f"load_{name}")
    bunch = loader(as_frame=True, **({"scaled": False} if name == "diabetes" else {}))
    target = TARGETS[name]
    frame = bunch.frame.rename(columns={bunch.target.name: target})
    if name in ("iris", "wine", "breast_cancer"):
        frame[target] = [str(bunch.target_names[code]) for code in bunch.target]
    return frame, target
