"""Scores of every model on the same folds of the diabetes data: `python docs/pictures/compare.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import load_diabetes

from surefit.model_selection import compare
from surefit.plot import FoldScoresDisplay


def main() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    display = FoldScoresDisplay.from_comparison(compare(None, X, y))
    display.figure_.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
