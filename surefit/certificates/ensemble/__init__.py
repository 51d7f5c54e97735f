"""Checkers of bagging, forests and boosting."""
