// A k-d tree whose leaves are blocks of kLeafRows rows, turned so that a vector holds one column of several rows.
//
// Leaf l holds points[l][column][place] and ids[l][place], the numbers of the rows; only the last leaf has empty places
// (id -1). Node 0 is the root; a node of m leaves has its left child behind it, with (m + 1) / 2 of the leaves, and the
// right child behind that: a tree of m leaves has 2 m - 1 nodes. Boxes are tight. Splits are at the middle of the
// column with the widest spread; the ids in a leaf rise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "surefit/aligned.hpp"
#include "surefit/rows.hpp"

namespace surefit::search {

inline constexpr std::size_t kLeafRows = 32;

// A node and its leaves.
struct Node {
  std::size_t number, first_leaf, end_leaf;

  bool is_leaf() const { return end_leaf - first_leaf == 1; }
  std::size_t left_leaves() const { return (end_leaf - first_leaf + 1) / 2; }
  Node left() const { return {number + 1, first_leaf, first_leaf + left_leaves()}; }
  Node right() const { return {number + 2 * left_leaves(), first_leaf + left_leaves(), end_leaf}; }
};

struct KdTree {
  std::size_t n = 0, d = 0, n_leaves = 0;
  Aligned<double> points;             // (n_leaves, d, kLeafRows)
  Aligned<std::int64_t> ids;          // (n_leaves, kLeafRows)
  Aligned<double> boxes;              // for each node: d smallest, d largest numbers
  std::vector<std::int64_t> first;    // for each node: the lowest id in it
  std::vector<std::uint32_t> column;  // for each node that is no leaf: the column that was split, and where
  std::vector<double> split;

  Node root() const { return {0, 0, n_leaves}; }
  const double* leaf(std::size_t l) const { return points.data() + l * d * kLeafRows; }
  const std::int64_t* leaf_ids(std::size_t l) const { return ids.data() + l * kLeafRows; }
  const double* low(std::size_t node) const { return boxes.data() + node * 2 * d; }
  const double* high(std::size_t node) const { return low(node) + d; }
  std::size_t leaf_rows(std::size_t l) const { return std::min(kLeafRows, n - l * kLeafRows); }
  std::size_t rows(const Node& node) const {
    return std::min(node.end_leaf * kLeafRows, n) - node.first_leaf * kLeafRows;
  }
  // The leaf on whose side of all splits a row lies.
  template <class T>
  std::size_t leaf_of(const T* x) const {
    Node node = root();
    while (!node.is_leaf()) {
      node = static_cast<double>(x[column[node.number]]) <= split[node.number] ? node.left() : node.right();
    }
    return node.first_leaf;
  }
};

// n ≥ 1 rows of finite numbers. Work: about n log2(n / kLeafRows) (d + 10) steps, on several threads below the root.
template <class T>
KdTree build_tree(const DenseRows<T>& rows, int n_threads);

}  // namespace surefit::search
