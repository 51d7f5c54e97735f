"""Checkers of kernels themselves."""
