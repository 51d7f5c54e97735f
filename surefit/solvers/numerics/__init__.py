"""Arithmetic that solvers share: compensated sums, triangular factors, coordinates."""
