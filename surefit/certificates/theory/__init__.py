"""Checkers of what learning theory promises."""
