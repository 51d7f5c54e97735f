"""Tables in every format, and files that are none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from surefit.io import READABLE, read_table, write_table

FRAME = pd.DataFrame({"a": [1.5, 2.5, -3.0], "b": [1, 2, 3], "c": ["x", "y", "z"]})


@pytest.mark.parametrize("suffix", READABLE)
def test_what_is_written_is_read(suffix, tmp_path):
    path = tmp_path / f"table{suffix}"
    assert write_table({name: FRAME[name].to_numpy() for name in FRAME}, path) is None
    read = read_table(path)
    assert list(read.columns) == ["a", "b", "c"]
    np.testing.assert_array_equal(read["a"], FRAME["a"])
    assert list(read["c"]) == ["x", "y", "z"]


def test_pandas_reads_the_same(tmp_path):
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    pd.testing.assert_frame_equal(read_table(path), pd.read_csv(path))


def test_without_a_path_the_table_is_text():
    assert write_table({"a": np.array([1.5, 2.0])}, None) == "a\n1.5\n2.0\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "is empty"),
        ("head.csv", b"a,b\n", "no rows"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3,4\n", "cannot be read as csv"),
        ("latin.csv", b"a,b\n\xff\xfe,2\n", "cannot be read as csv"),
        ("broken.jsonl", b'{"a":', "cannot be read as jsonl"),
        ("broken.parquet", b"PAR1 and nothing else", "cannot be read as parquet"),
        ("broken.feather", b"no feather", "cannot be read as feather"),
        ("table.xlsx", b"PK", "a table ends in"),
    ],
)
def test_files_that_are_no_tables_are_refused(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_table(tmp_path / name)


def test_absent_files_and_folders(tmp_path):
    with pytest.raises(ValueError, match="no file"):
        read_table(tmp_path / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        read_table(tmp_path / "folder.csv")
    with pytest.raises(ValueError, match="no folder"):
        write_table({"a": np.zeros(1)}, tmp_path / "absent" / "a.csv")
