"""Checkers of naive Bayes classifiers."""
