"""Files and options that are wrong: each ends in one clear line on stderr, exit code 2, nothing on stdout."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit.io import save

N = 60


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, N))
    return pd.DataFrame(
        {"x": x, "z": z, "kind": np.where(x > 0, "a", "b"), "price": 3 * x + z + rng.normal(size=N) / 9}
    )


def text_files() -> dict[str, bytes]:
    csv = table().to_csv(index=False)
    head, *lines = csv.splitlines()
    return {
        "good.csv": csv.encode(),
        "empty.csv": b"",
        "blank.csv": b"\n \n\n",
        "header.csv": b"x,z,price\n",
        "binary.csv": bytes(range(256)) * 8,
        "picture.csv": b"\x89PNG\r\n\x1a\n" + bytes(40),
        "parquet_inside.csv": b"PAR1" + bytes(60),
        "nul.csv": csv.encode().replace(b"b", b"\0", 1),
        "cut.csv": "\n".join([head, *lines, '1,2,"a']).encode(),
        "open_quote.csv": "\n".join([head, lines[0], '0.1,0.2,"a,3', *lines[1:]]).encode(),
        "ragged.csv": "\n".join([head, *lines[:4], lines[4] + ",7,8", *lines[5:]]).encode(),
        "ragged_late.csv": "\n".join([head, *(lines * 6), lines[0] + ",7"]).encode(),
        "one_row.csv": f"{head}\n{lines[0]}\n".encode(),
        "one_column.csv": table()[["price"]].to_csv(index=False).encode(),
        "twice.csv": b"x,x,price\n1,2,3\n2,3,4\n",
        "bars.csv": csv.replace(",", "~").encode(),
        "json.json": b'{"x": 1}',
        "cut.json": json.dumps(table().to_dict("records")).encode()[:-9],
        "list.json": b"[1, 2, 3]",
        "uneven.json": b'{"x": [1, 2], "price": [1]}',
        "cut.jsonl": b'{"x": 1, "price": 2}\n{"x": 1, "pri',
        "number.jsonl": b"1\n2\n",
        "deep.json": b"[" * 100_000,
        "table.doc": b"hello",
        "noending": csv.encode(),
        "old.xls": b"\xd0\xcf\x11\xe0" + bytes(60),
    }


def packed_files() -> dict[str, bytes]:
    csv = table().to_csv(index=False).encode()
    whole, two, sheet = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good.csv", csv)
    with zipfile.ZipFile(two, "w") as archive:
        archive.writestr("a.csv", csv)
        archive.writestr("b.csv", csv)
    table().to_excel(sheet, index=False)
    return {
        "cut.csv.gz": gzip.compress(csv)[:200],
        "false.csv.gz": csv,
        "cut.zip": whole.getvalue()[:300],
        "two.zip": two.getvalue(),
        "cut.xlsx": sheet.getvalue()[:2000],
        "false.xlsx": csv,
    }


def frames() -> dict[str, pd.DataFrame]:
    good = table()
    whole = np.arange(N)
    return {
        "constant": good.assign(price=7.0),
        "one_class": good.assign(kind="a"),
        "rare": good.assign(kind=np.where(whole == 9, "c", good["kind"])),
        "no_target": good.assign(price=np.nan),
        "infinite": good.assign(x=np.where(whole == 4, np.inf, good["x"])),
        "infinite_target": good.assign(price=np.where(whole == 4, -np.inf, good["price"])),
        "stray": good.assign(x=good["x"].astype(object).where(whole != 7, "much")),
        "names_only": good[["price"]].assign(name=[f"name {i}" for i in whole], nothing=np.nan, same="x"),
        "dates_target": good.assign(price=pd.date_range("2024", periods=N).strftime("%Y-%m-%d")),
        "many_classes": pd.concat([good] * 40, ignore_index=True).assign(kind=[f"k{i}" for i in range(40 * N)]),
        "gap_groups": good.assign(who=[None, *"ab" * ((N - 1) // 2), "c"]),
        "wide": pd.DataFrame(np.zeros((N, 300)), columns=[f"sensor_{i:03d}" for i in range(300)]).assign(y=whole / 7),
        "new_gap": good.assign(x=good["x"].where(whole != 3)),
        "new_text": good.assign(x=good["kind"]),
    }


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    for name, content in (text_files() | packed_files()).items():
        (folder / name).write_bytes(content)
    for name, frame in frames().items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    good = table()
    good.to_parquet(folder / "good.parquet", index=False)
    (folder / "cut.parquet").write_bytes((folder / "good.parquet").read_bytes()[:700])
    (folder / "only_mark.parquet").write_bytes(b"PAR1")
    nested = {"x": good["x"], "place": [{"lat": 1.0}] * N, "tags": [["a"]] * N, "price": good["price"]}
    pa.parquet.write_table(pa.table(nested), folder / "nested.parquet")
    pa.parquet.write_table(pa.table({k: v for k, v in nested.items() if k != "place"}), folder / "lists.parquet")
    (folder / "folder.csv").mkdir()
    (folder / "nothing").mkdir()
    (folder / "old.html").mkdir()
    X = good[["x", "z"]]
    model = save(Ridge().fit(X, good["price"]), folder / "ridge.skops")
    (folder / "cut.skops").write_bytes(model.read_bytes()[:300])
    (folder / "false.skops").write_text("hello")
    (folder / "false.joblib").write_text("hello")
    save(Ridge().fit(X, good["price"]), folder / "ridge.joblib")
    save(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, good["kind"]), folder / "kinds.skops")
    return folder


BAD = [
    # the file
    ("compare absent.csv", "no file 'absent.csv'"),
    ("compare god.csv --target price", "did you mean 'good.csv'?"),
    ("compare absent/good.csv", "no folder 'absent'"),
    ("compare folder.csv --target price", "the folder folder.csv has no files ending in .parquet"),
    ("compare nothing --target price", "nothing"),
    ("compare https://example.org/good.csv", "download it first"),
    ("compare empty.csv --target price", "is empty"),
    ("compare blank.csv --target price", "is empty"),
    ("compare header.csv --target price", "no rows"),
    ("compare binary.csv --target price", "is no text"),
    ("compare picture.csv --target price", "a picture"),
    ("compare parquet_inside.csv --target price", "a Parquet file"),
    ("compare nul.csv --target price", "holds a NUL byte"),
    ("compare open_quote.csv --target price", "open_quote.csv"),
    ("compare ragged.csv --target price", "line 6 has 6 cells, the header 4"),
    ("compare ragged_late.csv --target price", "line 362 has 5 cells"),
    ("compare twice.csv --target price", "more than one column 'x'"),
    ("compare bars.csv --target price", "no column 'price'"),
    ("compare good.csv --target price --sep ;", "no column 'price'"),
    ("compare good.csv --target price --sep ;;", "--sep takes one character"),
    ("compare good.csv --target price --encoding klingon", "no encoding 'klingon'"),
    ("compare good.csv --target price --encoding utf-16", "utf-16"),
    ("compare good.csv --target price --decimal x", "--decimal takes a comma or a point"),
    ("compare good.csv --target price --sep , --decimal ,", "cannot be both"),
    ("compare json.json --target price", "is one object"),
    ("compare cut.json --target price", "is no JSON, or it is cut short"),
    ("compare list.json --target price", "holds a number as row 0"),
    ("compare uneven.json --target price", "differ in length"),
    ("compare cut.jsonl --target price", "line 2 is no JSON object"),
    ("compare number.jsonl --target price", "line 1 is a number"),
    ("compare deep.json --target price", "deep.json"),
    ("compare table.doc", "no table that can be read"),
    ("compare noending", "no table that can be read"),
    ("compare old.xls", "save it as .xlsx or .csv"),
    ("compare cut.csv.gz --target price", "cut short"),
    ("compare false.csv.gz --target price", "no gzip file"),
    ("compare cut.zip --target price", "no zip archive"),
    ("compare two.zip --target price", "holds 2 files"),
    ("compare cut.xlsx --target price", "cannot be read as xlsx"),
    ("compare false.xlsx --target price", "cannot be read as xlsx"),
    ("compare cut.parquet --target price", "cut.parquet"),
    ("compare only_mark.parquet --target price", "cannot be read as parquet"),
    ("compare nested.parquet --target price", "column 'place' holds records"),
    ("compare lists.parquet --target price", "column 'tags' holds lists"),
    ("fit Ridge nested.parquet --target price", "column 'place' holds records"),
    ("fit Ridge nested.parquet --target price --stream", "column 'place' of nested.parquet holds struct"),
    # the columns
    ("compare good.csv --target prise", "did you mean 'price'?"),
    ("compare good.csv --target PRICE", "did you mean 'price'?"),
    ("compare wide.csv --target sensor_29", "'sensor_299'"),
    ("compare good.csv --target price --drop absent", "no column 'absent'"),
    ("compare good.csv --target price --drop price", "different columns"),
    ("compare good.csv --target price --groups price", "different columns"),
    ("compare good.csv --target price --groups whom", "no column 'whom'"),
    ("compare gap_groups.csv --target price --groups who", "'who' of --groups has 1 missing value, the first in row 0"),
    ("compare good.csv --target price --time kind", "neither dates (2024-02-29) nor numbers"),
    ("compare one_column.csv --target price", "no column to learn from besides the target"),
    ("compare names_only.csv --target price", "'name' is left out (identifier)"),
    ("compare stray.csv --target price", "row 7 holds 'much'"),
    ("compare infinite.csv --target price", "infinite number in row 4"),
    ("fit Ridge infinite.csv --target price", "infinite number in row 4"),
    # the target
    ("compare constant.csv --target price", "one class only ('7')"),
    ("compare constant.csv --target price --task regression", "is 7 in every row"),
    ("fit Ridge constant.csv --target price", "is 7 in every row"),
    ("compare one_class.csv --target kind", "one class only"),
    ("fit LogisticRegression one_class.csv --target kind", "one class only"),
    ("compare rare.csv --target kind", "the class 'c' of the target 'kind' has one row only"),
    ("compare no_target.csv --target price", "is missing in every row"),
    ("compare infinite_target.csv --target price", "not finite in row 4"),
    ("compare dates_target.csv --target price", "'price' holds dates"),
    ("compare many_classes.csv --target kind", "2400 classes, at most 1000"),
    ("compare good.csv --target kind --task regression", "is not numeric: row 0 holds"),
    ("compare good.csv --target price --task classification", "classes are text, booleans or whole numbers"),
    ("fit LogisticRegression good.csv --target price", "classes are text, booleans or whole numbers"),
    ("fit LogisticRegression good.parquet --target price --drop kind --stream", "on a regression target"),
    ("fit Ridge good.csv --target kind", "is not numeric: row 0 holds"),
    ("compare good.csv --task classification", "needs --target"),
    ("fit Ridge good.csv", "needs a target"),
    # the options
    ("compare one_row.csv --target price", "1 row: too few for 5 folds"),
    ("compare good.csv --target price --folds 31", "too few for 31 folds"),
    ("compare good.csv --target price --folds -3", "--folds"),
    ("compare good.csv --target price --repeats 0", "--repeats"),
    ("compare good.csv --target price --folds many", "--folds"),
    ("compare good.csv --target price --level 95", "--level"),
    ("compare good.csv --target price --rope -1", "--rope"),
    ("compare good.csv --target price --time-budget -1", "--time-budget"),
    ("compare good.csv --target price --time-budget nan", "--time-budget"),
    ("compare good.csv --target price --jobs 0", "--jobs"),
    ("compare good.csv --target price --groups kind --repeats 2", "leave one out"),
    ("compare good.csv --target price --scoring r3", "no score 'r3'"),
    ("compare good.csv --target kind --metric roc_acu", "did you mean roc_auc"),
    ("compare good.csv --target price --metric accuracy", "is of a classification, this is a regression"),
    ("compare good.csv --target kind --metric f1", "classes 0 and 1"),
    ("compare --dataset iris --metric roc_auc", "of two classes, here are 3"),
    ("compare good.csv --metric r2", "needs a target"),
    ("compare --dataset nothing", "'nothing' is not one of"),
    ("compare good.csv --dataset iris", "not both"),
    ("compare --nonsense", "No such option: --nonsense"),
    ("nonsense", "No such command 'nonsense'"),
    ("fit Ridge", "Missing argument 'DATA'"),
    ("fit Ridg good.csv --target price", "did you mean Ridge?"),
    ("fit Ridge good.csv --target price --set alpha", "takes name=value"),
    ("fit Ridge good.csv --target price --set alhpa=1", "no parameter 'alhpa'"),
    ("fit Ridge good.csv --target price --set alpha=-1", "alpha=…) must be a number ≥ 0"),
    ("fit KMeans good.csv --set n_clusters=1000", "1000"),
    ("fit Ridge good.csv --target price --stream", "only Parquet can be streamed"),
    ("fit Ridge good.parquet --target price --stream", "column 'kind' of good.parquet holds"),
    ("fit Ridge good.parquet --target price --drop kind --stream --prepare", "leave out --prepare"),
    ("fit Ridge good.csv --target price --no-prepare", "column 'kind' of good.csv is not numeric: row 0"),
    # where the output goes
    ("compare good.csv --target price --report absent/page.html", "no folder 'absent'"),
    ("compare good.csv --target price --report old.html", "is a folder"),
    ("compare good.csv --target price --report page.pdf", "ends in .html"),
    ("compare good.csv --target price --out best.txt", "ends in .skops"),
    ("compare good.csv --target price --out absent/best.skops", "no folder 'absent'"),
    ("fit Ridge good.csv --target price --out absent/m.skops", "no folder 'absent'"),
    ("predict ridge.skops good.csv --out preds.doc", "a table that is written ends in"),
    ("predict ridge.skops good.csv --out absent/preds.csv", "no folder 'absent'"),
    # models
    ("certify absent.skops good.csv --target price", "no model file"),
    ("certify cut.skops good.csv --target price", "cut short"),
    ("certify false.skops good.csv --target price", "no skops file"),
    ("certify ridge.joblib good.csv --target price", "can run any code"),
    ("predict false.joblib good.csv --trust", "no pickled model"),
    ("certify ridge.skops good.csv", "was fitted to a target"),
    ("predict ridge.skops one_column.csv", "no columns 'x', 'z'"),
    ("predict ridge.skops new_gap.csv", "1 missing value, the first in row 3"),
    ("predict ridge.skops new_text.csv", "column 'x' of new_text.csv is not numeric"),
    ("predict kinds.skops new_gap.csv", "has a missing value in row 3"),
    ("predict ridge.skops good.csv --proba", "Ridge gives no probabilities"),
    ("predict ridge.skops absent.csv", "no file"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), BAD, ids=[words for words, _ in BAD])
def test_bad_input_is_one_line_on_stderr(surefit, words, message):
    told = {}
    for machine in (False, True) if " " in words else (False,):
        code, out, err = surefit(*words.split(), *(["--json"] if machine else []))
        assert (code, out) == (2, ""), err
        told[machine] = [line for line in err.splitlines() if not line.startswith(("Read ", "Note: "))]
        assert len(told[machine]) == 1, err
        assert told[machine][0].startswith("surefit: ") and message in told[machine][0]
        assert len(told[machine][0]) < 400 or "There are" in told[machine][0]


def test_there_are_more_than_sixty():
    assert len({words for words, _ in BAD}) == len(BAD) >= 60


def test_files_and_folders_that_are_closed(surefit, monkeypatch):
    """Permissions do not stop the superuser, so they are played."""
    with monkeypatch.context() as played:
        played.setattr("os.access", lambda path, mode: False)
        for words in ("compare good.csv --target price", "fit Ridge good.csv --target price --out m.skops"):
            code, out, err = surefit(*words.split())
            assert (code, out) == (2, "") and "may not be written to" in err and len(err.splitlines()) == 1

    def closed(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.read_bytes", closed)
    code, out, err = surefit("compare", "good.csv", "--target", "price", "--no-report")
    assert (code, out) == (2, "") and "may not be read: its permissions forbid it" in err


ODD = {
    "mark.csv": lambda frame: frame.to_csv(index=False).encode("utf-8-sig"),
    "latin.csv": lambda frame: frame.rename(columns={"x": "größe"}).to_csv(index=False).encode("latin-1"),
    "wide.tsv": lambda frame: frame.to_csv(index=False, sep="\t").encode("utf-16"),
    "semicolons.txt": lambda frame: frame.to_csv(index=False, sep=";", decimal=",").encode(),
    "face.csv": lambda frame: frame.rename(columns={"x": "😀 size", "z": "n" * 3000}).to_csv(index=False).encode(),
    "huge.csv": lambda frame: frame.assign(z=2**62 + np.arange(N) ** 5).to_csv(index=False).encode(),
    "gone.csv": lambda frame: frame.assign(z=np.nan).to_csv(index=False).encode(),
    "when.csv": lambda frame: frame.assign(z=pd.date_range("2024", periods=N)).to_csv(index=False).encode(),
    "mixed.csv": lambda frame: frame.assign(z=["1", "two", "", "4.5"] * (N // 4)).to_csv(index=False).encode(),
    "gap.csv": lambda frame: frame.assign(price=frame["price"].where(frame.index != 3)).to_csv(index=False).encode(),
    "rows.json": lambda frame: frame.to_json(orient="records").encode(),
    "lines.jsonl": lambda frame: frame.to_json(orient="records", lines=True).encode(),
    "packed.csv.gz": lambda frame: gzip.compress(frame.to_csv(index=False).encode()),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_and_not_wrong_goes_through_every_command(surefit, home, name):
    (home / name).write_bytes(ODD[name](table()))
    code, out, err = surefit("fit", "Ridge", name, "--target", "price", "--out", "odd.skops")
    assert code == 0 and out.startswith("✓ OPTIMAL  Ridge"), err
    code, out, err = surefit("certify", "odd.skops", name, "--target", "price")
    assert code == 0 and out.startswith("✓ OPTIMAL  Ridge"), err
    code, out, err = surefit("predict", "odd.skops", name, "--quiet")
    assert code == 0 and len(out.splitlines()) == N + 1, err
    code, out, err = surefit("compare", name, "--target", "prise")
    assert code == 2 and "did you mean 'price'?" in err


def test_a_hundred_thousand_levels_are_told_and_left_out(surefit, home):
    n = 100_000
    x = np.arange(n) % 97
    frame = pd.DataFrame({"x": x, "who": [f"person {i}" for i in range(n)], "price": x + np.arange(n) % 5})
    frame.to_parquet(home / "levels.parquet", index=False)
    code, out, err = surefit("fit", "Ridge", "levels.parquet", "--target", "price")
    assert code == 0 and "'who' (names the rows)" in err and "100000 × 1 " in out
