"""Names that are cut stay distinct; legends keep out of the way."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surefit.plot.axes import distinct, shared_start


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text("ab_…(2)", max_size=40), unique=True, max_size=8), st.integers(12, 30))
def test_cut_names_can_be_told_apart(names, most):
    short = distinct(names, most)
    assert len(set(short)) == len(names)
    assert all(one == name for one, name in zip(short, names, strict=True) if len(name) <= most and "…" not in name)


def test_levels_of_one_column_show_where_they_differ():
    levels = [f"marital_status_Married-to-a-civilian-{where}" for where in ("present", "absent")]
    assert distinct(levels, 24) == ["marital_s…present", "marital_s…absent"]


@given(st.lists(st.text(max_size=8), min_size=1, max_size=5))
def test_the_shared_start_is_shared_and_the_longest(names):
    n = shared_start(names)
    assert len({name[:n] for name in names}) == 1
    assert any(len(name) == n for name in names) or len({name[: n + 1] for name in names}) > 1
