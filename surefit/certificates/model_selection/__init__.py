"""Checkers of what cross-validation returns."""
