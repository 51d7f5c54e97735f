"""An estimator from its name and `--set name=value`, checked against the declared parameters."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from surefit._core.errors import InvalidParameter
from surefit._core.params import parameters
from surefit.io import estimator_classes


def estimator_from(name: str, settings: list[str]) -> Any:
    """An unfitted estimator; every wrong setting is told at once."""
    classes = estimator_classes()
    if name not in classes:
        close = difflib.get_close_matches(name, classes, n=1, cutoff=0.5)
        meant = f"; did you mean {close[0]}?" if close else ""
        raise InvalidParameter(f"no estimator {name!r}{meant} There are {', '.join(sorted(classes))}")
    declared = {parameter.name: parameter for parameter in parameters(classes[name])}
    values, faults = {}, []
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals:
            faults.append(f"--set takes name=value; got {setting!r}")
        elif key not in declared:
            faults.append(f"{name} has no parameter {key!r}; it has {', '.join(declared)}")
        else:
            values[key] = _value(text.strip())
            wanted = declared[key].fault(values[key])
            if wanted is not None:
                hint = f" {declared[key].hint}" if declared[key].hint else ""
                faults.append(f"{name}({key}=…) must be {wanted}; got {text.strip()}.{hint}")
    if faults:
        raise InvalidParameter("\n".join(faults))
    return classes[name](**values)


def _value(text: str) -> Any:
    """A Python literal (1, 0.5, None, True, [0.1, 1]) or, where it is none, the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
