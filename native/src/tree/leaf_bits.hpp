// The leaves of many rows in a small tree, all nodes tested for all rows: no row waits for where another one goes.
//
// Leaves have numbers from left to right. Each row begins with a one for every leaf; a node where it goes right takes away
// the leaves on its left. The lowest one that is left is the row's leaf: those to its left were taken away where the path
// turned right, and nothing off the path takes it away, since a leaf is taken away only by a node above it.
// (Lucchese et al., QuickScorer, SIGIR 2015.) Compiled for each vector level; all give the same leaves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/simd.hpp"

namespace surefit::trees {

constexpr std::size_t kMostBits = 32;  // leaves of such a tree
constexpr std::size_t kBitRows = 64;   // rows that are tested at a time

// A row with a rank above `rank` in `column` goes right, and keeps these leaves. Missing values have the highest rank, or
// in a second copy of the ranks the lowest, for nodes that send them to the left.
struct BitTest {
  std::int32_t rank;
  std::int32_t keeps;
  std::uint32_t column, missing_left;
};

struct BitLoops {
  // leaf[i] ← the leaf of row i, i < n, a multiple of kBitRows. Rank of row i in a column: ranks[column · n + i].
  void (*leaves)(const BitTest* tests, std::size_t n_tests, const std::uint16_t* ranks, const std::uint16_t* missing_low,
                 std::size_t n, std::int32_t* leaf);
};

}  // namespace surefit::trees

SUREFIT_TABLES(trees::BitLoops, leaf_bits)
