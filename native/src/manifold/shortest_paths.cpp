#include "manifold/shortest_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::shortest_paths {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kMostBuckets = 4096;

// Nodes wait in buckets by distance, [b width, (b+1) width) in bucket b; inside a bucket their order is free, and a node
// whose distance falls once more is looked at again. At the end  d(v) = min over edges (u, v) of d(u) + length , the
// same numbers in any order. A node waits at most `longest` beyond the bucket at hand, so buckets are used in a circle.
struct Buckets {
  double per_length;  // 1 / width
  std::size_t count;

  explicit Buckets(const Graph& graph) {
    const auto n_edges = static_cast<std::size_t>(graph.indptr[graph.n]);
    double longest = 0, sum = 0;
    for (std::size_t e = 0; e < n_edges; ++e) {
      longest = std::max(longest, graph.length[e]);
      sum += graph.length[e] / static_cast<double>(n_edges);
    }
    const double width = std::max(sum, longest / kMostBuckets);
    per_length = width > 0 ? 1 / width : 0;
    if (!std::isfinite(per_length)) per_length = 0;  // one bucket: right, and slow, for lengths near zero
    count = static_cast<std::size_t>(longest * per_length) + 3;
  }
  std::size_t of(double distance) const { return static_cast<std::size_t>(distance * per_length); }
};

struct Workspace {
  Workspace(std::size_t n, std::size_t n_buckets) : waiting(n_buckets), distance(n), seen(n) {}
  std::vector<std::vector<std::int32_t>> waiting;
  std::vector<double> distance;
  std::vector<double> seen;  // the distance with which a node's edges were looked at last
};

void from_one(const Graph& graph, const Buckets& buckets, std::size_t source, Workspace& work) {
  std::fill(work.distance.begin(), work.distance.end(), kFar);
  std::fill(work.seen.begin(), work.seen.end(), kFar);
  double* distance = work.distance.data();
  distance[source] = 0;
  work.waiting[0].push_back(static_cast<std::int32_t>(source));
  std::size_t n_waiting = 1;
  for (std::size_t b = 0; n_waiting > 0; b = b + 1 == buckets.count ? 0 : b + 1) {
    auto& bucket = work.waiting[b];
    while (!bucket.empty()) {
      const auto node = static_cast<std::size_t>(bucket.back());
      bucket.pop_back();
      --n_waiting;
      const double here = distance[node];
      if (here == work.seen[node]) continue;
      work.seen[node] = here;
      for (auto e = graph.indptr[node]; e < graph.indptr[node + 1]; ++e) {
        const std::int32_t next = graph.indices[e];
        const double there = here + graph.length[e];
        if (there < distance[next]) {
          distance[next] = there;
          work.waiting[buckets.of(there) % buckets.count].push_back(next);
          ++n_waiting;
        }
      }
    }
  }
}

}  // namespace

template <class T>
void from_sources(const Graph& graph, const std::int64_t* sources, std::size_t n_sources, int n_threads, T* out) {
  const double edges = static_cast<double>(graph.indptr[graph.n]);
  const double work = static_cast<double>(n_sources) * (edges * kScatteredNs + 20 * static_cast<double>(graph.n));
  const Buckets buckets(graph);
  PerThread<Workspace> spaces(n_threads);
  parallel_for(n_sources, threads_for(work, n_threads), [&](std::size_t s, int thread) {
    Workspace& space = spaces.of(thread, graph.n, buckets.count);
    from_one(graph, buckets, static_cast<std::size_t>(sources[s]), space);
    T* row = out + s * graph.n;
    for (std::size_t i = 0; i < graph.n; ++i) row[i] = static_cast<T>(space.distance[i]);
  });
}

template void from_sources<float>(const Graph&, const std::int64_t*, std::size_t, int, float*);
template void from_sources<double>(const Graph&, const std::int64_t*, std::size_t, int, double*);

}  // namespace surefit::shortest_paths
