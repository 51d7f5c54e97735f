// Maximum adjacency order: visit next the vertex v with the largest r(v), the weight of its edges to visited vertices.
//
// Theorem (Nagamochi and Ibaraki 1992; for the last two vertices Stoer and Wagner 1997). When u is visited and its edge
// to v raises r(v) to q, every cut that parts u and v weighs at least q. So edges with q ≥ bound join vertices that no
// cut below the bound parts, and the last two vertices can be merged once the last one's own cut is known.
#include "cluster/min_cut.hpp"

#include <numeric>
#include <queue>
#include <utility>

namespace surefit::min_cut {

namespace {

// Sets of vertices; a set is named by its lowest vertex.
class Sets {
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

  std::size_t find(std::size_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

 private:
  std::vector<std::size_t> parent_;
};

struct Candidate {
  double r;
  std::size_t vertex;
  bool operator<(const Candidate& other) const {  // the largest r first, then the lowest vertex
    return r < other.r || (r == other.r && vertex > other.vertex);
  }
};

}  // namespace

std::vector<std::int64_t> inseparable_groups(const Graph& graph, double bound) {
  const std::size_t n = graph.size();
  Sets sets(n);
  std::vector<double> r(n, 0.0);
  std::vector<char> visited(n, 0);
  std::priority_queue<Candidate> queue;  // an entry whose r is no longer the vertex's is passed over
  std::size_t last = 0, before_last = 0, next = 0;
  for (std::size_t step = 0; step < n; ++step) {
    while (!queue.empty() && (visited[queue.top().vertex] || queue.top().r != r[queue.top().vertex])) queue.pop();
    while (next < n && visited[next]) ++next;
    const std::size_t u = queue.empty() ? next : queue.top().vertex;
    visited[u] = 1;
    before_last = last;
    last = u;
    for (auto e = static_cast<std::size_t>(graph.indptr[u]); e < static_cast<std::size_t>(graph.indptr[u + 1]); ++e) {
      const auto v = static_cast<std::size_t>(graph.indices[e]);
      if (visited[v] || graph.weights[e] <= 0) continue;
      r[v] += graph.weights[e];
      queue.push({r[v], v});
      if (r[v] >= bound) sets.join(u, v);
    }
  }
  if (n > 1) sets.join(before_last, last);
  std::vector<std::int64_t> group(n);
  std::int64_t count = 0;
  for (std::size_t v = 0; v < n; ++v) group[v] = sets.find(v) == v ? count++ : group[sets.find(v)];
  return group;
}

}  // namespace surefit::min_cut
