"""Floor 2: the neighbors of a row, exactly: by k-d tree or by blocked products, in any metric."""

from surefit.search.index import build_index
from surefit.search.metric import Metric, resolve_metric
from surefit.search.neighbor_index import NeighborIndex

__all__ = ["Metric", "NeighborIndex", "build_index", "resolve_metric"]
