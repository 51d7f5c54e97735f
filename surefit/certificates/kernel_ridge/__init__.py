"""Checkers of kernel ridge regression."""
