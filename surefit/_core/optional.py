"""Optional packages: imported where they are needed, with one clear line when they are missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from surefit._core.errors import MissingPackage


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import `module`, or say which extra of surefit brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingPackage(f'{purpose} needs {package}: pip install "surefit[{extra}]"') from error
