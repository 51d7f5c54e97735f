"""Proposals of eigenvectors and axes. Not trusted."""
