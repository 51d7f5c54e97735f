"""Directions and covariances that tell Gaussian classes apart."""
