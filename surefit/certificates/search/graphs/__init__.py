"""Proposals on graphs and neighborhoods: flows, trees, lists of neighbors, weights. Not trusted."""
