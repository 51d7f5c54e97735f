"""Gradient boosting by trees on binned columns."""
