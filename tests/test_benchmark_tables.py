"""The tables of measured ratios say what was measured, the worst included."""

from __future__ import annotations

import json

from benchmarks.harness import save
from benchmarks.table import family_line, work_lines


def work(name, **peers):
    ours = {"min": 0.5, "peak_mb": 3.2}
    return {"name": name, "contenders": {"surefit": ours, **peers}}


def peer(ratio, **more):
    return {"ratio": ratio, "peak_mb": 20.0, "quality_kept": True, **more}


def test_a_family_counts_its_fastest_peers_and_names_the_worst():
    works = [
        work("small", slow=peer(8.0, bar=2, reached=True), fast=peer(0.5, bar=1, reached=False)),
        work("large", slow=peer(3.0)),
        work("larger", slow=peer(10.0, bar=2, reached=True)),
        work("alone"),
    ]
    assert family_line("trees", works) == "| trees | 3 | 3.0 | 10.0 | 0.50: small (fast) | 2 of 3 |"


def test_a_peer_that_ends_with_a_worse_answer_is_told():
    works = [work("powers", quick=peer(0.1, as_good_as_ours=False))]
    assert "0.10: powers (quick, whose answer is worse)" in family_line("linear", works)


def test_a_row_has_time_ratio_bar_and_memory():
    line = "| fit | peer | 500 ms | 1.25 (surefit's answer is worse) | ≥ 2 ✗ | 3 / 20 |"
    assert work_lines(work("fit", peer=peer(1.25, bar=2, reached=False, quality_kept=False))) == [line]


def test_a_work_without_peers_shows_our_time():
    assert work_lines(work("fit")) == ["| fit |  | 500 ms |  |  |  |"]
    assert family_line("empty", [work("fit")]) is None


def test_a_work_measured_again_takes_its_place_among_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.harness.RESULTS", tmp_path)
    names = ["first", "second", "third"]
    for name, seconds in (("third", 3.0), ("first", 1.0), ("third", 4.0), ("gone", 9.0)):
        path = save("family", [{"name": name, "seconds": seconds}], names)
    kept = json.loads(path.read_text("utf-8"))
    assert [(one["name"], one["seconds"]) for one in kept["works"]] == [("first", 1.0), ("third", 4.0)]
    other = {**kept, "machine": {**kept["machine"], "processor": "another"}}
    path.write_text(json.dumps(other), "utf-8")
    save("family", [{"name": "second", "seconds": 2.0}], names)
    assert [one["name"] for one in json.loads(path.read_text("utf-8"))["works"]] == ["second"]
