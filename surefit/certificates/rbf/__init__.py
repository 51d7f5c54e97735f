"""Checkers of radial basis functions."""
