"""Proposals for support vector machines and kernel systems. Not trusted."""
