"""Similarity graphs of rows: how they are built, their Laplacians, components and cuts."""

from surefit.graphs.build import epsilon_graph, gaussian_graph, neighbor_graph
from surefit.graphs.components import connected_components
from surefit.graphs.cuts import cut_value, normalized_cut, ratio_cut
from surefit.graphs.laplacians import degrees, laplacian, volume

__all__ = [
    "connected_components",
    "cut_value",
    "degrees",
    "epsilon_graph",
    "gaussian_graph",
    "laplacian",
    "neighbor_graph",
    "normalized_cut",
    "ratio_cut",
    "volume",
]
