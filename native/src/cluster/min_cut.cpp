// Maximum adjacency order: visit next the vertex v with the largest r(v), the weight of its edges to visited vertices.
//
// Theorem (Nagamochi and Ibaraki 1992; for the last two vertices Stoer and Wagner 1997). When u is visited and its edge
// to v raises r(v) to q, every cut that parts u and v weighs at least q. So edges with q ≥ bound join vertices that no
// cut below the bound parts, and the last two vertices can be merged once the last one's own cut is known.
#include "cluster/min_cut.hpp"

#include <queue>

#include "union_find.hpp"

namespace surefit::min_cut {

namespace {

struct Candidate {
  double r;
  std::uint32_t vertex;
  bool operator<(const Candidate& other) const {  // the largest r first, then the lowest vertex
    return r < other.r || (r == other.r && vertex > other.vertex);
  }
};

}  // namespace

std::vector<std::int64_t> inseparable_groups(const Graph& graph, double bound) {
  const auto n = static_cast<std::uint32_t>(graph.size());
  UnionFind sets(n);  // a set is named by its lowest vertex
  std::vector<double> r(n, 0.0);
  std::vector<char> visited(n, 0);
  std::priority_queue<Candidate> queue;  // an entry whose r is no longer the vertex's is passed over
  std::uint32_t last = 0, before_last = 0, next = 0;
  for (std::uint32_t step = 0; step < n; ++step) {
    while (!queue.empty() && (visited[queue.top().vertex] || queue.top().r != r[queue.top().vertex])) queue.pop();
    while (next < n && visited[next]) ++next;
    const std::uint32_t u = queue.empty() ? next : queue.top().vertex;
    visited[u] = 1;
    before_last = last;
    last = u;
    for (auto e = static_cast<std::size_t>(graph.indptr[u]); e < static_cast<std::size_t>(graph.indptr[u + 1]); ++e) {
      const auto v = static_cast<std::uint32_t>(graph.indices[e]);
      if (visited[v] || graph.weights[e] <= 0) continue;
      r[v] += graph.weights[e];
      queue.push({r[v], v});
      if (r[v] >= bound) sets.join(u, v);
    }
  }
  if (n > 1) sets.join(before_last, last);
  std::vector<std::int64_t> group(n);
  std::int64_t count = 0;
  for (std::uint32_t v = 0; v < n; ++v) group[v] = sets.find(v) == v ? count++ : group[sets.find(v)];
  return group;
}

}  // namespace surefit::min_cut
