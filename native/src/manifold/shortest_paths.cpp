#include "manifold/shortest_paths.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::shortest_paths {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// Nodes by their distance, nearest on top; a heap whose nodes have four children, so that it is half as high and
// children lie side by side. `place` says where a node stands, so its distance can fall.
class Queue {
 public:
  explicit Queue(std::size_t n) : heap_(n), place_(n) {}

  bool empty() const { return size_ == 0; }

  // A node that is not in the queue yet, or one whose distance has fallen.
  void put(std::int32_t node, double distance, bool is_new) {
    std::size_t at = is_new ? size_++ : place_[static_cast<std::size_t>(node)];
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (heap_[parent].distance <= distance) break;
      move(at, heap_[parent]);
      at = parent;
    }
    move(at, {distance, node});
  }

  std::int32_t take() {
    const std::int32_t top = heap_[0].node;
    const Entry last = heap_[--size_];
    std::size_t at = 0;
    while (true) {
      const std::size_t first = 4 * at + 1;
      if (first >= size_) break;
      std::size_t least = first;
      for (std::size_t child = first + 1; child < std::min(first + 4, size_); ++child) {
        if (heap_[child].distance < heap_[least].distance) least = child;
      }
      if (heap_[least].distance >= last.distance) break;
      move(at, heap_[least]);
      at = least;
    }
    if (size_ > 0) move(at, last);
    return top;
  }

 private:
  struct Entry {
    double distance;
    std::int32_t node;
  };
  void move(std::size_t at, Entry entry) {
    heap_[at] = entry;
    place_[static_cast<std::size_t>(entry.node)] = static_cast<std::uint32_t>(at);
  }
  std::vector<Entry> heap_;
  std::vector<std::uint32_t> place_;
  std::size_t size_ = 0;
};

struct Workspace {
  explicit Workspace(std::size_t n) : queue(n), distance(n) {}
  Queue queue;
  std::vector<double> distance;
};

void from_one(const Graph& graph, std::size_t source, Workspace& work) {
  std::fill(work.distance.begin(), work.distance.end(), kFar);
  double* distance = work.distance.data();
  distance[source] = 0;
  work.queue.put(static_cast<std::int32_t>(source), 0, true);
  while (!work.queue.empty()) {
    const auto node = static_cast<std::size_t>(work.queue.take());
    const double here = distance[node];
    for (auto e = graph.indptr[node]; e < graph.indptr[node + 1]; ++e) {
      const std::int32_t next = graph.indices[e];
      const double there = here + graph.length[e], known = distance[next];
      if (there < known) {  // a node that has left the queue is never nearer again: lengths are not negative
        distance[next] = there;
        work.queue.put(next, there, known == kFar);
      }
    }
  }
}

}  // namespace

template <class T>
void from_sources(const Graph& graph, const std::int64_t* sources, std::size_t n_sources, int n_threads, T* out) {
  const double edges = static_cast<double>(graph.indptr[graph.n]);
  const double work = static_cast<double>(n_sources) * (edges * kScatteredNs + 50 * static_cast<double>(graph.n));
  PerThread<Workspace> spaces(n_threads);
  parallel_for(n_sources, threads_for(work, n_threads), [&](std::size_t s, int thread) {
    Workspace& space = spaces.of(thread, graph.n);
    from_one(graph, static_cast<std::size_t>(sources[s]), space);
    T* row = out + s * graph.n;
    for (std::size_t i = 0; i < graph.n; ++i) row[i] = static_cast<T>(space.distance[i]);
  });
}

template void from_sources<float>(const Graph&, const std::int64_t*, std::size_t, int, float*);
template void from_sources<double>(const Graph&, const std::int64_t*, std::size_t, int, double*);

}  // namespace surefit::shortest_paths
