"""Checkers of clusterings."""
