"""Members of an ensemble: copies of one estimator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes


def spread(n: int, most: int) -> list[int]:
    """Members spread evenly, the first and the last with them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int)).tolist()


def unlike(attrs: Attributes, members: Sequence[Any], depth: int | None = None) -> list[str]:
    """Members, or `estimator_`, that are no copies of `estimator`; of None, that are trees of another depth."""
    asked, own = getattr(attrs.model, "estimator", None), getattr(attrs.model, "estimator_", None)
    wanted = parameters(own if asked is None else asked)
    if asked is None and wanted.get("max_depth", repr(depth)) != repr(depth):
        return [f"estimator_ is no tree of depth {depth}, the default"]
    alike = all(parameters(one) == wanted for one in (own, *members))
    return [] if alike else ["estimator_, or a member, has other parameters than estimator asks for"]


def parameters(model: Any) -> dict[str, str]:
    """The class and the parameters as texts, without seeds and parts that are estimators."""
    found = {"": type(model).__name__}
    for name, value in model.get_params(deep=True).items():
        text = re.sub(" at 0x[0-9a-f]+", "", repr(value))
        if not (name.endswith("random_state") or "get_params" in dir(value) or text.startswith("[(")):
            found[name] = text
    return found
