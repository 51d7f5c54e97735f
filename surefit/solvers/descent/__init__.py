"""Gradient descent, all rows at once or one row at a time."""
