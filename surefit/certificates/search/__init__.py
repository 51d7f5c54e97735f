"""Proposes witnesses. Not trusted: a bad proposal loosens a bound, it cannot make a claim false."""
