// Rows through trees: which leaf each row ends in, and sums of what the leaves say.
//
// A row x at an inner node with feature j goes left if x_j ≤ threshold (or if bit x_j of the node's set of categories is
// 1); a missing value (NaN; for a set also a category outside 0 … 255) goes where the node says. Children come after
// their parent in the arrays, so every walk ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "surefit/rows.hpp"

namespace surefit::trees {

// The arrays of one tree, where they are (surefit/solvers/growing/tree.py).
struct Arrays {
  std::size_t n_nodes, n_features, n_sets, width;
  const std::int32_t *left, *right, *feature, *category_row;
  const double* threshold;
  const std::uint8_t* missing_left;
  const std::uint64_t* sets;  // n_sets × 4
  const double* value;        // n_nodes × width
};

// leaves (rows × trees): the leaf of each row in each tree.
template <Rows R>
void apply(std::span<const Arrays> trees, const R& rows, int n_threads, std::int64_t* leaves);

// total (rows × width) ← Σ over the trees, in their order, of the values of the leaves.
template <Rows R>
void add_up(std::span<const Arrays> trees, const R& rows, int n_threads, double* total);

}  // namespace surefit::trees
