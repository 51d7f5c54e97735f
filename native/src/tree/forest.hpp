// Many trees grown at once from columns that were put into bins.
//
// Examples are distinct rows in canonical order (summaries/canonical.py). A tree sees those with a positive weight: the
// number of times it has drawn them, times the weight of their class. Bins are whole numbers; a split at bin b sends
// bins ≤ b to the left, and is written as the threshold between bins b and b + 1. Bin 255 holds missing values. The bins
// of a column of categories are their codes; a split sends a set of them to the left (forest_categories.hpp).
//
// A node looks at candidate features in an order drawn from its key (draws.hpp) until `max_features` that are not
// constant within it were seen. For each the weights of the classes (or the sums of the targets) are added up bin by
// bin, and the bins that are there are scanned once: the work is that of the rows in the node, however small it is.
//
// Where weights are whole numbers, the sums of a node of more than kWide examples have no order: those of parts of its
// rows add up to the same bits (forest_part.hpp, forest_merged.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace surefit::forest {

constexpr std::uint8_t kMissing = 255;
constexpr std::size_t kWide = 8192;

using CategorySet = std::array<std::uint64_t, 4>;  // bit c: category c goes left
inline bool holds(const CategorySet& set, std::uint8_t code) { return set[code >> 6] >> (code & 63) & 1; }
inline void put(CategorySet& set, std::uint8_t code) { set[code >> 6] |= std::uint64_t{1} << (code & 63); }

enum class Criterion { gini = 0, entropy = 1, squared_error = 2, poisson = 3 };

struct Examples {
  const std::uint8_t* bins;  // n × d, row by row
  std::size_t n, d;
  const std::int32_t* codes;  // classes, or null
  std::size_t n_classes;      // 0: numbers
  const double* y;            // numbers, or null
  const std::int32_t* repeats;  // how many rows an example stands for, or null: one each
  const double* thresholds;     // of all features, one after the other
  const std::int64_t* first_threshold;  // d + 1: where those of each feature begin
  const std::uint8_t* categorical;      // for each feature whether its bins are codes of categories, or null: none
  int y_exponent = 0;                   // every |y| is below 2 to this power
};

struct Rules {
  Criterion criterion;
  std::size_t max_features;
  std::size_t max_depth;
  std::size_t min_samples_split, min_samples_leaf;
  double min_weight_share;  // of the weight of the root
  double min_decrease;      // of the impurity, as a share of the weight of the root
};

// What one tree is grown from: times drawn (or null), weights where nothing is drawn (or null: one), and a factor for
// each class (or null), above zero. `whole`: all weights, factors aside, are whole numbers that add up to less than 2⁵¹.
struct Bag {
  const std::int32_t* counts;
  const double* weights;
  const double* class_weight;
  std::uint64_t seed;
  bool whole = false;
};

struct Grown {
  std::vector<std::int32_t> left, right, feature, category_row;  // −1 where a node does not split by a set
  std::vector<double> threshold, impurity, weight, value;
  std::vector<std::uint8_t> missing_left, split_bin;
  std::vector<std::int64_t> n_samples;
  std::vector<CategorySet> categories;

  void reserve(std::size_t n, std::size_t n_values) {
    for (auto* numbers : {&left, &right, &feature, &category_row}) numbers->reserve(n);
    for (auto* numbers : {&threshold, &impurity, &weight}) numbers->reserve(n);
    value.reserve(n * n_values);
    missing_left.reserve(n);
    split_bin.reserve(n);
    n_samples.reserve(n);
  }

  // Whether a value with this bin goes left at a node that is split.
  bool goes_left(std::size_t node, std::uint8_t bin) const {
    if (bin == kMissing) return missing_left[node] != 0;
    const std::int32_t row = category_row[node];
    return row < 0 ? bin <= split_bin[node] : holds(categories[static_cast<std::size_t>(row)], bin);
  }
};

// One tree for each bag. `outside`: n numbers for each bag, or null: the leaf of each example that is not in the bag, −1
// for those that are.
std::vector<Grown> grow(const Examples& examples, const Rules& rules, const std::vector<Bag>& bags,
                        std::int32_t* outside, int n_threads);

// Some nodes of trees, their rows side by side in `examples`, and what is below each of them.
struct Subtree {
  std::size_t begin, end, depth;
  std::uint64_t key;
  double root_weight;
  const double* class_weight;  // of its tree, or null
};

// The trees below nodes of at most kWide examples; `weights`: one for each, without the factors of classes.
std::vector<Grown> grow_subtrees(const Examples& examples, const Rules& rules, const double* weights,
                                 const std::vector<Subtree>& nodes, int n_threads);

}  // namespace surefit::forest
