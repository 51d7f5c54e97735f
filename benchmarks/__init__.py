"""Measurements against the peers: ratios of times taken in one run, at equal quality. See README.md in this folder."""
