"""What is printed is true, and what is wrong is refused: every class, its solvers, both libraries, both precisions.

A small grid runs always; `SUREFIT_MANY=1` runs all of it, and `python -m tests.laws.lies` prints the counts.
"""

from __future__ import annotations

import os

import pytest

from tests.laws.lies import VARIANTS, tell
from tests.laws.registry import estimator_classes

MANY = bool(os.environ.get("SUREFIT_MANY"))


def test_no_class_is_left_out():
    assert {cls.__name__ for cls in estimator_classes()} <= set(VARIANTS)


@pytest.mark.parametrize("name", VARIANTS)
def test_printed_numbers_bound_the_truth_and_lies_are_refused(name):
    verdict, faults = tell(name, everything=MANY)
    assert not faults, f"{len(faults)} of {verdict.told}:\n" + "\n".join(faults[:3])
    assert verdict.told >= 8
    assert verdict.truths >= 1
