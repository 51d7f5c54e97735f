"""Parameters: declared once, all faults at once, words that help."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pytest

from surefit._core.base import Estimator
from surefit._core.errors import InvalidParameter
from surefit._core.params import Range, Rule, parameters


class Example(Estimator):
    """An example.

    {parameters}
    """

    def __init__(
        self,
        alpha: Annotated[float, Range(0, hint="For no penalty use 0."), "Weight of the penalty."] = 1.0,
        k: Annotated[int | None, Range(1), "Number of clusters."] = None,
        mode: Annotated[Literal["fast", "slow"], "Which way."] = "fast",
        flag: Annotated[bool, "Whether."] = True,
        start: Annotated[
            np.ndarray | Literal["random"], Rule(lambda a: len(a) > 0, "that is not empty"), "Start."
        ] = "random",
    ) -> None:
        self.alpha = alpha
        self.k = k
        self.mode = mode
        self.flag = flag
        self.start = start


def fault(**params: object) -> str:
    with pytest.raises(InvalidParameter) as error:
        Example(**params)._checked()
    return str(error.value)


def test_good_values_come_back_unchanged():
    p = Example(alpha=0, k=np.int64(3), mode="slow", flag=np.bool_(False), start=[1.0])._checked()
    assert (p.alpha, p.k, p.mode, p.flag, p.start) == (0, 3, "slow", False, [1.0])


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"alpha": -1}, "Example(alpha=…) must be a number ≥ 0; got -1. For no penalty use 0."),
        ({"alpha": float("nan")}, "must be a number ≥ 0; got nan"),
        ({"alpha": "1"}, "must be a number ≥ 0; got '1'"),
        ({"alpha": True}, "must be a number ≥ 0; got True"),
        ({"k": 0}, "must be a whole number ≥ 1 or None; got 0"),
        ({"k": 2.0}, "must be a whole number ≥ 1 or None; got 2.0"),
        ({"mode": "quick"}, "must be one of 'fast', 'slow'; got 'quick'"),
        ({"flag": 1}, "must be True or False; got 1"),
        ({"start": []}, "must be an array that is not empty or one of 'random'; got []"),
    ],
)
def test_each_fault_says_what_was_expected_and_what_came(params, words):
    assert words in fault(**params)


def test_all_faults_are_reported_at_once():
    lines = fault(alpha=-1, k=0, mode="x", flag=None).splitlines()
    assert [line.partition("=…")[0] for line in lines] == [
        "Example(alpha",
        "Example(k",
        "Example(mode",
        "Example(flag",
    ]


def test_faults_are_value_errors_and_type_errors():
    with pytest.raises(ValueError, match="alpha"):
        Example(alpha=-1)._checked()
    with pytest.raises(TypeError, match="alpha"):
        Example(alpha=-1)._checked()


def test_documentation_comes_from_the_declaration():
    assert "alpha : float, default=1.0" in Example.__doc__
    assert "Weight of the penalty." in Example.__doc__
    assert [parameter.name for parameter in parameters(Example)] == ["alpha", "k", "mode", "flag", "start"]
