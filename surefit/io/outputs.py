"""Can a file be written? Asked before the work whose result it is to keep."""

from __future__ import annotations

import os
from pathlib import Path

from surefit._core.errors import InvalidData


def refuse_unwritable(path: str | Path, what: str) -> None:
    """Refuse a path whose folder is missing or closed, or that is a folder itself."""
    path = Path(path).expanduser()
    folder = path.parent
    if path.is_dir():
        raise InvalidData(f"{str(path)!r} is a folder: name the file that {what} goes to")
    if not folder.is_dir():
        raise InvalidData(f"no folder {str(folder)!r} to write {what} to: make it first (mkdir -p)")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidData(f"the folder {str(folder)!r} may not be written to: choose another place for {what}")
    if path.exists() and not os.access(path, os.W_OK):
        raise InvalidData(f"{str(path)!r} may not be overwritten: choose another name for {what}")
