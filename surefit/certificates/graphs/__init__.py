"""Checkers of graphs and their cuts."""
