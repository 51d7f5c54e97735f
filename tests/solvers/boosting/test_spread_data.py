"""Parts of rows for boosting: their sums by fractions, their cuts and bins by hand, and how they come to a state."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest

from surefit._core.arithmetic import rounded_units
from surefit.engine.sources.block import Block
from surefit.engine.sources.dask_state import Message, _added, _merged
from surefit.objectives.losses import SquaredError
from surefit.solvers.boosting.part_rows import Facts, PartRows
from surefit.solvers.boosting.spread_data import BinBlock, add_weight_sums, join_parts, weight_sums
from surefit.solvers.boosting.spread_targets import HeldOut, TargetFactsStep, Weighing
from surefit.summaries.bins import Bins

RNG = np.random.default_rng(0)
X = RNG.standard_normal((50, 2))
Y = RNG.standard_normal(50) * 10.0 ** RNG.integers(-8, 8, 50)
W = RNG.uniform(0, 2, 50) * (np.arange(50) % 5 > 0)
BINS = Bins([np.array([-0.5, 0.0, 0.5]), np.array([0.25])], np.zeros(2, dtype=bool))
ALL = HeldOut(None, 0, False)


def part(at=slice(None), w=W):
    return PartRows(BINS.transform(X[at]), Y[at], None if w is None else w[at], None)


def nearest(values):
    """The double nearest to a sum, by fractions."""
    return float(sum(map(Fraction, values.tolist()), Fraction(0)))


def test_sums_of_parts_are_rounded_once():
    sums = [weight_sums(0, part(at)) for at in (slice(0, 7), slice(7, 31), slice(31, 50))]
    _, (weight,), products, wild = add_weight_sums(add_weight_sums(sums[0], sums[1]), sums[2])
    exact = sum((Fraction(a) * Fraction(b) for a, b in zip(W.tolist(), Y.tolist(), strict=True)), Fraction(0))
    assert rounded_units(weight) == nearest(W)
    assert rounded_units(products) == float(exact)
    assert wild == 0


def test_products_beyond_floating_point_are_counted():
    far = PartRows(np.zeros((2, 2), dtype=np.uint8), np.array([1e308, 1.0]), np.array([10.0, 1.0]), None)
    assert weight_sums(0, far)[3] > 0


def test_facts_of_targets_leave_out_rows_without_weight():
    y = np.where(W > 0, Y, 1e300)
    step = TargetFactsStep()
    blocks = [Block(X[at], y[at], W[at], 0, 64) for at in (slice(0, 20), slice(20, 50))]
    facts = step.combine(*(step.map(0, block, 1) for block in blocks))
    assert facts.total == nearest(W)
    assert (facts.least, facts.most) == (Y[W > 0].min(), Y[W > 0].max())
    assert facts.highest == 1e300


def test_weights_of_classes_multiply_those_of_rows():
    y = (Y > 0).astype(float)
    _, _, w = Weighing(np.array([1.0, 3.0]))((X, y, W), 0)
    np.testing.assert_array_equal(w, W * np.where(y == 1, 3.0, 1.0))


def test_blocks_are_binned_and_cut_again():
    blocks = [BinBlock(BINS, ALL)((X[at], Y[at], W[at]), 0) for at in (slice(0, 20), slice(20, 50))]
    used = W > 0
    first = int(used[:20].sum())
    joined = join_parts("trained", blocks[0], 3, first, blocks[1], 0, 5)
    by_hand = np.flatnonzero(used)[3 : first + 5]
    np.testing.assert_array_equal(joined.y, Y[by_hand])
    np.testing.assert_array_equal(joined.bins[:, 0], np.searchsorted(BINS.thresholds[0], X[by_hand, 0]))
    assert len(blocks[0].held.y) == 0


def asked(part, number, steps, question, whole):
    facts = Facts(BINS, np.array([4, 2]), SquaredError(), np.zeros((1, 1)), 50, float(W.sum()), nearest(W))
    return part.answer(Message(facts if whole else None, "fit", number, steps, question, [] if whole else None))


def test_a_part_answers_in_its_state_and_comes_to_it_again():
    """The loss of predictions 0 is Σ ω y²/2; a part that was sent elsewhere has forgotten, and is told all steps."""
    rows = part()
    assert asked(rows, 1, (), ("loss_of_rows",), whole=False) is None
    value = asked(rows, 0, (("find_slopes",),), ("loss_of_rows",), whole=True)
    assert value == pytest.approx(float(W @ Y**2) / 2, rel=1e-12)
    moved = pickle.loads(pickle.dumps(rows))
    assert asked(moved, 1, (), ("loss_of_rows",), whole=False) is None
    assert asked(moved, 1, (("find_slopes",),), ("loss_of_rows",), whole=True) == value
    assert asked(rows, 1, (), ("loss_of_rows",), whole=False) == value


def test_parts_without_an_answer_have_none_together():
    assert _merged(_added, None, 1.0) is None
    assert _merged(_added, 1.0, 2.0) == 3.0
