"""The ways to cut rows into training and test parts, under scikit-learn's names.

They are scikit-learn's own splitters (an instance of one is an instance of the other, and gives the same folds for the
same seed), with two things more: `random_state` may also be a NumPy Generator or SeedSequence, and `HoldOut` is the
single split into a training and a validation set.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.model_selection as theirs

from surefit._core.random import random_stream

Split = tuple[np.ndarray, np.ndarray]


class _AnySeed:
    """Splits by a random_state of any kind."""

    random_state: Any

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """(train, test): the row numbers of each split."""
        plain = copy.copy(self)
        if isinstance(self.random_state, (np.random.Generator, np.random.SeedSequence)):
            plain.random_state = np.random.RandomState(int(random_stream(self.random_state).integers(2**32)))
        yield from super(_AnySeed, plain).split(X, y, groups)  # type: ignore[misc]


class KFold(_AnySeed, theirs.KFold):
    """`n_splits` parts of equal size, each tested on once by a model of the others; shuffled only with `shuffle`.

    >>> [test.tolist() for _, test in KFold(2).split([[0], [1], [2], [3]])]
    [[0, 1], [2, 3]]
    """


class StratifiedKFold(_AnySeed, theirs.StratifiedKFold):
    """`KFold` with each class spread evenly over the parts."""


class RepeatedKFold(_AnySeed, theirs.RepeatedKFold):
    """`KFold` of shuffled rows, `n_repeats` times: each row is tested on `n_repeats` times."""


class RepeatedStratifiedKFold(_AnySeed, theirs.RepeatedStratifiedKFold):
    """`StratifiedKFold` of shuffled rows, `n_repeats` times."""


class ShuffleSplit(_AnySeed, theirs.ShuffleSplit):
    """`n_splits` random test sets, drawn afresh each time: they may overlap."""


class StratifiedShuffleSplit(_AnySeed, theirs.StratifiedShuffleSplit):
    """`ShuffleSplit` with the shares of the classes kept."""


class LeaveOneOut(theirs.LeaveOneOut):
    """Each row is tested on once, by a model of all others.

    `cross_validate` takes it, or `cv="loo"`, in closed form where there is one.
    """


class HoldOut(ShuffleSplit):
    """One random validation set of a share `test_size` of the rows (a quarter by default), and the rest to train on.

    The choice is random on purpose: the first rows of a table are seldom like the last. How wide the answer stays is
    told by the size m of the validation set: a share p of rows classified rightly has the standard error √(p(1−p)/m).

    >>> train, test = next(HoldOut(random_state=0).split(range(8)))
    >>> len(train), len(test)
    (6, 2)
    """

    def __init__(self, *, test_size: Any = 0.25, train_size: Any = None, random_state: Any = None) -> None:
        super().__init__(1, test_size=test_size, train_size=train_size, random_state=random_state)
