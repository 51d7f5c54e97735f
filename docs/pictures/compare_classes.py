"""A classification in pictures, the breast cancer data: `python docs/pictures/compare_classes.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit.linear_model import LogisticRegression
from surefit.model_selection import compare
from surefit.plot import CalibrationDisplay, ConfusionMatrixDisplay


def main() -> None:
    data = load_breast_cancer()
    y = data.target_names[data.target]
    found = compare({"logistic": make_pipeline(StandardScaler(), LogisticRegression())}, data.data, y).best
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
    ConfusionMatrixDisplay.from_predictions(y, found.predictions, ax=left)
    CalibrationDisplay.from_predictions(y == "malignant", found.probabilities[:, 1], ax=right)
    right.set_xlabel("probability of malignant")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
