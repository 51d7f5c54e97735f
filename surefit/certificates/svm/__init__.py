"""Checkers of support vector machines."""
