"""What both decision trees share: rows in, a tree grown and pruned, rows through it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import MultiOutputMixin
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator
from surefit._core.data.intake import take_rows
from surefit._core.errors import InvalidParameter
from surefit._core.threads import threads_for
from surefit.engine.apply import apply_rows
from surefit.engine.open import kind_of, need_memory
from surefit.solvers.growing.exact import Columns, grow_exact, presort
from surefit.solvers.growing.penalty_choice import FOLDS, choose_penalty
from surefit.solvers.growing.predict import apply_all
from surefit.solvers.growing.pruning import penalty_for_leaves, pruned_to_penalty, pruning_path
from surefit.solvers.growing.tree import Tree, seen_categories
from surefit.summaries.canonical import example_hashes
from surefit.summaries.holdout import fold_numbers
from surefit.tree.categories import CategoricalColumns
from surefit.tree.growth import counts_of, directions_of, seed_of
from surefit.tree.views import Names, rule_lines, text_lines


class DecisionTree(MultiOutputMixin, CategoricalColumns, Estimator):
    """A tree of splits by one column each. Its two kinds say what a leaf predicts."""

    __metadata_request__fit: ClassVar[dict] = {"check_input": UNUSED}
    __metadata_request__predict: ClassVar[dict] = {"check_input": UNUSED}
    __metadata_request__predict_proba: ClassVar[dict] = {"check_input": UNUSED}

    tree_: Tree
    max_features_: int
    n_outputs_: int
    seed_: int
    ccp_alpha_: float
    ccp_alphas_: np.ndarray
    cv_scores_: np.ndarray

    def _grow(self, p: Any, X: Any, y: np.ndarray, w: np.ndarray | None, n_classes: np.ndarray | None) -> None:
        """Grow on rows that are checked, targets or codes (rows, outputs) and weights; then prune."""
        n, d = X.shape
        rows = n if w is None else int(np.count_nonzero(w))
        limits = counts_of(p, rows, n if w is None else float(w.sum()), d)
        self.n_outputs_, self.max_features_ = y.shape[1], limits["max_features"]
        seed = self._learn_seed(p, d)
        limits["monotonic"] = directions_of(
            p.monotonic_cst, d, y.shape[1], 1 if n_classes is None else int(n_classes.max())
        )
        n_threads = threads_for(8.0 * n * d)
        columns = presort(X, categorical=self.__dict__.get("is_categorical_"), n_threads=n_threads)
        limits |= {"criterion": p.criterion, "n_classes": n_classes, "seed": seed, "n_threads": n_threads}
        self.tree_ = grow_exact(columns, y, w, **limits).with_unseen(_seen(columns, w))
        self._forget_choice()
        if p.ccp_alpha == "cv":
            self._choose_penalty(p, columns, y, w, limits)
        elif p.ccp_alpha > 0:
            self.tree_ = pruned_to_penalty(self.tree_, p.ccp_alpha)

    def _learn_seed(self, p: Any, d: int) -> int:
        """The seed, if anything is drawn; else 0, and the tree does not depend on it."""
        self.__dict__.pop("seed_", None)
        if p.splitter == "best" and self.max_features_ >= d:
            return 0
        self.seed_ = seed_of(p.random_state)
        return self.seed_

    def _forget_choice(self) -> None:
        for name in ("ccp_alpha_", "ccp_alphas_", "cv_scores_"):
            self.__dict__.pop(name, None)

    def _choose_penalty(self, p: Any, columns: Columns, y: np.ndarray, w: np.ndarray | None, limits: Any) -> None:
        labels = y[:, 0] if limits["n_classes"] is not None else np.zeros(len(y))
        folds = fold_numbers(example_hashes(columns.X, y), labels, w, FOLDS)
        weights = np.ones(len(y)) if w is None else w
        chosen = choose_penalty(
            self.tree_, columns, y, weights, folds, p.criterion, lambda v: grow_exact(columns, y, v, **limits)
        )
        self.ccp_alpha_, self.ccp_alphas_, self.cv_scores_ = chosen
        if self.ccp_alpha_ > 0:
            self.tree_ = pruned_to_penalty(self.tree_, self.ccp_alpha_)

    def _take(self, X: Any) -> Any:
        """The rows to be fitted."""
        need_memory(self, X, type(self).__name__.replace("DecisionTree", "HistGradientBoosting"))
        return take_rows(self, self._learn_categories(X), reset=True, not_finite="NaN")

    def _rows(self, X: Any, check_input: bool = True) -> Any:
        """Rows in memory, to be predicted."""
        if "tree_" not in self.__dict__:
            check_is_fitted(self)
        if type(X) is not np.ndarray:
            need_memory(self, X)
        if check_input or not (type(X) is np.ndarray or sp.issparse(X)) or X.dtype not in (np.float32, np.float64):
            return take_rows(self, self._coded(X), reset=False, not_finite="NaN")
        return X

    def _leaves(self, X: Any, check_input: bool = True) -> np.ndarray:
        rows = self._rows(X, check_input)
        return apply_all([self.tree_], rows, threads_for(32.0 * rows.shape[0]))[:, 0]

    def _of_leaves(self, X: Any, check_input: bool, function: Callable[[np.ndarray], np.ndarray]) -> Any:
        """A function of the leaves of the rows: at once in memory, block by block from files, lazily from Dask."""
        if type(X) is np.ndarray or kind_of(X) == "memory":
            return function(self._leaves(X, check_input))
        check_is_fitted(self)
        if self.__dict__.get("categories_"):
            need_memory(self, X)  # its categories are texts, and files hold codes
        tree = self.tree_
        return apply_rows(self, X, lambda rows: function(apply_all([tree], rows, 1)[:, 0]), not_finite="NaN")

    def apply(self, X: Any, check_input: bool = True) -> Any:
        """The leaf of every row of X: its place in the arrays of `tree_`."""
        return self._of_leaves(X, check_input, lambda leaves: leaves)

    def decision_path(self, X: Any, check_input: bool = True) -> sp.csr_matrix:
        """(rows, nodes), CSR: 1 where a row of X passes through a node."""
        return self.tree_.paths_to(self._leaves(X, check_input))

    def get_depth(self) -> int:
        """The most steps from the root to a leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """The decrease of the impurity by the splits on each column, adding up to one."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """`ccp_alphas`, the penalties at which the tree loses a branch, and the `impurities` from there on.

        Both start with the full tree at penalty 0.
        """
        full = copy.copy(self).set_params(ccp_alpha=0.0)
        path = pruning_path(full.fit(X, y, sample_weight=sample_weight).tree_)
        return Bunch(ccp_alphas=np.concatenate([[0.0], path.alphas]), impurities=path.costs)

    def prune(self, *, n_leaves: int | None = None, ccp_alpha: float | None = None) -> Self:
        """A copy cut back to the best subtree for a penalty, or to at most so many leaves.

        With `n_leaves` the penalty is the least whose best subtree has no more leaves; that subtree has the lowest
        impurity of all with as many leaves as it has. The copy has that penalty as its `ccp_alpha`.
        """
        check_is_fitted(self)
        if (n_leaves is None) == (ccp_alpha is None):
            raise InvalidParameter("prune takes either n_leaves or ccp_alpha")
        if n_leaves is not None and n_leaves < 1:
            raise InvalidParameter(f"n_leaves must be a whole number ≥ 1; got {n_leaves}")
        alpha = penalty_for_leaves(self.tree_, n_leaves) if n_leaves is not None else ccp_alpha
        smaller = copy.copy(self)
        if alpha:
            smaller.ccp_alpha = alpha
            smaller._forget_choice()
            smaller.tree_ = pruned_to_penalty(self.tree_, alpha)
        return smaller

    def export_text(self, *, feature_names: Any = None, class_names: Any = None, digits: int = 4) -> str:
        """The tree as indented text, one line a node; numbers with so many significant digits."""
        check_is_fitted(self)
        return "\n".join(text_lines(self.tree_, Names.of(self, feature_names, class_names, digits)))

    def rules(self, *, feature_names: Any = None, class_names: Any = None, digits: int = 4) -> list[str]:
        """One sentence for each leaf: the conditions on the way to it, shortened, and what it predicts."""
        check_is_fitted(self)
        return rule_lines(self.tree_, Names.of(self, feature_names, class_names, digits))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def _seen(columns: Columns, w: np.ndarray | None) -> np.ndarray | None:
    """The categories that rows of positive weight have; None without categories."""
    if not columns.is_categorical.any():
        return None
    return seen_categories(columns.X if w is None else columns.X[w > 0], columns.is_categorical)
