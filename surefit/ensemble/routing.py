"""Metadata for the members of an ensemble, by scikit-learn's routing."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object, process_routing

from surefit._core.errors import InvalidParameter


def routing_enabled() -> bool:
    return bool(sklearn.get_config().get("enable_metadata_routing", False))


def routed(ensemble: Any, caller: str, callee: str, given: dict[str, Any]) -> dict[str, Any]:
    """What of `given` goes to the method `callee` of the members when `caller` of the ensemble is called."""
    if not routing_enabled():
        if given:
            raise InvalidParameter(
                f"Passing extra keyword arguments to {type(ensemble).__name__}.{caller} is only supported if "
                "enable_metadata_routing=True, which you can set using `sklearn.set_config`. Extra parameters passed "
                f"are: {set(given)}"
            )
        return {}
    return dict(getattr(process_routing(ensemble, caller, **given).estimator, callee))


def consumes_weights(member: Any, takes_weights: bool) -> bool:
    """Whether weights may be passed to the fit of a member: where routing is on, only if it asked for them."""
    if not routing_enabled():
        return takes_weights
    return "sample_weight" in get_routing_for_object(member).consumes("fit", ("sample_weight",))


def router(ensemble: Any, member: Any, methods: dict[str, str]) -> MetadataRouter:
    """`methods`: for each method of the ensemble the method of the member that it calls."""
    mapping = MethodMapping()
    for caller, callee in methods.items():
        mapping.add(caller=caller, callee=callee)
    return MetadataRouter(owner=ensemble).add(estimator=member, method_mapping=mapping)


def for_rows(params: dict[str, Any], rows: Any, n_rows: int) -> dict[str, Any]:
    """The parameters, those with one entry for each row cut down to `rows`."""
    cut = {}
    for name, value in params.items():
        per_row = hasattr(value, "__len__") and not isinstance(value, (str, bytes, dict)) and len(value) == n_rows
        cut[name] = np.asarray(value)[rows] if per_row else value
    return cut
