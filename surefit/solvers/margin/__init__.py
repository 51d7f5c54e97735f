"""Hyperplanes that separate two classes."""
