"""Statistical learning theory: risks, shattering, bounds that hold for every distribution, and simulations of them."""

from __future__ import annotations

from surefit.theory.bayes_classifier import BayesClassifier
from surefit.theory.bounds import (
    expected_deviation_bound,
    finite_deviation_bound,
    stochastic_error_bound,
    uniform_deviation_bound,
)
from surefit.theory.dictionaries.dictionary import Dictionary, is_shattered, sauer_bound, shattering_count
from surefit.theory.dictionaries.finite import FiniteFamily, NeighborRules
from surefit.theory.dictionaries.half_spaces import HalfSpaces, cover_count
from surefit.theory.dictionaries.lines import HalfLines, Intervals
from surefit.theory.dictionaries.rectangles import AxisRectangles
from surefit.theory.dictionaries.trees import Trees
from surefit.theory.dictionary_selection import DictionarySelection
from surefit.theory.distributions.distribution import BayesRisk, Distribution
from surefit.theory.distributions.gaussian_classes import GaussianClasses
from surefit.theory.distributions.like import distribution_like
from surefit.theory.distributions.tables import TableDistribution
from surefit.theory.distributions.uniform import UniformDistribution
from surefit.theory.empirical_risk import empirical_risk
from surefit.theory.excess_risk import ExcessRisk, excess_risk
from surefit.theory.excess_risk_study import ExcessRiskStudy, excess_risk_study
from surefit.theory.risk_interval import RiskInterval, clopper_pearson, risk_interval
from surefit.theory.sample_size import sample_size
from surefit.theory.vc_dimension import vc_dimension

__all__ = [
    "AxisRectangles",
    "BayesClassifier",
    "BayesRisk",
    "Dictionary",
    "DictionarySelection",
    "Distribution",
    "ExcessRisk",
    "ExcessRiskStudy",
    "FiniteFamily",
    "GaussianClasses",
    "HalfLines",
    "HalfSpaces",
    "Intervals",
    "NeighborRules",
    "RiskInterval",
    "TableDistribution",
    "Trees",
    "UniformDistribution",
    "clopper_pearson",
    "cover_count",
    "distribution_like",
    "empirical_risk",
    "excess_risk",
    "excess_risk_study",
    "expected_deviation_bound",
    "finite_deviation_bound",
    "is_shattered",
    "risk_interval",
    "sample_size",
    "sauer_bound",
    "shattering_count",
    "stochastic_error_bound",
    "uniform_deviation_bound",
    "vc_dimension",
]
