"""Trees of an ensemble, each held against the checker of trees on the rows that it was fitted to."""

from __future__ import annotations

import copy
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.registry import checker_for

ARRAYS = ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples", "value",
          "weighted_n_node_samples", "missing_go_to_left", "category_row", "categories")  # fmt: skip


TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor")
MEMBERS, WORK = 24, 1 << 23  # most trees of a boosted model that are looked at, and rows × features of them all
SHARE = 2 / MEMBERS  # of the work that the checker of one tree may do


class Broken(Exception):
    """A member that is no tree, or that cannot answer; the message says which and why."""


class MemberRows(ArrayBlocks):
    """The rows of a member; binned: its values are numbers of bins; share: of the work that its checker may do."""

    binned, share = False, 1.0


def spread(n: int, most: int) -> list[int]:
    """Members spread evenly, the first and the last with them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int)).tolist()


def looked_at(X: NDArray, n_trees: int) -> list[int]:
    """The trees of a boosted model that are looked at: as many as the work allows, two at least."""
    return spread(n_trees, int(np.clip(WORK / max(X.size, 1), 2, MEMBERS)))


def with_tree(member: Any, parameters: dict[str, Any], **arrays: Any) -> Any:
    """The member with other parameters, and with a tree of the same arrays but for those given."""
    twin, own = copy.copy(member), {name: getattr(member.tree_, name, None) for name in ARRAYS}
    vars(twin).update(
        parameters, tree_=SimpleNamespace(**{k: v for k, v in {**own, **arrays}.items() if v is not None})
    )
    return twin


def checked(member: Any, X: NDArray, Y: NDArray, w: F64 | None, tol: float, **about: Any) -> list[Claim]:
    """What the checker of trees claims of a member; TypeError where its class is none. about: of `MemberRows`."""
    if not any(base.__name__ in TREES for base in type(member).__mro__):
        raise TypeError(f"a {type(member).__name__} is no tree whose growth is known")
    rows = MemberRows(X, Y, w)
    vars(rows).update(about)
    return checker_for(member)(member, rows, tol)[0]


def worst_of(found: list[Claim], names: tuple[str, ...], of: str) -> list[Claim]:
    """Of the claims with these names, and of those that say that nothing could be read, the worst of each name."""
    worst = dict[str, Claim]()
    for claim in sorted(found, key=lambda c: (not c.holds, c.value or 0.0)):
        if claim.name in (*names, "attributes", "data", "finite"):
            sentence = f"{claim.sentence} The worst of {of}, by the checker of trees."
            worst[claim.name] = Claim(claim.name, sentence, claim.grade, claim.value, claim.limit, claim.holds,
                                      claim.detail, claim.excuse)  # fmt: skip
    return list(worst.values())


def answers_of(member: Any, X: NDArray) -> NDArray:
    """What the member predicts for rows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = np.asarray(member.predict(X))
    except Exception as fault:
        raise Broken(f"a member cannot predict: {type(fault).__name__}: {fault}") from fault
    if out.shape != (len(X),):
        raise Broken(f"a member predicts an array of shape {out.shape}, not {(len(X),)}")
    return out
