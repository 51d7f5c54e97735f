"""Checkers of fitted distributions."""
