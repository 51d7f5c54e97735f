// A k-d tree for linkages: halves at the median of the widest coordinate, leaves of at most kLeafPoints points in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/linkage_search.hpp"
#include "surefit/aligned.hpp"

namespace surefit::linkage {

struct Tree {
  std::size_t d = 0, n_slots = 0;
  std::vector<std::int32_t> left, block, count;  // of each node
  Aligned<double> box, points, rows;
  std::vector<std::int32_t> id;    // of each slot: its row, −1 where a block is not full
  std::vector<std::int32_t> slot;  // of each row: its place, −1 for a copy of another row
  std::vector<std::int32_t> leaves;
  std::vector<std::pair<std::int32_t, std::int32_t>> copies;  // (the first of equal rows, another)

  TreeView view(const double* size, const double* least_size) const {
    return {d,         left.data(), block.data(), count.data(), box.data(), points.data(),
            rows.data(), id.data(),   size,         least_size};
  }

  // below(node) := combine of its children, leaf(node) for a leaf; children have higher numbers than their parents.
  template <class T, class Leaf, class Combine>
  void fold(T* below, Leaf&& leaf, Combine&& combine) const {
    for (std::size_t node = left.size(); node-- > 0;) {
      const std::int32_t child = left[node];
      below[node] = child < 0 ? leaf(node) : combine(below[child], below[child + 1]);
    }
  }
};

// The tree is the same for any number of threads. Of rows that are equal only the first gets a slot, where `merge_copies`; the others are listed.
Tree build_tree(const double* x, std::size_t n, std::size_t d, bool merge_copies, int n_threads);

}  // namespace surefit::linkage
