"""The bound of mean-field inference, update by update, below the evidence: `python docs/pictures/cavi.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.plot import HistoryDisplay
from surefit.variational import CAVI
from surefit.variational.models import NormalModel


def main() -> None:
    x = np.array([1.2, 0.8, 1.9, 1.4, 0.7])
    found = CAVI(NormalModel()).fit(x)
    figure, axes = plt.subplots(figsize=(5.4, 3.2), layout="constrained")
    HistoryDisplay.from_estimator(found, ax=axes)
    evidence = NormalModel().log_evidence(x)
    axes.axhline(evidence, color="C1", linestyle="--")
    axes.annotate(f"log evidence {evidence:.3f}", (1, evidence), xytext=(0, -12), textcoords="offset points")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
