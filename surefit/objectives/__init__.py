"""Losses of one row: value, gradient, second derivative and convex conjugate; one file for each, plain NumPy.

In every file z is the score of a row (what the linear part gives), y its target, and

    conjugate(a, y) = sup over z of  a·z − value(z, y)

so that value(z, y) + conjugate(a, y) ≥ a·z, with equality where a = gradient(z, y).
"""
