"""Checkers of random projections."""
