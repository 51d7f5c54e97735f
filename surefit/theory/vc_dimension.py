"""The VC dimension of what an estimator can learn, from two classes, where it is known.

The dictionary of an estimator is every classifier that some data set makes it learn. Where it is the set of all
{f > 0} with f in a vector space of functions, its VC dimension is the dimension of that space (Dudley 1978).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from surefit._core.data.plain_numbers import take_whole
from surefit._core.errors import InvalidParameter
from surefit.theory.dictionaries.dictionary import Dictionary
from surefit.theory.dictionaries.trees import Trees

Rule = Callable[[Any, int], float | None]


def _hyperplane(model: Any, d: int) -> float:
    """w·x, and the intercept where it is fitted."""
    return d + bool(getattr(model, "fit_intercept", True))


def _kernel_machine(model: Any, d: int) -> float | None:
    """Polynomials have dimension C(d + p, p); of homogeneous ones C(d + p − 1, p), and the intercept."""
    if model.kernel == "linear":
        return d + 1
    if model.kernel == "poly":
        return math.comb(d + model.degree, d) if model.coef0 != 0 else math.comb(d + model.degree - 1, model.degree) + 1
    return math.inf if model.kernel == "rbf" else None


def _discriminant(model: Any, d: int) -> float:
    """Quadratic functions of d variables."""
    return (d + 1) * (d + 2) // 2


def _separate_columns(model: Any, d: int) -> float:
    """1, xⱼ and xⱼ² of each column."""
    return 2 * d + 1


def _tree(model: Any, d: int) -> float | None:
    """Without a limit every labeling of distinct points is learnt; stumps are known; between there are bounds."""
    if getattr(model, "max_leaf_nodes", None) is not None:
        return None
    if model.max_depth is None:
        return math.inf
    return Trees(int(model.max_depth), d).vc_dimension if model.max_depth <= 1 else None


def _everything(model: Any, d: int) -> float:
    return math.inf


def _constant(model: Any, d: int) -> float:
    return 1


KNOWN: dict[str, Rule] = {
    "BatchPerceptron": _hyperplane,
    "BernoulliNB": _hyperplane,
    "DecisionTreeClassifier": _tree,
    "DummyClassifier": _constant,
    "GaussianNB": _separate_columns,
    "KNeighborsClassifier": _everything,
    "LinearDiscriminantAnalysis": _hyperplane,
    "LinearProgramClassifier": _hyperplane,
    "LinearSVC": _hyperplane,
    "LogisticRegression": _hyperplane,
    "MultinomialNB": _hyperplane,
    "NearestCentroid": _hyperplane,
    "PassiveAggressiveClassifier": _hyperplane,
    "Perceptron": _hyperplane,
    "QuadraticDiscriminantAnalysis": _discriminant,
    "RandomForestClassifier": _tree,
    "RidgeClassifier": _hyperplane,
    "SGDClassifier": _hyperplane,
    "SVC": _kernel_machine,
    "SubgradientSVC": _hyperplane,
}


def vc_dimension(model: Any, n_features: int | None = None) -> float:
    """The VC dimension of an estimator's dictionary: a whole number, or inf.

    Parameters
    ----------
    model : estimator of surefit or scikit-learn, or Dictionary
        A classifier; only its parameters are read.
    n_features : int, optional
        Columns; by default those it was fitted on.

    Examples
    --------
    >>> from surefit.linear_model import LogisticRegression
    >>> from surefit.neighbors import KNeighborsClassifier
    >>> from surefit.theory import vc_dimension
    >>> vc_dimension(LogisticRegression(), 4), vc_dimension(KNeighborsClassifier(), 4)
    (5, inf)
    """
    if isinstance(model, Dictionary):
        return model.vc_dimension
    d = getattr(model, "n_features_in_", None) if n_features is None else n_features
    name = type(model).__name__
    if d is None:
        raise InvalidParameter(f"n_features must be given: this {name} is not fitted")
    rule = next((KNOWN[base.__name__] for base in type(model).__mro__ if base.__name__ in KNOWN), None)
    found = None if rule is None else rule(model, take_whole(d, "n_features"))
    if found is None:
        raise InvalidParameter(
            f"no closed form is known for the VC dimension of {name} with these parameters. Known are "
            f"{', '.join(sorted(KNOWN))} (trees without a limit or of depth 1; SVC with linear, poly and rbf kernels); "
            "for deeper trees Trees(depth, n_features) has a bound"
        )
    return found
