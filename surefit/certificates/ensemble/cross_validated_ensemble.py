"""Checker of CrossValidatedEnsemble: folds drawn again, members checked on their training rows, answers re-derived.

The members' own answers are taken as they are. What is proved is which rows each member may have seen, that
`out_of_fold_` holds what each row is answered by members it was not shown to, that the scores are those of these
answers, that the ensemble says the mean, and, for members with a checker of their own, what that proves on their rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.ensemble.member_claim import members_claim
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.drawn_folds import drawn_claim
from surefit.certificates.theorems.folds import Fold, covering_claim, disjoint_claim, read_folds
from surefit.certificates.theorems.members import spread, unlike
from surefit.certificates.theorems.seeds import seeds_of

MEMBERS = 10  # that are checked on their own rows


class Data(NamedTuple):
    X: NDArray  # in the type of the data
    Y: F64  # codes of classes (n, 1), or numbers (n, targets)
    w: F64
    weighted: bool


@checker("estimators_", "estimator_", "folds_", "out_of_fold_", "oof_score_", "fold_scores_", "classes_", "n_classes_",
         "predict", "predict_proba")  # fmt: skip
@reads_labels
def check_cross_validated_ensemble(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The folds, up to ten members on their training rows, all out-of-fold answers, answers on sampled rows."""
    attrs, data = Attributes(model, "estimators_"), _gather(blocks)
    K = (read_classes(attrs, 1) or 0) if hasattr(model, "classes_") else 0
    if K and not np.isin(data.Y, np.arange(K)).all():
        attrs.faults.append("classes_ is not the labels of the data")
    if K and whole(getattr(model, "n_classes_", None)) != K:
        attrs.faults.append("n_classes_ is not the number of classes")
    members = list(model.estimators_) if isinstance(model.estimators_, (list, tuple)) else []
    folds = read_folds(getattr(model, "folds_", None), len(data.w))
    if not folds or len(folds) != len(members):
        attrs.faults.append("folds_ is not a list of (train, test) rows of these data, one for each member")
    attrs.faults += unlike(attrs, members)
    if attrs.faults or folds is None:
        return [bad_attributes(attrs)], "one pass"
    claims = _folds(attrs, folds, data, K)
    if not all(claim.holds for claim in claims):
        return claims, "one pass"
    parts = [_on_its_rows(attrs, k, folds, data, K) for k in spread(len(members), MEMBERS)]
    claims.append(members_claim(parts, len(members), tol))
    claims += _out_of_fold(attrs, members, folds, data, K)
    claims += _answers(attrs, members, sample_rows(blocks), K)
    return claims, f"{len(members)} members asked for the rows of their test parts and for a sample"


def _gather(blocks: Blocks) -> Data:
    parts = list(blocks)
    if any(y is None for _, y, _ in parts):
        raise BadData("there is no target")
    X = np.concatenate([dense(x).astype(x.dtype if x.dtype.kind == "f" else np.float64) for x, _, _ in parts])
    Y = np.concatenate([np.asarray(y, dtype=np.float64).reshape(len(np.asarray(y)), -1) for _, y, _ in parts])
    weighted = any(w is not None for _, _, w in parts)
    w = np.concatenate([np.ones(x.shape[0]) if w is None else np.asarray(w, dtype=np.float64) for x, _, w in parts])
    return Data(X, Y, w, weighted)


def _folds(attrs: Attributes, folds: list[Fold], data: Data, K: int) -> list[Claim]:
    n, cv = len(data.w), getattr(attrs.model, "cv", 5)
    counted = isinstance(cv, (int, np.integer))
    claims = [disjoint_claim(folds, n), covering_claim(folds, n, partition=counted)]
    if counted:
        seeds = seeds_of(getattr(attrs.model, "random_state", None), 1, False)
        seed = None if seeds is None else int(seeds[0])
        claims.append(drawn_claim(folds, data.X.astype(np.float64), data.Y, data.w, int(cv), seed, K > 0))
    return claims


def _on_its_rows(attrs: Attributes, k: int, folds: list[Fold], data: Data, K: int) -> tuple[Any, ArrayBlocks]:
    """Member k with the rows of positive weight of its training part."""
    rows = folds[k][0][data.w[folds[k][0]] > 0]
    Y = data.Y[rows] if data.Y.shape[1] > 1 else data.Y[rows, 0]
    Y = np.asarray(attrs.model.classes_)[Y.astype(np.intp)] if K else Y
    return attrs.model.estimators_[k], ArrayBlocks(data.X[rows], Y, data.w[rows] if data.weighted else None)


def _says(attrs: Attributes, member: Any, X: NDArray, K: int) -> F64 | Claim:
    """(rows, classes or targets): the probabilities of a member, its vote, or its numbers."""
    shares = K > 0 and attrs.text("voting", "soft") == "soft" and hasattr(member, "predict_proba")
    given = answer_of(member, "predict_proba" if shares else "predict", X)
    if isinstance(given, Claim):
        return given
    if not K:
        return given.reshape(len(X), -1).astype(np.float64)
    out, place = np.zeros((len(X), K)), {c: k for k, c in enumerate(np.asarray(attrs.model.classes_).tolist())}
    labels = np.asarray(member.classes_ if shares else given).tolist()
    if not set(labels) <= set(place):
        return refuted("members", "A member answers with classes that are not those of the ensemble.")
    columns = [place[label] for label in labels]
    if shares:
        out[:, columns] = given
    else:
        out[np.arange(len(X)), columns] = 1.0
    return out


def _slack(member: Any, dtype: Any) -> float:
    """Trees say the same of a row whatever else they are asked; other members may round sums in another order."""
    return 0.0 if hasattr(member, "tree_") else float(np.sqrt(np.finfo(dtype).eps))


def _out_of_fold(attrs: Attributes, members: list[Any], folds: list[Fold], data: Data, K: int) -> list[Claim]:
    """Every row asked again of the members that were tested on it; and the scores of the answers."""
    n, width = len(data.w), K or data.Y.shape[1]
    given = attrs.array("out_of_fold_", (n, width), *([(n,)] if not K and width == 1 else []), finite=False)
    stated = attrs.array("fold_scores_", (len(folds),), finite=False)
    if given is None or stated is None:
        return [bad_attributes(attrs)]
    given, total, asked, size = given.reshape(n, -1), np.zeros((n, width)), np.zeros(n), 0.0
    off_scores = 0.0
    for k, (member, (_, test)) in enumerate(zip(members, folds, strict=True)):
        says = _says(attrs, member, data.X[test], K) if len(test) else np.zeros((0, width))
        if isinstance(says, Claim):
            return [says]
        if says.shape != (len(test), width):
            return [refuted("out_of_fold", f"A member answers {says.shape[1]} numbers for a row, expected {width}.")]
        total[test] += says
        asked[test] += 1
        size = max(size, float(np.abs(says).max(initial=0.0)))
        off_scores = max(off_scores, _difference(stated[k], _score(data.Y[test], says, data.w[test], K)))
    mean = (total.T / asked).T
    allowed = (2 * gamma(len(members) + 8) + _slack(members[0], data.X.dtype)) * size + 1e-300
    off = np.where(np.isnan(mean) & np.isnan(given), 0.0, np.abs(given - mean))
    worst = float(np.where(np.isnan(off), np.inf, off).max(initial=0.0)) / allowed
    seen, score = asked > 0, real(getattr(attrs.model, "oof_score_", None))
    off_scores = max(off_scores, _difference(score, _score(data.Y[seen], given[seen], data.w[seen], K)))
    said = f"out_of_fold_ is what the members answer that did not see the row, on all {n} rows"
    failure = "out_of_fold_ is not what the members answer that did not see the row."
    same = at_most(
        "out_of_fold", f"{said}; largest difference, in roundings.", Grade.EXACT, worst, 1.0, failure=failure
    )
    said = "oof_score_ and fold_scores_ are the scores of these answers; largest difference."
    failure = "oof_score_ or fold_scores_ are not the scores of the out-of-fold answers."
    limit = 1e-9 + (_slack(members[0], data.X.dtype) if not K else 0.0)
    return [same, at_most("scores", said, Grade.EXACT, off_scores, limit, failure=failure)]


def _difference(stated: float, score: float) -> float:
    """Relative to one plus the score; of two that are not defined, none."""
    if np.isnan(stated) and np.isnan(score):
        return 0.0
    off = abs(stated - score) / (1 + abs(score))
    return off if np.isfinite(off) else np.inf


def _score(Y: F64, says: F64, w: F64, K: int) -> float:
    """The share of the weight whose class has the largest share, or R², the mean over targets."""
    if not len(Y) or not w.any() or (not K and len(Y) < 2):
        return float("nan")
    if K:
        return float(w @ (says.argmax(axis=1) == Y[:, 0]) / w.sum())
    missed, spread = w @ (Y - says) ** 2, w @ (Y - w @ Y / w.sum()) ** 2
    none = np.where(missed == 0, 1.0, 0.0)  # of a constant target
    return float(np.where(spread > 0, 1 - missed / np.where(spread > 0, spread, 1.0), none).mean())


def _answers(attrs: Attributes, members: list[Any], X: NDArray, K: int) -> list[Claim]:
    says = [_says(attrs, member, X, K) for member in members]
    wrong = [s for s in says if isinstance(s, Claim)]
    if wrong:
        return wrong[:1]
    values, model = np.stack([s for s in says if not isinstance(s, Claim)]), attrs.model
    mean, size = values.mean(axis=0), float(np.abs(values).max(initial=0.0))
    dtype = X.dtype if X.dtype.kind == "f" else np.dtype(np.float64)
    single = 2.0**29 if dtype == np.float32 and not K else 1.0
    slack = (4 * gamma(len(members) + 8) * single + _slack(members[0], dtype)) * size + 1e-300
    if not K:
        shape = np.shape(answer_of(members[0], "predict", X))
        return [numbers_claim(model, "predict", X, mean.reshape(shape), slack)]
    return [numbers_claim(model, "predict_proba", X, mean, slack), labels_claim(model, X, mean, slack)]
