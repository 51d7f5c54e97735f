"""Distances between rows, and which pairs can be near."""
