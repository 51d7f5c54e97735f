"""Checkers of discriminant analysis."""
