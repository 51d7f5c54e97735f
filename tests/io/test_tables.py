"""Tables in every format, and files that are none."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from surefit.io import READABLE, read_table, write_table

FRAME = pd.DataFrame({"a": [1.5, 2.5, -3.0], "b": [1, 2, 3], "c": ["x", "y", "z"]})
TEXT = "a,b,c\n1.5,1,x\n2.5,2,y\n-3.0,3,z\n"


def same(read):
    assert list(read.columns) == ["a", "b", "c"]
    np.testing.assert_array_equal(read["a"], FRAME["a"])
    np.testing.assert_array_equal(read["b"], FRAME["b"])
    assert list(read["c"]) == ["x", "y", "z"]
    return True


@pytest.mark.parametrize("suffix", [*READABLE, ".csv.gz", ".jsonl.gz"])
def test_what_is_written_is_read(suffix, tmp_path):
    path = tmp_path / f"table{suffix}"
    assert write_table({name: FRAME[name].to_numpy() for name in FRAME}, path) is None
    notes: list[str] = []
    assert same(read_table(path, notes=notes))
    assert notes == []


def test_pandas_reads_the_same(tmp_path):
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    pd.testing.assert_frame_equal(read_table(path), pd.read_csv(path))


def test_without_a_path_the_table_is_text():
    assert write_table({"a": np.array([1.5, 2.0])}, None) == "a\n1.5\n2.0\n"


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt"])
@pytest.mark.parametrize("sep", [",", ";", "\t", "|", "  "])
def test_separators_are_found(sep, ending, tmp_path):
    path = tmp_path / f"table{ending}"
    path.write_text(TEXT.replace(",", sep))
    assert same(read_table(path))


@pytest.mark.parametrize(("word", "sep"), [("tab", "\t"), ("|", "|"), (r"\t", "\t"), ("blank", " "), ("#", "#")])
def test_separators_are_named(word, sep, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TEXT.replace(",", sep))
    assert same(read_table(path, sep=word))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_are_found(encoding, tmp_path):
    path = tmp_path / "table.csv"
    letters = "Größe,Straße\n" + "".join(f"{i},é{i}\n" for i in range(50))
    path.write_bytes(letters.encode(encoding))
    notes: list[str] = []
    read = read_table(path, notes=notes)
    assert list(read.columns) == ["Größe", "Straße"] and read["Straße"][7] == "é7"
    assert ("read as" in "".join(notes)) == (not encoding.startswith("utf-8"))
    assert read_table(path, encoding=encoding).equals(read)


def test_a_letter_that_is_not_utf8_far_down(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n" * 300_000 + b"2,\xe9\n")
    read = read_table(path)
    assert len(read) == 300_001 and read["b"].iloc[-1] == "é"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1,5;x\n2,25;y\n", [1.5, 2.25]),
        ("a;b\n1.234,5;x\n-2,25;y\n", [1234.5, -2.25]),
        ("a;b\n1.5;1,2,3\n2.25;4,5\n", [1.5, 2.25]),
        ("a;b\n1500;x\n2;y\n", [1500, 2]),
    ],
)
def test_decimal_commas_where_semicolons_separate(text, expected, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text)
    np.testing.assert_array_equal(read_table(path)["a"], expected)


@pytest.mark.parametrize(
    ("text", "columns", "note"),
    [
        (",a,b\n0,1,2\n1,3,4\n2,5,6\n", ["a", "b"], "numbers the rows"),
        ("a,,b\n0,1,2\n1,3,4\n", ["a", "column 2", "b"], "no name for 'column 2'"),
        ("a,b,\n1,2,\n3,4,\n", ["a", "b"], None),
        ("a,b\n1,2,\n3,4,\n", ["a", "b"], None),
        ("a b\none 1 2\ntwo 3 4\n", ["a", "b"], "a name of the row, is left out"),
        ("5.1,3.5\n4.9,3.0\n4.7,3.2\n", ["5.1", "3.5"], "is the header row missing?"),
        ('a, b\n1, "x, y"\n2, z\n', ["a", "b"], None),
        ('a,b\n1,"x\ny"\n2,z\n', ["a", "b"], None),
        ("\n\na,b\n\n1,2\n", ["a", "b"], None),
    ],
)
def test_headers_as_people_keep_them(text, columns, note, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text)
    notes: list[str] = []
    assert list(read_table(path, notes=notes).columns) == columns
    assert [one for one in notes if "separated" not in one] == [] if note is None else note in " ".join(notes)


def test_a_question_mark_is_a_missing_value(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,?\n?,x\n")
    assert list(read_table(path).isna().to_numpy().ravel()) == [False, True, True, False]


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1.5, "b": 1, "c": "x"}, {"a": 2.5, "b": 2, "c": "y"}, {"a": -3.0, "b": 3, "c": "z"}]',
        '{"a": [1.5, 2.5, -3.0], "b": [1, 2, 3], "c": ["x", "y", "z"]}',
        '{"a": 1.5, "b": 1, "c": "x"}\n{"a": 2.5, "b": 2, "c": "y"}\n\n{"a": -3.0, "b": 3, "c": "z"}\n',
    ],
    ids=["objects", "lists", "lines"],
)
def test_shapes_of_json(text, tmp_path):
    path = tmp_path / "table.json"
    path.write_text(text)
    assert same(read_table(path))


def zipped(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return packed.getvalue()


def test_a_zip_archive_of_one_table(tmp_path):
    path = tmp_path / "table.zip"
    path.write_bytes(zipped(rows__csv=TEXT))
    assert same(read_table(path))


def test_sheets_of_a_book(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        FRAME.to_excel(book, sheet_name="one", index=False)
        FRAME.to_excel(book, sheet_name="two", index=False)
    notes: list[str] = []
    assert same(read_table(path, notes=notes))
    assert notes == [f"{path} has sheets 'one', 'two': the first is read"]


def test_a_missing_reader_of_books(tmp_path, monkeypatch):
    FRAME.to_excel(tmp_path / "book.xlsx", index=False)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r'needs openpyxl: pip install "surefit\[excel\]"'):
        read_table(tmp_path / "book.xlsx")


BAD = [
    ("empty.csv", b"", "is empty"),
    ("blank.csv", b"\n \n", "is empty"),
    ("head.csv", b"a,b\n", "no rows"),
    ("ragged.csv", b"a,b\n1,2\n1,2,3,4\n", "line 3 has 4 cells, the header 2"),
    ("far.csv", b"a,b\n" + b"1,2\n" * 500 + b"1,2,3\n", "line 502 has 3 cells"),
    ("commas.csv", b"a\n1,5\n2,5\n", "line 2 has 2 cells, the header 1"),
    ("quote.csv", b'a,b\n1,"2\n3,4\n', "never closed"),
    ("twice.csv", b"a,b,a\n1,2,3\n", "more than one column 'a'"),
    ("nul.csv", b"a,b\n1,2\n3,\x00\n", "line 3 holds a NUL byte"),
    ("binary.csv", bytes(range(1, 32)) * 40, "no text"),
    ("picture.csv", b"\x89PNG\r\n\x1a\n123", "looks like a picture"),
    ("packed.csv", gzip.compress(b"a,b\n1,2\n"), "looks like a gzip file"),
    ("cut.csv.gz", gzip.compress(TEXT.encode())[:25], "cut short"),
    ("none.csv.gz", b"a,b\n1,2\n", "no gzip file"),
    ("broken.jsonl", b'{"a": 1}\n{"a":', "line 2 is no JSON object"),
    ("numbers.jsonl", b"1\n2\n", "line 1 is a number"),
    ("cut.json", b'[{"a": 1}, {"a"', "cut short: line 1"),
    ("number.json", b"5", "is a number: a table is a list"),
    ("lists.json", b"[[1, 2], [3, 4]]", "a list as row 0"),
    ("uneven.json", b'{"a": [1, 2], "b": [1]}', "differ in length"),
    ("broken.parquet", b"PAR1 and nothing else", "cannot be read as parquet"),
    ("broken.feather", b"no feather", "cannot be read as feather"),
    ("table.xlsx", b"PK", "cannot be read as xlsx"),
    ("old.xls", b"\xd0\xcf\x11\xe0", "save it as .xlsx or .csv"),
    ("table.docx", b"PK", "a table ends in"),
    ("cut.zip", zipped(a__csv=TEXT)[:60], "damaged"),
    ("two.zip", zipped(a__csv=TEXT, b__csv=TEXT), "2 files ('a.csv', 'b.csv')"),
    ("no.zip", zipped(), "holds no file"),
    ("doc.zip", zipped(a__doc="x"), "of kind .doc"),
]


@pytest.mark.parametrize(("name", "content", "words"), BAD, ids=[name for name, _, _ in BAD])
def test_files_that_are_no_tables_are_refused(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError) as caught:
        read_table(tmp_path / name)
    assert words in str(caught.value)


def test_options_that_are_wrong(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes("a,b\n1,ä\n".encode("latin-1"))
    with pytest.raises(ValueError, match="no encoding 'klingon'"):
        read_table(path, encoding="klingon")
    with pytest.raises(ValueError, match="not encoded as utf-8"):
        read_table(path, encoding="utf-8")
    with pytest.raises(ValueError, match="--sep takes one character"):
        read_table(path, sep="::")


def test_absent_files_and_folders(tmp_path):
    (tmp_path / "absence.csv").write_text(TEXT)
    with pytest.raises(ValueError, match=r"no file .*did you mean .*absence.csv"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(ValueError, match="there is no folder"):
        read_table(tmp_path / "nowhere" / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        read_table(tmp_path / "folder.csv")
    with pytest.raises(ValueError, match="no file matches"):
        read_table(tmp_path / "x*.csv")
    with pytest.raises(ValueError, match="download it first"):
        read_table("https://example.org/table.csv")


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    columns = {"a": np.zeros(1)}
    with pytest.raises(ValueError, match="no folder"):
        write_table(columns, tmp_path / "absent" / "a.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        write_table(columns, tmp_path / "folder.csv")
    with pytest.raises(ValueError, match="a table that is written ends in"):
        write_table(columns, tmp_path / "a.doc")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ValueError, match="may not be written to"):
        write_table(columns, tmp_path / "a.csv")
