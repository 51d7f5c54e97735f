"""How the bytes of a text file are to be read: marks at its start, zeros between its letters, or what decodes."""

from __future__ import annotations

import codecs

from surefit._core.errors import InvalidData, InvalidParameter

SAMPLE = 2**16
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks; those of UTF-32 first, because that of UTF-16 begins like one of them."""
KINDS = (
    (b"PK\x03\x04", "a zip archive or an Excel file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "a Feather file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
    (b"\x7fELF", "a program"),
)
WESTERN = "cp1252"
"""Latin-1 with the letters that Windows has in the place of control characters."""


def encoding_of(content: bytes, name: str) -> str:
    """The encoding of a text file; a file that is no text is refused."""
    for start, kind in KINDS:
        if content.startswith(start):
            raise InvalidData(f"{name} is no text: it looks like {kind}; give it the ending that says so, or unpack it")
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return encoding
    sample = content[:SAMPLE]
    if b"\0" in sample:
        even, odd = (sample[start::2].count(0) / max(len(sample) // 2, 1) for start in (0, 1))
        if odd > 0.3 and even < 0.05:
            return "utf-16-le"
        if even > 0.3 and odd < 0.05:
            return "utf-16-be"
    _refuse_binary(content, sample, name)
    try:
        content.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        content.decode(WESTERN)
        return WESTERN
    except UnicodeDecodeError:
        return "latin-1"


def checked_encoding(encoding: str | None) -> str | None:
    """An encoding that the user has named."""
    if encoding is None:
        return None
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise InvalidParameter(
            f"no encoding {encoding!r}; common ones are utf-8, latin-1, cp1252, utf-16 (--encoding)"
        ) from error


def _refuse_binary(content: bytes, sample: bytes, name: str) -> None:
    zero = content.find(b"\0")
    if zero >= 0:
        line = content.count(b"\n", 0, zero) + 1
        raise InvalidData(f"{name} is no text, or it is damaged: line {line} holds a NUL byte")
    controls = sum(sample.count(byte) for byte in range(32) if byte not in b"\t\n\r\f\v\x1b")
    if controls > 0.01 * len(sample):
        raise InvalidData(f"{name} is no text: {100 * controls / len(sample):.0f} % of it are control characters")
