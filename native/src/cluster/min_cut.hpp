// One round of the exact minimum cut of a weighted graph: which vertices may be merged (min_cut.cpp has the theorem).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace surefit::min_cut {

// An undirected graph: the neighbors of v are indices[indptr[v] … indptr[v + 1]), with weights ≥ 0; both directions of
// an edge are present.
struct Graph {
  std::span<const std::int64_t> indptr, indices;
  std::span<const double> weights;
  std::size_t size() const { return indptr.size() - 1; }
};

// For each vertex the number of its group, 0, 1, … in the order of their first vertices: no cut below `bound` parts two
// vertices of a group. Of two vertices or more at least two share a group.
std::vector<std::int64_t> inseparable_groups(const Graph& graph, double bound);

}  // namespace surefit::min_cut
