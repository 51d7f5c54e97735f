// A tree of at most kMostBits leaves laid out for leaf_bits.hpp.
#pragma once

#include <array>
#include <vector>

#include "tree/leaf_bits.hpp"
#include "tree/packed.hpp"

namespace surefit::trees {

class SmallTree {
 public:
  // False if the tree has more leaves. column(feature), rank(node): as for Packed.
  template <class Column, class Place>
  bool pack(const Arrays& tree, Column&& column, Place&& rank) {
    tests_.clear();
    n_leaves_ = 0;
    if (tree.n_nodes > 2 * kMostBits - 1) return false;
    std::vector<bool> seen(tree.n_nodes);
    return add(tree, 0, seen, column, rank);
  }

  // leaves[i] ← the leaf of row i of n; both arrays of ranks, and `leaves`, have room for whole runs of kBitRows rows.
  void walk_rows(const Rank* ranks, const Rank* missing_low, std::size_t n_padded, std::int32_t* leaves) const {
    SUREFIT_TABLE(leaf_bits).leaves(tests_.data(), tests_.size(), ranks, missing_low, n_padded, leaves);
    for (std::size_t i = 0; i < n_padded; ++i) leaves[i] = node_[static_cast<std::size_t>(leaves[i])];
  }

 private:
  // Leaves below `node` get the next numbers.
  template <class Column, class Place>
  bool add(const Arrays& tree, std::size_t node, std::vector<bool>& seen, Column& column, Place& rank) {
    if (seen[node]) throw std::invalid_argument("the tree is broken: a node has two parents");
    seen[node] = true;
    if (is_leaf(tree, node)) {
      if (n_leaves_ == kMostBits) return false;
      node_[n_leaves_++] = static_cast<std::int32_t>(node);
      return true;
    }
    const std::size_t at = tests_.size(), first = n_leaves_;
    tests_.push_back({rank(node), 0, column(tree.feature[node]), tree.missing_left[node]});
    if (!add(tree, static_cast<std::size_t>(tree.left[node]), seen, column, rank)) return false;
    const auto ones = static_cast<std::uint32_t>((std::uint64_t{1} << n_leaves_) - (std::uint64_t{1} << first));
    tests_[at].keeps = static_cast<std::int32_t>(~ones);
    return add(tree, static_cast<std::size_t>(tree.right[node]), seen, column, rank);
  }

  std::vector<BitTest> tests_;
  std::array<std::int32_t, kMostBits> node_{};
  std::size_t n_leaves_ = 0;
};

}  // namespace surefit::trees
