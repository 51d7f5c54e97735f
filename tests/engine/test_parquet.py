"""The Parquet source: what it reads, how much it holds, and what it says when it cannot."""

from __future__ import annotations

import decimal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surefit
from surefit._core.errors import InvalidData
from surefit.engine.leaves import leaf_rows
from surefit.engine.open import open_data
from surefit.engine.sources.parquet import open_parquet
from tests.engine.steps import TotalsStep

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def table(path: Path, columns: dict[str, Any], **options: Any) -> str:
    pq.write_table(pa.table(columns), path, **options)
    return str(path)


def rows_of(source: Any) -> np.ndarray:
    return np.concatenate([block.X for block in source.blocks()])


@pytest.mark.parametrize("row_group", [100, 5000, 10**6])
@pytest.mark.parametrize("files", [1, 4])
def test_rows_come_in_order_in_aligned_blocks(write: Any, row_group: int, files: int) -> None:
    X = np.random.default_rng(0).standard_normal((20_011, 7))
    source = open_parquet(surefit.scan(write(X, files=files, row_group=row_group), batch_rows=8192))
    blocks = list(source.blocks())
    assert [block.start for block in blocks] == [0, 8192, 16384]
    assert [block.n_rows for block in blocks] == [8192, 8192, 20_011 - 16384]
    assert all(block.X.flags.c_contiguous and block.leaf_rows == 4096 for block in blocks)
    assert np.array_equal(rows_of(source), X)
    assert np.array_equal(rows_of(source), X), "a source can be passed over again"


def test_blocks_are_whole_leaves_however_few_rows_are_asked_for(write: Any) -> None:
    source = open_parquet(surefit.scan(write(np.ones((9000, 2))), batch_rows=10))
    assert [block.n_rows for block in source.blocks()] == [4096, 4096, 808]


def test_blocks_are_limited_in_bytes(write: Any) -> None:
    source = open_parquet(write(np.ones((40_000, 200))))
    rows = next(iter(source.blocks())).n_rows
    assert rows * 200 * 8 <= 2**25 < 2 * rows * 200 * 8
    assert rows % leaf_rows(200) == 0


def test_shape_and_names_are_known_without_reading(write: Any) -> None:
    folder = write(np.ones((50, 3)), files=2, y=np.zeros(50), w=np.ones(50))
    source = open_parquet(folder, "y", "w")
    assert (source.n_rows, source.n_features, source.n_targets, source.target_ndim) == (50, 3, 1, 1)
    assert list(source.feature_names) == ["x0", "x1", "x2"]
    assert source.has_weights and not source.is_sparse and not source.resident


def test_targets_and_weights_by_name_or_in_memory(write: Any) -> None:
    rng = np.random.default_rng(0)
    X, Y, w = rng.standard_normal((5000, 2)), rng.standard_normal((5000, 2)), rng.random(5000)
    folder = write(X, files=3, a=Y[:, 0], b=Y[:, 1], w=w)
    for y, weight in (("a", "w"), (Y[:, 0], w)):
        blocks = list(open_parquet(surefit.scan(folder, columns=["x0", "x1"]), y, weight).blocks())
        assert np.array_equal(np.concatenate([block.y for block in blocks]), Y[:, 0])
        assert np.array_equal(np.concatenate([block.w for block in blocks]), w)
    source = open_parquet(surefit.scan(folder, target=["b", "a"], weight="w"))
    assert (source.n_targets, source.target_ndim, source.n_features) == (2, 2, 2)
    assert np.array_equal(np.concatenate([block.y for block in source.blocks()]), Y[:, ::-1])


def test_a_named_target_is_no_feature_even_when_it_is_not_wanted(write: Any) -> None:
    source = open_parquet(write(np.ones((10, 2)), y=np.ones(10)), "y", target=False)
    assert (source.n_features, source.n_targets) == (2, 0)
    assert next(iter(source.blocks())).y is None


@pytest.mark.parametrize(
    ("arrow", "dtype"),
    [("float32", "f4"), ("float64", "f8"), ("int8", "f8"), ("uint64", "f8"), ("bool", "f8"), ("float16", "f8")],
)
def test_types(tmp_path: Path, arrow: str, dtype: str) -> None:
    values = np.array([0, 1, 1, 0]).astype(arrow)
    source = open_parquet(table(tmp_path / "t.parquet", {"a": values, "b": values}))
    assert source.dtype == dtype
    assert np.array_equal(rows_of(source), np.column_stack([values, values]).astype(dtype))


def test_single_and_double_precision_together_are_double(tmp_path: Path) -> None:
    path = table(tmp_path / "t.parquet", {"a": np.float32([0.1]), "b": np.float64([0.1])})
    assert np.array_equal(rows_of(open_parquet(path)), [[np.float64(np.float32(0.1)), 0.1]])


def test_decimals_are_numbers(tmp_path: Path) -> None:
    cents = pa.array([decimal.Decimal("1.25"), decimal.Decimal("-3.50")])
    assert np.array_equal(rows_of(open_parquet(table(tmp_path / "t.parquet", {"a": cents}))), [[1.25], [-3.5]])


def test_the_index_of_pandas_is_no_feature(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, 2.0], "b.c": [3, 4]}, index=pd.Index([10, 20], name="row"))
    frame.to_parquet(tmp_path / "t.parquet")
    source = open_parquet(tmp_path / "t.parquet")
    assert list(source.feature_names) == ["a", "b.c"]
    assert np.array_equal(rows_of(source), [[1, 3], [2, 4]])


def test_files_folders_patterns_and_lists_are_read_in_sorted_order(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        table(tmp_path / f"{name}.parquet", {"v": [float(ord(name))]})
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "_metadata.parquet").write_bytes(b"not data")
    (tmp_path / "deep").mkdir()
    table(tmp_path / "deep" / "d.parquet", {"v": [100.0]})
    every = [[97.0], [98.0], [99.0], [100.0]]
    assert np.array_equal(rows_of(open_parquet(tmp_path)), every)
    assert np.array_equal(rows_of(open_parquet(f"{tmp_path}/[ab].parquet")), every[:2])
    assert np.array_equal(rows_of(open_parquet(f"{tmp_path}/**/*.parquet".replace("**/*", "**/[abcd]"))), every)
    listed = surefit.scan([tmp_path / "c.parquet", tmp_path / "a.parquet"])
    assert np.array_equal(rows_of(open_parquet(listed)), [every[0], every[2]])


def test_files_may_order_their_columns_differently(tmp_path: Path) -> None:
    table(tmp_path / "1.parquet", {"a": [1.0], "b": [2.0]})
    table(tmp_path / "2.parquet", {"b": [4.0], "a": [3]})
    assert np.array_equal(rows_of(open_parquet(tmp_path)), [[1, 2], [3, 4]])


BAD_VALUES = [
    ({"a": [1.0, np.nan]}, r"NaN.*\n.*column 'a', row 1 of .*t\.parquet"),
    ({"a": [1.0, 2.0], "b": [-np.inf, 1.0]}, r"infinity.*\n.*column 'b', row 0 of .*t\.parquet"),
    ({"a": [1.0, None]}, r"column 'a' is null in row 1 of .*t\.parquet"),
    ({"a": [1, None]}, r"column 'a' is null in row 1 of .*t\.parquet"),
    ({"a": ["x", "y"]}, r"column 'a' of .*t\.parquet is not numeric \(string\)"),
    ({"a": pa.array(["x", "y"]).dictionary_encode()}, r"column 'a' of .*t\.parquet is categorical"),
    ({"a": [[1.0], [2.0]]}, r"column 'a' of .*t\.parquet is not numeric"),
    ({"a": np.array(["2020-01-01"], "M8[us]")}, r"column 'a' of .*t\.parquet is not numeric \(timestamp"),
    ({"a": pa.nulls(2)}, r"column 'a' of .*t\.parquet is not numeric \(null\)"),
]


@pytest.mark.parametrize(("columns", "message"), BAD_VALUES)
def test_bad_values_are_named(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    path = table(tmp_path / "t.parquet", columns)
    with pytest.raises(InvalidData, match=message):
        open_parquet(path).fold(TotalsStep(), 0.0)


def test_the_row_of_a_bad_value_is_counted_in_its_file(write: Any) -> None:
    X = np.ones((10_000, 3))
    X[7777, 1] = np.nan
    folder = write(X, files=2, row_group=700)
    with pytest.raises(InvalidData, match=r"column 'x1', row 2777 of .*part001\.parquet"):
        open_parquet(folder).fold(TotalsStep(), 0.0)


@pytest.mark.parametrize(
    ("w", "message"),
    [
        ([1.0, -2.0], r"Negative values in data passed to `sample_weight`: row 1 of .* has -2\.0"),
        ([0.0, 0.0], "all weights are zero"),
    ],
)
def test_bad_weights(write: Any, w: list[float], message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        open_parquet(write(np.ones((2, 1)), w=np.array(w)), None, "w").fold(TotalsStep(), 0.0)


def test_bad_targets_are_named(write: Any) -> None:
    with pytest.raises(InvalidData, match=r"Input y contains NaN.*\n.*column 'y', row 1 of"):
        open_parquet(write(np.ones((2, 1)), y=np.array([1.0, np.nan])), "y").fold(TotalsStep(), 0.0)


def cases_without_rows(folder: Path) -> list[tuple[Any, str]]:
    good = Path(table(folder / "good.parquet", {"a": np.arange(9000.0), "b": np.ones(9000)}, row_group_size=1000))
    (folder / "short.parquet").write_bytes(good.read_bytes()[:-10])
    (folder / "text.parquet").write_text("a,b\n1,2\n")
    (folder / "nothing.parquet").touch()
    table(folder / "empty.parquet", {"a": pa.array([], pa.float64())})
    pq.write_table(pa.Table.from_arrays([pa.array([1.0])] * 2, ["a", "a"]), folder / "twice.parquet")
    (folder / "void").mkdir()
    (folder / "differ").mkdir()
    table(folder / "differ" / "1.parquet", {"a": [1.0], "b": [1.0]})
    table(folder / "differ" / "2.parquet", {"a": [1.0], "c": [1.0]})
    return [
        (folder / "absent.parquet", "there is no file or folder"),
        (folder / "*.csv", "no file matches"),
        (folder / "void", "has no files ending in"),
        (folder / "short.parquet", r"cannot read .*short\.parquet as Parquet"),
        (folder / "text.parquet", r"cannot read .*text\.parquet as Parquet"),
        (folder / "nothing.parquet", r"cannot read .*nothing\.parquet as Parquet"),
        (folder / "empty.parquet", "Found 0 row"),
        (folder / "twice.parquet", "more than one column named 'a'"),
        (folder / "differ", r"the files differ: .* has a column '[bc]', .* has none"),
        ("s3://bucket/t.parquet", "not a local path"),
        (surefit.scan(good, columns=["a", "q"]), r"good\.parquet has no column 'q'; it has a, b"),
        (surefit.scan(good, target="q"), r"good\.parquet has no column 'q'"),
        (surefit.scan(good, columns=["a"], weight="q"), r"good\.parquet has no column 'q'"),
        (surefit.scan(good, target=["a", "b"]), r"Found 0 feature\(s\)"),
    ]


def test_what_cannot_be_opened_says_why_in_one_line(tmp_path: Path) -> None:
    for path, message in cases_without_rows(tmp_path):
        with pytest.raises(InvalidData, match=message) as caught:
            open_parquet(path)
        assert "\n" not in str(caught.value)


def test_damage_inside_a_file_is_reported_when_it_is_read(tmp_path: Path) -> None:
    path = Path(table(tmp_path / "t.parquet", {"a": np.random.default_rng(0).random(9000)}, compression="zstd"))
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56  # the header of the first page
    path.write_bytes(content)
    source = open_parquet(path)
    with pytest.raises(InvalidData, match=r"cannot read .*t\.parquet as Parquet"):
        source.fold(TotalsStep(), 0.0)


@pytest.mark.parametrize("n", [3, 9000])
def test_a_file_that_changes_between_passes_is_noticed(tmp_path: Path, n: int) -> None:
    source = open_parquet(table(tmp_path / "t.parquet", {"a": np.ones(5000)}))
    table(tmp_path / "t.parquet", {"a": np.ones(n)})
    with pytest.raises(InvalidData, match=r"t\.parquet changed: it had 5000 rows"):
        source.fold(TotalsStep(), 0.0)


def test_lengths_in_memory_must_fit(write: Any) -> None:
    folder = write(np.ones((10, 2)))
    with pytest.raises(InvalidData, match="X has 10 rows, y has 9"):
        open_parquet(folder, np.ones(9))
    with pytest.raises(InvalidData, match=r"sample_weight.shape == \(9,\), expected \(10,\)"):
        open_parquet(folder, None, np.ones(9))


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("surefit-parquet")]


class Interrupted(TotalsStep):
    """Stands for Ctrl-C in the middle of a pass."""

    def map_leaf(self, state: Any, leaf: Any) -> Any:
        if leaf.start >= 8192:
            raise KeyboardInterrupt
        return super().map_leaf(state, leaf)


def test_an_interrupted_pass_leaves_no_thread_behind(write: Any) -> None:
    source = open_parquet(surefit.scan(write(np.ones((50_000, 3))), batch_rows=4096), n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        source.fold(Interrupted(), 0.0)
    assert readers() == []
    blocks = source.blocks()
    next(blocks)
    assert len(readers()) == 1
    blocks.close()
    assert readers() == []
    assert source.fold(TotalsStep(), 0.0).n_rows == 50_000


def test_at_most_three_blocks_are_held(write: Any) -> None:
    """Bytes that NumPy holds at the peak of a pass, as it reports them to tracemalloc."""
    import tracemalloc

    source = open_parquet(surefit.scan(write(np.ones((2**17, 8))), batch_rows=4096), n_jobs=1)
    block_bytes = 4096 * 8 * 8
    source.fold(TotalsStep(), 0.0)
    tracemalloc.start()
    try:
        for _ in source.blocks():
            continue
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * block_bytes < 2**17 * 8 * 8 / 4


@pytest.mark.parametrize("target", [True, "classes"])
def test_a_target_among_the_columns_is_refused(target, tmp_path):
    path = table(tmp_path / "rows.parquet", {"a": [1.0, 2.0, 3.0], "y": [0.0, 1.0, 0.0]})
    model = surefit.linear_model.Ridge()
    with pytest.raises(InvalidData, match="column 'y' is target or weight and a feature"):
        open_data(model, surefit.scan(path, columns=["a", "y"]), "y", target=target)
    with pytest.raises(InvalidData, match="column 'a' is target or weight and a feature"):
        open_data(model, surefit.scan(path, columns=["a"]), "y", "a", target=target)
