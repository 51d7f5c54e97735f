"""Distributions of (X, Y) that are known, so that the best classifier is."""
