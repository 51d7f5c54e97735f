"""Checkers of decision trees."""
