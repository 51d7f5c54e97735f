"""Piecewise linear fits as linear programs."""
