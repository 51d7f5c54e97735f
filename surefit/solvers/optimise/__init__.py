"""Minimisers of smooth and L1-penalised convex functions."""
