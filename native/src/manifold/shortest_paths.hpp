// Lengths of shortest paths from some nodes of a graph to all, from each by itself, in parallel: Dijkstra's algorithm with
// buckets for a queue (Meyer and Sanders, 2003).
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::shortest_paths {

// Edges i -> indices[e] of length[e] >= 0, indptr[i] <= e < indptr[i+1]. An edge of length zero is an edge.
struct Graph {
  const std::int64_t* indptr;
  const std::int32_t* indices;
  const double* length;
  std::size_t n;
};

// out: one row of n lengths for each source; infinity where there is no path. Lengths are added up in double.
template <class T>
void from_sources(const Graph& graph, const std::int64_t* sources, std::size_t n_sources, int n_threads, T* out);

}  // namespace surefit::shortest_paths
