// The nodes of a tree, and the split each takes: from its cells alone, wherever these were counted.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "histogram_grow.hpp"

namespace surefit::histogram {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::uint64_t kGold = 0x9E3779B97F4A7C15u;

inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

template <class Kind>
class Nodes {
 public:
  using Cell = typename Kind::Cell;

  Nodes(const std::vector<Feature>& features, const std::vector<std::uint8_t>& has_missing, const Grid& grid,
        const Options& options)
      : features_(features), has_missing_(has_missing), grid_(grid), options_(options), d_(features.size()) {}

 protected:
  struct Node {
    std::size_t lo = 0, hi = 0, depth = 0, slot = kNone, id = kNone;
    Cell total{};
    Bounds bounds;
    double value = 0, score = 0;
    std::uint64_t key = 0;
    std::vector<std::size_t> groups;
    Split<Cell> best;
    bool splits() const { return best.feature != kNone; }
    double gain() const { return best.score - score; }
    std::size_t size() const { return hi - lo; }
  };

  // Whether a is split after b.
  static bool later(const Node& a, const Node& b) { return a.gain() != b.gain() ? a.gain() < b.gain() : a.id > b.id; }

  Node root_node(std::size_t n_rows) const {
    Node root;
    root.hi = n_rows;
    root.key = mixed(options_.seed + kGold);
    root.groups.resize(options_.n_groups);
    std::iota(root.groups.begin(), root.groups.end(), std::size_t{0});
    return root;
  }

  // The node becomes a row of the arrays; with its split, if it has one (a leaf's is taken back at the end).
  void record(Node& node) {
    node.id = out_.left.size();
    const Sums s = Kind::sums(node.total, grid_);
    out_.left.push_back(-1);
    out_.right.push_back(-1);
    out_.feature.push_back(-2);
    out_.bin.push_back(0);
    out_.missing_left.push_back(0);
    out_.categorical.push_back(0);
    out_.sets.insert(out_.sets.end(), 4, 0);
    out_.n_rows.push_back(static_cast<std::int64_t>(node.size()));
    out_.first_row.push_back(static_cast<std::int64_t>(node.lo));
    out_.value.push_back(node.value);
    out_.score.push_back(node.score);
    out_.weight.push_back(s.c);
    out_.hessian.push_back(s.h);
    out_.gradient.push_back(s.g);
  }

  // The split of a node that was recorded.
  void record_split(const Node& node, const Node& left, const Node& right) {
    const Split<Cell>& best = node.best;
    out_.feature[node.id] = static_cast<std::int64_t>(best.feature);
    out_.bin[node.id] = static_cast<std::int64_t>(best.bin);
    out_.categorical[node.id] = best.categorical;
    std::copy(best.set.begin(), best.set.end(), out_.sets.begin() + static_cast<std::ptrdiff_t>(4 * node.id));
    const bool seen = has_missing_[best.feature];
    const double on_left = Kind::sums(left.total, grid_).c, on_right = Kind::sums(right.total, grid_).c;
    out_.missing_left[node.id] = seen ? best.missing_left : on_left > on_right;
  }

  static std::array<std::uint8_t, kBins> goes_left(const Split<Cell>& best) {
    std::array<std::uint8_t, kBins> left{};
    for (std::size_t b = 0; b < kMissing; ++b) {
      left[b] = best.categorical ? (best.set[b / 64] >> (b % 64)) & 1 : b <= best.bin;
    }
    left[kMissing] = best.missing_left;
    return left;
  }

  // What children have from their parent; their rows are counted elsewhere.
  void part(const Node& node, Node& left, Node& right) const {
    const Split<Cell>& best = node.best;
    left.total = best.left;
    right.total = node.total - best.left;
    left.depth = right.depth = node.depth + 1;
    left.key = mixed(node.key + kGold);
    right.key = mixed(node.key + 2 * kGold);
    left.bounds = right.bounds = node.bounds;
    measure(left);
    measure(right);
    narrow(best.feature, left, right);
    for (const std::size_t group : node.groups) {
      if (options_.groups[group * d_ + best.feature]) left.groups.push_back(group);
    }
    right.groups = left.groups;
  }

  // Under a constraint the steps below stay on their sides of the middle.
  void narrow(std::size_t feature, Node& left, Node& right) const {
    const int sign = options_.rules.monotonic ? options_.rules.monotonic[feature] : 0;
    if (sign == 0) return;
    const double middle = left.value / 2 + right.value / 2;
    (sign > 0 ? left : right).bounds.high = middle;
    (sign > 0 ? right : left).bounds.low = middle;
  }

  void measure(Node& node) const {
    const Sums s = Kind::sums(node.total, grid_);
    const double below = s.h + options_.rules.l2;
    node.value = node.bounds.clip(below > 0 ? -s.g / below : 0.0);
    node.score = -s.g * node.value;
    node.best.feature = kNone;
  }

  bool may_split(const Node& node) const {
    const Sums s = Kind::sums(node.total, grid_);
    return (options_.max_depth == 0 || node.depth < options_.max_depth) && node.size() > 1 &&
           s.c >= 2 * options_.rules.min_weight && s.h >= 2 * kLeastHessian;
  }

  void look_at(const Node& node, const Cell* cells, std::size_t j, Split<Cell>& found) const {
    found.feature = kNone;
    found.score = node.score;
    const Scan<Kind> scan(grid_, options_.rules, node.bounds, node.total);
    scan.look(features_[j], cells + j * kBins, found);
  }

  // The best of the candidate features; `found`: what each of them offers, if that is known.
  void choose(Node& node, const Cell* cells, const Split<Cell>* found) const {
    node.best.feature = kNone;
    node.best.score = node.score;
    if (!may_split(node)) return;
    for (const std::size_t j : candidates(node, cells)) {
      Split<Cell> one;
      if (found && options_.max_features >= 1) one = found[j];
      else look_at(node, cells, j, one);
      if (one.feature != kNone && one.score > node.best.score * kTie) node.best = one;
    }
  }

  std::vector<std::size_t> candidates(const Node& node, const Cell* cells) const {
    std::vector<std::size_t> allowed;
    for (std::size_t j = 0; j < d_; ++j) {
      const auto has = [&](std::size_t group) { return options_.groups[group * d_ + j] != 0; };
      if (options_.n_groups == 0 || std::any_of(node.groups.begin(), node.groups.end(), has)) allowed.push_back(j);
    }
    if (options_.max_features >= 1) return allowed;
    const auto wanted = static_cast<std::size_t>(
        std::max(1.0, std::ceil(options_.max_features * static_cast<double>(allowed.size()))));
    std::stable_sort(allowed.begin(), allowed.end(), [&](std::size_t a, std::size_t b) {
      return mixed(node.key + (a + 3) * kGold) < mixed(node.key + (b + 3) * kGold);
    });
    const Scan<Kind> scan(grid_, options_.rules, node.bounds, node.total);
    std::vector<std::size_t> out;
    for (const std::size_t j : allowed) {
      if (out.size() == wanted) break;
      if (scan.varies(features_[j], cells + j * kBins)) out.push_back(j);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  const std::vector<Feature>& features_;
  const std::vector<std::uint8_t>& has_missing_;
  const Grid& grid_;
  const Options& options_;
  std::size_t d_;
  Grown out_;
};

}  // namespace surefit::histogram
