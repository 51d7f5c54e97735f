"""Proposals for boosted models: rows that were kept for validation. Not trusted."""
