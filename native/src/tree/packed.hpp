// A tree laid out for walking: one small record a node, level by level, the two children side by side.
//
// A leaf is a node that leads to itself: its threshold is ∞ and missing values go left, to itself. So several rows walk
// side by side without a branch, and only now and then it is asked which of them have arrived.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tree/predict.hpp"

namespace surefit::trees {

constexpr std::uint32_t kBySet = 1u << 31, kMissingLeft = 1u << 30, kFeature = kMissingLeft - 1;
constexpr std::size_t kLanes = 8;
constexpr int kSteps = 4;

// x ≤ t for every x of type T exactly if x ≤ narrowed(t).
template <class T>
T narrowed(double t) {
  const T near = static_cast<T>(t);
  return static_cast<double>(near) > t ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

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
      static_cast<std::size_t>(j) >= tree.n_features || j > static_cast<std::int64_t>(kFeature)) {
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

template <class T>
class Packed {
 public:
  void pack(const Arrays& tree) {
    sets_ = tree.sets;
    nodes_.reserve(tree.n_nodes);
    from_.reserve(tree.n_nodes);
    from_.push_back(0);
    for (std::size_t at = 0; at < from_.size(); ++at) {
      if (from_.size() > tree.n_nodes) throw std::invalid_argument("the tree is broken: a node has two parents");
      const auto node = static_cast<std::size_t>(from_[at]);
      if (is_leaf(tree, node)) {
        nodes_.push_back({std::numeric_limits<T>::infinity(), kMissingLeft, static_cast<std::int32_t>(at)});
        continue;
      }
      auto feature = static_cast<std::uint32_t>(tree.feature[node]);
      T threshold = narrowed<T>(tree.threshold[node]);
      if (tree.missing_left[node]) feature |= kMissingLeft;
      if (tree.category_row[node] >= 0) {
        feature |= kBySet;
        by_threshold_ = false;
        threshold = static_cast<T>(set_of_.size());  // whole numbers below 2²⁴
        set_of_.push_back(tree.category_row[node]);
      }
      nodes_.push_back({threshold, feature, static_cast<std::int32_t>(from_.size())});
      from_.push_back(tree.left[node]);
      from_.push_back(tree.right[node]);
    }
  }

  bool empty() const { return nodes_.empty(); }

  // sink(i, leaf) for rows 0 … n-1 of the dense block x.
  template <class Sink>
  void walk_rows(const T* x, std::size_t n, std::size_t d, Sink&& sink) const {
    if (by_threshold_) {
      walk_lanes<true>(x, n, d, sink);
    } else {
      walk_lanes<false>(x, n, d, sink);
    }
  }

 private:
  struct Node {
    T threshold;
    std::uint32_t feature;
    std::int32_t left;
  };
  std::vector<Node> nodes_;
  std::vector<std::int32_t> from_, set_of_;  // the node in the tree's own arrays; the set of a node that has one
  const std::uint64_t* sets_ = nullptr;
  bool by_threshold_ = true;

  template <bool by_threshold>
  SUREFIT_INLINE std::int32_t next(const Node& node, const T* row) const {
    const T x = row[node.feature & kFeature];
    const bool missing_right = (node.feature & kMissingLeft) == 0;
    if constexpr (!by_threshold) {
      if (node.feature & kBySet) {
        const auto* set = sets_ + 4 * static_cast<std::size_t>(set_of_[static_cast<std::size_t>(node.threshold)]);
        return node.left + static_cast<std::int32_t>(!in_set(x, set, !missing_right));
      }
    }
    return node.left + static_cast<std::int32_t>((x > node.threshold) | ((x != x) & missing_right));
  }

  SUREFIT_INLINE bool arrived(std::int32_t at) const { return nodes_[static_cast<std::size_t>(at)].left == at; }

  // Lanes take a few steps together; one that has arrived takes up the next row.
  template <bool by_threshold, class Sink>
  void walk_lanes(const T* x, std::size_t n, std::size_t d, Sink&& sink) const {
    const Node* nodes = nodes_.data();
    std::int32_t at[kLanes] = {};
    std::size_t row[kLanes], taken = 0;
    const T* place[kLanes];
    if (n >= kLanes) {
      for (; taken < kLanes; ++taken) row[taken] = taken, place[taken] = x + taken * d;
      while (taken < n) {
        for (int step = 0; step < kSteps; ++step) {
          for (std::size_t l = 0; l < kLanes; ++l) at[l] = next<by_threshold>(nodes[at[l]], place[l]);
        }
        for (std::size_t l = 0; l < kLanes && taken < n; ++l) {
          if (!arrived(at[l])) continue;
          sink(row[l], from_[static_cast<std::size_t>(at[l])]);
          row[l] = taken, place[l] = x + taken * d, at[l] = 0;
          ++taken;
        }
      }
      for (std::size_t l = 0; l < kLanes; ++l) finish<by_threshold>(at[l], place[l], row[l], sink);
    }
    for (; taken < n; ++taken) finish<by_threshold>(0, x + taken * d, taken, sink);
  }

  template <bool by_threshold, class Sink>
  void finish(std::int32_t at, const T* x, std::size_t row, Sink&& sink) const {
    while (!arrived(at)) at = next<by_threshold>(nodes_[static_cast<std::size_t>(at)], x);
    sink(row, from_[static_cast<std::size_t>(at)]);
  }
};

}  // namespace surefit::trees
