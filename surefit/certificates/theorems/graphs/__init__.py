"""Distances, neighbors, affinities, Laplacians and cuts from their definitions."""
