"""`surefit.scan` checks what it is told, and reports all faults at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import surefit
from surefit._core.errors import InvalidParameter


def test_a_scan_keeps_what_it_was_told() -> None:
    scan = surefit.scan(["a.parquet", Path("b.parquet")], columns=["x", "z"], target=["y"], weight="w", batch_rows=10)
    assert scan.path == ("a.parquet", "b.parquet")
    assert (scan.columns, scan.target, scan.weight, scan.batch_rows) == (("x", "z"), ("y",), "w", 10)
    assert surefit.scan("a.parquet", target="y").target == "y"


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        (3, {}, r"path=….*got 3"),
        ("", {}, r"path=…"),
        ([], {}, r"path=…"),
        ([1], {}, r"path=…"),
        (b"a", {}, r"path=…"),
        ("a", {"columns": "x"}, r"columns=….*list of column names; got 'x'"),
        ("a", {"columns": []}, r"columns=…"),
        ("a", {"columns": [1]}, r"columns=…"),
        ("a", {"columns": 5}, r"columns=…"),
        ("a", {"columns": ["x", "x"]}, r"columns=….*'x' more than once"),
        ("a", {"target": 3}, r"target=…"),
        ("a", {"target": []}, r"target=…"),
        ("a", {"weight": 3}, r"weight=…"),
        ("a", {"batch_rows": 0}, r"batch_rows=….*≥ 1.*got 0"),
        ("a", {"batch_rows": True}, r"batch_rows=…"),
        ("a", {"batch_rows": 1.5}, r"batch_rows=…"),
        ("a", {"columns": ["x", "y"], "target": "y"}, "'y' is the target and a feature"),
        ("a", {"columns": ["x", "w"], "weight": "w"}, "'w' is the weight and a feature"),
        ("a", {"target": "w", "weight": "w"}, "'w' is both target and weight"),
    ],
)
def test_faults(path: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        surefit.scan(path, **options)


def test_all_faults_at_once() -> None:
    with pytest.raises(InvalidParameter) as caught:
        surefit.scan(3, columns="x", weight=1, batch_rows=-1)
    assert all(word in str(caught.value) for word in ("path", "columns", "weight", "batch_rows"))
