"""Checkers of mixtures."""
