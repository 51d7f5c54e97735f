"""Up to how many training rows a model is tried: its cost, or that of its proof, grows faster than they do."""

from __future__ import annotations

KERNEL_ROWS = 2_000
"""Support vectors and radial basis functions: the cost grows with the square of the rows."""
GRAM_ROWS = 1_000
"""A Gram matrix that is decomposed, and its leave-one-out errors proved: the cost grows with the cube."""
NEIGHBOR_ROWS = 20_000
PROGRAMME_ROWS = 20_000
"""A linear program."""
TREE_ROWS = 200_000
NETWORK_ROWS = 200_000


def up_to(rows: int, why: str) -> str:
    """
    >>> up_to(2000, "its cost grows with the square of the rows")
    'tried up to 2,000 training rows: its cost grows with the square of the rows'
    """
    return f"tried up to {rows:,} training rows: {why}"


SQUARE = up_to(KERNEL_ROWS, "its cost grows with the square of the rows")
CUBE = up_to(GRAM_ROWS, "its cost grows with the cube of the rows")
NEIGHBORS = up_to(NEIGHBOR_ROWS, "the nearest of each are searched among all")
PROGRAMME = up_to(PROGRAMME_ROWS, "it solves a linear program for each fold")
TREES = up_to(TREE_ROWS, "its trees are grown and checked again and again")
NETWORKS = up_to(NETWORK_ROWS, "it passes over the rows many times")
