"""Checkers of embeddings."""
