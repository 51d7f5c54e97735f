"""Tables of JSON: a list of objects, an object of lists, or one object on each line."""

from __future__ import annotations

import json
from typing import Any

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.io.encoding import encoding_of

SHAPES = "a table is a list of objects, an object of lists, or one object on each line"


def read_json(content: bytes, name: str, lines: bool, encoding: str | None) -> Any:
    pandas = require("pandas", extra="cli", purpose="Reading a table")
    found = encoding or encoding_of(content, name)
    try:
        text = content.decode(found).removeprefix("\ufeff")
    except UnicodeError as error:
        raise InvalidData(f"{name} is not encoded as {found}: try another --encoding") from error
    if lines:
        return pandas.DataFrame(_objects(text, name))
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return pandas.DataFrame(_objects(text, name))
        raise InvalidData(f"{name} is no JSON, or it is cut short: line {error.lineno}: {error.msg}") from error
    except RecursionError as error:
        raise InvalidData(f"{name} is nested too deeply: {SHAPES}") from error
    if isinstance(value, dict) and value and all(isinstance(one, (list, dict)) for one in value.values()):
        try:
            return pandas.DataFrame(value)
        except ValueError as error:
            raise InvalidData(f"the lists of {name} differ in length: {SHAPES}") from error
    if not isinstance(value, list):
        raise InvalidData(f"{name} is {_kind(value)}: {SHAPES}")
    for row, one in enumerate(value):
        if not isinstance(one, dict):
            raise InvalidData(f"{name} holds {_kind(one)} as row {row}: {SHAPES}")
    return pandas.DataFrame(value)


def _objects(text: str, name: str) -> list[dict[str, Any]]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InvalidData(f"{name}: line {number} is no JSON object, or it is cut short") from error
        if not isinstance(value, dict):
            raise InvalidData(f"{name}: line {number} is {_kind(value)}, not an object of named values")
        found.append(value)
    return found


def _kind(value: Any) -> str:
    kinds = {dict: "one object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")
