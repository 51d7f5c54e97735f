"""Piecewise linear fits and hyperplanes: dual points repaired, margins, Farkas' vector."""
