// The fixed tree: leaves of a fixed number of rows are summed by themselves and merged pairwise, in an order that depends
// on the number of leaves alone. So the bits are the same for any number of threads, and those of
// surefit/engine/leaves.py.
//
// Node (level, i) stands for leaves i·2^level … (i+1)·2^level - 1. A node whose right child lies beyond the last leaf
// is its left child: n leaves are split at the largest power of two below n.
//
//   fold_leaves   any statistic; leaves come from several threads, in any order
//   tree_sum      numbers, one for every leaf
//   SparseSum     numbers, where most leaves have nothing to add
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "surefit/parallel.hpp"

namespace surefit {

// Below this, starting threads costs more than it saves. Work is estimated in nanoseconds of one core, from:
inline constexpr double kSerialNs = 2e5;
inline constexpr double kVectorNs = 0.1;    // a multiplication in registers of a vector loop
inline constexpr double kScalarNs = 1;      // a number read and used in a plain loop
inline constexpr double kScatteredNs = 2;   // a number added at some place of a table

inline int threads_for(double nanoseconds, int n_threads) {
  return nanoseconds < kSerialNs || n_threads < 1 ? 1 : n_threads;
}

// In a run of regions that follow one another within microseconds threads have not gone to sleep: less work pays.
inline int threads_awake(double nanoseconds, int n_threads) {
  return nanoseconds < kSerialNs / 5 || n_threads < 1 ? 1 : n_threads;
}

inline std::size_t leaves_of(std::size_t n_rows, std::size_t leaf_rows) {
  return n_rows / leaf_rows + (n_rows % leaf_rows != 0);
}

// Merges are made as soon as both sides are there: about log2(n_leaves) + n_threads statistics wait at a time.
// merge(left, right) merges right into left.
template <class Statistic, class Merge>
class FoldTree {
 public:
  FoldTree(std::size_t n_leaves, Merge& merge) : n_leaves_(n_leaves), merge_(merge) {}

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
      merge_(statistic, other);
    }
    root_ = std::move(statistic);
  }

  Statistic& root() { return root_; }

 private:
  std::size_t n_leaves_;
  Merge& merge_;
  std::mutex mutex_;
  std::map<std::pair<int, std::size_t>, Statistic> waiting_;
  Statistic root_{};
};

// The statistic of all rows; leaf(lo, hi, thread) is that of rows [lo, hi). Without rows it is the default one.
template <class Leaf, class Merge>
auto fold_leaves(std::size_t n_rows, std::size_t leaf_rows, int n_threads, Leaf&& leaf, Merge&& merge) {
  using Statistic = decltype(leaf(n_rows, n_rows, 0));
  const std::size_t n_leaves = leaves_of(n_rows, leaf_rows);
  FoldTree<Statistic, Merge> tree(n_leaves, merge);
  parallel_for(n_leaves, n_threads, [&](std::size_t i, int thread) {
    const std::size_t lo = i * leaf_rows;
    tree.add(i, leaf(lo, lo + std::min(leaf_rows, n_rows - lo), thread));
  });
  return std::move(tree.root());
}

// What a thread works in: made when the thread first asks.
template <class Workspace>
class PerThread {
 public:
  explicit PerThread(int n_threads) : all_(static_cast<std::size_t>(std::max(n_threads, 1))) {}

  template <class... Args>
  Workspace& of(int thread, Args&&... args) {
    auto& own = all_[static_cast<std::size_t>(thread)];
    if (!own) own = std::make_unique<Workspace>(std::forward<Args>(args)...);
    return *own;
  }

 private:
  std::vector<std::unique_ptr<Workspace>> all_;
};

// leaves[0 … n-1] are used up.
inline double tree_sum(double* leaves, std::size_t n) {
  for (; n > 1; n = (n + 1) / 2) {
    for (std::size_t i = 0; i < n / 2; ++i) leaves[i] = leaves[2 * i] + leaves[2 * i + 1];
    if (n % 2) leaves[n / 2] = leaves[n - 1];
  }
  return n > 0 ? leaves[0] : 0.0;
}

// Two neighbours among the leaves that have something merge at the lowest node above both: in the binary numbers of
// their leaves, the highest digit that differs. Lower nodes merge first. Adding a zero changes no bit, so the sum is
// that of the whole tree.
class SparseSum {
 public:
  // Leaves come in rising order; several values of one leaf are added up first.
  void add(std::size_t leaf, double value) {
    if (size_ > 0 && leaf == leaf_) {
      stack_[size_ - 1].sum += value;
      return;
    }
    const int height = size_ == 0 ? 0 : std::bit_width(leaf ^ leaf_);
    while (size_ > 1 && stack_[size_ - 1].height < height) merge();
    stack_[size_++] = {0.0 + value, height};
    leaf_ = leaf;
  }
  double finish() {
    while (size_ > 1) merge();
    const double sum = size_ == 0 ? 0.0 : stack_[0].sum;
    size_ = 0;
    return sum;
  }

 private:
  struct Node {
    double sum;
    int height;  // of the node above this one and the one before it
  };
  void merge() {
    --size_;
    stack_[size_ - 1].sum += stack_[size_].sum;
  }
  Node stack_[66];  // heights fall along the stack
  int size_ = 0;
  std::size_t leaf_ = 0;
};

}  // namespace surefit
