"""Checkers of networks."""
