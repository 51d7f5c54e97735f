"""Which Parquet files a path, a folder or a pattern stands for, in sorted order."""

from __future__ import annotations

import glob
from pathlib import Path

from surefit._core.errors import InvalidData

ENDINGS = (".parquet", ".parq", ".pq")


def parquet_files(path: str | Path | tuple[str, ...]) -> list[Path]:
    """The files, sorted by name; a folder stands for all Parquet files below it, hidden ones left out."""
    several = path if isinstance(path, tuple) else (path,)
    return sorted(file for one in several for file in _expand(str(one)))


def _expand(path: str) -> list[Path]:
    if "://" in path:
        raise InvalidData(f"{path} is not a local path; open it with dask.dataframe.read_parquet and pass that")
    place = Path(path).expanduser()
    if place.is_dir():
        files = [file for file in place.rglob("*") if _is_data(file.relative_to(place)) and file.is_file()]
        if not files:
            raise InvalidData(f"the folder {path} has no files ending in {', '.join(ENDINGS)}")
        return files
    if place.exists():
        return [place]
    if glob.has_magic(path):
        files = [Path(found) for found in glob.glob(str(place), recursive=True) if Path(found).is_file()]
        if not files:
            raise InvalidData(f"no file matches {path}")
        return files
    raise InvalidData(f"there is no file or folder {path}")


def _is_data(file: Path) -> bool:
    hidden = any(part.startswith((".", "_")) for part in file.parts)
    return not hidden and file.suffix.lower() in ENDINGS
