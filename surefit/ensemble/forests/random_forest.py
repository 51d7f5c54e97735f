"""What both random forests share: parameters read, examples drawn, trees grown, rows sent through them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from numbers import Integral
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import MultiOutputMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator
from surefit._core.callbacks import Progress
from surefit._core.data.faults import refuse_non_finite
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.threads import threads_for
from surefit.engine.apply import apply_rows
from surefit.engine.sources.source import Source
from surefit.ensemble.category_codes import CategoryCodes
from surefit.ensemble.continued import Before
from surefit.ensemble.forests.random_forest_examples import ForestExamples
from surefit.ensemble.forests.random_forest_rows import ClassWeight, Known, WholeRows, rows_drawn
from surefit.ensemble.forests.random_forest_trees import ForestPlan, OutOfBag
from surefit.solvers.growing.forest import CRITERIA, TreeRules
from surefit.solvers.growing.predict import apply_all, sum_of_trees
from surefit.solvers.growing.tree import Tree
from surefit.summaries.resample import draw_count, member_seeds
from surefit.tree.growth import directions_of

if TYPE_CHECKING:
    from surefit.ensemble.forests.random_forest_spread import SpreadRows

PASSED_ON = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
    "monotonic_cst",
)
"""The parameters that a forest and its trees share."""


class RandomForest(MultiOutputMixin, CategoryCodes, Estimator):
    """Trees on bootstrap samples, each split the best among candidate features drawn for its node."""

    estimators_: list[Any]
    estimator_: Any
    n_outputs_: int
    bin_thresholds_: list[np.ndarray] | None

    def _grow(
        self,
        p: SimpleNamespace,
        before: Before,
        data: Source,
        y: np.ndarray | None,
        n_classes: np.ndarray | None,
        class_weight: ClassWeight | None = None,
    ) -> tuple[ForestExamples, OutOfBag] | None:
        """Grow the trees that are not there yet: `estimators_`. `class_weight` gives each example a factor.

        Returned is what was said out of the bag, where that is asked for.
        """
        refuse_contradictions(p, self.is_categorical_)
        self.estimator_ = self._member_class()()
        rows = self._rows(p, data, y, n_classes, class_weight)
        self.bin_thresholds_ = rows.thresholds
        plan = self._plan(p, rows.known, rows.chances, n_classes)
        self._draws = rows.draws(plan)
        self._n_samples_bootstrap = plan.n_draws

        grown = list(self.estimators_) if p.warm_start and hasattr(self, "estimators_") else []
        n_more = p.n_estimators - len(grown)
        if n_more < 0:
            raise InvalidData(
                f"n_estimators={p.n_estimators} must be larger or equal to len(estimators_)={len(grown)} when "
                "warm_start==True"
            )
        if n_more == 0:
            warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=6)
        elif grown:
            before.refuse_others(self)
        if p.oob_score and (n_more > 0 or not hasattr(self, "oob_score_")):
            rows.judge(grown, plan)
        seeds = member_seeds(p.random_state, p.n_estimators)[len(grown) :]
        self._add_trees(p, rows.trees(plan, seeds), seeds, grown, n_classes, data)
        return rows.judged()

    def _rows(
        self,
        p: SimpleNamespace,
        data: Source,
        y: np.ndarray | None,
        n_classes: np.ndarray | None,
        class_weight: ClassWeight | None,
    ) -> WholeRows | SpreadRows:
        """What trees are grown from: here, or on Dask's workers."""
        exact = is_exact(p, self.n_outputs_)
        if not exact and hasattr(data, "delayed_blocks"):
            from surefit.ensemble.forests.random_forest_spread import SpreadRows  # needs Dask

            rows = SpreadRows(p, data, n_classes, class_weight, self.is_categorical_)
            if rows.counted:
                return rows
        return WholeRows(p, data, y, n_classes, class_weight, self.is_categorical_, exact)

    def _add_trees(
        self,
        p: SimpleNamespace,
        trees: Iterator[Tree],
        seeds: np.ndarray,
        grown: list[Any],
        n_classes: np.ndarray | None,
        data: Source,
    ) -> None:
        progress, tenth = Progress(self, len(seeds), data.X, data.y), -(-len(seeds) // 10)
        for number, (tree, seed) in enumerate(zip(trees, seeds, strict=True)):
            if p.verbose > 1 or (p.verbose and (number + 1) % tenth == 0):
                print(f"building tree {number + 1} of {len(seeds)}")
            grown.append(self._member(p, tree, int(seed), n_classes))
            if progress.step(lambda: {"estimators_": grown}):
                break
        progress.end()
        self.estimators_ = grown

    def _plan(
        self,
        p: SimpleNamespace,
        known: Known,
        chances: np.ndarray,
        n_classes: np.ndarray | None,
    ) -> ForestPlan:
        n = known.repeated
        rules = TreeRules(
            p.criterion,
            feature_count(p.max_features, self.n_features_in_),
            p.max_depth,
            sample_count(p.min_samples_split, n, least=2),
            sample_count(p.min_samples_leaf, n, least=1),
            p.min_weight_fraction_leaf,
            p.min_impurity_decrease,
        )
        n_draws = draw_count(p.max_samples, known.total, known.n_examples) if p.bootstrap else None
        if n_draws is not None and n_draws < min(10, known.n_examples) and not isinstance(p.max_samples, Integral):
            warnings.warn(
                f"each tree of this forest sees {n_draws} draws: max_samples={p.max_samples} of a total weight of "
                f"{known.total:g}. Weights count repetitions; scale them, or give max_samples as a whole number.",
                stacklevel=7,
            )
        balance = p.bootstrap and getattr(p, "class_weight", None) == "balanced_subsample"
        most_classes = 1 if n_classes is None else int(n_classes.max())
        monotonic = directions_of(p.monotonic_cst, self.n_features_in_, self.n_outputs_, most_classes)
        return ForestPlan(rules, n_draws, chances, balance, n_classes, p.max_leaf_nodes, monotonic, p.ccp_alpha)

    def _member(self, p: SimpleNamespace, tree: Tree, seed: int, n_classes: np.ndarray | None) -> Any:
        """A tree as an estimator of its own; its classes are codes, as in scikit-learn."""
        member = self._member_class()(**{name: getattr(p, name) for name in PASSED_ON}, random_state=seed)
        member.n_features_in_, member.n_outputs_ = self.n_features_in_, self.n_outputs_
        member.max_features_, member.tree_ = feature_count(p.max_features, self.n_features_in_), tree
        member.seed_ = seed
        if self.is_categorical_ is not None:
            member.categorical_features = np.flatnonzero(self.is_categorical_).tolist()
            member.is_categorical_, member.categories_ = self.is_categorical_, {}
        if n_classes is not None:
            codes = [np.arange(n, dtype=np.float64) for n in n_classes]
            member.classes_ = codes[0] if len(codes) == 1 else codes
            member.n_classes_ = int(n_classes[0]) if len(codes) == 1 else n_classes
        return member

    @property
    def estimator(self) -> Any:
        """The kind of trees a forest is made of; its parameters are those of the forest."""
        return self._member_class()()

    def _member_class(self) -> type:
        raise NotImplementedError

    # ——— fitted ———

    def _trees(self) -> list[Tree]:
        check_is_fitted(self)
        return [member.tree_ for member in self.estimators_]

    def _mean_of_trees(self, X: Any) -> Any:
        """(rows, outputs × classes): the mean over the trees of what their leaves say."""
        trees = self._trees()
        return self._of_rows(X, partial(mean_of_trees, trees=trees, n_jobs=self.n_jobs))

    def _of_rows(self, X: Any, function: Callable[[Any], np.ndarray]) -> Any:
        """A function of rows from any source, with codes in the columns of categories."""
        coded = self._coded_rows(X)
        if coded is None:
            return apply_rows(self, X, function, not_finite="NaN")
        refuse_non_finite(coded, "X", self.__dict__.get("feature_names_in_"), missing=True)
        return function(coded)

    def apply(self, X: Any) -> Any:
        """The leaf of each row in each tree, (rows, trees)."""
        return self._of_rows(X, partial(leaves_of, trees=self._trees(), n_jobs=self.n_jobs))

    def decision_path(self, X: Any) -> tuple[sp.csr_matrix, np.ndarray]:
        """(paths, n_nodes_ptr): which nodes each row passes; those of tree t are columns n_nodes_ptr[t] to [t + 1]."""
        trees, leaves = self._trees(), self.apply(X)
        paths = [tree.paths_to(leaf) for tree, leaf in zip(trees, leaves.T, strict=True)]
        ends = np.cumsum([tree.node_count for tree in trees])
        return sp.hstack(paths).tocsr(), np.concatenate([[0], ends])

    @property
    def feature_importances_(self) -> np.ndarray:
        """The mean over the trees of the share of the decrease of impurity that is due to splits on each feature."""
        grown = [tree for tree in self._trees() if tree.node_count > 1]
        if not grown:
            return np.zeros(self.n_features_in_)
        mean = np.mean([tree.compute_feature_importances() for tree in grown], axis=0)
        return mean / mean.sum() if mean.sum() > 0 else mean

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """For each tree the rows it has drawn, in canonical order, each as often as it was drawn."""
        check_is_fitted(self)
        if self._draws is None:
            raise AttributeError("estimators_samples_ is kept for rows in memory; this forest was fitted on a source")
        return [rows_drawn(self._draws, member.random_state) for member in self.estimators_]

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def mean_of_trees(X: Any, trees: list[Tree], n_jobs: int | None) -> np.ndarray:
    return sum_of_trees(trees, X, threads_for(X.shape[0] * len(trees) * 20.0, n_jobs)) / len(trees)


def leaves_of(X: Any, trees: list[Tree], n_jobs: int | None) -> np.ndarray:
    return apply_all(trees, X, threads_for(X.shape[0] * len(trees) * 20.0, n_jobs))


def is_exact(p: SimpleNamespace, n_outputs: int) -> bool:
    """Whether thresholds are looked for among all values: asked for, or what bins do not offer."""
    return (
        p.max_bins is None
        or n_outputs > 1
        or p.criterion not in CRITERIA
        or p.max_leaf_nodes is not None
        or p.monotonic_cst is not None
    )


def feature_count(max_features: Any, d: int) -> int:
    """How many features are looked at in a node."""
    if max_features is None:
        return d
    if max_features == "sqrt":
        return max(1, int(math.sqrt(d)))
    if max_features == "log2":
        return max(1, int(math.log2(d)))
    if isinstance(max_features, Integral):
        return min(d, int(max_features))
    return max(1, int(max_features * d))


def sample_count(asked: Any, n: float, least: int) -> int:
    """A number of rows, or a share of them."""
    return max(least, int(asked) if isinstance(asked, Integral) else math.ceil(asked * n))


def refuse_contradictions(p: SimpleNamespace, categorical: np.ndarray | None) -> None:
    if p.monotonic_cst is not None and categorical is not None:
        signs = np.asarray(p.monotonic_cst)
        if signs.shape == categorical.shape and signs[categorical].any():
            raise InvalidParameter("Categorical features cannot have monotonic constraints.")
    if not p.bootstrap and p.max_samples is not None:
        raise InvalidParameter(
            "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
            "`max_sample=None`."
        )
    if not p.bootstrap and p.oob_score:
        raise InvalidParameter("Out of bag estimation only available if bootstrap=True")


def warn_of_rows_without(outside: OutOfBag) -> None:
    if (outside.n_trees == 0).any():
        warnings.warn(
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute any reliable "
            "OOB estimates.",
            stacklevel=6,
        )
