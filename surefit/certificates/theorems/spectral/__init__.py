"""Variances along axes, and what they bound."""
