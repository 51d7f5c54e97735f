"""The bytes of a table: a file as it is, packed by gzip, or the one member of a zip archive."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from surefit._core.errors import InvalidData

PACKED = (".gz", ".zip")


def table_suffix(path: Path) -> str:
    """The ending that says how a table is written: of `rows.csv.gz` it is `.csv`, of an archive `.zip`."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        return suffixes[-2] if len(suffixes) > 1 else ""
    return suffixes[-1] if suffixes else ""


def unpacked(path: Path) -> tuple[bytes, str]:
    """(bytes, the ending that says how they are written)."""
    suffix = table_suffix(path)
    if path.suffix.lower() == ".gz":
        return _gunzipped(path), suffix
    if suffix == ".zip":
        return _only_member(path)
    return path.read_bytes(), suffix


def _gunzipped(path: Path) -> bytes:
    try:
        with gzip.open(path) as packed:
            return packed.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InvalidData(f"{path} is no gzip file, or it is cut short: fetch it again") from error


def _only_member(path: Path) -> tuple[bytes, str]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and not _hidden(one.filename)]
            if len(members) != 1:
                names = ", ".join(repr(one.filename) for one in members[:5]) + (" …" if len(members) > 5 else "")
                holds = f"{len(members)} files ({names})" if members else "no file"
                raise InvalidData(f"{path} holds {holds}: a table is the only file of its archive; unpack it")
            if members[0].flag_bits & 1:
                raise InvalidData(f"{path} needs a password: unpack it first")
            return archive.read(members[0]), table_suffix(Path(members[0].filename))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise InvalidData(f"{path} is no zip archive, or it is damaged: fetch it again") from error


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def as_file(content: bytes) -> io.BytesIO:
    return io.BytesIO(content)
