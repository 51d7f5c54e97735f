"""Checkers of nearest neighbors."""
