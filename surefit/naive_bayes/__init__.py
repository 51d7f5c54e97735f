"""Naive Bayes: features are independent given the class. scikit-learn's names, exact statistics, certificates."""

from surefit.naive_bayes.bernoulli import BernoulliNB
from surefit.naive_bayes.categorical import CategoricalNB
from surefit.naive_bayes.complement import ComplementNB
from surefit.naive_bayes.gaussian import GaussianNB
from surefit.naive_bayes.mixed import MixedNB
from surefit.naive_bayes.multinomial import MultinomialNB

__all__ = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MixedNB", "MultinomialNB"]
