"""Settings of the whole process: `surefit.config(...)` sets them, and as a context manager also puts them back."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from surefit._core.errors import InvalidParameter


@dataclass
class Settings:
    certify: Literal["on demand", "always"] = "on demand"
    """"always": every fit ends with its certificate, kept in `certificate_`; a failed one warns."""
    n_threads: int | None = None
    """Upper limit for the threads of one fit; None takes what the machine and OMP_NUM_THREADS allow."""
    memory_limit: int | None = None
    """Bytes a fit may allocate at once; None takes what the machine has free."""


settings = Settings()


class _Change:
    """What `config` returns: the change is in force at once; leaving the `with` block takes it back."""

    def __init__(self, before: dict[str, Any]) -> None:
        self._before = before

    def __enter__(self) -> Settings:
        return settings

    def __exit__(self, *exc: object) -> None:
        for name, value in self._before.items():
            setattr(settings, name, value)


def config(**changes: Any) -> _Change:
    """Change settings: `certify` ("on demand" or "always"), `n_threads`, `memory_limit` (bytes).

    >>> import surefit
    >>> with surefit.config(n_threads=1):
    ...     pass
    """
    faults = [_fault(name, value) for name, value in changes.items()]
    if any(faults):
        raise InvalidParameter("; ".join(fault for fault in faults if fault))
    before = {name: getattr(settings, name) for name in changes}
    for name, value in changes.items():
        setattr(settings, name, value)
    return _Change(before)


def _fault(name: str, value: Any) -> str | None:
    names = [field.name for field in dataclasses.fields(Settings)]
    if name not in names:
        return f"config has no setting {name!r}; it has {', '.join(names)}"
    if name == "certify":
        return None if value in ("on demand", "always") else f'certify must be "on demand" or "always"; got {value!r}'
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return None
    return f"{name} must be a whole number ≥ 1 or None; got {value!r}"
