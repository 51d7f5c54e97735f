"""Support vector classification with kernels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.kernels.gram import HeldGram
from surefit.solvers.margin.platt import agreeing
from surefit.solvers.margin.simplified_smo import simplified_smo
from surefit.solvers.margin.support_vectors import DualSolver, Machine, separate, soft_instead
from surefit.solvers.optimise.smo import WHOLE, solve_box_dual
from surefit.svm import parameters as of
from surefit.svm.hard_margin import inseparable
from surefit.svm.machine import LEVEL, SupportVectorMachine
from surefit.svm.pairs import class_pairs, class_scores, pair_sign, pair_weights, store_pair, votes
from surefit.svm.probabilities import probabilities, slopes_of_pair
from surefit.svm.weighted_rows import WeightedRows

DEPRECATED = (
    "The `probability` parameter was deprecated in scikit-learn 1.9 and will be removed there in version 1.11: code "
    "for both libraries should use `CalibratedClassifierCV(SVC(), ensemble=False)`. surefit keeps it."
)


def _solver(p: Any) -> DualSolver:
    if p.solver == "auto":
        return solve_box_dual
    return partial(simplified_smo, seed=int(random_stream(p.random_state).integers(2**31)))


def _has_probabilities(model: Any) -> bool:
    if model.probability == "deprecated" or not model.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class SVC(ClassifierMixin, SupportVectorMachine):
    """min over f, b of  ½ ‖f‖² + C Σ ωᵢ max(0, 1 − σᵢ (f(xᵢ) + b)) ,  σᵢ = ±1 : the widest margin in a kernel's space.

    The dual program is solved by sequential minimal optimization until the gap between it and the program above is at
    most `tol`/1000 of the objective; `C=inf` is the hard margin. More than two classes: one machine for each pair, and
    votes. A fit always ends: at the gap, at `max_iter`, at the `time_budget`, with Ctrl-C; the gap reached is told.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of shape (n_SV,)
        Rows with a coefficient, sorted by class.
    support_vectors_ : ndarray or CSR of shape (n_SV, n_features)
        Empty where X was a Gram matrix or a function made one.
    n_support_ : ndarray of shape (n_classes,)
    dual_coef_ : ndarray or CSR of shape (n_classes - 1, n_SV)
        αᵢ σᵢ of each support vector against each other class, laid out as in libsvm.
    intercept_ : ndarray of shape (n_pairs,)
    coef_ : ndarray or CSR of shape (n_pairs, n_features)
        With kernel='linear' only.
    class_weight_ : ndarray of shape (n_classes,)
    gamma_ : float
        γ as a number.
    rel_gap_ : float
        The solver's bound for (objective − minimum) / objective, the worst of all pairs.
    dual_gap_ : ndarray of shape (n_pairs,)
        The same in units of the objective, pair by pair.
    fit_status_ : int
        0 where every pair reached its gap.
    n_iter_ : ndarray of shape (n_pairs,)
    probability_slopes_ : ndarray of shape (n_pairs, 2)
        With probability=True: slopes of the sigmoid of each pair, below and above zero.
    farkas_ : ndarray of shape (n_pairs, n_samples) or None
        Where C=inf and no function separates the classes of a pair: φ ≥ 0 with Σ φ = 1, Σ φᵢ σᵢ = 0 and
        Σ φᵢ σᵢ k(xᵢ, ·) = 0, which proves it. The pair then has the soft margin for a large C.
    shape_fit_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surefit.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(kernel="rbf", C=1.0).fit(X, y)
    >>> bool(model.rel_gap_ < 1e-6), round(model.score(X, y), 3)
    (True, 0.973)
    """

    classes_: np.ndarray
    class_weight_: np.ndarray
    n_iter_: np.ndarray
    dual_gap_: np.ndarray
    probability_slopes_: np.ndarray
    farkas_: np.ndarray | None

    def __init__(
        self,
        *,
        C: of.Cost = 1.0,
        kernel: of.KernelParameter = "rbf",
        degree: of.Degree = 3,
        gamma: of.Gamma = "scale",
        coef0: of.Coef0 = 0.0,
        shrinking: of.Shrinking = True,
        probability: Annotated[
            bool | Literal["deprecated"],
            "Whether to learn probabilities, which costs five more fits. (Deprecated in scikit-learn, whose are random "
            "and may contradict `predict`; these are not and do not.)",
        ] = "deprecated",
        tol: of.Tolerance = 1e-3,
        cache_size: of.CacheSize = 200,
        class_weight: Annotated[
            dict | Literal["balanced"] | None,
            "Factors {label: factor} of C; 'balanced' gives every class the same total.",
        ] = None,
        verbose: of.Verbose = False,
        max_iter: of.MaxIter = -1,
        decision_function_shape: Annotated[
            Literal["ovo", "ovr"], "One score for each pair of classes ('ovo') or, from their votes, for each class."
        ] = "ovr",
        break_ties: Annotated[
            bool, "Whether equal votes are decided by the scores ('ovr' only) instead of by the order of the classes."
        ] = False,
        random_state: Annotated[RandomStateLike, "Used by solver='simplified'; nothing else is random."] = None,
        time_budget: of.TimeBudget = None,
        solver: Annotated[
            Literal["auto", "simplified"],
            "'simplified' is the textbook's sequential minimal optimization, for learning; the answer is the same.",
        ] = "auto",
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.time_budget = time_budget
        self.solver = solver

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to inputs X and labels y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        if p.probability != "deprecated":
            warnings.warn(DEPRECATED, FutureWarning, stacklevel=LEVEL - 1)
        rows, classes = self._open(X, y, sample_weight, "classes")
        self._learn_classes(p.class_weight, rows, classes)
        self._learn_gamma(p.gamma, rows)
        cost = float(p.C) * self.class_weight_[rows.y.astype(int)]
        machines = self._fit_pairs(rows, cost, p)
        self._conclude(machines, p)
        return self

    def _learn_classes(self, class_weight: Any, rows: WeightedRows, classes: np.ndarray) -> None:
        if len(classes) < 2:
            raise InvalidData(f"The number of classes has to be greater than one; got {len(classes)} class")
        if (rows.y == rows.y[:1]).all():
            raise InvalidData("Invalid input - all samples with positive weights belong to the same class")
        self.classes_ = classes
        if class_weight == "balanced":
            totals = np.bincount(rows.y.astype(int), rows.w, minlength=len(classes))
            self.class_weight_ = totals.sum() / (len(classes) * np.where(totals > 0, totals, 1.0))
            return
        if class_weight is None:
            self.class_weight_ = np.ones(len(classes))
            return
        weights = np.asarray(compute_class_weight(class_weight, classes=classes, y=classes), dtype=np.float64)
        if not (np.isfinite(weights) & (weights >= 0)).all() or np.count_nonzero(weights) < 2:
            raise InvalidParameter(
                f"class_weight must hold finite numbers ≥ 0, two of them above 0; got {class_weight}"
            )
        self.class_weight_ = weights

    def _fit_pairs(self, rows: WeightedRows, cost: np.ndarray, p: Any) -> list[Machine]:
        """One machine for each pair of classes; with `probability` their sigmoids too."""
        n_classes, limits, solver = len(self.classes_), self._limits(p), _solver(p)
        gram, index = self._gram(rows)
        if n_classes > 2 and len(rows) <= WHOLE and self._route in ("vectors", "objects"):
            gram = HeldGram(gram)  # every row is in several pairs
        table = np.zeros((n_classes - 1, len(rows)))
        machines, slopes = [], []
        farkas = np.zeros((n_classes * (n_classes - 1) // 2, len(rows)))
        for number, pair in enumerate(class_pairs(n_classes)):
            places = np.flatnonzero((rows.y == pair[0]) | (rows.y == pair[1]))
            sign, upper = pair_sign(rows.y[places], pair, n_classes), (cost * rows.w)[places]
            proof = self._inseparable(rows, places, sign) if np.isinf(p.C) else None
            if proof is None:
                machine = separate(gram, index[places], sign, upper, limits, solver)
            else:
                machine = soft_instead(gram, index[places], sign, upper, limits, proof, solver)
            self._told(machine, p)
            machine = machine._replace(bias=self._intercept(rows, places, machine))
            store_pair(table, rows.y, places, pair, machine.coef)
            machines.append(machine)
            if machine.farkas is not None:
                farkas[number, places] = machine.farkas
            if p.probability is True:
                slopes.append(slopes_of_pair(gram, index[places], sign, upper, rows.w[places], limits))
        self._learn_machines(machines)
        self._learn_pairs(rows, table, cost)
        self.farkas_ = np.stack([rows.spread(one) for one in farkas]) if farkas.any() else None
        self.__dict__.pop("probability_slopes_", None)
        if p.probability is True:
            self.probability_slopes_ = np.array(slopes)
        return machines

    def _inseparable(self, rows: WeightedRows, places: np.ndarray, sign: np.ndarray) -> np.ndarray | None:
        if self._route != "vectors" or len(np.unique(sign)) < 2:
            return None
        return inseparable(rows.X[rows.places[places]], sign, linear=self.kernel == "linear")

    def _learn_machines(self, machines: list[Machine]) -> None:
        self.intercept_ = np.array([machine.bias for machine in machines])
        self.n_iter_ = np.array([machine.n_iter for machine in machines], dtype=np.int32)
        self.dual_gap_ = np.array([machine.gap for machine in machines])

    def _learn_pairs(self, rows: WeightedRows, table: np.ndarray, cost: np.ndarray) -> None:
        """`table` (n_classes − 1, distinct rows) as attributes of the rows given, sorted by class."""
        coef = np.stack([rows.spread_within(one, cost) for one in table])
        support = np.flatnonzero(coef.any(axis=0))
        codes = np.zeros(rows.n_given, dtype=int)
        codes[rows.members] = np.repeat(rows.y, rows.counts)
        support = support[np.argsort(codes[support], kind="stable")]
        self._n_support = np.bincount(codes[support], minlength=len(self.classes_)).astype(np.int32)
        self._learn_support(rows, coef, support)

    # Scores and labels

    def _support_weights(self) -> np.ndarray:
        dual_coef = self.dual_coef_.toarray() if sp.issparse(self.dual_coef_) else self.dual_coef_
        return pair_weights(dual_coef, self._n_support)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of every input: (n,) for two classes; else for each class, or with 'ovo' for each pair."""
        check_is_fitted(self, "support_")
        n_classes = len(self.classes_)

        def shaped(scores: np.ndarray, dtype: np.dtype) -> np.ndarray:
            if n_classes == 2:
                return scores[:, 0].astype(dtype)
            of_pairs = self.decision_function_shape == "ovo"
            return (scores if of_pairs else class_scores(scores, n_classes)).astype(dtype)

        return self._apply(X, shaped)

    def predict(self, X: Any) -> np.ndarray:
        """The class of every input: the one that most pairs decide for; of equals the first, or see `break_ties`."""
        check_is_fitted(self, "support_")
        if self.break_ties and self.decision_function_shape == "ovo":
            raise InvalidParameter("break_ties must be False when decision_function_shape is 'ovo'")
        return self._apply(X, lambda scores, dtype: self.classes_[self._chosen(scores, dtype)])

    def _chosen(self, scores: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """Codes of the classes predicted."""
        n_classes = len(self.classes_)
        if n_classes == 2:
            return (scores[:, 0] >= 0).astype(np.intp)
        if self.break_ties:  # as the decision function has them, in the precision it has
            return class_scores(scores, n_classes).astype(dtype).argmax(axis=1)
        return votes(scores, n_classes).argmax(axis=1)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, in the order of `classes_`; the largest is that of the class predicted.

        Of one pair: a sigmoid of its score through one half at zero. Of many classes: the pairs' coupled. Where that
        puts another class first than `predict`, which counts votes, these share their mean.
        """
        check_is_fitted(self, "support_")
        if not hasattr(self, "probability_slopes_"):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        n_classes = len(self.classes_)

        def shaped(scores: np.ndarray, dtype: np.dtype) -> np.ndarray:
            p = probabilities(scores, self.probability_slopes_, n_classes)
            return agreeing(p.astype(dtype), self._chosen(scores, dtype))

        return self._apply(X, shaped)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        return np.log(self.predict_proba(X))

    @property
    def probA_(self) -> np.ndarray:
        """libsvm's A of each pair above zero, in 1 / (1 + exp(A f + B)); empty without probabilities."""
        return self._sigmoids("probA_", lambda slopes: -slopes[:, 1])

    @property
    def probB_(self) -> np.ndarray:
        """libsvm's B: zero, because the sigmoids go through one half where `predict` changes its mind."""
        return self._sigmoids("probB_", lambda slopes: np.zeros(len(slopes)))

    def _sigmoids(self, name: str, of_slopes: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        check_is_fitted(self, "support_")
        warnings.warn(
            f"Attribute `{name}` was deprecated in scikit-learn 1.9; here it is in `probability_slopes_`",
            FutureWarning,
            stacklevel=3,
        )
        return of_slopes(getattr(self, "probability_slopes_", np.empty((0, 2))))
