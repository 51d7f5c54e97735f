"""Figures are drawn without a screen, and closed after each test."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")
