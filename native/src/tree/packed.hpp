// A tree laid out for walking: one small record a node, level by level, the two children side by side.
//
// A leaf is a node that leads to itself: nothing exceeds its threshold and missing values go left, to itself. So a row
// may take a step too many, and only now and then it is asked which of them have arrived.
//
// Rows hold numbers (float, double) or ranks among all thresholds (ranks.hpp), which make smaller records.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tree/predict.hpp"
#include "tree/ranks.hpp"

namespace surefit::trees {

constexpr std::uint32_t kMostFeatures = 1u << 30;
constexpr int kSteps = 2;

// Rows on their way, and where they are.
struct Walkers {
  std::vector<std::int32_t> row, at;

  void start(std::size_t n) {
    row.resize(std::max(row.size(), n));
    at.resize(row.size());
    std::iota(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n), 0);
    std::fill_n(at.begin(), n, 0);
  }
};

// What a walk has to look out for.
enum class Look { thresholds, missing, sets };

// Whether category x is in the set; what is no category is missing.
template <class T>
bool in_set(T x, const std::uint64_t* set, bool missing_left) {
  if (!(x >= 0 && x < 256)) return missing_left;
  const auto code = static_cast<unsigned>(x);
  return (set[code >> 6] >> (code & 63)) & 1;
}

// A node that leads nowhere or backwards, or looks at what is not there, is refused.
inline bool is_leaf(const Arrays& tree, std::size_t node) {
  const std::int64_t left = tree.left[node], right = tree.right[node];
  if (left < 0 && right < 0) return true;
  const auto at = static_cast<std::int64_t>(node), n = static_cast<std::int64_t>(tree.n_nodes);
  const std::int64_t j = tree.feature[node], set = tree.category_row[node];
  if (left <= at || right <= at || left >= n || right >= n || j < 0 || set >= static_cast<std::int64_t>(tree.n_sets) ||
      static_cast<std::size_t>(j) >= tree.n_features || j >= static_cast<std::int64_t>(kMostFeatures)) {
    throw std::invalid_argument("the tree is broken at node " + std::to_string(node));
  }
  return false;
}

// One row straight through the arrays: for few rows, where packing would cost more than it saves.
template <class T>
std::int32_t walk(const Arrays& tree, const T* x) {
  std::size_t node = 0;
  while (!is_leaf(tree, node)) {
    const T v = x[tree.feature[node]];
    const bool missing_left = tree.missing_left[node] != 0;
    const std::int32_t set = tree.category_row[node];
    const bool left = set >= 0 ? in_set(v, tree.sets + 4 * set, missing_left)
                               : static_cast<double>(v) <= tree.threshold[node] || (v != v && missing_left);
    node = static_cast<std::size_t>(left ? tree.left[node] : tree.right[node]);
  }
  return static_cast<std::int32_t>(node);
}

// V: what a row holds of a feature.
template <class V>
class Packed {
  using Feature = std::conditional_t<std::same_as<V, Rank>, std::uint16_t, std::uint32_t>;
  static constexpr Feature kMissingLeft = Feature(1) << (std::numeric_limits<Feature>::digits - 1);
  static constexpr Feature kBySet = kMissingLeft >> 1, kColumn = std::same_as<V, Rank> ? kMissingLeft - 1 : kBySet - 1;

 public:
  // column(feature): where a row has the feature. code(node): what its value is compared with there.
  template <class Column, class Code>
  void pack(const Arrays& tree, Column&& column, Code&& code) {
    sets_ = tree.sets;
    const std::vector<std::int32_t> place = places(tree);
    for (std::size_t node = 0; node < tree.n_nodes; ++node) {
      if (place[node] < 0) continue;
      const auto at = static_cast<std::size_t>(place[node]);
      from_[at] = static_cast<std::int32_t>(node);
      if (tree.left[node] < 0) {
        nodes_[at] = {highest(), kMissingLeft, place[node]};
        continue;
      }
      auto feature = static_cast<Feature>(column(tree.feature[node]));
      if (tree.missing_left[node]) feature |= kMissingLeft;
      V threshold{};
      if (tree.category_row[node] >= 0) {
        feature |= kBySet;
        look_ = Look::sets;
        threshold = static_cast<V>(set_of_.size());  // whole numbers below 2²⁴
        set_of_.push_back(tree.category_row[node]);
      } else {
        threshold = code(node);
      }
      nodes_[at] = {threshold, feature, place[static_cast<std::size_t>(tree.left[node])]};
    }
  }

  bool empty() const { return nodes_.empty(); }

  // leaves[i] ← the leaf of row i of the dense block x. `missing`: whether there may be missing values among them.
  void walk_rows(const V* x, std::size_t n, std::size_t d, bool missing, Walkers& walkers, std::int32_t* leaves) const {
    if constexpr (std::same_as<V, Rank>) {
      missing ? walk_all<Look::missing>(x, n, d, walkers, leaves) : walk_all<Look::thresholds>(x, n, d, walkers, leaves);
    } else {
      look_ == Look::sets ? walk_all<Look::sets>(x, n, d, walkers, leaves)
                          : walk_all<Look::missing>(x, n, d, walkers, leaves);
    }
    for (std::size_t i = 0; i < n; ++i) leaves[i] = from_[static_cast<std::size_t>(leaves[i])];
  }

 private:
  struct Node {
    V threshold;
    Feature feature;
    std::int32_t left;
  };
  std::vector<Node> nodes_;
  std::vector<std::int32_t> from_, set_of_;  // the node in the tree's own arrays; the set of a node that has one
  const std::uint64_t* sets_ = nullptr;
  Look look_ = Look::missing;

  static constexpr V highest() {
    return std::same_as<V, Rank> ? std::numeric_limits<V>::max() : std::numeric_limits<V>::infinity();
  }
  static bool is_missing(V x) {
    if constexpr (std::same_as<V, Rank>) {
      return x == kMissingRank;
    } else {
      return x != x;
    }
  }

  // Where each node goes, −1 if nothing leads to it. Parents come before children, so two passes in order are enough:
  // how many nodes each level has, then a pair of places for the children of each node.
  std::vector<std::int32_t> places(const Arrays& tree) {
    std::vector<std::int32_t> level(tree.n_nodes, -1), place(tree.n_nodes, -1);
    std::vector<std::int32_t> start{0, 1};  // of each level
    level[0] = place[0] = 0;
    for (std::size_t node = 0; node < tree.n_nodes; ++node) {
      if (level[node] < 0 || is_leaf(tree, node)) continue;
      const std::int32_t below = level[node] + 1;
      for (const std::int32_t child : {tree.left[node], tree.right[node]}) {
        std::int32_t& mine = level[static_cast<std::size_t>(child)];
        if (mine >= 0) throw std::invalid_argument("the tree is broken: a node has two parents");
        mine = below;
      }
      if (static_cast<std::size_t>(below) + 1 == start.size()) start.push_back(0);
      start[static_cast<std::size_t>(below) + 1] += 2;
    }
    for (std::size_t l = 1; l < start.size(); ++l) start[l] += start[l - 1];
    nodes_.resize(static_cast<std::size_t>(start.back()));
    from_.resize(nodes_.size());
    for (std::size_t node = 0; node < tree.n_nodes; ++node) {
      if (level[node] < 0 || tree.left[node] < 0) continue;
      std::int32_t& next = start[static_cast<std::size_t>(level[node]) + 1];
      place[static_cast<std::size_t>(tree.left[node])] = next++;
      place[static_cast<std::size_t>(tree.right[node])] = next++;
    }
    return place;
  }

  template <Look look>
  SUREFIT_INLINE std::int32_t next(const Node& node, const V* row) const {
    const V x = row[node.feature & kColumn];
    if constexpr (look == Look::thresholds) return node.left + static_cast<std::int32_t>(x > node.threshold);
    const bool missing_right = (node.feature & kMissingLeft) == 0;
    if constexpr (look == Look::sets) {
      if (node.feature & kBySet) {
        const auto* set = sets_ + 4 * static_cast<std::size_t>(set_of_[static_cast<std::size_t>(node.threshold)]);
        return node.left + static_cast<std::int32_t>(!in_set(x, set, !missing_right));
      }
    }
    const bool missing = is_missing(x);
    const bool right = std::same_as<V, Rank> ? (x > node.threshold) & !(missing & !missing_right)
                                             : (x > node.threshold) | (missing & missing_right);
    return node.left + static_cast<std::int32_t>(right);
  }

  // Every row takes a few steps, then those that have arrived are left out: nothing branches on where a row goes, so
  // the processor works at many rows at a time.
  template <Look look>
  void walk_all(const V* x, std::size_t n, std::size_t d, Walkers& walkers, std::int32_t* leaves) const {
    const Node* nodes = nodes_.data();
    walkers.start(n);
    std::int32_t* row = walkers.row.data();
    std::int32_t* at = walkers.at.data();
    while (n > 0) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t mine = row[i];
        const V* place = x + static_cast<std::size_t>(mine) * d;
        std::int32_t node = at[i];
        for (int step = 0; step < kSteps; ++step) node = next<look>(nodes[node], place);
        leaves[mine] = node;
        row[kept] = mine;
        at[kept] = node;
        kept += nodes[node].left != node;
      }
      n = kept;
    }
  }
};

}  // namespace surefit::trees
