"""Densities that are weighted sums: expectation and maximization, exact or mean-field."""
