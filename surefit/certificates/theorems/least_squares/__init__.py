"""Least squares: the gap of a fit, and left-out scores."""
