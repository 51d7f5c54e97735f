"""Naive Bayes over columns of different kinds."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp

from surefit._core.data.faults import column_kinds
from surefit._core.errors import InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.engine.open import kind_of
from surefit.engine.sources.block import Block
from surefit.engine.sources.scan import Scan
from surefit.engine.step import Step
from surefit.naive_bayes.base import NaiveBayes
from surefit.naive_bayes.bernoulli import above, bernoulli_log_likelihood, bernoulli_logs
from surefit.naive_bayes.categorical import categorical_log_likelihood, category_log_prob, fewest_categories
from surefit.naive_bayes.discrete import log_prior
from surefit.naive_bayes.gaussian import gaussian_log_likelihood, variances
from surefit.naive_bayes.parameters import Alpha, ClassPrior, FitPrior
from surefit.summaries.category_counts import CategoryCountsStep
from surefit.summaries.class_spread import ClassSpreadStep
from surefit.summaries.class_sums import ClassSumsStep

Kind = Literal["gaussian", "bernoulli", "categorical"]
KINDS: tuple[Kind, ...] = ("gaussian", "bernoulli", "categorical")
LEARNT = ("theta_", "var_", "epsilon_", "n_categories_", "feature_log_prob_bernoulli_", "feature_log_prob_categorical_")
"""Attributes that only models with columns of the kind have."""


def columns_of(rows: Any, columns: np.ndarray) -> np.ndarray:
    """Some columns, dense and without gaps."""
    part = rows[:, columns]
    return np.ascontiguousarray(part.toarray() if sp.issparse(part) else part)


class MixedStep(Step):
    """Each kind's statistic of its own columns; None for a kind without columns."""

    def __init__(self, parts: dict[Kind, np.ndarray], steps: dict[Kind, Any]) -> None:
        self.parts = parts
        self.steps = steps

    def map(self, state: None, block: Block, n_threads: int) -> tuple[Any, ...]:
        def one(kind: Kind) -> Any:
            X = columns_of(block.X, self.parts[kind])
            return self.steps[kind].map(None, Block(X, block.y, block.w, block.start, block.leaf_rows), n_threads)

        return tuple(one(kind) if kind in self.parts else None for kind in KINDS)

    def typed(self, statistic: tuple[Any, ...]) -> tuple[Any, ...]:
        """A statistic that was kept as plain tuples."""
        pairs = zip(KINDS, statistic, strict=True)
        return tuple(None if part is None else self.steps[kind].typed(part) for kind, part in pairs)

    def combine(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
        pairs = zip(KINDS, left, right, strict=True)
        return tuple(self.steps[kind].combine(a, b) if kind in self.parts else None for kind, a, b in pairs)


def kinds_by_type(X: Any) -> dict[Any, str]:
    """The kind of each named column by its type: boolean, whole numbers, others. Nothing for arrays, whose columns have
    one type."""
    if kind_of(X) == "parquet":
        from surefit.engine.sources.parquet import parquet_types

        types = parquet_types(X.path if isinstance(X, Scan) else X)
    else:
        types = column_kinds(X)
    return {
        name: "bernoulli"
        if kind.startswith("bool")
        else "categorical"
        if kind.startswith(("int", "uint"))
        else "gaussian"
        for name, kind in types
    }


class MixedNB(NaiveBayes):
    """Each column is Gaussian, Bernoulli (there or not), or one of a list of categories 0, 1, …

    Without lists of columns a dataframe, a Parquet file or a Dask dataframe decides by its types: boolean columns are
    Bernoulli, whole numbers categorical, all others Gaussian. The columns of an array are Gaussian unless they are
    named.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
    parts_ : list of (kind, columns)
        The kinds that have columns, with the numbers of these, in the order Gaussian, Bernoulli, categorical.
    theta_, var_ : ndarray of shape (n_classes, n_gaussian)
        Mean and variance of the Gaussian columns; `epsilon_` is the part of the variance that is smoothing.
    feature_log_prob_bernoulli_ : ndarray of shape (n_classes, n_bernoulli)
    feature_log_prob_categorical_ : list of ndarray of shape (n_classes, n_categories)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import pandas as pd
    >>> from surefit.naive_bayes import MixedNB
    >>> X = pd.DataFrame({"height": [1.6, 1.7, 1.9, 1.8], "member": [True, False, True, True], "group": [0, 1, 2, 2]})
    >>> model = MixedNB().fit(X, ["a", "a", "b", "b"])
    >>> [kind for kind, columns in model.parts_], model.predict(X)
    (['gaussian', 'bernoulli', 'categorical'], array(['a', 'a', 'b', 'b'], dtype='<U1'))
    """

    class_prior_: np.ndarray
    parts_: list[tuple[Kind, np.ndarray]]
    theta_: np.ndarray
    var_: np.ndarray
    epsilon_: float
    feature_log_prob_bernoulli_: np.ndarray
    feature_log_prob_categorical_: list[np.ndarray]

    _integers = False

    def __init__(
        self,
        *,
        bernoulli: Annotated[
            Literal["auto"] | np.ndarray | None, "Bernoulli columns by name or number; 'auto' decides by their types."
        ] = "auto",
        categorical: Annotated[
            Literal["auto"] | np.ndarray | None, "Categorical columns by name or number; 'auto' decides by their types."
        ] = "auto",
        alpha: Alpha = 1.0,
        var_smoothing: Annotated[
            float,
            Range(0, open="high"),
            "Share of the largest variance of a Gaussian column that is added to all variances.",
        ] = 1e-9,
        binarize: Annotated[float | None, Range(0), "A Bernoulli column is there where x exceeds this."] = 0.0,
        min_categories: Annotated[
            int | np.ndarray | None, Range(1), "Categories of every categorical column (or of each) at least."
        ] = None,
        fit_prior: FitPrior = True,
        class_prior: ClassPrior = None,
    ) -> None:
        self.bernoulli = bernoulli
        self.categorical = categorical
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.binarize = binarize
        self.min_categories = min_categories
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _step(self, p: SimpleNamespace, n_classes: int, X: Any) -> MixedStep:
        if X is not None:
            self.parts_ = self._parts(p, X)
        parts = dict(self.parts_)
        n_categorical = len(parts.get("categorical", ()))
        steps: dict[Kind, Any] = {
            "gaussian": ClassSpreadStep(n_classes),
            "bernoulli": ClassSumsStep(n_classes, p.binarize),
            "categorical": CategoryCountsStep(n_classes, fewest_categories(p.min_categories, n_categorical)),
        }
        return MixedStep(parts, steps)

    def _parts(self, p: SimpleNamespace, X: Any) -> list[tuple[Kind, np.ndarray]]:
        names = list(getattr(self, "feature_names_in_", ()))
        kinds: list[Any] = ["gaussian"] * self.n_features_in_
        by_type = kinds_by_type(X) if "auto" in (_text(p.bernoulli), _text(p.categorical)) else {}
        for j, name in enumerate(names):
            if by_type.get(name, "gaussian") != "gaussian" and _text(getattr(p, by_type[name])) == "auto":
                kinds[j] = by_type[name]
        for kind in ("bernoulli", "categorical"):
            given = getattr(p, kind)
            for column in () if given is None or _text(given) == "auto" else given:
                j = self._number(column, names, kind)
                if any(
                    j in {self._number(c, names, other) for c in getattr(p, other)} for other in self._named(p, kind)
                ):
                    raise InvalidParameter(f"column {column!r} is named as bernoulli and as categorical")
                kinds[j] = kind
        found = np.asarray(kinds)
        return [(kind, np.flatnonzero(found == kind)) for kind in KINDS if (found == kind).any()]

    @staticmethod
    def _named(p: SimpleNamespace, kind: str) -> list[str]:
        """The other kind, where its columns are named too."""
        other = "categorical" if kind == "bernoulli" else "bernoulli"
        given = getattr(p, other)
        return [] if given is None or _text(given) == "auto" else [other]

    def _number(self, column: Any, names: list[Any], kind: str) -> int:
        if isinstance(column, str):
            if column in names:
                return names.index(column)
            raise InvalidParameter(f"MixedNB({kind}=…) names a column {column!r}, which X does not have")
        if not isinstance(column, (int, np.integer)) or not -self.n_features_in_ <= column < self.n_features_in_:
            raise InvalidParameter(
                f"MixedNB({kind}=…) must hold names or numbers of the {self.n_features_in_} columns; got {column!r}"
            )
        return int(column) % self.n_features_in_

    def _sound(self, statistic: Any) -> tuple[bool, bool]:
        spread, ones, categories = statistic
        finite = spread is None or bool(np.isfinite(spread.squares).all() and np.isfinite(spread.means).all())
        finite = finite and not any(part.not_finite for part in (ones, categories) if part is not None)
        if finite and categories is not None and categories.negative:
            self._refuse_below_zero(None)
        return True, finite

    def _learn(self, p: SimpleNamespace, statistic: Any, dtype: np.dtype) -> None:
        spread, ones, categories = statistic
        for name in (*LEARNT, "_feature_log_not"):
            self.__dict__.pop(name, None)
        self.class_count_ = next(part.weights for part in statistic if part is not None).copy()
        if spread is not None:
            var, self.epsilon_ = variances(spread, p.var_smoothing)
            self.theta_, self.var_ = spread.means.astype(dtype), narrowed(var, dtype, each=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            if ones is not None:
                self.feature_log_prob_bernoulli_, self._feature_log_not = bernoulli_logs(
                    ones.sums, ones.weights, p.alpha
                )
            if categories is not None:
                self.n_categories_ = categories.n_categories.astype(np.int64)
                self.feature_log_prob_categorical_ = category_log_prob(categories.of_features(), p.alpha)
        self.class_log_prior_ = log_prior(self.class_count_, p.fit_prior, p.class_prior)
        self.class_prior_ = np.exp(self.class_log_prior_)

    def _joint(self) -> Callable[[Any], np.ndarray]:
        parts, prior, threshold = dict(self.parts_), self.class_log_prior_, self.binarize
        terms: list[Callable[[Any], np.ndarray]] = []
        if "gaussian" in parts:
            theta, var = self.theta_, self.var_
            terms.append(lambda rows: gaussian_log_likelihood(columns_of(rows, parts["gaussian"]), theta, var))
        if "bernoulli" in parts:
            ones, zeros = self.feature_log_prob_bernoulli_, self._feature_log_not
            terms.append(
                lambda rows: bernoulli_log_likelihood(
                    above(columns_of(rows, parts["bernoulli"]), threshold), ones, zeros
                )
            )
        if "categorical" in parts:
            tables = self.feature_log_prob_categorical_
            terms.append(
                lambda rows: categorical_log_likelihood(columns_of(rows, parts["categorical"]), tables, "MixedNB")
            )
        return lambda rows: prior + sum(term(rows) for term in terms)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
