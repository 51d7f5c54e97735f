// Growing one part of a tree: the best split of a node, its division, and the nodes below it.
#pragma once

#include <numeric>
#include <vector>

#include "surefit/parallel.hpp"
#include "tree/draws.hpp"
#include "tree/exact_categories.hpp"
#include "tree/exact_part.hpp"
#include "tree/exact_search.hpp"

namespace surefit::exact_tree {

constexpr std::size_t kSerialWork = std::size_t{1} << 15;  // entries of a node below which threads do not pay

template <class Id, class C>
class Grower {
 public:
  Grower(const Options& options, const Part<Id>& part, double total_weight, int n_threads)
      : o_(options), part_(part), d_(part.columns->d), total_weight_(total_weight), n_threads_(n_threads),
        criterion_(part.targets),
        scratch_((has_categories() && C::kMerges ? kMostExhaustive + 2 : 2) * C::scratch(part.targets)),
        categories_(static_cast<std::size_t>(n_threads)) {
    picks_.resize(d_), features_.resize(d_), places_.resize(d_);
    std::iota(features_.begin(), features_.end(), std::size_t{0});
    space_.resize(scratch_ * static_cast<std::size_t>(n_threads_));
    moved_.resize(part.m * static_cast<std::size_t>(n_threads_));
  }

  // A node gets its number and its numbers. out: its split, feature −1 for a leaf.
  Split open(const Node& node, Grown& tree) {
    criterion_.start(part_.rows + node.start, node.size());
    write(node, tree);
    const double weight = criterion_.weight();
    Split split;
    if (criterion_.pure() || node.depth >= o_.max_depth || node.size() < o_.min_samples_split ||
        node.size() < 2 * o_.min_samples_leaf || weight < 2 * o_.min_weight_leaf) {
      return split;
    }
    split = search(node);
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    if (split.feature >= 0 && split.decrease / total_weight_ + kEpsilon < o_.min_impurity_decrease) split.feature = -1;
    return split;
  }

  // Both children of an opened node. Where both are too small or too deep to be split only the rows are divided.
  std::array<Node, 2> divide(const Node& node, const Split& split, std::int64_t number) {
    const std::size_t n_left = part_.mark(node, split), n_right = node.size() - n_left;
    const std::size_t least = std::max(o_.min_samples_split, 2 * o_.min_samples_leaf);
    const bool leaves = node.depth + 1 >= o_.max_depth || std::max(n_left, n_right) < least;
    const auto divide_list = [&](std::size_t j, int thread) {
      Id* list = (j < d_ ? part_.list(j) : part_.rows) + node.start;
      part_.divide(list, node.size(), moved_.data() + part_.m * static_cast<std::size_t>(thread));
    };
    if (leaves) {
      divide_list(d_, 0);
    } else {
      for_all_lists(node, divide_list);
    }
    for (std::size_t i = node.start; i < node.end; ++i) part_.rows[i] &= Part<Id>::kId;
    Node left{node.start, node.start + n_left, node.depth + 1, draws::left_key(node.key), number, true, node.lower,
              node.upper};
    Node right{node.start + n_left, node.end, node.depth + 1, draws::right_key(node.key), number, false, node.lower,
               node.upper};
    if (o_.monotonic && o_.monotonic[split.feature] != 0) {
      const bool rising = o_.monotonic[split.feature] > 0;
      (rising ? left.upper : left.lower) = split.middle;
      (rising ? right.lower : right.upper) = split.middle;
    }
    return {left, right};
  }

  static void record_split(Grown& tree, std::size_t number, const Split& split) {
    tree.feature[number] = split.feature;
    tree.threshold[number] = split.by_set ? -2.0 : split.threshold;
    tree.missing_left[number] = split.missing_left;
    if (!split.by_set) return;
    tree.category_row[number] = static_cast<std::int64_t>(tree.categories.size());
    tree.categories.push_back(split.set);
  }

 private:
  void write(const Node& node, Grown& tree) {
    const auto number = static_cast<std::int64_t>(tree.size());
    if (node.parent >= 0) (node.is_left ? tree.left : tree.right)[static_cast<std::size_t>(node.parent)] = number;
    tree.left.push_back(-1), tree.right.push_back(-1), tree.feature.push_back(-2), tree.category_row.push_back(-1);
    tree.threshold.push_back(-2.0), tree.missing_left.push_back(0);
    tree.count.push_back(static_cast<std::int64_t>(node.size()));
    tree.weight.push_back(criterion_.weight()), tree.impurity.push_back(criterion_.impurity() / criterion_.weight());
    const std::size_t width = part_.targets.n_outputs * part_.targets.n_classes, at = tree.value.size();
    tree.value.resize(at + width);
    criterion_.value(tree.value.data() + at);
    if (o_.monotonic) clip(node, tree.value.data() + at, width);
  }

  // The value of a constrained tree stays within the bounds of its node: one number, or the shares of two classes.
  static void clip(const Node& node, double* value, std::size_t width) {
    double& bounded = value[width == 2 ? 1 : 0];
    bounded = std::min(std::max(bounded, node.lower), node.upper);
    if (width == 2) value[0] = 1 - bounded;
  }

  // body(j, thread) for every feature and, as number d, the rows.
  template <class Body>
  void for_all_lists(const Node& node, Body&& body) {
    if (node.size() * d_ > kSerialWork && !kSubtree) {
      parallel_for(d_ + 1, n_threads_, body);
    } else {
      for (std::size_t j = 0; j <= d_; ++j) body(j, 0);
    }
  }

  Split search(const Node& node) {
    const std::size_t n = choose_features(node);
    const double tie = kTie * criterion_.impurity();
    const auto look = [&](std::size_t k, int thread) {
      picks_[features_[k]] = scanned(node, features_[k], tie, kInfinity, thread);
    };
    if (node.size() * n > kSerialWork && !kSubtree) {
      parallel_for(n, n_threads_, look);
    } else {
      for (std::size_t k = 0; k < n; ++k) look(k, 0);
    }
    double best = -kInfinity;
    for (std::size_t k = 0; k < n; ++k) best = std::max(best, picks_[features_[k]].best);
    if (best == -kInfinity) return {};
    std::size_t first = 0;  // of equal ones the first that was looked at
    while (picks_[features_[first]].best < best - tie) ++first;
    const std::size_t chosen = features_[first];
    Pick& pick = picks_[chosen];
    if (pick.close || pick.best < best) pick = scanned(node, chosen, tie, best - tie, 0);
    if (part_.columns->categorical[chosen]) return set_split(node, chosen, pick);
    return o_.random_splitter ? random_split(node, chosen, pick) : threshold_split(node, chosen, pick);
  }

  // The features to look at, first in `features_`: all in order, or the first that are not constant in the order drawn.
  std::size_t choose_features(const Node& node) {
    if (o_.max_features >= d_) return d_;
    for (std::size_t j = 0; j < d_; ++j) places_[j] = draws::place_of_feature(node.key, j);
    std::iota(features_.begin(), features_.end(), std::size_t{0});
    std::sort(features_.begin(), features_.end(), [&](std::size_t a, std::size_t b) {
      return places_[a] < places_[b] || (places_[a] == places_[b] && a < b);
    });
    std::size_t n = 0;
    for (std::size_t k = 0; k < d_ && n < o_.max_features; ++k) {
      if (!part_.constant(node, features_[k])) features_[n++] = features_[k];
    }
    return n;
  }

  Limits limits_of(const Node& node, std::size_t j) const {
    const std::int8_t monotonic = o_.monotonic ? o_.monotonic[j] : std::int8_t{0};
    return {o_.min_samples_leaf, o_.min_weight_leaf, monotonic, node.lower, node.upper};
  }

  Pick scanned(const Node& node, std::size_t j, double tie, double stop, int thread) {
    Pick pick;
    pick.tie = tie, pick.stop = stop;
    double* space = space_.data() + scratch_ * static_cast<std::size_t>(thread);
    const std::size_t missing = part_.n_missing(node, j);
    if (part_.columns->categorical[j]) {
      auto& categories = categories_[static_cast<std::size_t>(thread)];
      CategorySearch<Id, C>(part_, criterion_, node, j, missing, space, categories).search(limits_of(node, j), pick);
    } else if (o_.random_splitter) {
      drawn(node, j, missing, space, pick);
    } else {
      scan(criterion_, part_.list(j) + node.start, node.size(), missing, space, limits_of(node, j), pick);
    }
    return pick;
  }

  // splitter="random": one threshold, drawn between the smallest and the largest value.
  double drawn_threshold(const Node& node, std::size_t j, std::size_t present) const {
    const Id* list = part_.list(j) + node.start;
    const double lowest = part_.value(list[0], j), highest = part_.value(list[present - 1], j);
    const double threshold = lowest + draws::random_share(node.key, j) * (highest - lowest);
    return threshold >= highest ? lowest : threshold;
  }

  void drawn(const Node& node, std::size_t j, std::size_t missing, double* space, Pick& pick) {
    const Id* list = part_.list(j) + node.start;
    const std::size_t size = node.size(), present = size - missing, least = o_.min_samples_leaf;
    if (present == 0 || part_.constant(node, j)) return;
    const double threshold = drawn_threshold(node, j, present);
    auto left = criterion_.empty(space);
    std::size_t n = 0;
    for (; n < present && part_.value(list[n], j) <= threshold; ++n) {
      criterion_.add(left, static_cast<Id>(list[n] & Part<Id>::kId));
    }
    const Limits limits = limits_of(node, j);
    if (n >= least && size - n >= least) consider(criterion_, left, n, false, limits, pick);
    if (missing == 0 || n == present || n + missing < least || present - n < least) return;
    for (std::size_t i = present; i < size; ++i) criterion_.add(left, static_cast<Id>(list[i] & Part<Id>::kId));
    consider(criterion_, left, n, true, limits, pick);
  }

  Split split_of(const Node& node, std::size_t j, const Pick& pick, std::size_t missing) {
    Split split;
    split.feature = static_cast<std::int64_t>(j), split.decrease = pick.best, split.n_first = pick.n_left;
    const std::size_t left = pick.n_left + (pick.missing_left ? missing : 0);
    split.missing_left = missing ? pick.missing_left : left > node.size() - left;
    if (o_.monotonic) {
      auto l = criterion_.empty(space_.data());
      const Id* list = part_.list(j) + node.start;
      for (std::size_t i = 0; i < pick.n_left; ++i) criterion_.add(l, static_cast<Id>(list[i] & Part<Id>::kId));
      for (std::size_t i = node.size() - missing; i < node.size() && pick.missing_left; ++i) {
        criterion_.add(l, static_cast<Id>(list[i] & Part<Id>::kId));
      }
      split.middle = (criterion_.left_value(l) + criterion_.right_value(l)) / 2;
    }
    return split;
  }

  // Halfway between neighbors, or the lower one where halves cannot be told from the upper.
  Split threshold_split(const Node& node, std::size_t j, const Pick& pick) {
    const std::size_t missing = part_.n_missing(node, j), present = node.size() - missing;
    Split split = split_of(node, j, pick, missing);
    split.threshold = kInfinity;
    if (pick.n_left == present) return split;
    const Id* list = part_.list(j) + node.start;
    const double lower = part_.value(list[pick.n_left - 1], j), upper = part_.value(list[pick.n_left], j);
    split.threshold = lower / 2 + upper / 2;
    if (!(split.threshold < upper) || !(split.threshold >= lower)) split.threshold = lower;
    return split;
  }

  // Rows without a category in training go to the larger side, as those that are missing do.
  Split set_split(const Node& node, std::size_t j, const Pick& pick) {
    const std::size_t missing = part_.n_missing(node, j);
    Split split;
    split.feature = static_cast<std::int64_t>(j), split.decrease = pick.best, split.by_set = true;
    split.set = CategorySearch<Id, C>(part_, criterion_, node, j, missing, space_.data(), categories_[0]).set_of(pick);
    split.missing_left = pick.missing_left;
    if (missing == 0) {
      const std::size_t left = part_.mark(node, split);
      split.missing_left = left > node.size() - left;
    }
    return split;
  }

  Split random_split(const Node& node, std::size_t j, const Pick& pick) {
    const std::size_t missing = part_.n_missing(node, j), present = node.size() - missing;
    Split split = split_of(node, j, pick, missing);
    split.threshold = pick.n_left == present ? kInfinity : drawn_threshold(node, j, present);
    return split;
  }

  bool has_categories() const {
    const std::uint8_t* flags = part_.columns->categorical;
    return std::any_of(flags, flags + d_, [](std::uint8_t flag) { return flag != 0; });
  }

  static constexpr bool kSubtree = sizeof(Id) < sizeof(Row);  // grown by one thread

  const Options& o_;
  Part<Id> part_;
  std::size_t d_;
  double total_weight_;
  int n_threads_;
  C criterion_;
  std::size_t scratch_;
  std::vector<Pick> picks_;
  std::vector<std::size_t> features_;
  std::vector<std::uint64_t> places_;
  std::vector<double> space_;
  std::vector<Id> moved_;
  std::vector<std::vector<Category>> categories_;
};

}  // namespace surefit::exact_tree
