"""Counts, means, spreads and covariances of every class."""
