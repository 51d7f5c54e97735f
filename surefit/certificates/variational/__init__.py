"""Checkers of EM, Monte-Carlo EM and mean-field inference for a user's own model."""
