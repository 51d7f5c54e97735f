"""The words of a comparison, from outcomes made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.model_selection.outcome import Outcome
from surefit.model_selection.significance.against_best import against_best
from surefit.model_selection.significance.intervals import corrected_interval
from surefit.model_selection.significance.verdict import opening, told_apart, verdict

NOISE = 0.01 * np.sin(np.arange(25) * 2.4)
LEVEL = 0.95


def outcome(name, mean, wobble=0.0, family="", baseline=False):
    """`wobble`: how differently from the others it does on each fold."""
    scores = mean + NOISE + wobble * np.cos(np.arange(25) * 1.7)
    return Outcome(
        name, None, scores, corrected_interval(scores, 0.25), 0.0, {}, family=family or name, is_baseline=baseline
    )


def judged(*outcomes, rope=0.01):
    return list(outcomes), against_best(outcomes, 0.25, LEVEL, rope)


def test_who_is_tied_and_who_is_worse_by_how_much():
    found, best = judged(
        outcome("A", 0.90), outcome("B", 0.899, 0.01), outcome("C", 0.80, 0.01), outcome("base", 0.5, baseline=True)
    )
    words = verdict(found, best, LEVEL, "accuracy")
    assert words.startswith("A and B cannot be told apart; C is worse by 0.10")
    assert "base by 0.40" in words
    assert words.endswith("A is named first for its mean alone: the highest of 4 is partly luck.")
    assert "For practical purposes A and B are the same (within 0.01)" in words
    tied, worse = told_apart(found[1:], LEVEL)
    assert [one.name for one in tied] == ["B"] and [one.name for one in worse] == ["C", "base"]


def test_one_winner():
    found, best = judged(outcome("A", 0.90), outcome("B", 0.80, 0.01), outcome("C", 0.70, 0.01))
    assert verdict(found, best, LEVEL, "accuracy").startswith("A is better than every other model; B is worse by 0.10")
    assert opening(found, best, LEVEL, "accuracy", "income") == (
        "A predicts income with 90.0 % accuracy; no other model does as well."
    )


def test_nothing_better_than_the_baseline():
    found, best = judged(outcome("A", 0.5005, 0.02), outcome("base", 0.5, baseline=True))
    assert "No model is shown to do better than the baseline" in verdict(found, best, LEVEL, "accuracy")
    assert opening(found, best, LEVEL, "accuracy").endswith("that it does better than the baseline is not shown.")
    found, best = judged(outcome("A", 0.4, 0.01), outcome("base", 0.5, baseline=True))
    assert opening(found, best, LEVEL, "accuracy").endswith("it is the baseline, and no model does better.")


@pytest.mark.parametrize(
    ("rope", "words"),
    [(0.05, "one simpler model does as well."), (None, "one simpler model cannot be told apart from it.")],
)
def test_simpler_models_that_do_as_well(rope, words):
    found, best = judged(
        outcome("boosted", 0.851, family="HistGradientBoostingClassifier"),
        outcome("logistic", 0.850, 0.02, family="LogisticRegression"),
        outcome("base", 0.759, baseline=True, family="DummyClassifier"),
        rope=rope,
    )
    said = opening(found, best, LEVEL, "accuracy", "income")
    assert said == f"boosted predicts income with 85.1 % accuracy, the baseline 75.9 %; {words}"


def test_one_model_and_one_fold():
    found, best = judged(outcome("A", 0.9))
    assert "only model with a score" in verdict(found, best, LEVEL, "accuracy")
    single = [outcome("A", 0.9), outcome("B", 0.8)]
    for one in single:
        one.scores = one.scores[:1]
        one.interval = corrected_interval(one.scores, 0.25)
    best = against_best(single, 0.25, LEVEL, None)
    assert "one fold cannot say how sure that is" in verdict(single, best, LEVEL, "accuracy")
    assert opening(single, best, LEVEL, "accuracy") == "A predicts the target with 90.0 % accuracy."
