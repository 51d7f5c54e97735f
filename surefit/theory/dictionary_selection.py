"""Choosing among dictionaries by penalized risk (structural risk minimization).

    m̂ = argmin over m of  R_n(ĥ_m) + pen_m ,   pen_m = 2 √(2 log(2 Sₙ(H_m)) / n) ,   ĥ_m in H_m

With probability 1 − e^−t, for every m at once, and whatever the distribution of the n independent rows,

    |R(ĥ_m) − R_n(ĥ_m)| ≤ pen_m + √((log M + t) / 2n) ;
    R(ĥ_m̂) ≤ min over m of {inf over H_m of R + 2 pen_m} + √((2 log M + 2t) / n) ,

the second where each ĥ_m minimizes the empirical risk over H_m; a model that misses this minimum by g adds g to its
term. Proof: the bound of `bounds.py` for each dictionary with t + log M, and the sum of the M chances to fail.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range, Rule
from surefit.theory.bounds import exponent, log_labelings
from surefit.theory.empirical_risk import empirical_risk
from surefit.theory.risk_interval import RiskInterval
from surefit.theory.vc_dimension import vc_dimension


def _are_named(models: Any) -> bool:
    try:
        names = [name for name, model in models]
    except (TypeError, ValueError):
        return False
    return len(names) > 0 and len(set(names)) == len(names)


class DictionarySelection(ClassifierMixin, Estimator):
    """The model of least empirical risk plus penalty, with an interval for its risk that holds for any distribution.

    The penalties are paid for certainty: for a few hundred rows they are larger than any risk, and a test sample says
    more. They are right for every choice made on the same rows, which a test sample is not.

    {parameters}

    Attributes
    ----------
    estimators_ : list of fitted models
    empirical_risks_, penalties_ : ndarray of shape (n_models,)
    dictionaries_ : list
        Of each model the dictionary, or its VC dimension.
    log_shattering_ : ndarray of shape (n_models,)
        log(2 Sₙ) of each dictionary.
    selected_ : int
        Which model was chosen.
    selected_estimator_ : the chosen model
    risk_interval_ : RiskInterval
        Where its risk lies.
    remainder_ : float
        √((2 log M + 2t) / n), the last term of the oracle inequality.
    classes_, n_features_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import LogisticRegression
    >>> from surefit.theory import DictionarySelection
    >>> from surefit.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(20_000, 2))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> choice = DictionarySelection([("line", LogisticRegression()), ("stump", DecisionTreeClassifier(max_depth=1))])
    >>> choice.fit(X, y).selected_name_
    'line'
    """

    def __init__(
        self,
        models: Annotated[Any, Rule(_are_named, "a list of (name, classifier), the names different"), "The models."],
        dictionaries: Annotated[
            Sequence[Any] | None,
            "For each model what it is chosen from: a Dictionary or a VC dimension; None: what is known of its class.",
        ] = None,
        *,
        confidence: Annotated[float, Range(0, 1, open="both"), "Of the interval and the inequality."] = 0.95,
    ) -> None:
        self.models = models
        self.dictionaries = dictionaries
        self.confidence = confidence

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Fit every model to the rows, and choose."""
        p = self._checked()
        rows, labels = X if hasattr(X, "shape") else np.asarray(X), np.asarray(y)
        if len(rows.shape) != 2 or labels.shape != (rows.shape[0],):
            raise InvalidData(f"X must be (n, d) and y one label for each row; got {rows.shape} and {labels.shape}")
        self.classes_, self.n_features_in_ = np.unique(labels), rows.shape[1]
        if len(self.classes_) != 2:
            raise InvalidData(f"labelings are of two classes; y has {len(self.classes_)}")
        self.dictionaries_ = _dictionaries(p.models, p.dictionaries, rows.shape[1])
        self.log_shattering_ = np.array([log_labelings(one, len(labels)) for one in self.dictionaries_])
        self.estimators_ = [clone(model).fit(X, labels) for _, model in p.models]
        self.empirical_risks_ = np.array([empirical_risk(labels, model.predict(X)) for model in self.estimators_])
        self.penalties_ = 2 * np.sqrt(2 * self.log_shattering_ / len(labels))
        self.selected_ = int(np.argmin(self.empirical_risks_ + self.penalties_))
        self.selected_name_ = p.models[self.selected_][0]
        self.selected_estimator_ = self.estimators_[self.selected_]
        price = math.log(len(p.models)) + exponent(p.confidence)
        self.remainder_ = math.sqrt(2 * price / len(labels))
        risk = float(self.empirical_risks_[self.selected_])
        half = float(self.penalties_[self.selected_]) + math.sqrt(price / (2 * len(labels)))
        self.risk_interval_ = RiskInterval(
            risk, max(0.0, risk - half), min(1.0, risk + half), p.confidence, "uniform deviation"
        )
        return self

    @property
    def oracle_terms_(self) -> NDArray[np.float64]:
        """2 pen_m + remainder: how much more than the best of dictionary m the chosen model may miss."""
        return 2 * self.penalties_ + self.remainder_

    def statement(self) -> str:
        """What is known of the chosen model, in words."""
        check_is_fitted(self, "estimators_")
        found = self.risk_interval_
        lines = [
            f"With probability {self.confidence:g}, for independent rows of any distribution, the risk of "
            f"{self.selected_name_!r} is in [{found.low:.4g}, {found.high:.4g}] (on the sample: {found.estimate:.4g}).",
            "If the models minimize the empirical risk, it is at most the least risk of any classifier of",
        ]
        for (name, _), term in zip(self.models, self.oracle_terms_, strict=True):
            lines.append(f"    {name}: plus {term:.4g}")
        return "\n".join(lines)

    def predict(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self, "estimators_")
        return np.asarray(self.selected_estimator_.predict(X))


def _dictionaries(models: Any, dictionaries: Any, d: int) -> list[Any]:
    if dictionaries is None:
        return [vc_dimension(model, d) for _, model in models]
    if len(dictionaries) != len(models):
        raise InvalidParameter(f"dictionaries must have one entry for each of {len(models)} models")
    return list(dictionaries)
