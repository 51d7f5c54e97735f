"""Proposals for linear models: coefficients, dual points, separating directions, bases of columns. Not trusted."""
