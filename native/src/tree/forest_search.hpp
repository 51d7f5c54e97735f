// The best split of a node, from the sums in the bins of one feature after the other.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "tree/draws.hpp"
#include "tree/forest_categories.hpp"
#include "tree/forest_targets.hpp"

namespace surefit::forest {

constexpr double kTie = 1e-12;  // decreases this close, as a share of the node's weighted impurity, are equal
constexpr double kNearAs = 1e-9;  // see choose_threshold

struct Split {
  double decrease = -1;
  std::size_t feature = 0;
  int bin = 0;  // the last on the left; 254 when all numbers are left and missing values right
  int last_bin = 0;  // up to here bins are as good: none between is there in the node
  bool missing_left = false, without_missing = false, found = false, by_set = false;
  double threshold = 0;
  CategorySet set{};
};

// The features of a node in the order of their draws, one after the other; equal draws by number.
class FeatureOrder {
 public:
  void draw(std::uint64_t key, std::size_t d) {
    left_.resize(d);
    for (std::size_t j = 0; j < d; ++j) left_[j] = {draws::place_of_feature(key, j), j};
    heaped_ = d > kFewFeatures;
    if (heaped_) std::make_heap(left_.begin(), left_.end(), std::greater<>());
  }
  std::size_t next() {
    if (heaped_) {
      std::pop_heap(left_.begin(), left_.end(), std::greater<>());
    } else {
      std::swap(*std::min_element(left_.begin(), left_.end()), left_.back());
    }
    const std::size_t j = left_.back().second;
    left_.pop_back();
    return j;
  }

 private:
  static constexpr std::size_t kFewFeatures = 32;
  std::vector<std::pair<std::uint64_t, std::size_t>> left_;
  bool heaped_ = false;
};

template <class Target>
class SplitSearch {
 public:
  SplitSearch(const Examples& e, const Rules& rules) : target(e, rules), e_(e), rules_(rules) {}

  Target target;               // the node's statistics, and the bins of a feature
  std::uint8_t present[256];   // the bins that are there, ascending
  std::int64_t counts[256] = {};  // rows in them, where `counting`

  bool counting() const { return rules_.min_samples_leaf > 1; }

  // Whether a node may be split at all.
  bool may_split(bool mixed, std::size_t depth, std::int64_t n_samples, double root_weight) const {
    const auto count = static_cast<std::size_t>(n_samples);
    return mixed && depth < rules_.max_depth && count >= rules_.min_samples_split &&
           count >= 2 * rules_.min_samples_leaf && target.weight >= 2 * rules_.min_weight_share * root_weight;
  }

  // After `target` has the statistics of a node.
  void start(std::int64_t n_samples, double root_weight) {
    tie_ = kTie * target.weighted_impurity();
    n_samples_ = n_samples;
    root_weight_ = root_weight;
    min_weight_ = rules_.min_weight_share * root_weight;
  }

  // Looks at each split between two of the m bins that are present, and clears them; false if there is only one.
  // `in_places`: the p-th bin that is present was added up in place p, not in its own.
  template <bool in_places = false>
  bool scan(std::size_t j, std::size_t m, Split& split) {
    if (m > 1) {
      for (std::size_t p = 0; p < m; ++p) target.scale(cell<in_places>(p));
      const auto enough = [&](double left, std::int64_t count) {
        const double right = target.weight - left;
        if (!(left >= min_weight_ && right >= min_weight_ && right > 0)) return false;
        const auto least = static_cast<std::int64_t>(rules_.min_samples_leaf);
        if (counting() && (count < least || n_samples_ - count < least)) return false;
        return target.allowed(left, right);
      };
      if (e_.categorical && e_.categorical[j]) {
        scan_sets(j, m, enough, split);
      } else {
        scan_bins<in_places>(j, m, enough, split);
      }
    }
    for (std::size_t p = 0; p < m; ++p) {
      target.clear(cell<in_places>(p));
      counts[present[p]] = 0;
    }
    return m > 1;
  }

  // Whether nothing is left to gain: no split lowers the impurity by more than there is. For few rows, whose sums are
  // off by less than half a tie.
  bool nothing_left(const Split& split) const {
    return target.close_to_exact() && split.found && split.decrease >= target.weighted_impurity() - 0.5 * tie_;
  }

  // After all features: the threshold, and whether the decrease is large enough.
  void finish(Split& split) const {
    if (!split.found) return;
    if (!split.by_set) choose_threshold(split);
    if (target.share(split.decrease) / root_weight_ + kEpsilon < rules_.min_decrease) split.found = false;
  }

 private:
  // Of the thresholds t that part the rows of the node alike the nearest to the middle of the outermost two. Of two as
  // near (up to kNearAs of the distance of those two) the upper: a value right in the middle goes left, as x ≤ t does.
  void choose_threshold(Split& split) const {
    split.threshold = std::numeric_limits<double>::infinity();
    if (split.bin == 254) return;
    const double* t = e_.thresholds + e_.first_threshold[split.feature];
    const double middle = t[split.bin] / 2 + t[split.last_bin] / 2;
    int at = static_cast<int>(std::lower_bound(t + split.bin, t + split.last_bin, middle) - t);
    const double as_near = kNearAs * (t[split.last_bin] - t[split.bin]);
    if (at > split.bin && middle - t[at - 1] < t[at] - middle - as_near) --at;
    split.bin = at, split.threshold = t[at];
  }

  template <bool in_places>
  std::size_t cell(std::size_t p) const {
    return in_places ? p : present[p];
  }

  template <bool in_places, class Enough>
  void scan_bins(std::size_t j, std::size_t m, const Enough& enough, Split& split) {
    const bool has_missing = present[m - 1] == kMissing;
    const std::size_t n_values = m - has_missing;
    const double missing_weight = has_missing ? target.bin_weight(cell<in_places>(m - 1)) : 0;
    target.start();
    double L = 0;
    std::int64_t n_left = 0;
    for (std::size_t p = 0; p + 1 < m; ++p) {
      const std::size_t bin = present[p];
      target.move_left(cell<in_places>(p));
      L += target.bin_weight(cell<in_places>(p));
      n_left += counts[bin];
      const bool last = p + 1 == n_values;  // all numbers left, missing values right
      const auto take = [&](bool missing_left) {
        split.feature = j, split.by_set = false;
        split.bin = last ? 254 : static_cast<int>(bin), split.last_bin = last ? 254 : present[p + 1] - 1;
        split.missing_left = missing_left, split.without_missing = !has_missing;
      };
      if (enough(L, n_left) && better(split, L)) take(false);
      if (has_missing && !last) {
        target.move_left(cell<in_places>(m - 1));
        const double left = L + missing_weight;
        if (enough(left, n_left + counts[kMissing]) && better(split, left)) take(true);
        target.take_back(cell<in_places>(m - 1));
      }
    }
  }

  template <class Enough>
  void scan_sets(std::size_t j, std::size_t m, const Enough& enough, Split& split) {
    const bool has_missing = present[m - 1] == kMissing;
    SetScan<Target> sets(target, counts, present, m - has_missing, has_missing);
    sets.search([&](const Side& side, const CategorySet& set, bool missing_left) {
      if (!enough(side.weight, side.rows) || !better(split, side.weight)) return;
      split.feature = j, split.by_set = true, split.set = set, split.bin = 0, split.threshold = -2;
      split.missing_left = missing_left, split.without_missing = !has_missing;
    });
  }

  // Whether the left side that `target` holds, of weight L, lowers the impurity by more than the split found so far; it
  // is then that split. Of equal ones the first that was looked at stays.
  bool better(Split& split, double L) const {
    const double decrease = target.decrease(L, target.weight - L);
    if (split.found && decrease <= split.decrease + tie_) return false;
    split.found = true;
    split.decrease = decrease;
    return true;
  }

  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

  const Examples& e_;
  const Rules& rules_;
  std::int64_t n_samples_ = 0;
  double root_weight_ = 0, min_weight_ = 0, tie_ = 0;
};

}  // namespace surefit::forest
