"""Checkers of linear models."""
