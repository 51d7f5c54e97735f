// Leaves arrive in any order; the merges are those of the fixed tree (surefit/parallel.hpp), made as soon as both
// sides are there. So at most about log2(n_leaves) + n_threads statistics wait at a time.
//
// Node (level, i) stands for leaves i·2^level … (i+1)·2^level - 1. A node whose right child lies beyond the last leaf
// is its left child: this is the tree that splits n leaves at the largest power of two below n.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace surefit {

// Statistic is movable and has a default; combine(left, right) merges right into left.
template <class Statistic, class Combine>
class FoldTree {
 public:
  FoldTree(std::size_t n_leaves, Combine combine) : n_leaves_(n_leaves), combine_(std::move(combine)) {}

  void add(std::size_t leaf, Statistic statistic) {
    std::size_t i = leaf, n = n_leaves_;  // n: nodes of this level
    for (int level = 0; n > 1; ++level, i /= 2, n = (n + 1) / 2) {
      const std::size_t sibling = i ^ 1;
      if (sibling >= n) continue;
      Statistic other;
      {
        std::lock_guard lock(mutex_);
        const auto found = waiting_.find({level, sibling});
        if (found == waiting_.end()) {
          waiting_.emplace(std::pair{level, i}, std::move(statistic));
          return;
        }
        other = std::move(found->second);
        waiting_.erase(found);
      }
      if (sibling < i) std::swap(statistic, other);
      combine_(statistic, other);
    }
    root_ = std::move(statistic);
  }

  Statistic& root() { return root_; }

 private:
  std::size_t n_leaves_;
  Combine combine_;
  std::mutex mutex_;
  std::map<std::pair<int, std::size_t>, Statistic> waiting_;
  Statistic root_;
};

}  // namespace surefit
