// Borůvka's algorithm: in each round every group of rows takes its shortest edge to another group, and groups that an
// edge joins become one. Edges are ordered by (value, smaller row, larger row): no two are equal, so no circle can
// close and the tree is unique.
#include <algorithm>
#include <cstring>
#include <limits>

#include "cluster/linkage.hpp"
#include "cluster/linkage_tree.hpp"
#include "cluster/union_find.hpp"
#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::linkage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kFewCoordinates = 3;  // a longer list pays where neighbors are cheap to find
constexpr std::size_t kLeavesOfTask = 16;
constexpr std::size_t kSlotsOfTask = 8192;
constexpr std::size_t kEdgesOfTask = 16384;

inline bool before(const Merge& p, const Merge& q) {
  if (p.height != q.height) return p.height < q.height;
  return p.a != q.a ? p.a < q.a : p.b < q.b;
}

// number := min(number, value), for several threads at once. Numbers from zero are ordered like their bits.
void lower(double& number, double value) {
  auto* bits = reinterpret_cast<std::uint64_t*>(&number);
  std::uint64_t wanted, now;
  std::memcpy(&wanted, &value, sizeof wanted);
  __atomic_load(bits, &now, __ATOMIC_RELAXED);
  while (wanted < now && !__atomic_compare_exchange_n(bits, &now, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// Parts are sorted by themselves, then merged two by two.
void sort_edges(std::vector<Merge>& edges, int n_threads) {
  const auto order = [](const Merge& p, const Merge& q) { return before(p, q); };
  const std::size_t n = edges.size();
  const auto place = [&](std::size_t i) { return edges.begin() + static_cast<std::ptrdiff_t>(std::min(i, n)); };
  parallel_for(leaves_of(n, kEdgesOfTask), n_threads, [&](std::size_t i, int) {
    std::sort(place(i * kEdgesOfTask), place((i + 1) * kEdgesOfTask), order);
  });
  for (std::size_t half = kEdgesOfTask; half < n; half *= 2) {
    parallel_for(leaves_of(n, 2 * half), n_threads, [&](std::size_t i, int) {
      std::inplace_merge(place(2 * i * half), place((2 * i + 1) * half), place((2 * i + 2) * half), order);
    });
  }
}

class Boruvka {
 public:
  Boruvka(const double* x, std::size_t n, std::size_t d, Sum sum, int n_threads)
      : tree_(build_tree(x, n, d, true, n_threads)),
        n_threads_(n_threads),
        n_near_(d <= kFewCoordinates ? 5 : 4),
        squared_(sum == Sum::squared),
        sets_(n),
        group_(tree_.n_slots, -1),
        partner_(tree_.n_slots, -1),
        value_(tree_.n_slots, 0.0),
        node_group_(tree_.left.size(), -1),
        bound_(n),
        best_(n, Merge{-1, -1, kInfinity}),
        shortest_(leaves_of(tree_.n_slots, kSlotsOfTask)) {
    for (const auto& [first, other] : tree_.copies) {
      add({first, other, 0.0});
    }
    if (d <= kAlone) list_neighbors();
  }

  std::vector<Merge> run(std::size_t n) {
    while (edges_.size() + 1 < n) {
      name_groups();
      bound_groups();
      look();
      join();
    }
    sort_edges(edges_, n < kEdgesOfTask ? 1 : n_threads_);
    return std::move(edges_);
  }

 private:
  static std::uint32_t row(std::int32_t i) { return static_cast<std::uint32_t>(i); }

  void add(const Merge& edge) {
    edges_.push_back(edge);
    sets_.join(row(edge.a), row(edge.b));
  }

  bool usable(std::size_t slot) const {
    return partner_[slot] >= 0 && group_[partner_[slot]] != group_[slot];
  }

  // The group of a slot is found from the one it had: near slots mostly had the same.
  void name_groups() {
    each_slot([&](std::size_t s) {
      group_[s] = static_cast<std::int32_t>(sets_.find(row(group_[s] < 0 ? tree_.id[s] : group_[s])));
    });
    tree_.fold(
        node_group_.data(),
        [&](std::size_t node) {
          const std::size_t first = static_cast<std::size_t>(tree_.block[node]) * kBlock;
          if (node_group_[node] >= 0) return group_[first];
          for (std::int32_t i = 1; i < tree_.count[node]; ++i) {
            if (group_[first + i] != group_[first]) return std::int32_t{-1};
          }
          return group_[first];
        },
        [](std::int32_t p, std::int32_t q) { return p == q ? p : -1; });
  }

  // task(slot) for all slots that hold a row.
  template <class Task>
  void each_slot(Task&& task) {
    const int n_threads = tree_.n_slots < kSlotsOfTask ? 1 : n_threads_;
    parallel_for((tree_.n_slots + kSlotsOfTask - 1) / kSlotsOfTask, n_threads, [&](std::size_t i, int) {
      for (std::size_t s = i * kSlotsOfTask; s < std::min(tree_.n_slots, (i + 1) * kSlotsOfTask); ++s) {
        if (tree_.id[s] >= 0) task(s);
      }
    });
  }

  // task(leaf) for all leaves.
  template <class Task>
  void each_leaf(Task&& task) {
    const std::size_t n_leaves = tree_.leaves.size(), n_tasks = (n_leaves + kLeavesOfTask - 1) / kLeavesOfTask;
    parallel_for(n_tasks, n_threads_, [&](std::size_t i, int) {
      const std::size_t end = std::min(n_leaves, (i + 1) * kLeavesOfTask);
      for (std::size_t l = i * kLeavesOfTask; l < end; ++l) task(static_cast<std::size_t>(tree_.leaves[l]));
    });
  }

  // The first rounds need the few nearest of each row only: one search for all of them.
  void list_neighbors() {
    near_value_.resize(tree_.n_slots * n_near_);
    near_slot_.resize(tree_.n_slots * n_near_);
    next_.assign(tree_.n_slots, 0);
    const Neighbors lists{tree_.view(nullptr, nullptr), n_near_, near_value_.data(), near_slot_.data()};
    const SearchLoops& loops = SUREFIT_TABLE(linkage_search);
    const auto list = squared_ ? loops.squared_neighbors : loops.absolute_neighbors;
    each_leaf([&](std::size_t leaf) { list(lists, leaf); });
  }

  // The partner of a row is the first of its list in another group; beyond the list none is nearer than its last. The
  // nearest partner of its rows bounds the shortest edge of a group.
  void bound_groups() {
    std::fill(bound_.begin(), bound_.end(), kInfinity);
    each_slot([&](std::size_t s) {
      if (!next_.empty() && next_[s] < n_near_) take_next(s);
      if (usable(s)) lower(bound_[group_[s]], value_[s]);
    });
  }

  void take_next(std::size_t s) {
    const std::size_t list = s * n_near_;
    std::uint8_t& next = next_[s];
    while (next < n_near_ && near_slot_[list + next] >= 0 && group_[near_slot_[list + next]] == group_[s]) ++next;
    const bool more = next < n_near_ && near_slot_[list + next] >= 0;
    partner_[s] = more ? near_slot_[list + next] : -1;
    value_[s] = near_value_[list + std::min<std::size_t>(next, n_near_ - 1)];
  }

  void look() {
    const Search search{tree_.view(nullptr, nullptr), group_.data(), node_group_.data(),
                        bound_.data(),                value_.data(), partner_.data()};
    const SearchLoops& loops = SUREFIT_TABLE(linkage_search);
    const auto find = squared_ ? loops.squared : loops.absolute;
    each_leaf([&](std::size_t leaf) { find(search, leaf); });
  }

  // The bound of a group is the value of its shortest edge by now: only slots of that value matter.
  void join() {
    for (std::vector<std::size_t>& slots : shortest_) slots.clear();
    each_slot([&](std::size_t s) {
      if (value_[s] == bound_[group_[s]] && usable(s)) shortest_[s / kSlotsOfTask].push_back(s);
    });
    std::vector<std::int32_t> groups;
    for (const std::vector<std::size_t>& slots : shortest_) {
      for (const std::size_t s : slots) {
        const auto [a, b] = std::minmax(tree_.id[s], tree_.id[partner_[s]]);
        const Merge edge{a, b, value_[s]};
        Merge& best = best_[group_[s]];
        if (best.a < 0) groups.push_back(group_[s]);
        if (best.a < 0 || before(edge, best)) best = edge;
      }
    }
    for (const std::int32_t group : groups) {
      Merge& edge = best_[group];
      if (!sets_.together(row(edge.a), row(edge.b))) add(edge);
      edge.a = -1;
    }
  }

  Tree tree_;
  int n_threads_;
  std::size_t n_near_;  // neighbors in the list of a row
  bool squared_;
  UnionFind sets_;
  std::vector<std::int32_t> group_, partner_;
  std::vector<double> value_;
  std::vector<std::int32_t> node_group_;
  std::vector<double> bound_;
  std::vector<double> near_value_;        // lists of neighbors
  std::vector<std::int32_t> near_slot_;
  std::vector<std::uint8_t> next_;        // of each slot: where its list is read
  std::vector<Merge> best_, edges_;       // best_: of each group, a < 0 for none
  std::vector<std::vector<std::size_t>> shortest_;  // of each task
};

}  // namespace

std::vector<Merge> minimum_spanning_tree(const double* x, std::size_t n, std::size_t d, Sum sum, int n_threads) {
  return Boruvka(x, n, d, sum, n_threads).run(n);
}

}  // namespace surefit::linkage
