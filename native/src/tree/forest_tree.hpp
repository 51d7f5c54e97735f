// One tree of a forest: nodes depth first, left before right.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

#include "surefit/parallel.hpp"
#include "tree/draws.hpp"
#include "tree/forest_categories.hpp"
#include "tree/forest_targets.hpp"

namespace surefit::forest {

constexpr double kTie = 1e-12;  // decreases this close, as a share of the node's weighted impurity, are equal
constexpr double kNearAs = 1e-9;  // see choose_threshold
constexpr std::size_t kFewRows = 128;  // up to here the bins that are there are noted row by row
constexpr std::size_t kPollWork = 1 << 16;
constexpr std::size_t kAhead = 16;  // rows whose bins are fetched before they are used, where a cache cannot hold all
constexpr std::size_t kNear = 1 << 19;

struct Split {
  double decrease = -1;
  std::size_t feature = 0;
  int bin = 0;  // the last on the left; 254 when all numbers are left and missing values right
  int last_bin = 0;  // up to here bins are as good: none between is there in the node
  bool missing_left = false, without_missing = false, found = false, by_set = false;
  double threshold = 0;
  CategorySet set{};
};

struct Node {
  std::size_t begin, end, depth;
  std::uint64_t key;
  std::int32_t parent;
  bool is_left;
};

// The features of a node in the order of their draws, one after the other.
class FeatureOrder {
 public:
  void draw(std::uint64_t key, std::size_t d) {
    heap_.resize(d);
    for (std::size_t j = 0; j < d; ++j) heap_[j] = {draws::place_of_feature(key, j), j};
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  std::size_t next() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::size_t j = heap_.back().second;
    heap_.pop_back();
    return j;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::size_t>> heap_;
};

template <class Target>
class TreeGrower {
  using Item = typename Target::Item;

 public:
  TreeGrower(const Examples& e, const Rules& rules, std::atomic<bool>& stop)
      : e_(e), rules_(rules), target_(e, rules), stop_(stop), far_(e.n * e.d > kNear), sizes_(e.repeats ? e.n : 0) {}

  void grow(const Bag& bag, Grown& tree, int thread) {
    fill(bag);
    std::vector<Node> open{{0, items_.size(), 0, draws::root_key(bag.seed), -1, false}};
    std::size_t work = 0;
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      if ((work += node.end - node.begin + 16) > kPollWork) {
        work = 0;
        if (stop_.load(std::memory_order_relaxed)) return;
        poll_task(thread);
      }
      const auto id = static_cast<std::int32_t>(tree.left.size());
      if (node.parent >= 0) (node.is_left ? tree.left : tree.right)[static_cast<std::size_t>(node.parent)] = id;
      const Split split = look(node, tree);
      if (!split.found) continue;
      const std::size_t middle = partition(node, split.feature, tree, static_cast<std::size_t>(id));
      // values that are missing later, where none was now, go to the side with more rows
      if (split.without_missing) {
        tree.missing_left.back() = rows_in(node.begin, middle) > rows_in(middle, node.end);
      }
      open.push_back({middle, node.end, node.depth + 1, draws::right_key(node.key), id, false});
      open.push_back({node.begin, middle, node.depth + 1, draws::left_key(node.key), id, true});
    }
  }

  // The leaf of each example outside the bag, −1 inside.
  void outside(const Bag& bag, const Grown& tree, std::int32_t* leaf) const {
    for (std::size_t i = 0; i < e_.n; ++i) {
      leaf[i] = -1;
      if (bag.counts && bag.counts[i] > 0) continue;
      std::size_t node = 0;
      while (tree.left[node] >= 0) {
        const auto j = static_cast<std::size_t>(tree.feature[node]);
        const bool left = tree.goes_left(node, e_.bins[i * e_.d + j]);
        node = static_cast<std::size_t>(left ? tree.left[node] : tree.right[node]);
      }
      leaf[i] = static_cast<std::int32_t>(node);
    }
  }

 private:
  void fill(const Bag& bag) {
    items_.clear();
    for (std::size_t i = 0; i < e_.n; ++i) {
      double w = bag.counts ? static_cast<double>(bag.counts[i]) : bag.weights ? bag.weights[i] : 1.0;
      if (!(w > 0)) continue;
      if (bag.class_weight) w *= bag.class_weight[e_.codes[i]];
      if (!(w > 0)) continue;
      items_.push_back(Target::item(e_, static_cast<std::uint32_t>(i), w));
      if (e_.repeats) sizes_[i] = bag.counts ? std::min(bag.counts[i], e_.repeats[i]) : e_.repeats[i];
    }
    scratch_.resize(items_.size());
    root_weight_ = 0;
    for (const Item& item : items_) root_weight_ += item.w;
  }

  std::int64_t size(const Item& item) const { return e_.repeats ? sizes_[item.row] : 1; }

  std::int64_t rows_in(std::size_t begin, std::size_t end) const {
    if (!e_.repeats) return static_cast<std::int64_t>(end - begin);
    std::int64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += size(items_[i]);
    return sum;
  }

  // Writes the node; the best split, if one is allowed.
  Split look(const Node& node, Grown& tree) {
    const Item* items = items_.data() + node.begin;
    const std::size_t n = node.end - node.begin;
    const bool mixed = target_.look(items, n);
    const std::int64_t n_samples = rows_in(node.begin, node.end);
    tree.left.push_back(-1);
    tree.right.push_back(-1);
    tree.impurity.push_back(target_.impurity());
    tree.weight.push_back(target_.weight);
    tree.n_samples.push_back(n_samples);
    target_.write(tree.value);
    Split split;
    const double min_weight = rules_.min_weight_share * root_weight_;
    const auto count = static_cast<std::size_t>(n_samples);
    if (mixed && node.depth < rules_.max_depth && count >= rules_.min_samples_split &&
        count >= 2 * rules_.min_samples_leaf && target_.weight >= 2 * min_weight) {
      split = best(node, n_samples, min_weight);
      if (split.found && target_.share(split.decrease) / root_weight_ + kEpsilon < rules_.min_decrease) split.found = false;
    }
    tree.feature.push_back(split.found ? static_cast<std::int32_t>(split.feature) : -2);
    tree.threshold.push_back(split.found ? split.threshold : -2.0);
    tree.missing_left.push_back(split.found && split.missing_left);
    tree.split_bin.push_back(static_cast<std::uint8_t>(split.bin));
    tree.category_row.push_back(split.by_set ? static_cast<std::int32_t>(tree.categories.size()) : -1);
    if (split.by_set) tree.categories.push_back(split.set);
    return split;
  }

  Split best(const Node& node, std::int64_t n_samples, double min_weight) {
    Split split;
    tie_ = kTie * target_.weighted_impurity();
    std::size_t looked_at = 0;
    const bool every = rules_.max_features >= e_.d;
    if (!every) order_.draw(node.key, e_.d);
    for (std::size_t next = 0; next < e_.d && looked_at < rules_.max_features; ++next) {
      const std::size_t j = every ? next : order_.next();
      looked_at += scan(node, j, n_samples, min_weight, split);
    }
    if (split.found && !split.by_set) choose_threshold(split);
    return split;
  }

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

  // Adds up the bins of feature j and looks at each split between two that are there; false if there is only one.
  bool scan(const Node& node, std::size_t j, std::int64_t n_samples, double min_weight, Split& split) {
    const bool counting = rules_.min_samples_leaf > 1;
    const std::size_t m = add_up(node, j, counting);
    if (m > 1) {
      const auto enough = [&](double left, std::int64_t count) {
        const double right = target_.weight - left;
        if (!(left >= min_weight && right >= min_weight && right > 0)) return false;
        const auto least = static_cast<std::int64_t>(rules_.min_samples_leaf);
        if (counting && (count < least || n_samples - count < least)) return false;
        return target_.allowed(left, right);
      };
      if (e_.categorical && e_.categorical[j]) {
        scan_sets(j, m, enough, split);
      } else {
        scan_bins(j, m, enough, split);
      }
    }
    for (std::size_t p = 0; p < m; ++p) {
      target_.clear(present_[p]);
      counts_[present_[p]] = 0;
    }
    return m > 1;
  }

  template <class Enough>
  void scan_bins(std::size_t j, std::size_t m, const Enough& enough, Split& split) {
    const bool has_missing = present_[m - 1] == kMissing;
    const std::size_t n_values = m - has_missing;
    const double missing_weight = has_missing ? target_.bin_weight(kMissing) : 0;
    target_.start();
    double L = 0;
    std::int64_t n_left = 0;
    for (std::size_t p = 0; p + 1 < m; ++p) {
      const std::size_t bin = present_[p];
      target_.move_left(bin);
      L += target_.bin_weight(bin);
      n_left += counts_[bin];
      const bool last = p + 1 == n_values;  // all numbers left, missing values right
      const auto take = [&](bool missing_left) {
        split.feature = j, split.by_set = false;
        split.bin = last ? 254 : static_cast<int>(bin), split.last_bin = last ? 254 : present_[p + 1] - 1;
        split.missing_left = missing_left, split.without_missing = !has_missing;
      };
      if (enough(L, n_left) && better(split, L)) take(false);
      if (has_missing && !last) {
        target_.move_left(kMissing);
        const double left = L + missing_weight;
        if (enough(left, n_left + counts_[kMissing]) && better(split, left)) take(true);
        target_.take_back(kMissing);
      }
    }
  }

  template <class Enough>
  void scan_sets(std::size_t j, std::size_t m, const Enough& enough, Split& split) {
    const bool has_missing = present_[m - 1] == kMissing;
    SetScan<Target> sets(target_, counts_, present_, m - has_missing, has_missing);
    sets.search([&](const Side& side, const CategorySet& set, bool missing_left) {
      if (!enough(side.weight, side.rows) || !better(split, side.weight)) return;
      split.feature = j, split.by_set = true, split.set = set, split.bin = 0, split.threshold = -2;
      split.missing_left = missing_left, split.without_missing = !has_missing;
    });
  }

  // Asks for a bin that is used kAhead items later; `left`: how many there are from this one on.
  void fetch(const std::uint8_t* column, const Item* item, std::size_t left) const {
    if (far_ && left > kAhead) __builtin_prefetch(column + item[kAhead].row * e_.d);
  }

  // The histogram of feature j; how many bins are there, and which: present_, ascending.
  std::size_t add_up(const Node& node, std::size_t j, bool counting) {
    const Item* items = items_.data() + node.begin;
    const std::size_t n = node.end - node.begin;
    const std::uint8_t* column = e_.bins + j;
    if (counting) {
      for (std::size_t i = 0; i < n; ++i) counts_[column[items[i].row * e_.d]] += size(items[i]);
    }
    std::size_t m = 0;
    if (n <= kFewRows) {
      std::uint64_t seen[4] = {0, 0, 0, 0};
      for (std::size_t i = 0; i < n; ++i) {
        fetch(column, items + i, n - i);
        const std::uint8_t bin = column[items[i].row * e_.d];
        seen[bin >> 6] |= std::uint64_t{1} << (bin & 63);
        target_.add(items[i], bin);
      }
      for (std::size_t word = 0; word < 4; ++word) {
        for (std::uint64_t rest = seen[word]; rest; rest &= rest - 1) {
          present_[m++] = static_cast<std::uint8_t>(64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
        }
      }
      return m;
    }
    for (std::size_t i = 0; i < n; ++i) {
      fetch(column, items + i, n - i);
      target_.add(items[i], column[items[i].row * e_.d]);
    }
    for (std::size_t bin = 0; bin < 256; ++bin) {
      if (target_.bin_weight(bin) > 0) present_[m++] = static_cast<std::uint8_t>(bin);
    }
    return m;
  }

  // Whether the left side that `target_` holds, of weight L, lowers the impurity by more than the split found so far; it
  // is then that split. Of equal ones the first that was looked at stays.
  bool better(Split& split, double L) const {
    const double decrease = target_.decrease(L, target_.weight - L);
    if (split.found && decrease <= split.decrease + tie_) return false;
    split.found = true;
    split.decrease = decrease;
    return true;
  }

  // Rows of the left child first, both in their order; where the right ones begin.
  std::size_t partition(const Node& node, std::size_t feature, const Grown& tree, std::size_t id) {
    const std::uint8_t* column = e_.bins + feature;
    std::size_t to = node.begin, n_right = 0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const Item item = items_[i];
      const bool left = tree.goes_left(id, column[item.row * e_.d]);
      items_[to] = item;
      scratch_[n_right] = item;
      to += left;
      n_right += !left;
    }
    std::copy_n(scratch_.begin(), n_right, items_.begin() + static_cast<std::ptrdiff_t>(to));
    return to;
  }

  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

  const Examples& e_;
  const Rules& rules_;
  Target target_;
  std::atomic<bool>& stop_;
  bool far_;  // the bins of all examples are more than a core's own cache holds
  std::vector<Item> items_, scratch_;
  std::vector<std::int32_t> sizes_;
  FeatureOrder order_;
  std::uint8_t present_[256];
  std::int64_t counts_[256] = {};
  double root_weight_ = 0, tie_ = 0;
};

}  // namespace surefit::forest
