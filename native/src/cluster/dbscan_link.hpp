// Joining core rows that are near each other.
//
// Sets of positions (union_find.hpp). The core rows of a tight group are one set from the start, and one near pair joins
// it with that of another. In other groups pairs are joined one by one until the group is *uniform*, all of its core
// rows in one set; sets only grow, so a group stays uniform.
#pragma once

#include <atomic>
#include <memory>

#include "dbscan_core.hpp"
#include "dbscan_touch.hpp"
#include "union_find.hpp"

namespace surefit::dbscan {

class Links {
 public:
  explicit Links(const State& state)
      : s_(state), sets_(state.groups.n), uniform_(new std::atomic<bool>[state.groups.size()]) {
    for (std::size_t g = 0; g < s_.groups.size(); ++g) {
      uniform_[g].store(s_.groups.tight[g] || s_.n_core[g] <= 1, std::memory_order_relaxed);
    }
  }

  UnionFind& sets() { return sets_; }

  bool uniform(std::size_t g) {
    if (uniform_[g].load(std::memory_order_relaxed)) return true;
    const Position first = s_.first(g), root = sets_.find(first);
    for (Position k = 1; k < s_.n_core[g]; ++k) {
      if (sets_.find(first + k) != root) return false;
    }
    uniform_[g].store(true, std::memory_order_relaxed);
    return true;
  }

  void inside(std::size_t g) {
    const Position first = s_.first(g), n = s_.n_core[g];
    for (Position k = 0; k < n; ++k) {
      if (s_.groups.tight[g]) {
        sets_.join(first, first + k);
      } else {
        join_near(first + k, g, point(g, k), k + 1);
      }
    }
  }

  void between(std::size_t a, std::size_t b, Touch& touch) {
    const Groups& g = s_.groups;
    if (s_.n_core[a] == 0 || s_.n_core[b] == 0) return;
    const bool one_set_each = uniform(a) && uniform(b);
    if (one_set_each && sets_.together(s_.first(a), s_.first(b))) return;
    if (nearest(g, a, b) > g.limit) return;
    if (one_set_each) {
      if (touch(a, s_.n_core[a], b, s_.n_core[b])) sets_.join(s_.first(a), s_.first(b));
      return;
    }
    for (Position k = 0; k < s_.n_core[a]; ++k) {
      const double* q = point(a, k);
      if (nearest(g.norm, g.d, q, q, g.low(b), g.high(b)) <= g.limit) join_near(s_.first(a) + k, b, q, 0);
    }
  }

 private:
  // Joins position p, at the point q, with the near core rows of group b from `from` on.
  void join_near(Position p, std::size_t b, const double* q, std::size_t from) {
    const Groups& g = s_.groups;
    const std::size_t n = s_.n_core[b];
    const bool one = uniform(b);
    if (one && sets_.together(p, s_.first(b))) return;
    for (std::size_t k = s_.near.next(g.block(b), from, n, q, g.d, g.limit); k < n;
         k = s_.near.next(g.block(b), k + 1, n, q, g.d, g.limit)) {
      sets_.join(p, s_.first(b) + static_cast<Position>(k));
      if (one) return;
    }
  }

  const double* point(std::size_t g, std::size_t k) const {
    thread_local std::vector<double> q;
    q.resize(s_.groups.d);
    const Block block = s_.groups.block(g);
    for (std::size_t j = 0; j < q.size(); ++j) q[j] = block.x[j * block.stride + k];
    return q.data();
  }

  const State& s_;
  UnionFind sets_;
  std::unique_ptr<std::atomic<bool>[]> uniform_;
};

}  // namespace surefit::dbscan
