"""surefit: classical machine learning that proves its answers.

The names are scikit-learn's: replace `sklearn` by `surefit` in an import. `surefit.certify(model, X, y)` checks a fit,
surefit's or scikit-learn's, from the data alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors read; at run time it is loaded when it is first named
    from surefit import (
        cluster,
        decomposition,
        discriminant_analysis,
        ensemble,
        graphs,
        io,
        kernel_ridge,
        kernels,
        linear_model,
        manifold,
        metrics,
        mixture,
        model_selection,
        naive_bayes,
        neighbors,
        neural_network,
        plot,
        random_projection,
        rbf,
        report,
        stats,
        svm,
        theory,
        tree,
        variational,
    )
    from surefit._core.config import config
    from surefit.certificates import Certificate
    from surefit.engine.certify import certify
    from surefit.engine.sources.scan import scan

__version__ = "0.1.0"

_FAMILIES = (
    "cluster",
    "decomposition",
    "discriminant_analysis",
    "ensemble",
    "kernel_ridge",
    "linear_model",
    "manifold",
    "mixture",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "random_projection",
    "rbf",
    "svm",
    "tree",
    "variational",
)
_TOOLS = ("graphs", "io", "kernels", "metrics", "model_selection", "plot", "report", "stats", "theory")
_FUNCTIONS = {
    "Certificate": "surefit.certificates",
    "certify": "surefit.engine.certify",
    "config": "surefit._core.config",
    "scan": "surefit.engine.sources.scan",
}

__all__ = [
    "Certificate",
    "__version__",
    "certify",
    "cluster",
    "config",
    "decomposition",
    "discriminant_analysis",
    "ensemble",
    "graphs",
    "io",
    "kernel_ridge",
    "kernels",
    "linear_model",
    "manifold",
    "metrics",
    "mixture",
    "model_selection",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "plot",
    "random_projection",
    "rbf",
    "report",
    "scan",
    "stats",
    "svm",
    "theory",
    "tree",
    "variational",
]


def __getattr__(name: str) -> Any:
    """Importing surefit is light; what is used is loaded when it is first named."""
    if name in _FAMILIES or name in _TOOLS:
        return importlib.import_module(f"surefit.{name}")
    if name in _FUNCTIONS:
        return getattr(importlib.import_module(_FUNCTIONS[name]), name)
    raise AttributeError(f"module 'surefit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
