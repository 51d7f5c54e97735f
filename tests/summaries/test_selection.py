"""Keys found digit by digit over parts of the rows, held against sorted rows."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.summaries.selection import digit_weights, find_keys, ordered_keys, values_of_keys

RNG = np.random.default_rng(0)
VALUES = np.concatenate([RNG.standard_normal(200), RNG.standard_normal(200) * 1e200, [0.0, -0.0, 5e-324, -1.7e308] * 5])
GROUP = RNG.integers(0, 3, len(VALUES))
WEIGHT = RNG.integers(0, 5, len(VALUES))


def parts(search, w):
    """Three parts of the rows, added up."""
    cuts = [slice(0, 100), slice(100, 101), slice(101, None)]
    keys = ordered_keys(VALUES)
    return sum(digit_weights(search, keys[at], GROUP[at], None if w is None else w[at]) for at in cuts)


def test_keys_are_in_the_order_of_numbers_and_tell_them():
    keys = ordered_keys(VALUES)
    order = np.argsort(VALUES, kind="stable")
    assert (np.diff(keys[order].astype(object)) >= 0).all()
    assert len(np.unique(keys)) == len(np.unique(VALUES))  # 0 and −0 are one number
    np.testing.assert_array_equal(values_of_keys(keys), VALUES)


@pytest.mark.parametrize("w", [None, WEIGHT], ids=["rows", "weights"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("beyond", [False, True])
def test_a_share_of_the_weight_of_each_group_is_that_of_sorted_rows(w, share, beyond):
    groups = np.arange(3)
    keys, total = find_keys(lambda s: parts(s, w), groups, lambda t: share * t, np.full(3, beyond))
    for g in groups:
        ones = np.ones(len(VALUES), dtype=int) if w is None else w
        mine = np.flatnonzero((GROUP == g) & (ones > 0))
        mine = mine[np.argsort(VALUES[mine], kind="stable")]
        reached = np.cumsum(ones[mine])
        assert total[g] == reached[-1]
        enough = np.flatnonzero(reached > share * total[g] if beyond else reached >= share * total[g])
        expected = VALUES[mine[enough[0] if len(enough) else -1]]
        assert values_of_keys(keys)[g] == expected
