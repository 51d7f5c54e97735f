"""Tests of cross-validation."""
