"""Bagging of any estimator, and ensembles of the models of cross-validation."""
