// One tree of a forest: nodes depth first, left before right.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>

#include "surefit/parallel.hpp"
#include "tree/forest_search.hpp"

namespace surefit::forest {

constexpr std::size_t kFewRows = 128;  // up to here the bins that are there are noted row by row
constexpr std::size_t kFewest = 8;  // up to here rows are put in order in the place of a histogram
constexpr std::size_t kPollWork = 1 << 16;
constexpr std::size_t kAhead = 16;  // rows whose bins are fetched before they are used, where a cache cannot hold all
constexpr std::size_t kNear = 1 << 19;

struct Node {
  std::size_t begin, end, depth;
  std::uint64_t key;
  std::int32_t parent;
  bool is_left;
};

// How many rows an example of a bag stands for.
inline std::int32_t rows_of(const Examples& e, const Bag& bag, std::size_t i) {
  return bag.counts ? std::min(bag.counts[i], e.repeats[i]) : e.repeats[i];
}

// The examples of a bag in their order, weights without the factors of classes.
template <class Target>
void fill_items(const Examples& e, const Bag& bag, std::vector<typename Target::Item>& items) {
  items.clear();
  for (std::size_t i = 0; i < e.n; ++i) {
    const double w = bag.counts ? static_cast<double>(bag.counts[i]) : bag.weights ? bag.weights[i] : 1.0;
    if (w > 0) items.push_back(Target::item(e, static_cast<std::uint32_t>(i), w));
  }
}

// Rows that go left first, both in their order; how many they are.
template <class Item, class GoesLeft>
std::size_t part_items(Item* items, std::size_t n, std::vector<Item>& scratch, const GoesLeft& goes_left) {
  scratch.resize(std::max(scratch.size(), n));
  std::size_t to = 0, n_right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Item item = items[i];
    const bool left = goes_left(item);
    items[to] = item;
    scratch[n_right] = item;
    to += left;
    n_right += !left;
  }
  std::copy_n(scratch.begin(), n_right, items + to);
  return to;
}

template <class Target>
class TreeGrower {
  using Item = typename Target::Item;

 public:
  TreeGrower(const Examples& e, const Rules& rules, std::atomic<bool>& stop)
      : e_(e), rules_(rules), search_(e, rules), stop_(stop), far_(e.n * e.d > kNear), sizes_(e.repeats ? e.n : 0) {}

  void grow(const Bag& bag, Grown& tree, int thread) {
    search_.target.start_tree(bag);
    fill_items<Target>(e_, bag, items_);
    for (const Item& item : items_) {
      if (e_.repeats) sizes_[item.row] = rows_of(e_, bag, item.row);
    }
    root_weight_ = search_.target.weigh(items_.data(), items_.size());
    grow_from({0, items_.size(), 0, draws::root_key(bag.seed), -1, false}, tree, thread);
  }

  // What is below one node, whose examples stand side by side and are no more than kWide.
  void grow_below(const Subtree& node, const double* weights, Grown& tree, int thread) {
    search_.target.start_tree({nullptr, weights, node.class_weight, 0});
    items_.clear();
    for (std::size_t i = node.begin; i < node.end; ++i) {
      items_.push_back(Target::item(e_, static_cast<std::uint32_t>(i), weights[i]));
      if (e_.repeats) sizes_[i] = e_.repeats[i];
    }
    root_weight_ = node.root_weight;
    grow_from({0, items_.size(), node.depth, node.key, -1, false}, tree, thread);
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
  void grow_from(const Node& root, Grown& tree, int thread) {
    tree.reserve(std::min(n_nodes_ + n_nodes_ / 8, 2 * (root.end - root.begin)), search_.target.n_values());
    std::vector<Node> open{root};
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
      const std::uint8_t* column = e_.bins + split.feature;
      const std::size_t middle =
          node.begin + part_items(items_.data() + node.begin, node.end - node.begin, scratch_, [&](const Item& item) {
            return tree.goes_left(static_cast<std::size_t>(id), column[item.row * e_.d]);
          });
      // values that are missing later, where none was now, go to the side with more rows
      if (split.without_missing) {
        tree.missing_left.back() = rows_in(node.begin, middle) > rows_in(middle, node.end);
      }
      open.push_back({middle, node.end, node.depth + 1, draws::right_key(node.key), id, false});
      open.push_back({node.begin, middle, node.depth + 1, draws::left_key(node.key), id, true});
    }
    n_nodes_ = tree.left.size();
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
    Target& target = search_.target;
    const bool mixed = target.look(items_.data() + node.begin, node.end - node.begin);
    const std::int64_t n_samples = rows_in(node.begin, node.end);
    tree.left.push_back(-1);
    tree.right.push_back(-1);
    tree.impurity.push_back(target.impurity());
    tree.weight.push_back(target.weight);
    tree.n_samples.push_back(n_samples);
    target.write(tree.value);
    Split split;
    if (search_.may_split(mixed, node.depth, n_samples, root_weight_)) split = best(node, n_samples);
    tree.feature.push_back(split.found ? static_cast<std::int32_t>(split.feature) : -2);
    tree.threshold.push_back(split.found ? split.threshold : -2.0);
    tree.missing_left.push_back(split.found && split.missing_left);
    tree.split_bin.push_back(static_cast<std::uint8_t>(split.bin));
    tree.category_row.push_back(split.found && split.by_set ? static_cast<std::int32_t>(tree.categories.size()) : -1);
    if (split.found && split.by_set) tree.categories.push_back(split.set);
    return split;
  }

  Split best(const Node& node, std::int64_t n_samples) {
    Split split;
    search_.start(n_samples, root_weight_);
    std::size_t looked_at = 0;
    const bool every = rules_.max_features >= e_.d;
    const bool few = node.end - node.begin <= kFewest && !search_.counting();
    if (!every) order_.draw(node.key, e_.d);
    for (std::size_t next = 0; next < e_.d && looked_at < rules_.max_features; ++next) {
      const std::size_t j = every ? next : order_.next();
      if (few && !(e_.categorical && e_.categorical[j])) {
        looked_at += search_.template scan<true>(j, add_up_few(node, j), split);
      } else {
        looked_at += search_.scan(j, add_up(node, j), split);
      }
      if (node.end - node.begin <= kFewRows && search_.nothing_left(split)) break;
    }
    search_.finish(split);
    return split;
  }

  // Asks for a bin that is used kAhead items later; `left`: how many there are from this one on.
  void fetch(const std::uint8_t* column, const Item* item, std::size_t left) const {
    if (far_ && left > kAhead) __builtin_prefetch(column + item[kAhead].row * e_.d);
  }

  // The same for a handful of rows, without branching on where they are: the place of a row in the order of bins is the
  // number of rows before it. The p-th bin that is present is added up in place p.
  std::size_t add_up_few(const Node& node, std::size_t j) {
    const Item* items = items_.data() + node.begin;
    const std::size_t n = node.end - node.begin;
    if (n == 2) return add_up_two(items, e_.bins[items[0].row * e_.d + j], e_.bins[items[1].row * e_.d + j]);
    std::int16_t key[kFewest], before[kFewest] = {};
    for (std::size_t i = 0; i < kFewest; ++i) {
      key[i] = i < n ? static_cast<std::int16_t>(e_.bins[items[i].row * e_.d + j] * kFewest + i) : std::int16_t{0x7FFF};
    }
    for (std::size_t other = 0; other < n; ++other) {
      for (std::size_t i = 0; i < kFewest; ++i) before[i] = static_cast<std::int16_t>(before[i] + (key[i] > key[other]));
    }
    std::int16_t in_order[kFewest] = {};
    for (std::size_t i = 0; i < n; ++i) in_order[before[i]] = key[i];
    std::size_t at = 0;
    std::uint8_t last = static_cast<std::uint8_t>(in_order[0] / kFewest);
    search_.present[0] = last;
    for (std::size_t p = 0; p < n; ++p) {
      const auto bin = static_cast<std::uint8_t>(in_order[p] / kFewest);
      at += bin != last;
      last = search_.present[at] = bin;
      search_.target.add(items[static_cast<std::size_t>(in_order[p]) % kFewest], static_cast<std::uint8_t>(at));
    }
    return at + 1;
  }

  std::size_t add_up_two(const Item* items, std::uint8_t first, std::uint8_t second) {
    search_.present[0] = std::min(first, second);
    search_.present[1] = std::max(first, second);
    search_.target.add(items[0], first > second);
    search_.target.add(items[1], first < second);
    return first == second ? 1 : 2;
  }

  // The histogram of feature j; how many bins are there, and which: present, ascending.
  std::size_t add_up(const Node& node, std::size_t j) {
    Target& target = search_.target;
    std::uint8_t* present = search_.present;
    const Item* items = items_.data() + node.begin;
    const std::size_t n = node.end - node.begin;
    const std::uint8_t* column = e_.bins + j;
    if (search_.counting()) {
      for (std::size_t i = 0; i < n; ++i) search_.counts[column[items[i].row * e_.d]] += size(items[i]);
    }
    std::size_t m = 0;
    if (n <= kFewRows) {
      std::uint64_t seen[4] = {0, 0, 0, 0};
      for (std::size_t i = 0; i < n; ++i) {
        fetch(column, items + i, n - i);
        const std::uint8_t bin = column[items[i].row * e_.d];
        seen[bin >> 6] |= std::uint64_t{1} << (bin & 63);
        target.add(items[i], bin);
      }
      for (std::size_t word = 0; word < 4; ++word) {
        for (std::uint64_t rest = seen[word]; rest; rest &= rest - 1) {
          present[m++] = static_cast<std::uint8_t>(64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
        }
      }
      return m;
    }
    for (std::size_t i = 0; i < n; ++i) {
      fetch(column, items + i, n - i);
      target.add(items[i], column[items[i].row * e_.d]);
    }
    for (std::size_t bin = 0; bin < 256; ++bin) {
      if (target.bin_weight(bin) > 0) present[m++] = static_cast<std::uint8_t>(bin);
    }
    return m;
  }

  const Examples& e_;
  const Rules& rules_;
  SplitSearch<Target> search_;
  std::atomic<bool>& stop_;
  bool far_;  // the bins of all examples are more than a core's own cache holds
  std::vector<Item> items_, scratch_;
  std::vector<std::int32_t> sizes_;
  FeatureOrder order_;
  double root_weight_ = 0;
  std::size_t n_nodes_ = 0;  // of the tree before
};

}  // namespace surefit::forest
