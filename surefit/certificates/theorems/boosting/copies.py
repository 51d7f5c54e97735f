"""Members that are copies of one estimator."""

from __future__ import annotations

from typing import Any

from surefit.certificates.attributes import Attributes


def unlike(attrs: Attributes, depth: int) -> list[str]:
    """Members that are no copies of `estimator`; of None, that are no trees of the default depth."""
    asked, own = getattr(attrs.model, "estimator", None), getattr(attrs.model, "estimator_", None)
    wanted = [parameters(e) for e in (asked, own) if e is not None]
    members = [parameters(member) for member in attrs.model.estimators_]
    if asked is None and any(p.get("max_depth", depth) != depth for p in (*members, *wanted)):
        return [f"a member is no tree of depth {depth}, the default"]
    if any(p != other for p in members for other in wanted):
        return ["a member has other parameters than estimator asks for"]
    return []


def parameters(model: Any) -> dict[str, Any]:
    """The class and the parameters as texts, the seed aside."""
    try:
        found = model.get_params(deep=False)
    except (AttributeError, TypeError):
        return {}
    return {
        "": type(model).__name__,
        **{k: v if k == "max_depth" else repr(v) for k, v in found.items() if k != "random_state"},
    }
