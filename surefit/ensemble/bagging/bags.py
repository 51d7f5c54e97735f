"""What each member of a bagged ensemble is fitted to: the rows and columns drawn from its seed."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit.summaries.resample import Examples, bootstrap_counts, draw_count, subsample_counts


class Draws(NamedTuple):
    """How the rows of members are drawn: their seeds, the distinct examples, and how many are drawn."""

    seeds: np.ndarray
    examples: Examples
    n_draws: int
    replace: bool

    def counts(self, seed: int) -> np.ndarray:
        """How often each example is drawn."""
        if self.replace:
            return bootstrap_counts(seed, self.examples.weights, self.n_draws)
        return subsample_counts(seed, self.examples.hashes, self.examples.weights, self.n_draws)

    def state(self) -> dict[str, Any]:
        """Arrays and numbers only, for a file."""
        examples = {name: getattr(self.examples, name) for name in ("n_rows", "rows", "starts", "hashes", "weights")}
        return {"seeds": self.seeds, "n_draws": self.n_draws, "replace": self.replace, **examples}


def draws_of(state: dict[str, Any]) -> Draws:
    examples = Examples(*(state[name] for name in ("n_rows", "rows", "starts", "hashes", "weights")))
    return Draws(state["seeds"], examples, state["n_draws"], state["replace"])


def number_of_draws(p: Any, examples: Examples, weighted: bool) -> int:
    """`max_samples` as a number of rows: few for a share get a warning, too many without replacement an error."""
    n_draws = draw_count(p.max_samples, examples.total, len(examples.weights))
    if isinstance(p.max_samples, float) and n_draws < max(10, examples.n_rows ** (1 / 3)):
        of = "total sum of sample weights" if weighted else "number of samples"
        total = examples.total if weighted else examples.n_rows
        warnings.warn(
            f"Using the fractional value max_samples={p.max_samples} when the {of} is {total} results in a low number "
            f"({n_draws}) of bootstrap samples. We recommend passing `max_samples` as an integer instead.",
            stacklevel=5,
        )
    there_are = max(len(examples.weights), round(examples.total))
    if not p.bootstrap and n_draws > there_are:
        raise InvalidParameter(
            f"Effective max_samples={n_draws} must be <= n_samples={there_are} to be able to sample without "
            "replacement."
        )
    return n_draws


def number_of_features(max_features: float, n_features: int) -> int:
    if isinstance(max_features, float):
        return max(1, int(max_features * n_features))
    if max_features > n_features:
        raise InvalidParameter(f"max_features must be <= n_features: got {max_features}, there are {n_features}")
    return int(max_features)
