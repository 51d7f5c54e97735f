"""Least squares, with and without a ridge penalty."""
